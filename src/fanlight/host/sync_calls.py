"""Calls and views for programs without an event loop: waiting instead of awaiting."""

from __future__ import annotations

import threading
import webbrowser
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from .call import CANCELLED
from .verdicts import Outcome, Stage, Verdict

if TYPE_CHECKING:
    from .call import Call
    from .streaming import StreamedCall
    from .sync import SyncHost
    from .view import View

__all__ = ["SyncCall", "SyncStreamedCall", "SyncView"]

_MESSAGE_TIMEOUT = 300.0
# More than any person clicks while a program looks away; beyond it a view is told, nothing is dropped.
_MAX_WAITING = 1000


class SyncCall:
    """One tool call; see `fanlight.host.Call`. Made on the host's loop."""

    def __init__(self, host: SyncHost, call: Call) -> None:
        self.id = call.id
        self.view: SyncView | None = None if call.view is None else host.wrap(call.view)
        self._host = host
        self._call = call

    @property
    def result(self) -> dict[str, Any]:
        """The tool's result; only after the call has finished. Raises what `wait()` raises if it failed."""
        return self._call.result

    def for_model(self, *, max_text: int = 100_000, structured: bool = False) -> dict[str, Any]:
        """The part of the result that a model should read; only after the call has finished."""
        return self._call.for_model(max_text=max_text, structured=structured)

    def wait(self, timeout: float | None = None) -> dict[str, Any]:
        """The tool's result, as the server sent it.

        Raises:
            RpcError, UpstreamError: the call failed.
            CallCancelledError: it was given up with `cancel()`.
            TimeoutError: not within `timeout` seconds; the call goes on.
        """
        return self._host.run(self._call.wait(), timeout)

    def cancel(self, reason: str = CANCELLED) -> None:
        """Give up: the server is told, and so is the view, with the reason. Nothing if the call has ended."""
        self._host.call(self._call.cancel, reason)


class SyncStreamedCall(SyncCall):
    """Feed it what the model writes; leaving the `with` block calls the tool, an exception cancels it."""

    _call: StreamedCall

    def __init__(self, host: SyncHost, call: StreamedCall, timeout: float | None = None) -> None:
        super().__init__(host, call)
        self._timeout = timeout

    def feed_arguments(self, text: str | None) -> None:
        """Take the next piece of the arguments' JSON text; see `StreamedCall.feed_arguments`."""
        self._host.call(self._call.feed_arguments, text)

    def set_arguments(self, arguments: dict[str, Any]) -> None:
        """Give the whole arguments at once; they count instead of any text that was fed."""
        self._host.call(self._call.set_arguments, arguments)

    def finish(self, timeout: float | None = None) -> dict[str, Any]:
        """Call the tool with the complete arguments and return its result; a second time, the same result.

        Raises:
            ConfigError: the text is not JSON, or not an object; names the offset. The view is cancelled.
            RpcError, UpstreamError, CallCancelledError: as `wait()`.
            TimeoutError: not within `timeout` seconds; the call was cancelled.
        """
        return self._host.run(self._call.finish(), timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._host.run(self._call.__aexit__(kind, error, traceback), self._timeout)


class SyncView:
    """A view; see `fanlight.host.View`. Made on the host's loop."""

    def __init__(self, host: SyncHost, view: View) -> None:
        self.id = view.id
        self.user = view.user
        self._host = host
        self._view = view
        self._messages: deque[list[dict[str, Any]]] = deque()
        self._news = threading.Condition()
        # How often the view ended: a page may show it again before somebody who waits has looked.
        self._ends = 0
        self._over = False
        view.watch(self._watch)

    @property
    def token(self) -> str:
        return self._view.token

    @property
    def url(self) -> str:
        """The page that shows only this view."""
        return self._host.url(self)

    @property
    def text(self) -> str:
        """The tool's text, for a person who cannot see the view."""
        return self._view.text

    @property
    def verdict(self) -> Verdict:
        return self._view.verdict

    @property
    def outcome(self) -> Outcome:
        """The verdict with its reason and what can be done about it."""
        return self._view.outcome

    @property
    def stages(self) -> list[Stage]:
        """The steps of the view's way to the screen so far."""
        return list(self._view.stages)

    def embed_html(self) -> str:
        """The tag for a page of yours; list the page's origin in `Host.sync(pages=[…])`."""
        return self._view.embed_html()

    def open(self) -> bool:
        """Open the view's page in the person's browser; False when there is no browser to open."""
        return webbrowser.open(self.url)

    def wait_ready(self, timeout: float = 30.0) -> Outcome:
        """Wait until a page shows the view, or why it cannot; `pending` when nobody opened it in time."""
        return self._host.run(self._view.until_ready(timeout))

    def wait_message(self, timeout: float = _MESSAGE_TIMEOUT) -> list[dict[str, Any]] | None:
        """The next message that the view sends, as content blocks; None if the view ended first.

        It ends when it is closed, when the host ends, and when its page was left and did not come back: a
        minute after the person closed the tab (`LinkSettings.leave_timeout`). A page that is loaded again
        ends nothing, and one that is opened later can be waited for again.

        Raises:
            TimeoutError: no message within `timeout` seconds.
            ConfigError: none would ever come: the host was made without `messages=True`, or they go to
                `on_message`.
        """
        self._host.check_waits_for_messages()
        with self._news:
            ends = self._ends
            if not self._news.wait_for(
                lambda: self._messages or self._has_ended() or self._ends != ends, timeout
            ):
                raise TimeoutError(f"the view sent no message within {timeout:g} s")
            return self._messages.popleft() if self._messages else None

    def close(self, timeout: float | None = None) -> None:
        """Tear the view down; it may still save its work.

        Raises:
            TimeoutError: not done within `timeout` seconds; it goes on.
        """
        self._host.run_to_end(self._closing, timeout)

    async def _closing(self) -> None:
        await self._host.host.close_view(self.id)
        self.ended()

    # On the host's loop

    def keep(self, content: list[dict[str, Any]]) -> bool:
        """Keep a message until the program asks for it; False when too many wait already."""
        with self._news:
            if len(self._messages) >= _MAX_WAITING:
                return False
            self._messages.append(content)
            self._news.notify()
        return True

    def ended(self) -> None:
        """It never comes back."""
        self._over = True
        self._watch()

    def _watch(self) -> None:
        if self._has_ended():
            with self._news:
                self._ends += 1
                self._news.notify_all()

    def _has_ended(self) -> bool:
        return self._over or self._view.left or self._view.verdict is Verdict.CLOSED
