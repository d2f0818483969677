"""How long a call may take, and who hears of its progress: told by the program, on a clock that skips."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp.server.mcpserver import Context
from skipping_loop import in_skipped_time
from two_servers import make_server

from fanlight.errors import ConfigError, UpstreamError
from fanlight.host import Host
from fanlight.host.call import Call
from fanlight.host.server import Server

Way = Callable[..., Awaitable[Call]]


def quiet_server() -> Any:
    server = make_server("one")

    @server.tool()
    async def silent(seconds: float) -> str:
        await asyncio.sleep(seconds)
        return "at last"

    @server.tool()
    async def steps(ctx: Context[Any]) -> str:
        for step in range(3):
            await ctx.report_progress(step + 1, 3, f"step {step + 1}")
        return "done"

    return server


async def called(server: Server, name: str, arguments: dict[str, Any], **terms: Any) -> Call:
    return await server.call_tool(name, arguments, **terms)


async def started(server: Server, name: str, arguments: dict[str, Any], **terms: Any) -> Call:
    call = server.start_call(name, arguments, **terms)
    await call.wait()
    return call


async def begun(server: Server, name: str, arguments: dict[str, Any], **terms: Any) -> Call:
    async with server.begin_call(name, **terms) as call:
        call.set_arguments(arguments)
    return call


@pytest.mark.parametrize("way", [called, started, begun])
def test_a_tool_may_be_silent_as_long_as_the_program_says(way: Way) -> None:
    async def work() -> str:
        async with Host() as host:
            server = await host.connect("one", quiet_server())
            with pytest.raises(UpstreamError, match="silent for 300 s"):
                await way(server, "silent", {"seconds": 400})
            with pytest.raises(UpstreamError, match="silent for 5 s"):
                await way(server, "silent", {"seconds": 400}, silence=5)
            with pytest.raises(UpstreamError, match="did not end within its time limit"):
                await way(server, "silent", {"seconds": 400}, silence=900, limit=100)
            # More than the usual limit of an hour, which would say nothing to who asks for two.
            call = await way(server, "silent", {"seconds": 7000}, silence=7200)
            text: str = call.result["content"][0]["text"]
            return text

    assert in_skipped_time(work) == "at last"


@pytest.mark.parametrize("way", [called, started, begun])
async def test_the_program_hears_of_progress_with_a_plain_or_an_async_function(way: Way) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    def plain(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    async def waiting(done: float, total: float | None, message: str | None) -> None:
        await asyncio.sleep(0)
        heard.append((done, total, message))

    async with Host() as host:
        server = await host.connect("one", quiet_server())
        for listener in (plain, waiting):
            heard.clear()
            await way(server, "steps", {}, on_progress=listener)
            assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


async def test_a_listener_that_fails_harms_only_itself(caplog: pytest.LogCaptureFixture) -> None:
    def broken(done: float, total: float | None, message: str | None) -> None:
        raise ValueError("no")

    with caplog.at_level(logging.ERROR, logger="fanlight.host"):
        async with Host() as host:
            server = await host.connect("one", quiet_server())
            call = await server.call_tool("steps", on_progress=broken)
    assert call.result["content"][0]["text"] == "done"
    assert "a function given to on_progress failed" in caplog.text


@pytest.mark.parametrize("value", [0, -1, float("nan"), "10"])
@pytest.mark.parametrize("name", ["silence", "limit"])
async def test_a_time_must_be_above_zero(name: str, value: Any) -> None:
    async with Host() as host:
        server = await host.connect("one", quiet_server())
        with pytest.raises(ConfigError, match=f"{name} is .*: give seconds above 0"):
            server.start_call("show", **{name: value})
        assert not list(host._views.values())
