"""Nothing that is asked over HTTP or a socket starts a process: the interpreter itself is asked to watch."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from bench_client import NAME, TOKEN, browser, serving_workbench
from raw_request import ask
from websockets.asyncio.client import connect

from fanlight.demos.clock import server as clock
from fanlight.upstream import UpstreamState, supervised

RAW = Path(__file__).parents[1] / "upstream" / "raw_server.py"
STARTS = ("subprocess.Popen", "os.posix_spawn", "os.exec", "os.fork", "os.forkpty", "os.system", "os.spawn")
_watching: list[list[str]] = []


def _watch(event: str, _: Any) -> None:
    if _watching and event.startswith(STARTS):
        _watching[-1].append(event)


sys.addaudithook(_watch)  # it cannot be taken away again, so it looks at a list


@contextmanager
def started() -> Iterator[list[str]]:
    """The starts of processes that were seen while the block ran."""
    seen: list[str] = []
    _watching.append(seen)
    try:
        yield seen
    finally:
        _watching.remove(seen)


async def test_the_watch_sees_a_process() -> None:
    with started() as seen:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")
        await process.wait()
    assert "subprocess.Popen" in seen


async def test_no_request_starts_a_server_again_that_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervised, "_ATTEMPTS", 2)
    monkeypatch.setattr(supervised, "_FIRST_DELAY", 0.01)
    monkeypatch.setattr(supervised, "_REST", 3600.0)
    used = tmp_path / "used"
    works_once = f"""
import os, runpy, sys
if os.path.exists({str(used)!r}):
    sys.exit("the licence was used up")
open({str(used)!r}, "w").write(str(os.getpid()))
runpy.run_path({str(RAW)!r}, run_name="__main__")
"""
    async with serving_workbench(mortal=[sys.executable, "-c", works_once]) as (port, bench):
        server = bench.host.servers["mortal"]
        failed = asyncio.Event()
        server.on_state(lambda state, reason: failed.set() if state is UpstreamState.FAILED else None)
        os.kill(int(used.read_text()), signal.SIGKILL)
        await asyncio.wait_for(failed.wait(), 20)
        async with browser(port) as client:
            with started() as seen:
                call = await client.post("/api/calls", json={"server": "mortal", "tool": "pid"})
                answer = await client.get(f"/api/calls/{call.json()['id']}")
    assert seen == []
    assert "the licence was used up" in answer.text


TARGETS = [
    "/", "/api/state", "/api/pass", "/api/calls", "/api/calls/x", "/api/views/x", "/api/servers", "/api/run",
    "/api/connect", "/apps/page", "/apps/socket", "/apps/host.js", "/apps/view/x", "/apps/sandbox/x",
    "/apps/report/x", "/apps/origin/x", "/apps/proxy", "/apps/proxy/x", "/mcp", "/sse", "/message", "/stdio",
]  # fmt: skip
COMMAND = {"command": sys.executable, "args": ["-c", "pass"], "transportType": "stdio"}


async def test_no_request_of_a_stranger_starts_one() -> None:
    async with serving_workbench(clock=clock) as (port, _):
        own = f"Host: {NAME}:{port}"
        with started() as seen:
            for target, method in product(TARGETS, ("GET", "POST", "DELETE")):
                query = f"?command={sys.executable}&args=-c&transportType=stdio"
                await ask(port, target + query, own, "Content-Length: 0", method=method)
    assert seen == []


async def test_no_request_of_the_page_itself_starts_one() -> None:
    bodies: list[Any] = [
        COMMAND,
        {"server": sys.executable, "tool": "x"},
        {"server": "clock", "tool": "show_time", "arguments": {"timezone": "UTC"}, **COMMAND},
        {"server": COMMAND, "tool": COMMAND},
        {"mcpServers": {"new": COMMAND}},
        {"token": TOKEN, **COMMAND},
    ]
    async with serving_workbench(clock=clock) as (port, _), browser(port) as client:
        with started() as seen:
            for target, body in product(TARGETS, bodies):
                await client.post(target, json=body)
            call = await client.post("/api/calls", json=bodies[2])
            assert call.status_code == 201
            view = call.json()["view"]
            own: Any = {"origin": f"http://{NAME}:{port}", "host": "127.0.0.1", "port": port, "proxy": None}
            cookie = {"Cookie": client.headers["Cookie"]}
            async with connect(f"ws://{NAME}:{port}/apps/socket", additional_headers=cookie, **own) as talk:
                for op in ("attach", "resume", "left", "message", "connect", "run"):
                    frame = {"op": op, "view": view["id"], "token": view["token"], "session": "12345678"}
                    await talk.send(json.dumps({**frame, **COMMAND}))
                await talk.recv()
    assert seen == []
