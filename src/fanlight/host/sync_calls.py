"""Calls and views for programs without an event loop: waiting instead of awaiting."""

from __future__ import annotations

import asyncio
import queue
import webbrowser
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from .verdicts import Outcome, Verdict

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
        """The tool's result; only after the call has finished."""
        return self._call.result

    def for_model(self, *, max_text: int = 100_000, structured: bool = False) -> dict[str, Any]:
        """The part of the result that a model should read; only after the call has finished."""
        return self._call.for_model(max_text=max_text, structured=structured)

    def wait(self, timeout: float | None = None) -> dict[str, Any]:
        """The tool's result, as the server sent it.

        Raises:
            RpcError, UpstreamError: the call failed.
            TimeoutError: not within `timeout` seconds; the call goes on.
        """
        return self._host.run(self._call.wait(), timeout)

    def cancel(self) -> None:
        """Give up: the server is told, and so is the view."""

        async def cancelling() -> None:
            self._call.cancel()

        self._host.run(cancelling())


class SyncStreamedCall(SyncCall):
    """Feed it what the model writes; leaving the `with` block calls the tool, an exception cancels it."""

    _call: StreamedCall

    def feed_arguments(self, text: str) -> None:
        """Take the next piece of the arguments' JSON text."""

        async def feeding() -> None:
            self._call.feed_arguments(text)

        self._host.run(feeding())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._host.run(self._call.__aexit__(kind, error, traceback))


class SyncView:
    """A view; see `fanlight.host.View`. Made on the host's loop."""

    def __init__(self, host: SyncHost, view: View) -> None:
        self.id = view.id
        self.user = view.user
        self.speaking = asyncio.Lock()
        self._host = host
        self._view = view
        self._messages: queue.SimpleQueue[list[dict[str, Any]] | None] = queue.SimpleQueue()
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

        Raises:
            TimeoutError: no message within `timeout` seconds.
            ConfigError: none would ever come: the host was made without `messages=True`, or they go to
                `on_message`.
        """
        self._host.check_waits_for_messages()
        try:
            message = self._messages.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(f"the view sent no message within {timeout:g} s") from None
        if message is None:
            self.ended()  # so is everybody who waits or will
        return message

    def close(self) -> None:
        """Tear the view down; it may still save its work."""
        self._host.run(self._host.host.close_view(self.id))

    def keep(self, content: list[dict[str, Any]]) -> bool:
        """Keep a message until the program asks for it; False when too many wait already."""
        if self._messages.qsize() >= _MAX_WAITING:
            return False
        self._messages.put(content)
        return True

    def ended(self) -> None:
        self._messages.put(None)

    def _watch(self) -> None:
        if self._view.verdict is Verdict.CLOSED:
            self.ended()
