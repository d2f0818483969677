"""Floods: whatever a view does without an end, the host page works on and another app is served."""

from __future__ import annotations

import pytest
from arena import OPAQUE, OWN_ORIGIN, arena
from fighting import FLOODS, flood
from playwright.async_api import Page

# A frozen page stays frozen; one that works on may have to share its machine.
PATIENCE = 60.0


@pytest.mark.parametrize("attack", FLOODS)
async def test_the_page_works_on_and_another_app_is_served(attack: str, page: Page) -> None:
    async with arena(OWN_ORIGIN) as place:
        assert await flood(page, place, attack, PATIENCE) == ("held", "the host page works on")
        await place.add(page, "neighbour")
        await place.news.until(lambda: place.hostile.neighbour)


@pytest.mark.parametrize("attack", ["flood-loop", "flood-messages"])
async def test_the_page_works_on_beside_an_opaque_view(attack: str, page: Page) -> None:
    """Opaque views share a process with each other, never with the page: while one loops, others wait too."""
    async with arena(OPAQUE) as place:
        assert await flood(page, place, attack, PATIENCE) == ("held", "the host page works on")


async def test_cookies_for_the_name_above_do_not_shut_the_host_page_out(page: Page) -> None:
    async with arena(OWN_ORIGIN) as place:
        await place.open(page)
        await place.add(page, only="flood-cookies")
        await place.news.reported("flood-cookies")
        cookies = [cookie.get("name", "") for cookie in await page.context.cookies()]
        assert sum(name.startswith("hostile-") for name in cookies) > 50, "the attack was made"
        place.views.clear()
        await place.open(page)
        assert await page.title() == "Host"
        await place.add(page, "neighbour")
        await place.news.until(lambda: place.hostile.neighbour)
