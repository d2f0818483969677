"""A real Chromium: one for each test process, a fresh context for each test.

Never skips: a missing browser is a failure that tells the remedy. A failed test leaves a picture of its page
in ``test-results``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Locator, Page, expect

from fanlight.testing.chromium import launch

RESULTS = Path("test-results")
FAILED = pytest.StashKey[bool]()
ARRIVES_SECONDS = 10

# Five seconds, as it comes, are less than a busy machine may need for three processes and a handshake.
expect.set_options(timeout=15_000)

_click = Locator.click


async def _click_where_it_arrives(self: Locator, **options: Any) -> None:
    """Until Chromium has drawn a frame of another process, what is pressed there goes to the frame around it.

    The same holds for a moment after scrolling, and the other way round where something of the page has just
    come above a frame. Playwright looks only at documents, so on a busy machine its click would be lost now
    and then.
    """
    if len(self.page.frames) > 1:
        await _pointer_arrives(self, options.get("timeout"))
    await _click(self, **options)


async def _pointer_arrives(target: Locator, timeout: float | None) -> None:
    """Move the pointer over it until its own document hears of it, or for some seconds: it may be covered."""
    element = await target.element_handle(timeout=timeout)
    frame = await element.owner_frame()
    if frame is None or frame.parent_frame is None:
        await target.scroll_into_view_if_needed(timeout=timeout)
    else:
        await element.evaluate("(element) => element.scrollIntoView({block: 'center'})")
    await element.evaluate(
        """(element) => {
          element.pointerCame = false;
          const pressed = [element, ...(element.labels ?? [])];
          addEventListener("pointermove", (event) => {
            element.pointerCame ||= event.composedPath().some((one) => pressed.includes(one));
          }, {capture: true});
        }"""
    )
    loop = asyncio.get_running_loop()
    end = loop.time() + ARRIVES_SECONDS
    aside = 0
    while loop.time() < end:
        box = await element.bounding_box()
        if box is None or await element.evaluate("(element) => element.pointerCame"):
            break
        await target.page.mouse.move(box["x"] + box["width"] / 2 + aside, box["y"] + box["height"] / 2)
        aside = 1 - aside


Locator.click = _click_where_it_arrives  # type: ignore[method-assign]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    """The one browser of this test process: the one that the product itself would start."""
    async with launch() as browser:
        yield browser


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    """A browser profile that this test has for itself."""
    context = await browser.new_context()
    yield context
    await context.close()


@pytest.fixture
async def page(context: BrowserContext, request: pytest.FixtureRequest) -> AsyncIterator[Page]:
    """An empty page in a fresh profile."""
    page = await context.new_page()
    yield page
    if request.node.stash.get(FAILED, False):
        name = re.sub(r"[^\w.-]+", "_", request.node.nodeid)
        await page.screenshot(path=RESULTS / f"{name}.png")
