"""What happens to views when their server changes its lists, dies, or comes back."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.server.apps import Apps
from mcp.server.mcpserver import Context, MCPServer
from page_client import eventually, page, served

from fanlight.errors import RpcError
from fanlight.host import Host, View
from fanlight.host.server import Server
from fanlight.host.subscriptions import Subscriptions
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


def following(subscribe: bool) -> ScriptedUpstream:
    """A server with one app, which tells of changes of single resources or does not."""
    show: JSONObject = {"name": "show", "_meta": {"ui": {"resourceUri": "ui://a"}}}
    html = {"uri": "ui://a", "mimeType": "text/html;profile=mcp-app", "text": "<!doctype html>"}
    return ScriptedUpstream(
        {
            "tools/list": {"tools": [show]},
            "tools/call": {"content": []},
            "resources/read": {"contents": [html]},
        },
        capabilities={"tools": {}, "resources": {"subscribe": subscribe}},
    )


async def test_only_the_view_that_follows_a_resource_hears_of_its_change() -> None:
    upstream = following(True)
    async with Host() as host, served(host) as port:
        catalog = Catalog("scripted", upstream)
        await catalog.refresh()
        server = Server(host, "scripted", upstream, catalog)
        async with page(port, await view_of(server)) as other:
            await other.comes_up()
            async with page(port, await view_of(server)) as client:
                offered = (await client.comes_up())["hostCapabilities"]
                assert offered["experimental"]["resourceSubscriptions"] == {}
                assert (await client.asks("resources/subscribe", {"uri": "data://rows"}))["result"] == {}
                await eventually(lambda: set(upstream.watched) == {"ui://a", "data://rows"})
                upstream.notify("notifications/resources/updated", {"uri": "data://rows"})
                heard = await client.hears("notifications/resources/updated")
                assert heard == {"uri": "data://rows"}
                await client.asks("resources/unsubscribe", {"uri": "data://rows"})
                await eventually(lambda: set(upstream.watched) == {"ui://a"})
                await client.asks("resources/subscribe", {"uri": "data://other"})
            await host.close_view(client.view.id)
            await eventually(lambda: set(upstream.watched) == {"ui://a"})
            await other.asks("ping")  # whatever was for it came before
            methods = [frame["message"].get("method") for frame in other.frames if frame["op"] == "message"]
            assert "notifications/resources/updated" not in methods
        await server.aclose()


async def test_a_view_may_follow_a_hundred_resources_and_no_more() -> None:
    upstream = ScriptedUpstream({"tools/list": {"tools": []}})
    subscriptions = Subscriptions(Catalog("scripted", upstream))
    session: Any = object()
    for number in range(100):
        subscriptions.add(session, f"data://{number}")
    with pytest.raises(RpcError, match="may follow 100 resources"):
        subscriptions.add(session, "data://one-more")
    subscriptions.discard(session, "data://0")
    subscriptions.add(session, "data://one-more")


async def test_following_is_not_offered_where_the_server_does_not_tell() -> None:
    upstream = following(False)
    async with Host() as host, served(host) as port:
        catalog = Catalog("scripted", upstream)
        await catalog.refresh()
        server = Server(host, "scripted", upstream, catalog)
        async with page(port, await view_of(server)) as client:
            offered = (await client.comes_up())["hostCapabilities"]
            assert "resourceSubscriptions" not in offered["experimental"]
            refused = await client.asks("resources/subscribe", {"uri": "data://rows"})
            assert refused["error"]["code"] == -32601
        await server.aclose()


async def test_a_view_follows_a_resource_of_a_real_server() -> None:
    server = growing("one")

    @server.resource("data://rows")
    def rows() -> str:
        return "rows"

    @server.tool()
    async def change(ctx: Context[Any]) -> str:
        await ctx.notify_resource_updated("data://rows")
        return "changed"

    async with Host() as host, served(host) as port:
        connected = await host.connect("one", server)
        async with page(port, await view_of(connected)) as client:
            await client.comes_up()
            await client.asks("resources/subscribe", {"uri": "data://rows"})

            async def changed() -> None:
                # The server follows a subscription on a stream of its own, which takes a moment to be there.
                while True:
                    await connected.call_tool("change")
                    await asyncio.sleep(0.02)

            telling = asyncio.create_task(changed())
            try:
                assert await client.hears("notifications/resources/updated") == {"uri": "data://rows"}
            finally:
                telling.cancel()


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
