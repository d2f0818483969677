"""The app host of mcp-cli, driven by lines on standard input; runs in an environment of its own.

Words, one a line: `launch [ms]` calls a tool that takes so long and shows its app. It prints `url <address>`
as soon as there is one and in the end `ready <when it began> <until initialized> <until the result was
sent>`, with `never` for what did not come. `page` prints the address of a page that views can be put into,
`answered` how long each request was in Python, `stages` what Python alone knows of the way to the screen.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mcp_cli.apps.host import AppHostServer

HTML = Path(__file__).with_name("view.html").read_text(encoding="utf-8")

PATIENCE = 20.0
DASHBOARD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
    b"<!doctype html><title>dashboard</title><body></body>"
)


class FakeTools:
    """What mcp-cli asks of its tool manager, answered without a server."""

    async def read_resource(self, uri: str, server_name: str | None = None) -> dict[str, Any]:
        return {"contents": [{"uri": uri, "mimeType": "text/html;profile=mcp-app", "text": HTML}]}

    async def execute_tool(self, name: str, arguments: dict[str, Any], namespace: str | None = None) -> Any:
        if wait := arguments.get("wait"):
            await asyncio.sleep(wait / 1000)
        result = {"content": [{"type": "text", "text": "ok"}], "structuredContent": {"n": arguments.get("n")}}
        return SimpleNamespace(success=True, result=result, error=None)


class Bench:
    """The host and what the driver may ask of it, one method a word."""

    def __init__(self, page: str) -> None:
        self._tools = FakeTools()
        self._host = AppHostServer(self._tools)
        self._page = page
        self._number = 0
        self._answered: list[tuple[object, float]] = []

    async def page(self) -> None:
        say("page", self._page)

    async def launch(self, wait: str = "0") -> None:
        await self._host.close_all()
        self._number += 1
        self._answered.clear()
        began, wall = time.perf_counter(), time.time()
        tool, uri = f"show{self._number}", f"ui://bench/{self._number}"
        # As its chat does: the tool first, then the app with its result.
        outcome = await self._tools.execute_tool(tool, {"wait": int(wait)})
        info = await self._host.launch_app(tool, uri, "bench", outcome.result, open_browser=False)
        say("url", info.url)
        initialized, told = self._listen_to(self._host.get_bridge(tool))
        times = [await took(began, event) for event in (initialized, told)]
        say("ready", f"{wall * 1000:.3f} {' '.join(times)}")

    def _listen_to(self, bridge: Any) -> tuple[asyncio.Event, asyncio.Event]:
        """Events for `initialized` and for the first result that was sent."""
        initialized, told = asyncio.Event(), asyncio.Event()
        handle, push = bridge.handle_message, bridge.push_tool_result

        async def handling(raw: str) -> str | None:
            if "ui/notifications/initialized" in raw:
                initialized.set()
            began = time.perf_counter()
            answer: str | None = await handle(raw)
            if answer is not None:
                self._answered.append((json.loads(raw).get("id"), (time.perf_counter() - began) * 1000))
            return answer

        async def pushing(result: Any) -> None:
            await push(result)
            told.set()

        bridge.handle_message, bridge.push_tool_result = handling, pushing
        return initialized, told

    async def stages(self) -> None:
        say("stages", "{}")

    async def answered(self) -> None:
        """How long each request of the last view was in Python."""
        say("answered", json.dumps(self._answered))


async def took(began: float, event: asyncio.Event) -> str:
    """The milliseconds until something happened, or `never`."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await event.wait()
        return f"{(time.perf_counter() - began) * 1000:.2f}"
    return "never"


def say(word: str, answer: str) -> None:
    print(word, answer, flush=True)


async def dashboard(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A page into which its dashboard would put an app's frame."""
    with contextlib.suppress(asyncio.IncompleteReadError):  # a browser connects before it asks
        await reader.readuntil(b"\r\n\r\n")
        writer.write(DASHBOARD)
        await writer.drain()
    writer.close()


async def main() -> None:
    loop = asyncio.get_running_loop()
    page = await asyncio.start_server(dashboard, "localhost", 0)
    bench = Bench(f"http://localhost:{page.sockets[0].getsockname()[1]}/")
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        word, *arguments = line.split()
        await getattr(bench, word)(*arguments)


asyncio.run(main())
