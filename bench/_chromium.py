"""Chromium without a driver: the DevTools protocol, as little of it as a launch needs.

Playwright stops every frame that gets a process of its own until it has attached to it. Users have no such
stop, and hosts that isolate would be measured with it while others are not. Here nothing is attached to a
frame before the launch is over.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import tempfile
from asyncio.subprocess import DEVNULL
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import async_playwright
from websockets.asyncio.client import ClientConnection, connect

from fanlight.testing.chromium import find_chromium

WAIT = 60.0
# What was begun before (a tab, a process in reserve) is over after this time.
REST = 0.3
_FLAGS = (
    "--headless=new", "--remote-debugging-port=0", "--disable-gpu", "--no-first-run", "--mute-audio",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions",
)  # fmt: skip


class Chromium:
    """One browser with one window."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._windows: dict[str, list[str]] = {}

    async def read(self) -> None:
        """Take answers, and the one event that is of use: which windows a target has."""
        async for text in self._socket:
            message = json.loads(text)
            if message.get("method") == "Runtime.executionContextCreated":
                window = message["params"]["context"]["uniqueId"]
                self._windows.setdefault(message["sessionId"], []).append(window)
            waiting = self._waiting.pop(message.get("id"), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(message)

    async def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """One command; raises RuntimeError if the browser refuses it."""
        number = next(self._ids)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        on = {"sessionId": session} if session else {}
        await self._socket.send(json.dumps({"id": number, "method": method, "params": params, **on}))
        async with asyncio.timeout(WAIT):
            answer = await self._waiting[number]
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        result: dict[str, Any] = answer["result"]
        return result

    async def attach(self, target: str) -> Target:
        session = await self.send("Target.attachToTarget", targetId=target, flatten=True)
        return Target(self, target, session["sessionId"])

    async def windows(self, session: str) -> list[str]:
        """The windows of a target, the newest last."""
        self._windows.pop(session, None)
        await self.send("Runtime.enable", session)
        await self.send("Runtime.disable", session)
        return self._windows.pop(session, [])

    async def frames(self) -> set[str]:
        """The frames that have a process of their own."""
        found = await self.send("Target.getTargets")
        return {info["targetId"] for info in found["targetInfos"] if info["type"] == "iframe"}

    @asynccontextmanager
    async def tab(self) -> AsyncIterator[Target]:
        """A new tab at rest; nothing is in the browser's cache."""
        created = await self.send("Target.createTarget", url="about:blank")
        tab = await self.attach(created["targetId"])
        await self.send("Network.clearBrowserCache", tab.session)
        await asyncio.sleep(REST)
        try:
            yield tab
        finally:
            await self.send("Target.closeTarget", targetId=tab.id)


@dataclass(frozen=True)
class Target:
    """A tab, or a frame with a process of its own."""

    browser: Chromium
    id: str
    session: str

    async def navigate(self, address: str) -> None:
        await self.browser.send("Page.navigate", self.session, url=address)

    async def to_front(self) -> None:
        await self.browser.send("Page.bringToFront", self.session)

    async def evaluate(self, expression: str, window: str | None = None) -> Any:
        """The JSON value of an expression, awaited if it is a promise; in the root window or another."""
        chosen = {} if window is None else {"uniqueContextId": window}
        answer = await self.browser.send(
            "Runtime.evaluate", self.session,
            expression=expression, awaitPromise=True, returnByValue=True, **chosen,
        )  # fmt: skip
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")


@asynccontextmanager
async def chromium() -> AsyncIterator[Chromium]:
    """The system's Chromium, headless, with a profile that ends with it."""
    path = find_chromium() or await _downloaded()
    root = ("--no-sandbox",) if hasattr(os, "geteuid") and os.geteuid() == 0 else ()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = await asyncio.create_subprocess_exec(
            path, *_FLAGS, *root, f"--user-data-dir={profile}", stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL,
        )  # fmt: skip
        try:
            async with connect(await _address(Path(profile)), max_size=None, compression=None) as socket:
                browser = Chromium(socket)
                reading = asyncio.create_task(browser.read())
                try:
                    yield browser
                finally:
                    reading.cancel()
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _downloaded() -> str:
    """The Chromium that Playwright brought."""
    async with async_playwright() as playwright:
        return playwright.chromium.executable_path


async def _address(profile: Path) -> str:
    """Where the browser listens; it writes that into its profile."""
    file = profile / "DevToolsActivePort"
    async with asyncio.timeout(WAIT):
        while True:
            lines = file.read_text("utf-8").split() if file.exists() else []
            if len(lines) == 2:
                return f"ws://127.0.0.1:{lines[0]}{lines[1]}"
            await asyncio.sleep(0.05)
