"""Connections of the program: its own handler still hears, closing is told, and what is in use stays open."""

from __future__ import annotations

import asyncio
from typing import Any

import fastmcp
import pytest
from mcp.client import Client
from objects_sdk2 import fastmcp_server, sdk_server
from upstream_contract import ME, PATIENCE, call, hang, opened, said, until

from fanlight.errors import UpstreamError
from fanlight.upstream import ObjectTarget, UpstreamState, open_upstream


async def test_a_client_that_is_not_open_is_refused_with_the_remedy() -> None:
    with pytest.raises(UpstreamError, match="not connected; open it before"):
        await open_upstream("mine", ObjectTarget(Client(sdk_server())), ME)


async def test_the_programs_own_handler_still_hears_and_is_left_in_its_place() -> None:
    heard: list[Any] = []

    async def mine(message: Any) -> None:
        heard.append(message)

    async with Client(sdk_server(), mode="legacy", message_handler=mine) as client:
        before = client.session._message_handler
        ours: list[str] = []
        async with opened(ObjectTarget(client)) as upstream:
            upstream.on_notification(lambda method, params: ours.append(method))
            await call(upstream, "grow")
            await until(lambda: bool(heard and ours))
        assert client.session._message_handler is before
    assert "notifications/tools/list_changed" in ours


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_a_connection_that_the_program_closes_fails_what_runs_and_what_comes(mode: str) -> None:
    client = Client(sdk_server(), mode=mode)
    entered, leave = asyncio.Event(), asyncio.Event()

    async def program() -> None:
        async with client:
            entered.set()
            await leave.wait()

    running = asyncio.create_task(program())
    await entered.wait()
    upstream = await open_upstream("mine", ObjectTarget(client), ME)
    hanging = await hang(upstream)
    leave.set()
    await running
    with pytest.raises(UpstreamError):
        await asyncio.wait_for(hanging, PATIENCE)
    await until(lambda: upstream.state is not UpstreamState.CONNECTED)
    await upstream.aclose()


async def test_a_fastmcp_client_that_the_program_opens_again_is_used_again() -> None:
    client: fastmcp.Client[Any] = fastmcp.Client(fastmcp_server())
    async with client:
        upstream = await open_upstream("mine", ObjectTarget(client), ME)
        assert said(await call(upstream, "echo", a=1)) == '{"a": 1}'
    await until(lambda: upstream.state is not UpstreamState.CONNECTED)
    async with client:
        assert said(await call(upstream, "echo", a=2)) == '{"a": 2}'
        await upstream.aclose()
        assert client.is_connected()


async def test_a_fastmcp_client_that_we_opened_is_closed_with_the_connection() -> None:
    client: fastmcp.Client[Any] = fastmcp.Client(fastmcp_server())
    async with opened(ObjectTarget(client)) as upstream:
        assert said(await call(upstream, "echo", a=1)) == '{"a": 1}'
        assert client.is_connected()
    await until(lambda: not client.is_connected())
