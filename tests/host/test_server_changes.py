"""What happens to views when their server changes its lists, dies, or comes back."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import Context, MCPServer
from page_client import page, served

from fanlight.host import Host, View
from fanlight.host.server import Server
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog, StdioTarget, UpstreamState
from fanlight.upstream.base import JSONObject

RAW = str(Path(__file__).parents[1] / "upstream" / "raw_server.py")


def growing(name: str) -> MCPServer[Any]:
    """A server that gets one more tool with each call."""
    apps = Apps()
    apps.add_html_resource("ui://app/view.html", "<!doctype html>")
    apps.tool(resource_uri="ui://app/view.html", name="show")(lambda: name)
    server: MCPServer[Any] = MCPServer(name, version="1", extensions=[apps])

    @server.tool()
    async def grow(ctx: Context[Any]) -> str:
        server.add_tool(lambda: name, name=f"grown-{len(await server.list_tools())}")
        await ctx.notify_tools_changed()
        return "grown"

    return server


async def view_of(server: Server, tool: str = "show") -> View:
    view = (await server.call_tool(tool)).view
    assert view is not None
    return view


async def test_only_the_views_of_a_changed_server_are_told() -> None:
    async with Host() as host, served(host) as port:
        one, two = await host.connect("one", growing("one")), await host.connect("two", growing("two"))
        async with page(port, await view_of(one)) as first, page(port, await view_of(two)) as second:
            assert (await first.comes_up())["hostCapabilities"]["serverTools"] == {"listChanged": True}
            await second.comes_up()
            await one.call_tool("grow")
            await first.hears("notifications/tools/list_changed")
            listed = (await first.asks("tools/list"))["result"]["tools"]
            assert any(tool["name"].startswith("grown-") for tool in listed)
            await second.asks("ping")  # whatever was for it came before
            heard = [frame["message"].get("method") for frame in second.frames if frame["op"] == "message"]
            assert "notifications/tools/list_changed" not in heard


async def test_changes_are_offered_only_where_the_server_tells_of_them() -> None:
    show: JSONObject = {"name": "show", "_meta": {"ui": {"resourceUri": "ui://a"}}}
    html = {"uri": "ui://a", "mimeType": "text/html;profile=mcp-app", "text": "<!doctype html>"}
    upstream = ScriptedUpstream(
        {
            "tools/list": {"tools": [show]},
            "tools/call": {"content": []},
            "resources/read": {"contents": [html]},
        },
        capabilities={"tools": {}, "resources": {"listChanged": True}},
    )
    async with Host() as host, served(host) as port:
        catalog = Catalog("scripted", upstream)
        await catalog.refresh()
        server = Server(host, "scripted", upstream, catalog)
        async with page(port, await view_of(server)) as client:
            offered = (await client.comes_up())["hostCapabilities"]
            assert offered["serverTools"] == {}
            assert offered["serverResources"] == {"listChanged": True}
            upstream.notify("notifications/tools/list_changed")
            upstream.notify("notifications/resources/list_changed")
            await client.hears("notifications/resources/list_changed")
        await server.aclose()


async def test_a_killed_server_fails_what_a_view_asked_and_serves_it_again() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("raw", StdioTarget(sys.executable, (RAW,)))
        back = asyncio.Event()
        server.on_state(lambda state, reason: back.set() if state is UpstreamState.CONNECTED else None)
        async with page(port, await view_of(server, "pid")) as client:
            await client.comes_up()
            hanging = await client.starts("tools/call", {"name": "hang"})
            child = (await client.asks("tools/call", {"name": "pid"}))["result"]["content"][0]["text"]
            os.kill(int(child), 9)
            error = (await client.answer_to(hanging))["error"]
            assert "ended the connection" in error["message"]
            await asyncio.wait_for(back.wait(), 20)
            again = (await client.asks("tools/call", {"name": "pid"}))["result"]["content"][0]["text"]
            assert again != child
        assert server.state is UpstreamState.CONNECTED
