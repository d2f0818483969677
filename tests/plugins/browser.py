"""A real Chromium: one for each test process, a fresh context for each test.

Never skips: a missing browser is a failure that tells the remedy. A failed test leaves a picture of its page
in ``test-results``.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fanlight.testing.chromium import launch

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page

RESULTS = Path("test-results")
FAILED = pytest.StashKey[bool]()


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
