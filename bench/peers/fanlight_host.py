"""Our host, driven by the same lines as the peer's: see mcp_cli_host.py."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from fanlight.host import UNLIMITED, Host, View, allow_all
from fanlight.host.serve import bind_loopback, serving
from fanlight.host.server import Server
from fanlight.host.tap import TapRecord
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog

HTML = Path(__file__).with_name("view.html").read_text(encoding="utf-8")
PATIENCE = 20.0
TOOL = {
    "name": "show",
    "inputSchema": {"type": "object"},
    "_meta": {"ui": {"resourceUri": "ui://bench/view"}},
}


async def call_tool(params: dict[str, Any]) -> dict[str, Any]:
    arguments = params.get("arguments") or {}
    if wait := arguments.get("wait"):
        await asyncio.sleep(wait / 1000)
    return {"content": [{"type": "text", "text": "ok"}], "structuredContent": {"n": arguments.get("n")}}


async def read(params: dict[str, Any]) -> dict[str, Any]:
    return {"contents": [{"uri": params["uri"], "mimeType": "text/html;profile=mcp-app", "text": HTML}]}


def reached(view: View, name: str) -> asyncio.Event:
    """Set when the view has come to this stage."""
    event = asyncio.Event()

    def look() -> None:
        if any(stage.name == name for stage in view.stages):
            event.set()

    view.watch(look)
    return event


class Bench:
    """The host and what the driver may ask of it, one method a word."""

    def __init__(self, host: Host, server: Server, address: str) -> None:
        self._host = host
        self._server = server
        self._address = address
        self._view: View | None = None
        self._asked: dict[object, float] = {}
        self._answered: list[tuple[object, float]] = []
        host.tap.listen(self._passes)

    async def page(self) -> None:
        say("page", f"{self._address}{self._host.mount}/page")

    async def launch(self, wait: str = "0") -> None:
        began, wall = time.perf_counter(), time.time()
        view = self._view = self._server.start_call("show", {"wait": int(wait)}).view
        assert view is not None
        self._answered.clear()
        initialized, told = reached(view, "initialized"), reached(view, "tool-result")
        say("url", f"{self._address}{view.url}")
        times = [await took(began, event) for event in (initialized, told)]
        say("ready", f"{wall * 1000:.3f} {' '.join(times)}")

    async def stages(self) -> None:
        """What Python alone knows of the last launch."""
        assert self._view is not None
        names = {"resource-read": "document read", "mounted": "page connected, frame told"}
        say("stages", json.dumps({names[s.name]: s.ms for s in self._view.stages if s.name in names}))

    async def answered(self) -> None:
        """How long each request of the last view was in Python."""
        say("answered", json.dumps(self._answered))

    def _passes(self, record: TapRecord) -> None:
        message = record.message
        if not isinstance(message, dict) or "id" not in message:
            return
        if record.direction == "from-view":
            self._asked[message["id"]] = record.at
        elif message["id"] in self._asked:
            ms = (record.at - self._asked.pop(message["id"])) * 1000
            self._answered.append((message["id"], ms))


async def took(began: float, event: asyncio.Event) -> str:
    """The milliseconds until something happened, or `never`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await event.wait()
        return f"{(time.perf_counter() - began) * 1000:.2f}"
    return "never"


def say(word: str, answer: str) -> None:
    print(word, answer, flush=True)


async def main() -> None:
    loop = asyncio.get_running_loop()
    upstream = ScriptedUpstream(
        {"tools/list": {"tools": [TOOL]}, "tools/call": call_tool, "resources/read": read}
    )
    catalog = Catalog("bench", upstream)
    await catalog.refresh()
    host = Host(policy=allow_all, limits=UNLIMITED)
    server = Server(host, "bench", upstream, catalog)
    app = Starlette(routes=[Mount(host.mount, app=host.asgi())])
    async with host, serving(app, bind_loopback(0)) as port:
        bench = Bench(host, server, f"http://fanlight.localhost:{port}")
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            word, *arguments = line.split()
            await getattr(bench, word)(*arguments)


asyncio.run(main())
