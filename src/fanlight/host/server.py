"""A connected server, as the embedding program sees it: its tools, and calls that may become views."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Any

from fanlight.errors import FanlightError
from fanlight.upstream import AppReadError, Catalog, Tool, Upstream

from .view import View

if TYPE_CHECKING:
    from fanlight.upstream.base import ProgressHandler

    from .host import Host

__all__ = ["Call", "Server"]


class Call:
    """One tool call: its view (if the tool has an app) at once, its result when the tool has finished."""

    def __init__(self, server: Server, tool: Tool, arguments: dict[str, Any], view: View | None) -> None:
        self.id = view.call_id if view is not None else secrets.token_hex(8)
        self.server = server
        self.tool = tool
        self.arguments = arguments
        self.view = view
        self._task: asyncio.Task[dict[str, Any]] | None = None

    def start(self) -> None:
        """Run the tool; errors come out of `wait()`."""
        self._task = asyncio.create_task(self._run())
        # A program that only wanted the view may never ask; that must not look like a forgotten error.
        self._task.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _run(self) -> dict[str, Any]:
        params = {"name": self.tool.name, "arguments": self.arguments}
        try:
            result = await self.server.forward("tools/call", params)
        except FanlightError as error:
            if self.view is not None:
                self.view.cancel(str(error))
            raise
        except asyncio.CancelledError:
            if self.view is not None:
                self.view.cancel("the call was cancelled")
            raise
        if self.view is not None:
            self.view.finish(result)
        return result

    async def wait(self) -> dict[str, Any]:
        """The tool's result, as the server sent it.

        Raises:
            RpcError: the server answered the call with an error.
            UpstreamError: the connection broke.
        """
        assert self._task is not None
        return await asyncio.shield(self._task)

    @property
    def result(self) -> dict[str, Any]:
        """The tool's result; only after the call has finished."""
        assert self._task is not None
        return self._task.result()

    def cancel(self) -> None:
        """Give up: the server is told, and so is the view (R54)."""
        if self._task is not None:
            self._task.cancel()


class Server:
    """One MCP server that a host is connected to."""

    def __init__(self, host: Host, name: str, upstream: Upstream, catalog: Catalog) -> None:
        self.name = name
        self._host = host
        self._upstream = upstream
        self._catalog = catalog
        self._reading: set[asyncio.Task[None]] = set()

    @property
    def info(self) -> dict[str, Any]:
        """What the server says of itself: `{name, version, title?}`."""
        return self._upstream.server_info

    @property
    def capabilities(self) -> dict[str, Any]:
        return self._upstream.capabilities

    @property
    def tools(self) -> list[Tool]:
        """Every tool, whoever may use it."""
        return self._catalog.tools

    def tool(self, name: str) -> Tool:
        """The tool of that name; UnknownToolError lists the names there are."""
        return self._catalog.tool(name)

    def tools_for_model(self) -> list[dict[str, Any]]:
        """The tools that a model may see, in wire form (R18)."""
        return [tool.raw for tool in self._catalog.tools if tool.model_may_see]

    async def call_tool(self, name: str, arguments: dict[str, Any] | None = None) -> Call:
        """Call a tool and wait for its result; `call.view` is set when the tool has an app."""
        call = self.start_call(name, arguments)
        await call.wait()
        return call

    def start_call(self, name: str, arguments: dict[str, Any] | None = None) -> Call:
        """Start a call and return at once: the view can be shown while the tool still works."""
        tool = self.tool(name)
        given = arguments or {}
        view = None
        if tool.has_app or tool.problem is not None:
            view = View(self, tool, secrets.token_hex(8), self._host.mount)
            view.arguments = given
            self._host.add_view(view)
            reading = asyncio.create_task(self._read_document(view))
            self._reading.add(reading)
            reading.add_done_callback(self._reading.discard)
        call = Call(self, tool, given, view)
        call.start()
        return call

    async def _read_document(self, view: View) -> None:
        try:
            view.loaded(await self._catalog.document(view.tool))
        except AppReadError as error:
            view.unreadable(error)

    async def forward(
        self, method: str, params: dict[str, Any], on_progress: ProgressHandler | None = None
    ) -> dict[str, Any]:
        """Send a request to this server and return its result unchanged."""
        return await self._upstream.request(method, params, on_progress=on_progress)

    async def aclose(self) -> None:
        """Close the connection; a stdio child is ended with it."""
        for reading in tuple(self._reading):
            reading.cancel()
        await self._upstream.aclose()
