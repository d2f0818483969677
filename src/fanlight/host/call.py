"""A tool call as the embedding program sees it: the view at once, the result when the tool has finished."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

from fanlight.errors import FanlightError, LocalProtocolError

from .model_view import result_for_model

if TYPE_CHECKING:
    from fanlight.upstream import Tool

    from .server import Server
    from .view import View

__all__ = ["Call"]

_CANCELLED = "the call was cancelled"


class Call:
    """One tool call: its view (if the tool has an app) at once, its result when the tool has finished."""

    def __init__(
        self, server: Server, tool: Tool, arguments: dict[str, Any] | None, view: View | None
    ) -> None:
        self.id = view.call_id if view is not None else secrets.token_hex(8)
        self.server = server
        self.tool = tool
        self.arguments = arguments
        self.view = view
        self._task: asyncio.Task[dict[str, Any]] | None = None
        self._cancel_reason = _CANCELLED

    def start(self) -> None:
        """Run the tool; errors come out of `wait()`."""
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._settled)

    async def _run(self) -> dict[str, Any]:
        params = {"name": self.tool.name, "arguments": self.arguments}
        try:
            result = await self.server.forward("tools/call", params)
        except FanlightError as error:
            self._cancel_view(str(error))
            raise
        if self.view is not None:
            self.view.finish(result)
        return result

    def _settled(self, task: asyncio.Task[dict[str, Any]]) -> None:
        if task.cancelled():
            self._cancel_view(self._cancel_reason)
        # Asking for it also says that it was seen: a program that only wanted the view may never ask, and
        # that must not look like a forgotten error.
        elif task.exception() is not None:
            self._cancel_view("the host failed while it called the tool")

    def _cancel_view(self, reason: str) -> None:
        if self.view is not None:
            self.view.cancel(reason)

    async def wait(self) -> dict[str, Any]:
        """The tool's result, as the server sent it.

        Raises:
            RpcError: the server answered the call with an error.
            UpstreamError: the connection broke.
            LocalProtocolError: the arguments of a streamed call are not finished.
        """
        return await asyncio.shield(self._running)

    @property
    def result(self) -> dict[str, Any]:
        """The tool's result.

        Raises:
            LocalProtocolError: the call has not finished; what `wait()` raises if it failed.
        """
        if not self._running.done():
            raise LocalProtocolError(f"the call of {self.tool.name!r} has no result yet: await call.wait()")
        return self._running.result()

    def for_model(self, *, max_text: int = 100_000, structured: bool = False) -> dict[str, Any]:
        """The part of the result that a model should read; see `fanlight.host.model_view`.

        Raises:
            LocalProtocolError: the call has not finished; what `wait()` raises if it failed.
        """
        return result_for_model(self.result, max_text=max_text, structured=structured)

    def cancel(self, reason: str = _CANCELLED) -> None:
        """Give up: the server is told, and so is the view (R54). Nothing if the call has ended."""
        self._cancel_reason = reason
        if self._task is not None:
            self._task.cancel()

    @property
    def _running(self) -> asyncio.Task[dict[str, Any]]:
        if self._task is None:
            raise LocalProtocolError(f"the call of {self.tool.name!r} has not begun: await call.finish()")
        return self._task
