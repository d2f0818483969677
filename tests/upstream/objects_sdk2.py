"""The contract's tools as server objects of the 2.x SDK: its own high-level server, and FastMCP's."""

from __future__ import annotations

from typing import Any

import fastmcp
from contract_tools import SharedTools
from fastmcp.server.context import Context as FastMcpContext
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import ToolListChangedNotification


def sdk_server() -> MCPServer:
    server = MCPServer("object", version="1")
    shared = SharedTools()
    for plain in (shared.echo, shared.hang, shared.meet):
        server.add_tool(plain)

    @server.tool()
    async def steps(ctx: Context[Any], count: int, pause: float = 0) -> str:
        return await shared.steps(ctx.report_progress, count, pause)

    @server.tool()
    async def seen(ctx: Context[Any]) -> str:
        return shared.seen(ctx.client_capabilities)

    @server.tool()
    async def grow(ctx: Context[Any]) -> str:
        await ctx.session.send_tool_list_changed()  # reaches clients of the handshake only
        await ctx.notify_tools_changed()  # and this only the modern ones
        return "grown"

    return server


def fastmcp_server() -> fastmcp.FastMCP[Any]:
    server: fastmcp.FastMCP[Any] = fastmcp.FastMCP("object", version="1")
    shared = SharedTools()
    for plain in (shared.echo, shared.hang, shared.meet):
        server.tool(plain)

    @server.tool
    async def steps(ctx: FastMcpContext, count: int, pause: float = 0) -> str:
        return await shared.steps(ctx.report_progress, count, pause)

    @server.tool
    async def seen(ctx: FastMcpContext) -> str:
        client = ctx.session.client_params
        return shared.seen(client.capabilities if client is not None else None)

    @server.tool
    async def grow(ctx: FastMcpContext) -> str:
        await ctx.send_notification(ToolListChangedNotification())
        return "grown"

    return server
