"""Every link of a host: found again by the id that its page chose, kept for a while when the page is away.

It also hands over what a page that was left could not say any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .linked import ELSEWHERE, Carrier, Frame, Linked, is_number
from .session import Session
from .verdicts import Verdict

if TYPE_CHECKING:
    from fanlight.sandbox import Origins

    from .host import Host
    from .view import View

__all__ = ["Links", "gone"]

# Pages that are away: the oldest is given up beyond this many.
_MAX_AWAY = 1000
# Ended sessions whose count of heard frames is remembered, so that a late repetition is known as one.
_MAX_ENDED = 1000
_GONE = {
    "verdict": Verdict.CLOSED.value,
    "reason": "This app is no longer available.",
    "remedy": "Call its tool again.",
}


class Links:
    """Every link of a host, by the id that the page gave its session."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._bounds = host.link.bounds
        # Requests of pages that are gone: still done, heard by nobody.
        self._finishing: set[asyncio.Task[None]] = set()
        self._linked: dict[str, Linked] = {}
        self._away: dict[str, Linked] = {}
        self._ended: dict[str, int] = {}
        self._too_late: dict[str, int] = {}

    def attach(self, carrier: Carrier, view: View, frame: Frame, origins: Origins) -> Linked | None:
        """A page shows a view: a new session, or the one it asked for before the socket broke."""
        session_id = frame.get("session")
        if not isinstance(session_id, str) or not 8 <= len(session_id) <= 64:
            return None
        known = self._linked.get(session_id)
        if known is not None or session_id in self._ended:
            return (
                known if known is not None and known.view is view and known.carried_by(carrier, 0) else None
            )
        self._make_room_for_new(view, frame.get("before"))
        linked = Linked(self, view, session_id, self._bounds)
        linked.carried_by(carrier, 0)
        self._linked[session_id] = linked
        page = frame.get("context")
        session = Session(self._host, view, origins, page if isinstance(page, dict) else {}, linked.send)
        try:
            self._begin(linked, session)
        except BaseException:
            # Half a showing helps nobody: the page may ask again, and finds nothing of this one.
            self.forget(linked)
            session.close("it could not be shown")
            raise
        return linked

    def _begin(self, linked: Linked, session: Session) -> None:
        view = linked.view
        linked.session = session
        session.on_close = linked.session_closed
        session.crowded = linked.is_crowded
        view.begin_again()
        self._host.returning.shown(view)
        view.session = session
        for stage in view.stages:
            session.page.show_stage(stage)
        session.mount()
        session.page.show_outcome()
        self._tell_too_late(view, session)

    def _make_room_for_new(self, view: View, before: object) -> None:
        for session_id in before if isinstance(before, list) else ():
            old = self._linked.get(session_id) if isinstance(session_id, str) else None
            if old is not None and old.view is view:
                old.leave("the page was loaded again")
        for old in [linked for linked in self._linked.values() if linked.view is view]:
            if old.session is view.session:
                old.supersede()
        if view.session is not None:
            view.session.close("shown in another place")

    def resume(self, carrier: Carrier, view: View, frame: Frame) -> Linked | Frame:
        """A page is back: its link, or the words of a refusal."""
        linked = self._linked.get(str(frame.get("session")))
        got = frame.get("got")
        if linked is not None and linked.view is view and is_number(got) and linked.carried_by(carrier, got):
            return linked
        if view.session is not None:
            return {**ELSEWHERE, "again": False, "text": view.text}
        return {"again": True}

    def left(self, view: View, frame: Frame) -> None:
        """What a document of this view could not say before it was left, in order, each once."""
        session_id, entries, lost = str(frame.get("session")), frame.get("frames"), frame.get("lost")
        linked = self._linked.get(session_id)
        too_late = lost if is_number(lost) else 0
        for entry in entries if isinstance(entries, list) else ():
            if linked is not None and linked.view is view and self._linked.get(session_id) is linked:
                too_late += not linked.take_left(entry)
            else:
                repeated = isinstance(entry, list) and entry and is_number(entry[0])
                too_late += not (repeated and entry[0] <= self._ended.get(session_id, 0))
        if too_late:
            self._too_late[view.id] = self._too_late.get(view.id, 0) + too_late

    def _tell_too_late(self, view: View, session: Session) -> None:
        count = self._too_late.pop(view.id, 0)
        if count:
            session.page.tell(f"{count} messages of this app's last page came too late and were not handled.")

    def away(self, linked: Linked, wait: float) -> None:
        """A page is gone, perhaps for good. The one that is away longest makes room."""
        self._away[linked.link.session] = linked
        linked.wait_for_page(wait)
        if len(self._away) > _MAX_AWAY:
            next(iter(self._away.values())).leave("too many pages are away")

    def back(self, linked: Linked) -> None:
        self._away.pop(linked.link.session, None)

    def known(self, linked: Linked) -> bool:
        return self._linked.get(linked.link.session) is linked

    def forget(self, linked: Linked) -> None:
        """This session is over; only how much of it was heard is remembered."""
        session_id = linked.link.session
        if self._linked.pop(session_id, None) is None:
            return
        self._away.pop(session_id, None)
        linked.forgotten()
        self._ended[session_id] = linked.link.got
        if len(self._ended) > _MAX_ENDED:
            del self._ended[next(iter(self._ended))]

    def finish(self, tasks: Iterable[asyncio.Task[None]]) -> None:
        """Let these go on although their page is gone."""
        for task in tasks:
            self._finishing.add(task)
            task.add_done_callback(self._finishing.discard)

    async def aclose(self) -> None:
        """Every page is let go, and what their views had asked for is stopped."""
        for linked in tuple(self._linked.values()):
            linked.leave("the host is shutting down")
        for task in self._finishing:
            task.cancel()
        await asyncio.gather(*self._finishing, return_exceptions=True)


def gone() -> Frame:
    """One answer for "no such view" and "not yours": a guess learns nothing."""
    return {**_GONE, "again": False}
