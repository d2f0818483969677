"""The contract's tools as server objects of the 1.x SDK: its FastMCP, and a low-level Server inside it."""

from __future__ import annotations

from typing import Any

from contract_tools import SharedTools
from mcp.server.fastmcp import Context, FastMCP


def fastmcp_server() -> Any:
    server = FastMCP("object")
    shared = SharedTools()
    for plain in (shared.echo, shared.hang, shared.meet):
        server.add_tool(plain)

    @server.tool()
    async def steps(ctx: Context, count: int, pause: float = 0) -> str:  # type: ignore[type-arg]
        return await shared.steps(ctx.report_progress, count, pause)

    @server.tool()
    async def seen(ctx: Context) -> str:  # type: ignore[type-arg]
        return shared.seen(ctx.session.client_params.capabilities)

    @server.tool()
    async def grow(ctx: Context) -> str:  # type: ignore[type-arg]
        await ctx.session.send_tool_list_changed()
        return "grown"

    return server


def lowlevel_server() -> Any:
    return fastmcp_server()._mcp_server
