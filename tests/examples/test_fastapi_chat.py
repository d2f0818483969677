"""The chat example as people run it: a conversation with views in it, in a real browser, for two visitors."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser, FrameLocator, Page, expect

FOLDER = Path(__file__).parents[2] / "examples" / "fastapi_chat"
WAIT = 60.0
WAIT_MS = 30_000


@asynccontextmanager
async def running_chat(page: Page) -> AsyncIterator[str]:
    """The example under uvicorn on a free port, opened in this page; yields its address."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "uvicorn", "app:app", "--app-dir", str(FOLDER), "--port", "0"),
        *("--timeout-graceful-shutdown", "1"),
        stderr=asyncio.subprocess.PIPE,
    )
    assert child.stderr is not None
    said = ""
    try:
        async with asyncio.timeout(WAIT):
            while (address := re.search(r"running on http://127\.0\.0\.1:(\d+)", said)) is None:
                line = await child.stderr.readline()
                assert line, said
                said += line.decode()
        reading = asyncio.create_task(child.stderr.read())
        await page.goto(f"http://localhost:{address[1]}/")
        yield page.url
        await page.goto("about:blank")  # ends the stream of events, for which the server would wait
    finally:
        if child.returncode is None:
            child.terminate()
        async with asyncio.timeout(WAIT):
            await child.wait()
    assert "Traceback" not in (await reading).decode()


async def say(page: Page, text: str) -> None:
    await page.get_by_label("Message").fill(text)
    await page.get_by_role("button", name="Send").click()


def last_view(page: Page) -> FrameLocator:
    proxy = page.locator("fanlight-view").last.frame_locator("iframe")
    return proxy.frame_locator("iframe").frame_locator("iframe")


async def test_a_view_tells_the_model_and_speaks_in_the_conversation(page: Page) -> None:
    async with running_chat(page):
        await say(page, "What is for lunch?")
        menu = last_view(page)
        await menu.get_by_text("Mushroom risotto").click()
        context = page.get_by_role("complementary")
        await expect(context).to_contain_text(
            "The person selected Mushroom risotto in the menu.", timeout=WAIT_MS
        )
        await say(page, "Is it vegetarian?")
        await expect(page.get_by_text("Mushroom risotto is vegetarian.")).to_be_visible(timeout=WAIT_MS)
        await menu.get_by_role("button", name="Order").click()
        spoken = page.locator(".message.user").last
        await expect(spoken).to_contain_text("I would like to order the Mushroom risotto.", timeout=WAIT_MS)
        await expect(spoken).to_contain_text("said by canteen · Today's menu", timeout=WAIT_MS)
        await expect(page.locator(".message").last).to_have_text(
            "Mushroom risotto is on its way. That is 110 kr.", timeout=WAIT_MS
        )

        await say(page, "And the time in Tokyo?")
        await expect(last_view(page).locator("#zone")).to_contain_text("Asia/Tokyo", timeout=WAIT_MS)
        await last_view(page).get_by_role("button", name="Ask the server").click()
        await expect(last_view(page).locator("#history li")).to_have_count(2, timeout=WAIT_MS)
        await expect(page.locator("fanlight-view[data-verdict=ok]")).to_have_count(2, timeout=WAIT_MS)


async def test_a_reloaded_page_has_the_conversation_and_its_views_again(page: Page) -> None:
    async with running_chat(page):
        await say(page, "menu, please")
        await last_view(page).get_by_text("Fish soup").click()
        context = page.get_by_role("complementary")
        await expect(context).to_contain_text("selected Fish soup", timeout=WAIT_MS)
        await page.reload()
        await expect(page.locator(".message")).to_have_count(2, timeout=WAIT_MS)
        # Another dish: what was said of the first one may still stand there.
        await last_view(page).get_by_text("Lentil salad").click()
        await expect(context).to_contain_text("selected Lentil salad", timeout=WAIT_MS)


async def test_visitors_are_kept_apart(page: Page, browser: Browser) -> None:
    async with running_chat(page) as address:
        await say(page, "What is for lunch?")
        own = page.locator("fanlight-view[data-verdict=ok]")
        await expect(own).to_have_count(1, timeout=WAIT_MS)
        stolen = [await own.get_attribute(name) for name in ("view-id", "token")]
        other = await browser.new_context()
        try:
            stranger = await other.new_page()
            await stranger.goto(address)
            await say(stranger, "hello")
            await expect(stranger.locator(".message")).to_have_count(2, timeout=WAIT_MS)
            await stranger.evaluate(
                """([id, token]) => {
                  const view = document.createElement("fanlight-view");
                  view.setAttribute("view-id", id);
                  view.setAttribute("token", token);
                  document.body.append(view);
                }""",
                stolen,
            )
            await expect(stranger.locator("fanlight-view")).to_have_attribute(
                "data-verdict", "closed", timeout=WAIT_MS
            )
            await expect(own).to_have_count(1, timeout=WAIT_MS)
        finally:
            await other.close()
