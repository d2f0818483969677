"""Run the hostile app in our host and in the reference layout; write what came of it into docs/attacks.md.

Needs what the browser tests need: `make setup`. Takes some minutes. Nothing is decided here; the fights and
their witnesses are those of the tests.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import logging
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from playwright.async_api import Browser

ROOT = Path(__file__).parents[1]
PEERS = ROOT / "tests" / "interop" / "node" / "node_modules"
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("browser/hostile", "browser", "host")]

from arena import OPAQUE, OWN_ORIGIN, Layout, arena  # noqa: E402
from attacks_page import PAGE, with_tables  # noqa: E402
from fighting import FLOODS, LEAVING, Fight, fight, flood, leave, look_ahead  # noqa: E402
from reference import bundled_host, reference_layout  # noqa: E402

from fanlight import __version__  # noqa: E402
from fanlight.testing.chromium import launch  # noqa: E402

Place = Callable[[], AbstractAsyncContextManager[Layout]]


async def compare() -> None:
    """Three layouts, each with a browser of its own, for a view may take the driver down with it."""
    script = bundled_host(PEERS)
    places: dict[str, Place] = {
        "own origin": lambda: arena(OWN_ORIGIN),
        "opaque": lambda: arena(OPAQUE),
        "reference": lambda: reference_layout(script),
    }
    fights: dict[str, Fight] = {}
    version = ""
    for layout, place in places.items():
        print(f"{layout}…", flush=True)
        async with launch() as browser:
            version = browser.version
            fights[layout] = await everything(place, browser)
        print(f"  through: {', '.join(fights[layout].through()) or 'nothing'}")
    ext_apps = json.loads((PEERS / "@modelcontextprotocol" / "ext-apps" / "package.json").read_text("utf-8"))
    measured = (
        f"Measured on {datetime.date.today():%Y-%m-%d} with Chromium {version}, Fanlight {__version__} and "
        f"`@modelcontextprotocol/ext-apps` {ext_apps['version']}."
    )
    PAGE.write_text(with_tables(PAGE.read_text("utf-8"), fights, measured), "utf-8")


async def everything(place: Place, browser: Browser) -> Fight:
    """Every attack of the catalogue in one layout."""
    found = Fight()
    async with place() as layout:
        page = await (await browser.new_context()).new_page()
        found.outcomes |= (await fight(page, layout)).outcomes
    async with place() as layout:
        page = await (await browser.new_context()).new_page()
        found.outcomes |= (await leave(page, layout, [*LEAVING, "flood-cookies"])).outcomes
    with tempfile.TemporaryDirectory() as folder:
        async with place() as layout:
            found.outcomes |= (await look_ahead(layout, browser, Path(folder))).outcomes
    for attack in FLOODS:
        # Each in a browser of its own: a frozen page is best left behind.
        async with launch() as other, place() as layout:
            found.outcomes[attack] = await flood(await other.new_page(), layout, attack)
    return found


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    asyncio.run(compare())
