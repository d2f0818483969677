"""The script that asks in the browser: run as people run it, answered by a click in a real Chromium."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

from playwright.async_api import Page, expect

EXAMPLE = Path(__file__).parents[2] / "examples" / "ask_in_browser.py"
WAIT = 60.0
WAIT_MS = 30_000


async def test_a_click_in_the_browser_is_the_scripts_answer(page: Page) -> None:
    # The person's browser is this test's: the command that would open one does nothing.
    environment = {**os.environ, "BROWSER": f"{sys.executable} -c pass %s"}
    child = await asyncio.create_subprocess_exec(
        sys.executable, str(EXAMPLE), env=environment, stdout=asyncio.subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        async with asyncio.timeout(WAIT):
            first = (await child.stdout.readline()).decode()
        address = re.search(r"http://\S+", first)
        assert address is not None, first
        await page.goto(address[0])
        view = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
        await expect(view.get_by_role("heading")).to_have_text("Which way to the harbour?", timeout=WAIT_MS)
        await view.get_by_role("button", name="Right").click()
        async with asyncio.timeout(WAIT):
            rest = (await child.stdout.read()).decode()
            code = await child.wait()
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()
    assert rest == "The answer is: Right\n"
    assert code == 0
