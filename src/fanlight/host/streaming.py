"""A tool call whose arguments a model is still writing: its view is shown before they are complete."""

from __future__ import annotations

import asyncio
import contextlib
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from fanlight.errors import CallCancelledError, ConfigError, FanlightError, LocalProtocolError
from fanlight.protocol.partial_json import PartialJson, PartialJsonError

from .arguments import plain_arguments
from .call import CANCELLED, Call
from .pace import Pace

if TYPE_CHECKING:
    from fanlight.upstream import Tool

    from .call_terms import CallTerms
    from .server import Server
    from .view import View

__all__ = ["StreamedCall"]

_KINDS = {list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}


class StreamedCall(Call):
    """Feed it what the model writes; the tool is called when the block is left, or by `finish()`.

    Leaving the block by an exception cancels the call: the view is told, the tool is never called.
    """

    def __init__(self, server: Server, tool: Tool, view: View | None, terms: CallTerms) -> None:
        super().__init__(server, tool, None, view, terms)
        self._reader = PartialJson()
        self._length = 0
        self._blank_until: int | None = None  # where the first character stands that is not white space
        self._pace = Pace()
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        if view is not None:
            view.partial_arguments = self._written

    # While the model writes

    def feed_arguments(self, text: str | None) -> None:
        """Take the next piece of the arguments' JSON text, of any size. Cheap, and never fails for the text.

        None is no text, as some APIs send it. What is wrong with the text is said by `finish()`.

        Raises:
            ConfigError: it is no text.
            LocalProtocolError: the arguments are complete, or the call was cancelled.
        """
        self._check_open()
        if text is None:
            return
        if not isinstance(text, str):
            raise ConfigError(f"a piece of the arguments of {self.tool.name!r} is {_no_text(text)}")
        if self._blank_until is None and text and not text.isspace():
            self._blank_until = self._length + len(text) - len(text.lstrip())
        self._length += len(text)
        try:
            self._reader.feed(text)
        except PartialJsonError:  # kept by the reader until `finish()`
            return
        if self.view is not None and self.arguments is None:
            self._show()

    def set_arguments(self, arguments: dict[str, Any]) -> None:
        """Give the whole arguments at once; they count instead of any text that was fed. They are copied.

        Raises:
            ConfigError: they are not an object, or hold what JSON cannot carry; names the place.
            LocalProtocolError: the arguments are complete, or the call was cancelled.
        """
        self._check_open()
        if arguments is None:  # elsewhere it means {}; here somebody forgot them
            raise ConfigError(f"the arguments of {self.tool.name!r} are None: give a dict")
        self.arguments = plain_arguments(self.tool.name, arguments)

    def _written(self) -> dict[str, Any] | None:
        """What a view may see of the arguments now."""
        if not isinstance(self._reader.value, dict):
            return None
        self._pace.sent(self._loop.time(), self._reader.value, self._length)
        snapshot: dict[str, Any] = self._reader.snapshot()
        return snapshot

    def _show(self) -> None:
        assert self.view is not None
        value = self._reader.value
        if not isinstance(value, dict) or self.view.session is None:
            return  # a page that comes later asks for what is written by then
        if self._pace.is_due(self._loop.time(), value):
            self._stop_timer()
            self.view.arguments_grew()
        elif self._timer is None:
            self._timer = self._loop.call_at(self._pace.due_at, self._show_late)

    def _show_late(self) -> None:
        self._timer = None
        if self.view is not None:
            self.view.arguments_grew()

    # When they are complete

    async def finish(self) -> dict[str, Any]:
        """Call the tool with the complete arguments and return its result; a second time, the same result.

        Raises:
            ConfigError: the text is not JSON, or not an object; names the offset. The view is cancelled.
            RpcError, UpstreamError, CallCancelledError: as `wait()`.
        """
        if self._task is None and self._given_up is None:
            self._call_tool()
        try:
            return await self.wait()
        except asyncio.CancelledError:
            self.cancel()
            raise

    def _call_tool(self) -> None:
        self._stop_timer()
        try:
            arguments = self._complete() if self.arguments is None else self.arguments
        except ConfigError as error:
            self.cancel(str(error))
            raise
        self.arguments = arguments
        if self.view is not None:
            self.view.supply_arguments(arguments)
        self.start()

    def _complete(self) -> dict[str, Any]:
        if self._blank_until is None:
            return {}  # a model writes nothing for a tool that takes nothing
        try:
            arguments = self._reader.finish()
        except PartialJsonError as error:
            raise ConfigError(f"the arguments of {self.tool.name!r} are not JSON: {error}") from error
        if not isinstance(arguments, dict):
            kind = _KINDS.get(type(arguments), "null")
            raise ConfigError(
                f"the arguments of {self.tool.name!r} are {kind} (offset {self._blank_until}): "
                "a tool takes one JSON object"
            )
        # JSON text can say half a surrogate pair and 1e999, and the server's connection breaks over both.
        return plain_arguments(self.tool.name, arguments)

    def cancel(self, reason: str = CANCELLED) -> None:
        """Give up: the view is told, and the server if the tool was called already (R54).

        The block is left without an error then; `finish()`, `wait()` and `result` raise CallCancelledError.
        """
        super().cancel(reason)
        if self._task is None:
            self._stop_timer()
            self._cancel_view(reason)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None:
            self.cancel(_reason(error))
            return
        # Who cancelled it knows; who wants the result is told by `result`.
        with contextlib.suppress(CallCancelledError):
            await self.finish()

    def _check_open(self) -> None:
        if self._given_up is not None:
            raise LocalProtocolError(f"the call of {self.tool.name!r} was cancelled: {self._given_up}")
        if self._task is not None:
            raise LocalProtocolError(f"the arguments of {self.tool.name!r} are complete already")

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _no_text(piece: object) -> str:
    """What somebody fed instead of text, and what to do about it."""
    if isinstance(piece, bytes | bytearray | memoryview):
        return f"{type(piece).__name__}: decode them first (codecs.getincrementaldecoder, for a stream)"
    if isinstance(piece, dict):
        return "a dict: give whole arguments to set_arguments()"
    return f"{piece!r:.100}: give text"


def _reason(error: BaseException) -> str:
    # The view is a stranger: of the program's own errors it hears the kind only.
    if isinstance(error, asyncio.CancelledError):
        return CANCELLED
    if isinstance(error, FanlightError):
        return str(error)
    return f"the arguments were not completed ({type(error).__name__})"
