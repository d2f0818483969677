"""A real Chromium: one for each test process, a fresh context for each test.

Never skips: a missing browser is a failure that tells the remedy. A failed test leaves a picture of its page
in ``test-results``.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Locator, Page

from fanlight.testing.chromium import launch

RESULTS = Path("test-results")
FAILED = pytest.StashKey[bool]()
MOVES = 100

_click = Locator.click


async def _click_where_it_arrives(self: Locator, **options: Any) -> None:
    """Until Chromium has drawn a frame of another process, what is pressed there goes to the frame around it.

    The same holds for a moment after scrolling. Playwright looks only at documents, so on a busy machine its
    click would be lost now and then.
    """
    element = await self.element_handle(timeout=options.get("timeout"))
    frame = await element.owner_frame()
    if frame is not None and frame.parent_frame is not None:
        await element.evaluate(
            """(element) => {
              element.scrollIntoView({block: "center"});
              element.pointerCame = false;
              const pressed = [element, ...(element.labels ?? [])];
              addEventListener("pointermove", ({target}) => {
                element.pointerCame ||= pressed.some((one) => one.contains(target));
              }, {capture: true});
            }"""
        )
        for move in range(MOVES):
            box = await element.bounding_box()
            if box is None or await element.evaluate("(element) => element.pointerCame"):
                break
            await self.page.mouse.move(box["x"] + box["width"] / 2 + move % 2, box["y"] + box["height"] / 2)
    await _click(self, **options)


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
