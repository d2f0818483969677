"""The app host of mcp-cli, driven by lines on standard input; runs in an environment of its own.

`launch` starts an app and prints `url <address>` at once and `ready <milliseconds>` when the host has heard
`initialized`; the fake tools answer after the milliseconds in their arguments.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mcp_cli.apps.host import AppHostServer

HTML = Path(__file__).with_name("view.html").read_text(encoding="utf-8")


class FakeTools:
    """What mcp-cli asks of its tool manager, answered without a server."""

    async def read_resource(self, uri: str, server_name: str | None = None) -> dict[str, Any]:
        return {"contents": [{"uri": uri, "mimeType": "text/html;profile=mcp-app", "text": HTML}]}

    async def execute_tool(self, name: str, arguments: dict[str, Any], namespace: str | None = None) -> Any:
        if wait := arguments.get("wait"):
            await asyncio.sleep(wait / 1000)
        result = {"content": [{"type": "text", "text": "ok"}], "structuredContent": {"n": arguments.get("n")}}
        return SimpleNamespace(success=True, result=result, error=None)


async def launch(host: AppHostServer, number: int) -> None:
    began = time.perf_counter()
    tool = f"show{number}"
    info = await host.launch_app(tool, f"ui://bench/{number}", "bench", {"content": []}, open_browser=False)
    print(f"url {info.url}", flush=True)
    bridge = host.get_bridge(tool)
    heard = asyncio.Event()
    handle = bridge.handle_message

    async def listening(raw: str) -> str | None:
        if "ui/notifications/initialized" in raw:
            heard.set()
        return await handle(raw)

    bridge.handle_message = listening
    await heard.wait()
    print(f"ready {(time.perf_counter() - began) * 1000:.2f}", flush=True)


async def main() -> None:
    loop = asyncio.get_running_loop()
    number = 0
    host = AppHostServer(FakeTools())
    while (line := await loop.run_in_executor(None, sys.stdin.readline)) and line.strip() == "launch":
        number += 1
        await host.close_all()
        await launch(host, number)


asyncio.run(main())
