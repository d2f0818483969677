"""Views that lacked something have it again: a document that could not be read, a server that was away."""

from __future__ import annotations

import asyncio
import json
import secrets
from typing import Any

import pytest
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from page_client import WAIT, eventually, page, page_socket, served

from fanlight.errors import ConfigError, RpcError
from fanlight.host import Host, Verdict, View
from fanlight.host.absent import AbsentServer
from fanlight.host.server import Server
from fanlight.stores import MemoryStore
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog

URI = "ui://one/view.html"
TOOL = {"name": "show", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": URI}}}
CONTENTS = {"contents": [{"uri": URI, "mimeType": "text/html;profile=mcp-app", "text": "<p>here"}]}
CALL = {"name": "show", "arguments": {}}


def server_with(html: str) -> MCPServer[Any]:
    apps = Apps()
    apps.add_html_resource(URI, html)

    @apps.tool(resource_uri=URI, name="show")
    def show() -> str:
        return "shown"

    return MCPServer("one", version="1", extensions=[apps])


async def shown(server: Server) -> View:
    view = (await server.call_tool("show")).view
    assert view is not None
    return view


async def slept(html: str, count: int = 1) -> tuple[MemoryStore, list[str]]:
    """Views that a first process made, and the store that they sleep in."""
    store = MemoryStore()
    async with Host(store=store) as host:
        server = await host.connect("one", server_with(html))
        views = [await shown(server) for _ in range(count)]
        await eventually(lambda: all(view.document is not None for view in views))
        return store, [view.id for view in views]


async def test_a_document_that_could_not_be_read_is_read_again_by_the_next_page() -> None:
    answers: dict[str, Any] = {"tools/list": {"tools": [TOOL]}, "tools/call": {"content": []}}
    upstream = ScriptedUpstream({**answers, "resources/read": RpcError(-32603, "the database starts")})
    catalog = Catalog("one", upstream)
    await catalog.refresh()
    async with Host() as host, served(host) as port:
        server = host.servers["one"] = Server(host, "one", upstream, catalog)
        view = await shown(server)
        assert (await view.until_ready()).verdict is Verdict.READ_FAILED
        async with page(port, view) as client:
            await client.attach()
            assert "the database starts" in (await client.verdict("read-failed"))["reason"]
        upstream.answers["resources/read"] = CONTENTS
        async with page(port, view) as client:
            await client.comes_up()


async def test_a_page_of_many_sleeping_views_gets_all_of_them() -> None:
    store, ids = await slept("<p>one", count=120)
    async with Host(store=store) as host, served(host) as port, page_socket(port) as socket:
        # A page that stayed open knows its tokens; here they are made anew, and the views sleep again.
        tokens: dict[str, str] = {}
        for view_id in ids:
            view = await host.restore(view_id)
            assert view is not None
            tokens[view_id] = view.token
            await eventually(lambda view=view: view.document is not None)  # type: ignore[misc]
        await host._keeper.flush()
        for view_id in ids:
            host._views.pop(view_id)
        for view_id in ids:
            frame = {
                "op": "attach",
                "view": view_id,
                "token": tokens[view_id],
                "session": secrets.token_hex(12),
            }
            await socket.send(json.dumps(frame))
        answers: dict[str, str] = {}
        async with asyncio.timeout(WAIT):
            while len(answers) < len(ids):
                frame = json.loads(await socket.recv())
                if frame["op"] in ("attached", "refused"):
                    answers[frame["view"]] = frame["op"]
    assert answers == dict.fromkeys(ids, "attached")


async def test_a_stored_document_has_no_tools_of_a_server_that_ships_another_one() -> None:
    store, (view_id,) = await slept("<p>yesterday")
    async with Host(store=store, ask="allow") as host, served(host) as port:
        view = await host.restore(view_id)
        assert view is not None
        async with page(port, view) as client:
            assert "serverTools" not in (await client.comes_up())["hostCapabilities"]
            await host.connect("one", server_with("<p>today"))
            assert "error" in await client.asks("tools/call", CALL)
            assert (await client.op("end"))["again"] is True
            assert view.document is not None
            assert view.document.html == "<p>today"
        async with page(port, view) as client:
            assert "serverTools" in (await client.comes_up())["hostCapabilities"]


async def test_a_server_that_no_longer_has_the_document_leaves_it_to_be_looked_at() -> None:
    store, (view_id,) = await slept("<p>yesterday")
    without: MCPServer[Any] = MCPServer("one", version="1")
    without.tool(name="show")(lambda: "shown")
    async with Host(store=store) as host, served(host) as port:
        view = await host.restore(view_id)
        assert view is not None
        await host.connect("one", without)
        assert isinstance(view.server, AbsentServer)
        async with page(port, view) as client:
            await client.comes_up()
            refused = await client.asks("tools/call", CALL)
            assert "not connected" in refused["error"]["message"]


async def test_a_view_that_wakes_beside_such_a_server_is_looked_at_only() -> None:
    store, (view_id,) = await slept("<p>yesterday")
    without: MCPServer[Any] = MCPServer("one", version="1")
    without.tool(name="show")(lambda: "shown")
    async with Host(store=store) as host, served(host) as port:
        await host.connect("one", without)
        view = await host.restore(view_id)
        assert view is not None
        await eventually(lambda: view.document is not None)
        async with page(port, view) as client:
            assert "serverTools" not in (await client.comes_up())["hostCapabilities"]


async def test_a_view_that_cannot_be_begun_takes_no_other_one_with_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", server_with("<p>one"))
        broken, good = [await shown(server) for _ in range(2)]
        broken.arguments = ["no", "object"]  # type: ignore[assignment]  # a mistake, wherever it was made
        async with page(port, good) as client:
            frame = {
                "op": "attach",
                "view": broken.id,
                "token": broken.token,
                "session": secrets.token_hex(12),
            }
            await client._socket.send(json.dumps(frame))
            await client.comes_up()
            assert (await client.asks("ping"))["result"] == {}
        assert broken.session is None
        assert frame["session"] not in host.links._linked
    assert f"view {broken.id!r} could not be shown" in caplog.text


async def test_a_closed_host_connects_to_nothing() -> None:
    host = Host()
    await host.aclose()
    with pytest.raises(ConfigError, match="this host is closed"):
        await host.connect("one", server_with("<p>one"))


async def test_what_is_connected_while_a_host_closes_is_closed_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    upstream = ScriptedUpstream({"tools/list": {"tools": []}})
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(*_: object, **__: object) -> ScriptedUpstream:
        begun.set()
        await go_on.wait()
        return upstream

    monkeypatch.setattr("fanlight.host.host.open_upstream", slowly)
    host = Host()
    connecting = asyncio.create_task(host.connect("one", ["a", "command"]))
    await begun.wait()
    await host.aclose()
    go_on.set()
    with pytest.raises(ConfigError, match="this host is closed"):
        await connecting
    assert upstream.closed
    assert host.servers == {}
