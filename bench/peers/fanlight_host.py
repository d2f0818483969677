"""Our host, driven by the same lines as the peer's: see mcp_cli_host.py."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Mount

from fanlight.host import Host, View, allow_all
from fanlight.host.serve import bind_loopback, serving
from fanlight.host.server import Server
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog

HTML = Path(__file__).with_name("view.html").read_text(encoding="utf-8")
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


def initialized(view: View) -> asyncio.Event:
    heard = asyncio.Event()
    view.watch(lambda: any(stage.name == "initialized" for stage in view.stages) and heard.set())
    return heard


async def main() -> None:
    loop = asyncio.get_running_loop()
    upstream = ScriptedUpstream(
        {"tools/list": {"tools": [TOOL]}, "tools/call": call_tool, "resources/read": read}
    )
    catalog = Catalog("bench", upstream)
    await catalog.refresh()
    host = Host(policy=allow_all)
    server = Server(host, "bench", upstream, catalog)
    app = Starlette(routes=[Mount(host.mount, app=host.asgi())])
    async with host, serving(app, bind_loopback(0)) as port:
        while (line := await loop.run_in_executor(None, sys.stdin.readline)) and line.strip() == "launch":
            began = time.perf_counter()
            view = server.start_call("show").view
            assert view is not None
            heard = initialized(view)
            print(f"url http://fanlight.localhost:{port}{view.url}", flush=True)
            await heard.wait()
            print(f"ready {(time.perf_counter() - began) * 1000:.2f}", flush=True)


asyncio.run(main())
