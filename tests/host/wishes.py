"""Everything a view can want, one of each kind, and a host with a view that wants it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from page_client import PageClient, page, served
from two_servers import make_server

from fanlight.errors import RpcError
from fanlight.host import Host, View

FILE = {"type": "resource", "resource": {"uri": "file:///a/b.txt", "mimeType": "text/plain", "text": "hi"}}
WISHES: dict[str, tuple[str, dict[str, Any]]] = {
    "tool-call": ("tools/call", {"name": "plain", "arguments": {}}),
    "message": ("ui/message", {"role": "user", "content": [{"type": "text", "text": "hello"}]}),
    "open-link": ("ui/open-link", {"url": "https://example.com/a"}),
    "download": ("ui/download-file", {"contents": [FILE]}),
    "sampling": ("sampling/createMessage", {"messages": [], "maxTokens": 10}),
    "display-mode": ("ui/request-display-mode", {"mode": "fullscreen"}),
}
KINDS = [*WISHES, "view-tool"]
VIEW_TOOLS = [
    {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "move", "inputSchema": {"type": "object"}},
]


class ShownView(PageClient):
    """A page whose view provides tools: it answers what it is asked, as an app would."""

    async def _react(self, frame: dict[str, Any]) -> None:
        await super()._react(frame)
        message = frame.get("message", {})
        if frame["op"] != "message" or "method" not in message or "id" not in message:
            return
        results: dict[str, dict[str, Any]] = {
            "tools/list": {"tools": VIEW_TOOLS},
            "tools/call": {"content": [{"type": "text", "text": "moved"}]},
            "ui/resource-teardown": {},
        }
        await self.says({"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]})


@dataclass
class Scene:
    """A host, its audit log so far, one shown view, and what came of its wishes."""

    host: Host
    port: int
    view: View
    client: ShownView
    audit: list[dict[str, Any]]
    heard: list[Any] = field(default_factory=list)

    async def wish(self, kind: str) -> str:
        """Want one thing of that kind; "" when it was done, else why not."""
        if kind == "view-tool":
            return await self._use_view_tool()
        if kind == "display-mode":
            await self.client.send("mode", mode="inline")  # the person puts it back
        answer = await self.client.asks(*WISHES[kind])
        return self.outcome(kind, answer)

    def outcome(self, kind: str, answer: dict[str, Any]) -> str:
        if "error" in answer:
            assert answer["error"]["code"] == -32000
            return str(answer["error"]["message"])
        if kind == "display-mode":
            # R43: a refusal is told by the mode that it stays in.
            return "" if answer["result"]["mode"] == "fullscreen" else "it stays"
        return "isError" if answer["result"].get("isError") else ""

    async def _use_view_tool(self) -> str:
        calling = asyncio.create_task(self.view.call_tool("move", {"x": 1}))
        reading = asyncio.create_task(self.client.until(lambda frame: False))
        await asyncio.wait((calling, reading), return_when=asyncio.FIRST_COMPLETED)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        try:
            result = await calling
        except RpcError as error:
            return error.message
        assert result["content"][0]["text"] == "moved"
        return ""

    async def close(self) -> list[dict[str, Any]]:
        """End the host, which writes the audit log to its end."""
        await self.host.aclose()
        return self.audit


@asynccontextmanager
async def scene(**options: Any) -> AsyncIterator[Scene]:
    """A host with these options, everything registered, and one view that is up."""
    audit: list[dict[str, Any]] = []
    async with Host(audit=audit.append, teardown_grace=0.05, **options) as host, served(host) as port:
        heard: list[Any] = []
        host.on_message(lambda view, content: heard.append(content))
        host.on_sampling(
            lambda view, params: {"role": "assistant", "content": {"type": "text", "text": "x"}, "model": "m"}
        )
        server = await host.connect("one", make_server("one"))
        view = (await server.call_tool("show")).view
        assert view is not None
        async with page(port, view, kind=ShownView) as client:
            assert isinstance(client, ShownView)
            await client.comes_up({"tools": {"listChanged": True}}, ["fullscreen"])
            yield Scene(host, port, view, client, audit, heard)
