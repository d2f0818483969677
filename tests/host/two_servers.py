"""Two real servers with equal tool names, for tests of who may call what."""

from __future__ import annotations

from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import Context, MCPServer

HTML = "<!doctype html><title>t</title><p>hello"


def make_server(name: str) -> MCPServer[Any]:
    """A server whose results tell which server answered."""
    apps = Apps()
    apps.add_html_resource("ui://app/view.html", HTML)

    @apps.tool(resource_uri="ui://app/view.html", name="show")
    def show(city: str = "Oslo") -> str:
        return f"{name} shows {city}"

    @apps.tool(resource_uri="ui://app/view.html", name="for_app", visibility=["app"])
    def for_app() -> str:
        return f"{name} for the app"

    @apps.tool(resource_uri="ui://app/view.html", name="for_model", visibility=["model"])
    def for_model() -> str:
        return f"{name} for the model"

    server: MCPServer[Any] = MCPServer(name, version="1", extensions=[apps])

    @server.tool()
    def plain() -> str:
        return f"{name} plain"

    @server.tool()
    async def slow(ctx: Context[Any]) -> str:
        await ctx.report_progress(1, 2, "half way")
        return f"{name} slow"

    @server.tool()
    def only_here_at(where: str) -> str:
        return where

    @server.resource("file://note")
    def note() -> str:
        return f"note of {name}"

    return server
