"""`server.replace`: who watches the connection and what views follow stay with the server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from page_client import eventually, page, served

from fanlight.errors import UpstreamError
from fanlight.host import Host
from fanlight.upstream import StdioTarget, UpstreamState

RAW = str(Path(__file__).parents[1] / "upstream" / "raw_server.py")
CHILD = StdioTarget(sys.executable, (RAW,))


async def test_the_new_connection_is_told_of_and_the_end_of_the_old_one_is_not() -> None:
    async with Host() as host:
        server = await host.connect("raw", CHILD)
        states: list[UpstreamState] = []
        server.on_state(lambda state, reason: states.append(state))
        await server.replace(CHILD)
        assert states == []
        ended = server.start_call("die")
        await eventually(lambda: states == [UpstreamState.RECONNECTING, UpstreamState.CONNECTED])
        ended.cancel()
    assert states[-1] is UpstreamState.CLOSED


async def test_a_replacement_of_a_lost_server_is_told_as_connected() -> None:
    async with Host() as host:
        server = await host.connect("raw", CHILD)
        states: list[UpstreamState] = []
        server.on_state(lambda state, reason: states.append(state))
        await server._upstream.aclose()
        await server.replace(CHILD)
        assert states == [UpstreamState.CLOSED, UpstreamState.CONNECTED]


async def test_what_a_view_follows_is_followed_on_the_new_connection() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("raw", CHILD)
        view = (await server.call_tool("pid")).view
        assert view is not None
        async with page(port, view) as client:
            await client.comes_up()
            assert (await client.asks("resources/subscribe", {"uri": "data://rows"}))["result"] == {}
            before = server.subscriptions
            await server.replace(CHILD)
            assert server.subscriptions is before
            # It may be another by now, and nobody else says so.
            assert await client.hears("notifications/resources/updated") == {"uri": "data://rows"}
            client.frames.clear()
            watched = server._upstream._watched  # type: ignore[attr-defined]
            assert "data://rows" in watched  # asked of the new connection
            await server.call_tool("touch", {"uri": "data://rows"})
            assert await client.hears("notifications/resources/updated") == {"uri": "data://rows"}
        await host.close_view(view.id)
        assert not server.subscriptions._followed


async def test_a_call_that_is_cut_off_by_a_replacement_says_so() -> None:
    async with Host() as host:
        server = await host.connect("raw", CHILD)
        cut = server.start_call("hang")
        await server.replace(CHILD)
        with pytest.raises(UpstreamError, match="loaded anew while it worked on this"):
            await cut.wait()
