"""The hostile app in our host, in a real Chromium, with views of an own origin and with opaque ones.

One fight for each mode; each attack is a test of its own that reads what came of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest
from arena import HOST_SECRET, OPAQUE, OWN_ORIGIN, Arena, arena
from attacks_page import PAGE, outcomes_on, walls_table
from fighting import CLICKS, LEAVING, LOADS, Fight, fight, leave
from playwright.async_api import Browser

from fanlight.demos.hostile.page import catalogue

pytestmark = pytest.mark.xdist_group("hostile-attacks")

# Nothing but the browser's net log knows whether a name was looked up: test_hints.py reads it.
ELSEWHERE = {"dns-prefetch"}
# In development all views live under the page's name and may set a cookie for it, which page and other apps
# then have: docs/attacks.md says what can be done with that. Behind public names: test_behind_nginx.py.
OPEN = {("own origin", "parent-cookie"), ("own origin", "neighbour-cookie")}


@dataclass(frozen=True)
class Fought:
    """A fight that is over, and where it was."""

    mode: str
    fight: Fight
    place: Arena


@pytest.fixture(
    scope="module", params=[("own origin", OWN_ORIGIN), ("opaque", OPAQUE)], ids=["own-origin", "opaque"]
)
async def fought(request: pytest.FixtureRequest, browser: Browser) -> AsyncIterator[Fought]:
    mode, name = request.param
    async with arena(name) as place:
        context = await browser.new_context()
        found = await fight(await context.new_page(), place)
        await context.close()
        context = await browser.new_context()
        left = await leave(await context.new_page(), place, LEAVING)
        await context.close()
        found.outcomes |= left.outcomes
        yield Fought(mode, found, place)


@pytest.mark.parametrize("attack", [*LOADS, *CLICKS, *LEAVING])
async def test_an_attack_is_held(attack: str, fought: Fought) -> None:
    """Holds: R15, R31, R62."""
    outcome, detail = fought.fight.outcomes[attack]
    if (fought.mode, attack) in OPEN:
        assert outcome == "through", f"{attack} is held now: take it out of OPEN and of docs/attacks.md"
    elif attack not in ELSEWHERE:
        assert outcome != "through", f"{attack}: {detail}"


async def test_nothing_reached_the_undeclared_listener(fought: Fought) -> None:
    """Holds: R15, R62."""
    assert fought.place.hostile.listener.hits == []


async def test_what_a_view_could_read_holds_no_secret_of_the_host(fought: Fought) -> None:
    """Holds: R62."""
    readable = fought.fight.readable
    assert "/view/" in readable, "the view told what it could read"
    assert HOST_SECRET not in readable
    for view in fought.place.views:
        assert view.token not in readable
        assert view.id not in readable


async def test_the_neighbour_kept_its_secret_and_believed_nobody(fought: Fought) -> None:
    neighbour = fought.place.hostile.neighbour
    assert neighbour["mark"] not in fought.fight.readable
    assert neighbour["believed"] == []


async def test_every_attack_of_the_catalogue_was_made(fought: Fought) -> None:
    assert set(fought.fight.outcomes) == {*LOADS, *CLICKS, *LEAVING}
    unclear = {name for name, (outcome, _) in fought.fight.outcomes.items() if outcome == "unclear"}
    # An opaque view has no name above it that could take a cookie.
    assert unclear <= {*ELSEWHERE, "parent-cookie"}


async def test_the_page_of_attacks_says_what_came_of_them(fought: Fought) -> None:
    written = outcomes_on(PAGE.read_text("utf-8"), fought.mode)
    assert set(written) == {attack.id for attack in catalogue()}, "run tools/compare_layouts.py"
    # Those that need another browser or a page of their own have tests that allow nothing but "held".
    given = {name: outcome for name, (outcome, _) in fought.fight.outcomes.items() if name not in ELSEWHERE}
    alone = dict.fromkeys(written.keys() - given.keys(), "held")
    assert written == given | alone


async def test_the_page_of_attacks_names_every_wall() -> None:
    assert walls_table() in PAGE.read_text("utf-8"), "run tools/compare_layouts.py"
