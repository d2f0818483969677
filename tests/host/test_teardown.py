"""The end of a view: it hears of it, may save its work, and never holds up the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from page_client import PageClient, page, served
from two_servers import make_server

from fanlight.errors import UpstreamError
from fanlight.host import Call, Host, View

TEARDOWN = "ui/resource-teardown"


def view_of(call: Call) -> View:
    assert call.view is not None
    return call.view


async def asked_to_leave(client: PageClient) -> dict[str, Any]:
    """The teardown request, when it comes."""
    frame = await client.until(
        lambda frame: frame["op"] == "message" and frame["message"].get("method") == TEARDOWN
    )
    message: dict[str, Any] = frame["message"]
    return message


async def leaves(client: PageClient, request: dict[str, Any]) -> None:
    await client.says({"jsonrpc": "2.0", "id": request["id"], "result": {}})
    await client.verdict("closed")


def teardowns(client: PageClient) -> int:
    return sum(
        frame["op"] == "message" and frame["message"].get("method") == TEARDOWN for frame in client.frames
    )


@pytest.mark.parametrize("what", ["server", "host"])
async def test_closing_lets_every_view_save_first_all_at_the_same_time(what: str) -> None:
    """Holds: R55, R56."""
    host = Host(teardown_grace=30)
    async with served(host) as port:
        server = await host.connect("one", make_server("one"))
        views = [view_of(await server.call_tool("show")) for _ in range(3)]
        async with page(port, views[0]) as a, page(port, views[1]) as b, page(port, views[2]) as c:
            for client in (a, b, c):
                await client.comes_up()
            closing = asyncio.create_task(server.aclose() if what == "server" else host.aclose())
            requests = [await asked_to_leave(client) for client in (a, b, c)]
            for client in (a, b, c):
                saved = await client.asks("tools/call", {"name": "for_app", "arguments": {}})
                assert saved["result"]["content"][0]["text"] == "one for the app"
            assert not closing.done()
            for client, request in zip((a, b, c), requests, strict=True):
                await leaves(client, request)
            await asyncio.wait_for(closing, 5)
        assert host.servers == {}
        await host.aclose()


async def test_a_view_that_never_answers_is_ended_after_the_grace_time() -> None:
    """Holds: R56."""
    async with Host(teardown_grace=0.01) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            await asyncio.wait_for(server.aclose(), 5)
            await client.verdict("closed")
        assert view.session is None


async def test_a_view_that_asks_twice_is_torn_down_once() -> None:
    """Holds: R55, D09."""
    async with Host(teardown_grace=30) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            for _ in range(2):
                await client.notifies("ui/notifications/request-teardown")
            request = await asked_to_leave(client)
            closing = asyncio.create_task(host.close_view(view.id))
            assert (await client.asks("ping"))["result"] == {}
            await leaves(client, request)
            assert await asyncio.wait_for(closing, 5)
        assert teardowns(client) == 1


async def test_a_view_that_is_not_up_yet_is_ended_without_asking() -> None:
    """Holds: R32."""
    async with Host(teardown_grace=30) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.attach()
            await client.op("mount")
            assert await asyncio.wait_for(host.close_view(view.id), 5)
            await client.verdict("closed")
        assert teardowns(client) == 0


async def test_a_closed_server_can_be_connected_again_under_its_name() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        await server.aclose()
        with pytest.raises(UpstreamError, match="not connected"):
            await view.server.forward("tools/list", {})
        again = await host.connect("one", make_server("one"))
        assert view.server is again


async def test_a_closed_view_is_forgotten_even_if_its_call_goes_on() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        call = server.start_call("show")
        view = view_of(call)
        assert await host.close_view(view.id)
        await call.wait()
        assert host.view(view.id) is None
        assert await host.restore(view.id) is None
        assert not await host.close_view(view.id)
