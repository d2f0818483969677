"""A tool call as the embedding program sees it: the view at once, the result when the tool has finished."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

from fanlight.errors import CallCancelledError, FanlightError, LocalProtocolError

from .model_view import result_for_model

if TYPE_CHECKING:
    from fanlight.upstream import Tool

    from .call_terms import CallTerms
    from .server import Server
    from .view import View

__all__ = ["CANCELLED", "Call"]

CANCELLED = "the call was cancelled"


class Call:
    """One tool call: its view (if the tool has an app) at once, its result when the tool has finished."""

    def __init__(
        self,
        server: Server,
        tool: Tool,
        arguments: dict[str, Any] | None,
        view: View | None,
        terms: CallTerms,
    ) -> None:
        self.id = view.call_id if view is not None else secrets.token_hex(8)
        self.server = server
        self.tool = tool
        self.arguments = arguments
        self.view = view
        self._terms = terms
        self._task: asyncio.Task[dict[str, Any]] | None = None
        # Why the program gave it up, once it did.
        self._given_up: str | None = None

    def start(self) -> None:
        """Run the tool; errors come out of `wait()`."""
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(self._settled)

    async def _run(self) -> dict[str, Any]:
        params = {"name": self.tool.name, "arguments": self.arguments}
        terms = self._terms
        try:
            result = await self.server.forward(
                "tools/call", params, terms.progressed, timeout=terms.silence, limit=terms.whole
            )
        except FanlightError as error:
            self._cancel_view(str(error))
            raise
        if self.view is None:
            return result
        self.view.finish(result)
        return _apart(result)

    def _settled(self, task: asyncio.Task[dict[str, Any]]) -> None:
        if task.cancelled():
            self._cancel_view(self._given_up or CANCELLED)
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
            CallCancelledError: it was given up with `cancel()`.
            LocalProtocolError: the arguments of a streamed call are not finished.
        """
        # Whatever becomes of the call, `asyncio.CancelledError` comes out here for the waiting task alone.
        await asyncio.wait({self._running})
        return self.result

    @property
    def result(self) -> dict[str, Any]:
        """The tool's result.

        Raises:
            LocalProtocolError: the call has not finished; what `wait()` raises if it failed.
        """
        task = self._running
        if not task.done():
            raise LocalProtocolError(f"the call of {self.tool.name!r} has no result yet: await call.wait()")
        if task.cancelled():
            raise CallCancelledError(self.tool.name, self._given_up or CANCELLED)
        return task.result()

    def for_model(self, *, max_text: int = 100_000, structured: bool = False) -> dict[str, Any]:
        """The part of the result that a model should read; see `fanlight.host.model_view`.

        Raises:
            LocalProtocolError: the call has not finished; what `wait()` raises if it failed.
        """
        return result_for_model(self.result, max_text=max_text, structured=structured)

    def cancel(self, reason: str = CANCELLED) -> None:
        """Give up: the server is told, and so is the view (R54). Nothing if the call has ended.

        `wait()` and `result` raise CallCancelledError from then on; the first reason counts.
        """
        if self._given_up is not None or (self._task is not None and self._task.done()):
            return
        self._given_up = reason
        if self._task is not None:
            self._task.cancel()

    @property
    def _running(self) -> asyncio.Task[dict[str, Any]]:
        if self._task is None:
            if self._given_up is not None:
                raise CallCancelledError(self.tool.name, self._given_up)
            raise LocalProtocolError(f"the call of {self.tool.name!r} has not begun: await call.finish()")
        return self._task


def _apart(result: dict[str, Any]) -> dict[str, Any]:
    """A result whose fields, content blocks and keys of `structuredContent` and `_meta` can be changed.

    Those are what programs trim before they show a result to a model. What is below them is shared with the
    view: a copy of all of it takes as long as reading it did, 0.6 s for 20 MB of table rows.
    """
    apart = {key: dict(part) if isinstance(part, dict) else part for key, part in result.items()}
    content = result.get("content")
    if isinstance(content, list):
        apart["content"] = [dict(block) if isinstance(block, dict) else block for block in content]
    return apart
