"""The same attacks in the reference layout: they see holes where there are some, and the page says which."""

from __future__ import annotations

from pathlib import Path

from arena import HOST_SECRET
from attacks_page import PAGE, outcomes_on
from fighting import AHEAD, LOADS, fight, leave, note_witnesses
from playwright.async_api import Page
from reference import bundled_host, reference_layout


async def test_the_reference_layout_lets_through_what_the_page_of_attacks_says(
    page: Page, peers: Path
) -> None:
    written = outcomes_on(PAGE.read_text("utf-8"), "reference")
    # This browser does not look ahead, so it says nothing of what does.
    said = {name for name in LOADS if written[name] == "through" and name not in AHEAD}
    async with reference_layout(bundled_host(peers)) as place:
        found = await fight(page, place, clicks=False)
        # A view waits about a second for what it sent; on a busy machine that arrives later.
        await place.news.arrive(said - found.through().keys())
        await note_witnesses(found, page, place)
        left = await leave(page, place, ["leave-above", "proxy-policy"])
    assert HOST_SECRET in found.readable
    assert set(found.through()) - set(AHEAD) == said
    assert set(left.through()) == {"leave-above", "proxy-policy"}
