"""How long from a save to the screen? `fanlight dev` on a new project, its view open in one Chromium.

Timed from just before the file is written until a locator sees the new words in the view, which was torn
down, loaded and given its input and result again. The search for changes, every 150 ms, is part of it.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

from _beside import p50
from playwright.async_api import Page

from fanlight.scaffold import write_project
from fanlight.testing.chromium import launch

SAVES = int(sys.argv[1]) if len(sys.argv) > 1 else 20
WAIT = 60.0


@asynccontextmanager
async def dev(folder: Path) -> AsyncIterator[str]:
    """`fanlight dev`; yields the link that it prints."""
    words = (sys.executable, "-m", "fanlight", "dev", "server.py", "--no-open")
    process = await asyncio.create_subprocess_exec(*words, cwd=folder, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        text = await asyncio.wait_for(process.stdout.readuntil(b"Watching"), WAIT)
        link = re.search(rb"http://fanlight\.localhost:\S+", text)
        assert link is not None, text
        yield link[0].decode()
    finally:
        process.kill()
        await process.wait()


async def saved(page: Page, file: Path, before: str, after: str) -> float:
    """Milliseconds until the words `after` are on the screen in place of `before`."""
    view = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
    started = time.perf_counter()
    file.write_text(file.read_text("utf-8").replace(before, after), "utf-8")  # noqa: ASYNC240
    await view.get_by_text(after, exact=True).wait_for(timeout=WAIT * 1000)
    # The result is shown again, too: the view is as it was.
    await view.get_by_text("in all").wait_for(timeout=WAIT * 1000)
    return (time.perf_counter() - started) * 1000


async def main() -> int:
    with tempfile.TemporaryDirectory() as parent:
        write_project("my-dice", Path(parent))
        folder = Path(parent) / "my-dice"
        async with dev(folder) as link, launch() as browser:
            page = await browser.new_page()
            await page.goto(link)
            await page.get_by_test_id("run-button").click()
            words = ["Roll again", *(f"Roll {number}" for number in range(1, SAVES + 1))]
            await page.locator('[data-testid="verdict"][data-verdict="ok"]').wait_for(timeout=WAIT * 1000)
            took = [await saved(page, folder / "view" / "index.html", *pair) for pair in pairwise(words)]
    print(f"{SAVES} saves, from the save to the screen: p50 {p50(took):.0f} ms, slowest {max(took):.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
