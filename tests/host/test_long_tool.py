"""A tool that takes 90 seconds and tells of its progress, on a clock that skips the waiting."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.server.mcpserver import Context
from page_client import page, served
from skipping_loop import in_skipped_time
from two_servers import make_server

from fanlight.host import Host

STEPS = 9
STEP = 10.0


def patient_server() -> Any:
    server = make_server("one")

    @server.tool()
    async def ninety(ctx: Context[Any]) -> str:
        for step in range(STEPS):
            await asyncio.sleep(STEP)
            await ctx.report_progress(step + 1, STEPS, f"step {step + 1}")
        return "worth the wait"

    return server


def test_a_tool_of_90_seconds_tells_of_its_progress_and_answers() -> None:
    async def work() -> tuple[float, str, list[float]]:
        clock = asyncio.get_running_loop().time
        async with Host() as host, served(host) as port:
            server = await host.connect("one", patient_server())
            call = await server.call_tool("show")
            assert call.view is not None
            async with page(port, call.view) as client:
                client.patience = 10 * STEPS * STEP  # of the skipping clock
                await client.comes_up()
                started = clock()
                params = {"name": "ninety", "arguments": {}, "_meta": {"progressToken": "mine"}}
                answer = await client.asks("tools/call", params)
                took = clock() - started
            notes = [
                frame["message"]["params"]["progress"]
                for frame in client.frames
                if frame["op"] == "message" and frame["message"].get("method") == "notifications/progress"
            ]
            return took, answer["result"]["content"][0]["text"], notes

    took, text, notes = in_skipped_time(work)
    assert took >= STEPS * STEP
    assert text == "worth the wait"
    assert notes == list(range(1, STEPS + 1))


def test_progress_is_what_keeps_a_long_tool_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same 90 seconds with a server that may be silent for 15: the steps of 10 keep it going."""
    monkeypatch.setattr("fanlight.upstream.supervised.IDLE_TIMEOUT", STEP * 1.5)

    async def work() -> str:
        async with Host() as host:
            server = await host.connect("one", patient_server())
            call = await server.call_tool("ninety")
            return str(call.result["content"][0]["text"])

    assert in_skipped_time(work) == "worth the wait"


def test_a_silent_tool_is_cancelled_and_the_error_says_how_long_it_was_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("fanlight.upstream.supervised.IDLE_TIMEOUT", STEP / 2)

    async def work() -> None:
        async with Host() as host:
            server = await host.connect("one", patient_server())
            await server.call_tool("ninety")

    with pytest.raises(Exception, match="was silent for 5 s and was cancelled"):
        in_skipped_time(work)
