"""What the browser benchmarks share: two hosts as child processes, one Chromium, the same view in both."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Frame, Page

HERE = Path(__file__).parent
PEER_PYTHON = Path(os.environ.get("FANLIGHT_BENCH_PEER", HERE.parent / ".venv-mcp-cli")) / "bin" / "python"
WAIT = 60.0


class HostProcess:
    """One host under test; `launch` shows a fresh view in a page."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def launch(self, page: Page) -> float:
        """Milliseconds from the launch until the host heard `initialized`."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"launch\n")
        await self._process.stdin.drain()
        # A new document, also where only the part after # differs.
        await page.goto("about:blank")
        await page.goto(await self._line("url"), wait_until="commit")
        return float(await self._line("ready"))

    async def _line(self, word: str) -> str:
        assert self._process.stdout is not None
        async with asyncio.timeout(WAIT):
            while line := (await self._process.stdout.readline()).decode():
                if line.startswith(f"{word} "):
                    return line.removeprefix(f"{word} ").strip()
        raise RuntimeError("the host process ended")


@asynccontextmanager
async def host_process(script: str, python: Path | str = sys.executable) -> AsyncIterator[HostProcess]:
    process = await asyncio.create_subprocess_exec(
        str(python), str(HERE / "peers" / script),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield HostProcess(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def require_peer() -> None:
    """The peer's environment is 600 MB, so only `make bench` makes it."""
    if not PEER_PYTHON.exists():
        sys.exit(f"{PEER_PYTHON.parent.parent.name} is missing: `make bench` installs mcp-cli there")


async def bench_frame(page: Page) -> Frame:
    """The frame in which the bench view runs, once its handshake is over."""
    async with asyncio.timeout(WAIT):
        while True:
            for frame in page.frames:
                if await frame.locator("#state").count():
                    await frame.wait_for_function("document.getElementById('state').textContent === 'ready'")
                    return frame
            await asyncio.sleep(0.02)


def p50(times: list[float]) -> float:
    return statistics.median(times)


def p99(times: list[float]) -> float:
    return sorted(times)[max(0, round(len(times) * 0.99) - 1)]
