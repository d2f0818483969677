"""docs/streaming.md: the code of who changes their mind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from doc_code import run_page
from mcp.server.mcpserver import MCPServer

from fanlight import Host


class Button:
    def on_click(self, clicked: Callable[[], None]) -> None:
        asyncio.get_running_loop().call_soon(clicked)


async def test_a_call_that_was_stopped_says_why() -> None:
    code = run_page("streaming.md", show=print)
    server: MCPServer[None] = MCPServer("plot")

    @server.tool()
    async def plot(points: list[int]) -> str:
        await asyncio.Event().wait()
        return "never"

    async with Host() as host, asyncio.timeout(30):
        connected = await host.connect("plot", server)
        answer = await code["answer_or_stop"](connected, {"points": [1]}, Button())
    assert answer["content"][0]["text"] == "the person pressed stop"
