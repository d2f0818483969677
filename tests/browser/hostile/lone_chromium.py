"""A Chromium that nobody drives: one address, a browser that looks ahead, a net log.

Two reasons. Distributions and drivers switch off what attackers use (names looked up and connections opened
ahead), so a driven browser would show walls that are not ours. And a driver does not survive that the browser
ends the process of a view, which is what a forbidden peer connection leads to.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Browser

from fanlight.testing.chromium import find_chromium

__all__ = ["NetLog", "lone_chromium"]

# "Preload pages": what a new profile of Chrome has, and what Debian's Chromium switches off.
_STANDARD = 1
# Cookies of frames of another site, which Debian's and drivers' profiles do not take.
_ALL_BUT_INCOGNITO = 2
_END_SECONDS = 40.0


class NetLog:
    """What the browser did on the network, readable once it has ended."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def looked_up(self, domain: str) -> set[str]:
        """The names under `domain` that the browser wanted to know the address of."""
        text = self._file.read_text("utf-8", "replace")
        return set(re.findall(rf"([\w.-]+)\.{re.escape(domain)}", text))


@asynccontextmanager
async def lone_chromium(
    url: str, folder: Path, browser: Browser, more: Sequence[str] = ()
) -> AsyncIterator[NetLog]:
    """Show `url` until the block is left; `browser` only tells where Chromium is, `more` are flags."""
    profile = folder / "profile"
    (profile / "Default").mkdir(parents=True)
    preferences = {
        "net": {"network_prediction_options": _STANDARD},
        "profile": {"cookie_controls_mode": _ALL_BUT_INCOGNITO},
    }
    (profile / "Default" / "Preferences").write_text(json.dumps(preferences))
    log = folder / "net-log.json"
    flags = [
        "--headless=new", "--disable-gpu", "--no-first-run", "--disable-sync", "--disable-component-update",
        f"--user-data-dir={profile}", f"--log-net-log={log}",
    ]  # fmt: skip
    if os.geteuid() == 0:
        flags.append("--no-sandbox")
    child = await asyncio.create_subprocess_exec(
        find_chromium() or browser.browser_type.executable_path,
        *flags,
        *more,
        url,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        yield NetLog(log)
    finally:
        child.terminate()
        try:
            async with asyncio.timeout(_END_SECONDS):
                await child.wait()
        finally:
            if child.returncode is None:
                child.kill()
