"""The end of a session: the view hears of it and may save its work, then it is over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

from fanlight.protocol.state import ConnectionState

from .verdicts import Verdict

if TYPE_CHECKING:
    from .host import Host
    from .session import Session

__all__ = ["Ending"]

# Somebody looks at the page and waits for the new document.
_SHORT_GRACE = 0.3
# A view that ends may still have to ask a person whether it may save: so long at most its end waits for that.
_ASKING_SECONDS = 15.0


class Ending:
    """How one session comes to its end."""

    def __init__(self, host: Host, session: Session) -> None:
        # What the page does when this showing has ended without a verdict: show it anew, or let it rest.
        self.afterwards: Literal["again", "resting"] | None = None
        # Set when the session is closed, however that came.
        self.over = asyncio.Event()
        self._host = host
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._reason = ""
        self._latest = 0.0

    # With time to save

    async def teardown(self, reason: str) -> None:
        """Tell the view that it ends, give it a moment to save its work, then end it (R55, R56)."""
        self.begin(reason)
        await self.over.wait()

    def begin(self, reason: str, hurry: float | None = None) -> None:
        """End it when it has answered, or after the grace time; with `hurry`, without asking anybody."""
        session, conversation = self._session, self._session.conversation
        if session.closed or conversation.state is ConnectionState.CLOSING:
            return
        self._reason = reason
        if conversation.state is not ConnectionState.READY or session.page_left:
            self.end(reason)  # nothing is shown yet or any more, so there is nobody to tell
            return
        seconds = hurry
        if seconds is None:
            grace = self._host.teardown_grace
            seconds = grace + _ASKING_SECONDS
            self._latest = self._loop.time() + seconds
            session.gate.ask_until(self._latest)
            session.deadlines.within("grace", grace, self._grace_over)
        else:
            session.gate.ask_nobody(f"nobody is asked now, so it is denied: {reason}")
        conversation.tear_down(seconds, reason)

    def _grace_over(self) -> None:
        """While a person is asked the clock stands still; the answer gives the view its grace time again."""
        session = self._session
        until = min(session.gate.asked_last + self._host.teardown_grace, self._latest)
        if until > self._loop.time():
            session.deadlines.at("grace", until, self._grace_over)
        else:
            self.end(self._reason)

    def supersede(self) -> None:
        """Another page shows the view from now on: this one saves its work and ends, without a verdict."""
        self._let_go_of_view()
        self.begin("it is now shown in another place")

    def show_again(self, reason: str) -> None:
        """The same page shows the view anew, with the same input and result; its work is saved first."""
        self._end_quietly("again", reason, min(self._host.teardown_grace, _SHORT_GRACE))

    def rest(self) -> None:
        """Nobody looks at the view: it saves its work and ends until somebody comes near it again."""
        self._end_quietly("resting", "it rests until it is looked at again", self._host.teardown_grace)

    def _end_quietly(self, afterwards: Literal["again", "resting"], reason: str, hurry: float) -> None:
        self.afterwards = afterwards
        self._let_go_of_view()
        self.begin(reason, hurry)

    def _let_go_of_view(self) -> None:
        if self._session.shows_view:
            self._session.view.session = None

    # At once

    def torn_down(self) -> None:
        """The view has answered, or the connection waits no longer."""
        self.end(self._reason)

    def end(self, reason: str) -> None:
        """The view is over for this page: say so and stop."""
        if self._session.shows_view:
            self._session.view.decide(Verdict.CLOSED, f"Closed: {reason}.")
        self._session.close(reason)

    def fail(self, verdict: Verdict, reason: str, remedy: str) -> None:
        """The view cannot go on in this page: say why and stop."""
        if self._session.shows_view:
            self._session.view.decide(verdict, reason, remedy)
        self._session.close(reason)
