"""A view cannot break the connection of its server with a long name or with half a character."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from page_client import page, served

from fanlight.host import Host
from fanlight.upstream import MAX_NAME_BYTES, UpstreamState

LONG = "x:" + "y" * 200_000


def server_that_tells() -> MCPServer[Any]:
    apps = Apps()
    apps.add_html_resource("ui://app/view.html", "<!doctype html>")
    apps.tool(resource_uri="ui://app/view.html", name="show")(lambda: "shown")
    server: MCPServer[Any] = MCPServer("one", extensions=[apps])

    @server.tool()
    async def hang() -> str:
        await asyncio.Event().wait()
        return "never"

    return server


@pytest.mark.parametrize(
    ("method", "params", "words"),
    [
        ("resources/read", {"uri": LONG}, "uri has 200002 bytes; at most 8000 are taken"),
        ("resources/read", {"uri": "ø" * 4001}, "uri has 8002 bytes; at most 8000 are taken"),
        ("resources/subscribe", {"uri": LONG}, "uri has 200002 bytes; at most 8000 are taken"),
        ("resources/list", {"cursor": LONG}, "cursor has 200002 bytes; at most 8000 are taken"),
        ("resources/templates/list", {"cursor": LONG}, "cursor has 200002 bytes; at most 8000 are taken"),
        ("prompts/list", {"cursor": LONG}, "cursor has 200002 bytes; at most 8000 are taken"),
        ("tools/call", {"name": LONG, "arguments": {}}, "name has 200002 bytes; at most 8000 are taken"),
        (
            "resources/list",
            {"cursor": "\ud800"},
            "resources/list: params.cursor has half of a surrogate pair",
        ),
        ("resources/subscribe", {"uri": "x:\ud800"}, "resources/subscribe: uri has half of a surrogate pair"),
        (
            "tools/call",
            {"name": "show", "arguments": {"\ud800": 1}},
            r"tools/call: params.arguments has the key '\ud800', with half of a surrogate pair",
        ),
    ],
)
async def test_it_is_refused_with_its_name_and_nothing_else_happens(
    method: str, params: dict[str, Any], words: str
) -> None:
    async with Host(ask="allow") as host, served(host) as port:
        server = await host.connect("one", server_that_tells())
        states: list[UpstreamState] = []
        server.on_state(lambda state, reason: states.append(state))
        neighbour = server.start_call("hang")
        view = (await server.call_tool("show")).view
        assert view is not None
        async with page(port, view) as client:
            await client.comes_up()
            answer = await client.asks(method, params)
            assert answer["error"]["code"] == -32602
            assert answer["error"]["message"].startswith(words)
            assert (await client.asks("tools/call", {"name": "show", "arguments": {}}))["result"]
        assert neighbour.view is None
        assert states == []
        neighbour.cancel()


async def test_a_name_of_the_longest_length_reaches_the_server() -> None:
    async with Host(ask="allow") as host, served(host) as port:
        server = await host.connect("one", server_that_tells())
        view = (await server.call_tool("show")).view
        assert view is not None
        async with page(port, view) as client:
            await client.comes_up()
            answer = await client.asks("resources/read", {"uri": "x:" + "y" * (MAX_NAME_BYTES - 2)})
            assert "Unknown resource" in answer["error"]["message"]
