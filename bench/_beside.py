"""What the browser benchmarks share: two hosts as child processes, one Chromium, the same view in both.

Every launch has a tab in one window that was there before: a new window's own interface loads hundreds of
modules and takes most of two cores.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _chromium import REST, WAIT, Chromium, Target, chromium

HERE = Path(__file__).parent
PEER_PYTHON = Path(os.environ.get("FANLIGHT_BENCH_PEER", HERE.parent / ".venv-mcp-cli")) / "bin" / "python"
_LOADED = """new Promise((done) => {
  if (document.readyState === "complete") done();
  else addEventListener("load", () => done());
})"""


@dataclass(frozen=True)
class Adding:
    """How one more view comes onto a page that is open, and how room is made for it before that."""

    add: str
    make_room: str


# Our element. The newest of the views before stays, as in a chat; its page is connected.
_ELEMENT = Adding(
    """(address) => {
      const [id, token] = new URL(address).hash.slice(1).split(".");
      const view = document.createElement("fanlight-view");
      view.setAttribute("view-id", id);
      view.setAttribute("token", token);
      document.querySelector("main").append(view);
    }""",
    "[...document.querySelectorAll('fanlight-view')].slice(0, -1).forEach((view) => view.remove())",
)
# The frame of mcp-cli's own dashboard. One that is left would try to connect to a server that is gone.
_FRAME = Adding(
    """(address) => {
      const frame = document.createElement("iframe");
      frame.src = `${address}?embedded=1`;
      document.body.append(frame);
    }""",
    "document.body.replaceChildren()",
)


@dataclass(frozen=True)
class View:
    """A bench view (peers/view.html) on the screen."""

    target: Target
    window: str

    async def evaluate(self, expression: str) -> Any:
        return await self.target.evaluate(expression, self.window)


@dataclass(frozen=True)
class Launched:
    """One launch: when it began, and the milliseconds until the host heard `initialized` and sent the result.

    What is None never came.
    """

    began: float
    took: float | None
    told: float | None
    view: View | None


class HostProcess:
    """One host under test, driven by lines; see peers/mcp_cli_host.py."""

    def __init__(self, process: asyncio.subprocess.Process, adding: Adding) -> None:
        self._process = process
        self._adding = adding

    async def launch(self, tab: Target) -> Launched:
        """Show a view in a page that was not open before."""
        return await self._launch(tab, tab.navigate)

    async def launch_in(self, tab: Target, wait: int = 0) -> Launched:
        """Show one more view in a page that is open; its tool takes `wait` milliseconds."""
        await tab.evaluate(self._adding.make_room)
        await tab.to_front()
        await asyncio.sleep(REST)
        return await self._launch(
            tab, lambda address: tab.evaluate(f"({self._adding.add})({json.dumps(address)})"), wait
        )

    async def open_page(self, tab: Target) -> None:
        """A page that is ready for views, with one in it: a chat that showed an app before."""
        await tab.navigate(await self.ask("page", "page"))
        await tab.evaluate(_LOADED)
        await self.launch_in(tab)

    async def _launch(self, tab: Target, show: Callable[[str], Awaitable[object]], wait: int = 0) -> Launched:
        before = await tab.browser.frames()
        await show(await self.ask(f"launch {wait}", "url"))
        began, *times = (await self._line("ready")).split()
        took, told = (None if ms == "never" else float(ms) for ms in times)
        return Launched(float(began), took, told, None if took is None else await _view(tab, before))

    async def ask(self, word: str, answer: str) -> str:
        """Say a word to the host and return what it answers."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n".encode())
        await self._process.stdin.drain()
        return await self._line(answer)

    async def _line(self, word: str) -> str:
        assert self._process.stdout is not None
        async with asyncio.timeout(WAIT):
            while line := (await self._process.stdout.readline()).decode():
                if line.startswith(f"{word} "):
                    return line.removeprefix(f"{word} ").strip()
        raise RuntimeError("the host process ended")


async def _view(tab: Target, before: set[str]) -> View:
    """The newest view of a tab: in a frame that was not there before, or in the tab's own process."""
    frames = [await tab.browser.attach(frame) for frame in await tab.browser.frames() - before]
    for target in (*frames, tab):
        for window in reversed(await tab.browser.windows(target.session)):
            if await target.evaluate("'results' in globalThis", window):
                return View(target, window)
    raise RuntimeError("the host heard `initialized` of a view that is not there")


@dataclass(frozen=True)
class Beside:
    """The hosts, ours first, and the one browser."""

    browser: Chromium
    hosts: list[HostProcess]

    @property
    def fanlight(self) -> HostProcess:
        return self.hosts[0]

    @property
    def mcp_cli(self) -> HostProcess:
        return self.hosts[1]


@asynccontextmanager
async def beside(*, alone: bool = False) -> AsyncIterator[Beside]:
    """Both hosts, or only ours, and a browser that have done everything once."""
    if not alone and not PEER_PYTHON.exists():  # 600 MB, so only `make bench` makes it
        sys.exit(f"{PEER_PYTHON.parent.parent.name} is missing: `make bench` installs mcp-cli there")
    async with AsyncExitStack() as stack:
        browser = await stack.enter_async_context(chromium())
        processes = [_host("fanlight_host.py", sys.executable, _ELEMENT)]
        if not alone:
            processes.append(_host("mcp_cli_host.py", str(PEER_PYTHON), _FRAME))
        found = Beside(browser, [await stack.enter_async_context(process) for process in processes])
        for host in found.hosts:
            async with browser.tab() as tab:
                await host.launch(tab)
        yield found


@asynccontextmanager
async def _host(script: str, python: str, adding: Adding) -> AsyncIterator[HostProcess]:
    process = await asyncio.create_subprocess_exec(
        python, str(HERE / "peers" / script),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield HostProcess(process, adding)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def p50(times: list[float]) -> float:
    return statistics.median(times)


def p99(times: list[float]) -> float:
    return sorted(times)[max(0, round(len(times) * 0.99) - 1)]
