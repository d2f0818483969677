"""A real Chromium for `fanlight render` and for tests: found on the system, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from fanlight.errors import BrowserError

if TYPE_CHECKING:
    from playwright.async_api import Browser

__all__ = ["find_chromium", "launch"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """The system's Chromium: `FANLIGHT_CHROMIUM`, else the usual names on PATH; None if there is none."""
    chosen = os.environ.get("FANLIGHT_CHROMIUM")
    if chosen:
        if not os.access(chosen, os.X_OK):
            raise BrowserError(f"FANLIGHT_CHROMIUM is {chosen!r}, which cannot be executed")
        return chosen
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


@asynccontextmanager
async def launch(*extra_flags: str) -> AsyncIterator[Browser]:
    """A headless Chromium: the system's, else the one that Playwright downloaded.

    `extra_flags` are Chromium's own, such as `--host-resolver-rules=…`.

    Raises:
        BrowserError: there is none; the message says how to get one.
    """
    try:
        from playwright.async_api import Error, async_playwright
    except ImportError:
        raise BrowserError("a headless browser needs Playwright: pip install 'fanlight[browser]'") from None
    flags = [*_FLAGS, *extra_flags]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        flags.append("--no-sandbox")
    async with AsyncExitStack() as stack:
        try:
            playwright = await stack.enter_async_context(async_playwright())
        except Exception as error:  # Playwright has no class of its own for a driver that cannot start
            raise BrowserError(f"Playwright could not start: {_first_line(error)}") from error
        try:
            browser = await playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        except Error as error:
            raise BrowserError(
                "no Chromium could be started; install one (apt-get install chromium, or playwright install "
                f"chromium) or set FANLIGHT_CHROMIUM: {_first_line(error)}"
            ) from error
        stack.push_async_callback(browser.close)
        yield browser


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
