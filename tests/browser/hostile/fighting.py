"""A fight: the attacks of the hostile view in some host, and what really came of them.

The view's own word is one witness. The others are the listener, the host page, and the browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from arena import WAIT, Layout
from lone_chromium import lone_chromium
from playwright.async_api import Browser, Download, Frame, Page
from playwright.async_api import Error as PlaywrightError

from fanlight.demos.hostile.page import catalogue
from fanlight.demos.hostile.server import Report

__all__ = [
    "AHEAD", "CLICKS", "COOKIES", "FLOODS", "LEAVING", "LOADS", "PEERS", "Fight", "fight", "flood", "leave",
    "look_ahead", "note_witnesses",
]  # fmt: skip

LOADS = [attack.id for attack in catalogue() if attack.when == "load"]
CLICKS = [attack.id for attack in catalogue() if attack.when == "click"]
FLOODS = (
    "flood-loop", "flood-messages", "flood-sizes", "flood-folded", "flood-names", "flood-boxed", "flood-past",
    "flood-dom",
)  # fmt: skip
PEERS = ("webrtc", "child-webrtc", "above-webrtc")
AHEAD = ("dns-prefetch", "preconnect", "above-preconnect", *PEERS)
COOKIES = ("parent-cookie", "neighbour-cookie")
LEAVING = [attack.id for attack in catalogue() if attack.group == "leaving"]
_RESERVED = "ui/notifications/sandbox-"
_NAMES = "hostile.example"
# An idle page needs a second for them.
_TURNS = 40
_TURN = "() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => done(true))))"


@dataclass
class Fight:
    """Outcome by attack, and what the views could read."""

    outcomes: dict[str, tuple[str, str]] = field(default_factory=dict)
    readable: str = ""

    def through(self) -> dict[str, str]:
        return {name: detail for name, (outcome, detail) in self.outcomes.items() if outcome == "through"}

    def take(self, report: Report) -> None:
        self.outcomes |= report.results
        self.readable = report.readable


async def fight(page: Page, layout: Layout, *, clicks: bool = True) -> Fight:
    """Every attack that leaves the view alive, beside a neighbour, then those that need a click."""
    found = Fight()
    downloads: list[Download] = []
    page.on("download", lambda download: downloads.append(download))
    await layout.open(page)
    await layout.add(page, "neighbour")
    await layout.news.until(lambda: layout.hostile.neighbour)
    await layout.add(page)
    found.take(await layout.news.reported(LOADS[-1]))
    if clicks:
        button = (await _attacking_frame(page)).locator("#click")
        # It appears after the report of the other attacks, and a click must not come before it is drawn.
        await button.wait_for(timeout=WAIT * 1000)
        for _ in CLICKS:
            await button.click()
        await layout.news.until(
            lambda: (report := layout.news.report_of(LOADS[-1])) and set(CLICKS) <= report.results.keys()
        )
        found.take(await layout.news.reported(CLICKS[-1]))
        found.outcomes["download"] = ("through" if downloads else "held", f"{len(downloads)} files")
    await note_witnesses(found, page, layout)
    return found


async def leave(page: Page, layout: Layout, attacks: list[str]) -> Fight:
    """Attacks that may end their view: a view for each, all at once on one page."""
    found = Fight()
    await layout.open(page)
    overs = {attack: await layout.add(page, only=attack) for attack in attacks}
    for attack, over in overs.items():
        await layout.news.made(attack, over)
        found.outcomes[attack] = ("held", "the view is over" if over() else "the view is still there")
    await note_witnesses(found, page, layout)
    return found


async def look_ahead(
    layout: Layout,
    browser: Browser,
    folder: Path,
    flags: Sequence[str] = (),
    *,
    awaited: Iterable[str] = (),
    while_it_lives: Callable[[], None] = lambda: None,
) -> Fight:
    """What no policy of contents governs, in a browser that looks ahead: peers, names, bare connections.

    And cookies for the name above: this browser takes those of frames, as a person's does. It is ended when
    what is `awaited` has reached the listener or has had its time to, and `while_it_lives` was called.
    """
    calls = [("attack", {"only": attack}) for attack in PEERS]
    # The neighbour first: nobody drives this browser, and an attack looks for its cookie a second long.
    address = await layout.address_of(("neighbour", {}), *calls, ("attack", {}))
    async with lone_chromium(address, folder, browser, flags) as log:
        await layout.news.until(lambda: len(layout.hostile.runs) == len(calls) + 1)
        told = (await layout.news.reported(LOADS[-1])).results
        # Whatever became of the attackers, the page and the app beside them live.
        await layout.news.until(lambda: layout.hostile.neighbour)
        # The browser ends the process of a view that calls a peer and may not; the others tell.
        await layout.news.until(
            lambda: layout.ended() + sum(map(bool, map(layout.news.report_of, PEERS))) >= len(PEERS)
        )
        await layout.news.arrive(awaited)
        while_it_lives()
    arrived = {hit.attack.removesuffix("-tcp") for hit in layout.hostile.listener.hits}
    arrived |= {name.rpartition("-")[0] for name in log.looked_up(_NAMES)}
    seen = {
        attack: ("through", "the listener or the net log knows of it")
        if attack in arrived
        else ("held", "neither the listener nor the net log knows of it")
        for attack in AHEAD
    }
    return Fight({**seen, **{attack: told[attack] for attack in COOKIES}})


async def flood(page: Page, layout: Layout, attack: str, patience: float = 12.0) -> tuple[str, str]:
    """Whether the host page has had some turns, so many seconds after a view began to do this."""
    await layout.open(page)
    await layout.add(page, only=attack)
    await layout.news.until(lambda: layout.hostile.runs)
    try:
        async with asyncio.timeout(patience):
            for _ in range(_TURNS):
                await page.evaluate(_TURN)
    except TimeoutError:
        return "through", "the host page is frozen"
    return "held", "the host page works on"


async def _attacking_frame(page: Page) -> Frame:
    navigated = asyncio.Event()
    # From before the first look: a frame that Playwright hears of during a look would be missed.
    page.on("framenavigated", lambda frame: navigated.set())
    async with asyncio.timeout(WAIT):
        while True:
            navigated.clear()
            for frame in page.frames:
                # Its attacks put frames into the page and take them out again.
                with suppress(PlaywrightError):
                    if await frame.title() == "Hostile app":
                        return frame
            await navigated.wait()


async def note_witnesses(found: Fight, page: Page, layout: Layout) -> None:
    """What others than the view saw: the listener, also after the view asked; the host page; the frames."""
    told: dict[str, str] = {}
    for hit in layout.hostile.listener.hits:
        name = hit.attack.removesuffix("-channel").removesuffix("-heard")
        told[name] = f"reached the listener: {hit.way}"
    # Reserved words of a view that its proxy passed on to the host page.
    words = {
        method
        for relayed, method, forged in await page.evaluate("heard")
        if relayed and forged and method.startswith(_RESERVED)
    }
    if words:
        told["forge-reserved"] = f"the host page was told {', '.join(sorted(words))}"
    if any("hostile=proxy-policy" in frame.url for frame in page.frames):
        told["proxy-policy"] = "the proxy was loaded with a policy of the view's choice"
    found.outcomes |= {name: ("through", detail) for name, detail in told.items() if name in found.outcomes}
