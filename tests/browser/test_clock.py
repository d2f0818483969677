"""The demo, as a person uses it: the workbench, the view, a click inside it, a resize."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page, expect
from served import WAIT_MS, served_workbench, view_frame

from fanlight.demos.clock import server as clock
from fanlight.host import Verdict


async def run_the_clock(page: Page, link: str) -> None:
    await page.goto(link)
    await page.get_by_test_id("run-button").click()
    await page.locator('[data-testid="verdict"][data-verdict="ok"]').wait_for(timeout=WAIT_MS)


async def test_the_clock_shows_the_result_asks_again_and_resizes(page: Page) -> None:
    """Holds: R60."""
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    async with served_workbench(clock=clock) as (link, _):
        await run_the_clock(page, link)
        assert "token" not in page.url
        frame = await view_frame(page)
        await expect(frame.locator("#zone")).to_have_text("UTC (UTC+00:00)")
        height = "document.querySelector('fanlight-view').shadowRoot.querySelector('iframe').offsetHeight"
        # Before its first report the frame is higher than the view ever gets.
        before = await frame.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
        await page.wait_for_function(f"(before) => {height} === before", arg=before, timeout=WAIT_MS)
        await frame.get_by_label("Time zone").select_option("Asia/Tokyo")
        await frame.get_by_role("button", name="Ask the server").click()
        await expect(frame.locator("#zone")).to_have_text("Asia/Tokyo (UTC+09:00)")
        await frame.get_by_role("button", name="History").click()
        await expect(frame.locator("#history li")).to_have_count(2)
        await page.wait_for_function(f"(before) => {height} > before", arg=before, timeout=WAIT_MS)
        await expect(page.get_by_test_id("message-row").filter(has_text="tools/call").first).to_be_visible()
        assert problems == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_view_follows_the_theme_of_the_page(browser: Browser, scheme: str) -> None:
    context = await browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    try:
        page = await context.new_page()
        async with served_workbench(clock=clock) as (link, _):
            await run_the_clock(page, link)
            frame = await view_frame(page)
            assert await frame.evaluate("document.documentElement.style.colorScheme") == scheme
    finally:
        await context.close()


async def test_a_reloaded_page_needs_the_link_no_more_and_shows_the_tools_again(page: Page) -> None:
    async with served_workbench(clock=clock) as (link, _):
        await run_the_clock(page, link)
        await page.reload()
        await expect(page.get_by_test_id("run-button")).to_be_visible()


async def test_without_the_token_the_page_says_what_to_do(page: Page) -> None:
    async with served_workbench(clock=clock) as (link, _):
        await page.goto(link.partition("#")[0])
        await expect(page.get_by_text("terminal").first).to_be_visible()
        await expect(page.get_by_test_id("run-button")).to_have_count(0)


async def test_on_the_loopback_address_the_view_is_opaque_and_works(page: Page) -> None:
    async with served_workbench(clock=clock) as (link, bench):
        await run_the_clock(page, link.replace("fanlight.localhost", "127.0.0.1"))
        frame = await view_frame(page)
        assert await frame.evaluate("self.origin") == "null"
        await frame.get_by_role("button", name="Ask the server").click()
        await expect(frame.locator("#history li")).to_have_count(2)
        (view,) = [bench.host.view(view_id) for view_id in bench.host._views]
        assert view is not None
        assert view.verdict is Verdict.OK
