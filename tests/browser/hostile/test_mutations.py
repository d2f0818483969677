"""Each wall taken away in turn: some attack of the suite notices. The product has no switch for any of it."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import pytest
from arena import OPAQUE, OWN_ORIGIN, arena
from bench import opened_workbench
from edits import Edit
from fighting import Fight, note_witnesses
from foreign_page import foreign_page, intrude
from mutations import IN_FRAMES, Mutation
from page_walls import FROM_OUTSIDE, IN_PAGE, InPage, Outside
from playwright.async_api import Browser, Page
from playwright.async_api import Error as PlaywrightError
from walls import LAST_TO_HOLD, ONLY_HERE, WALLS, Wall

from fanlight.host import View

pytestmark = pytest.mark.xdist_group("hostile-mutations")


@pytest.fixture(scope="module")
async def noticed(browser: Browser) -> dict[str, Fight]:
    """One page a mode: a view for each wall, as an app of its own, whose frames lack just that wall."""
    found: dict[str, Fight] = {}
    for name in (OWN_ORIGIN, OPAQUE):
        rows = {mutation.notices: mutation for mutation in IN_FRAMES if mutation.name == name}

        def edits_of(view: View, rows: dict[str, Mutation] = rows) -> Iterable[Edit]:
            return rows[view.server.name].edits

        context = await browser.new_context()
        page = await context.new_page()
        async with arena(name, edits_of=edits_of) as place:
            await place.open(page)
            overs = {attack: await place.add(page, server=attack, only=attack) for attack in rows}
            for attack, over in overs.items():
                await place.news.made(attack, over)
            found[name] = Fight({attack: place.news.word_of(attack) for attack in rows})
            await note_witnesses(found[name], page, place)
            # A view waits about a second for what it sent; on a busy machine that arrives later.
            await place.news.arrive(rows.keys() - found[name].through().keys())
            await note_witnesses(found[name], page, place)
        await context.close()
    return found


@pytest.mark.parametrize("mutation", IN_FRAMES, ids=lambda mutation: mutation.wall)
async def test_a_missing_wall_is_noticed(mutation: Mutation, noticed: dict[str, Fight]) -> None:
    outcome, detail = noticed[mutation.name].outcomes[mutation.notices]
    assert outcome == "through", f"without {mutation.wall}, {mutation.notices} is {outcome}: {detail}"


@pytest.fixture(scope="module")
async def intruded(browser: Browser) -> list[str]:
    """What another page manages when none of the pages and frames has its wall against it."""
    edits = [row.edit for row in FROM_OUTSIDE]
    page = await (await browser.new_context()).new_page()
    async with opened_workbench(page, edits) as bench, foreign_page() as foreign:
        await page.goto(f"http://127.0.0.1:{foreign.port}/")
        managed = await intrude(page, bench.target)
    await page.context.close()
    assert all(edit.used for edit in edits)
    return managed


@pytest.mark.parametrize("row", FROM_OUTSIDE, ids=lambda row: row.wall)
async def test_a_missing_wall_against_other_pages_is_noticed(row: Outside, intruded: list[str]) -> None:
    """With every wall in place they manage nothing: `test_local_server.py`."""
    assert any(done.startswith(row.managed) for done in intruded), intruded


async def happening(page: Page, rows: Iterable[InPage], edits: Iterable[Edit]) -> list[str]:
    """Which of these happen in a page of the workbench."""
    found = []
    async with opened_workbench(page, edits), foreign_page() as foreign:
        for row in rows:
            with suppress(PlaywrightError):  # what the script throws when it may not
                if await page.evaluate(row.script, f"http://127.0.0.1:{foreign.port}/"):
                    found.append(row.notices)
    return found


@pytest.mark.parametrize("row", IN_PAGE, ids=lambda row: row.wall)
async def test_a_missing_wall_of_the_page_is_noticed(row: InPage, page: Page) -> None:
    assert await happening(page, [row], row.edits) == [row.notices], f"held without {row.wall}"
    assert all(edit.used for edit in row.edits)


async def test_with_every_wall_of_the_page_nothing_happens(page: Page) -> None:
    assert await happening(page, IN_PAGE, ()) == []


@pytest.mark.parametrize("wall", WALLS, ids=lambda wall: wall.wall)
async def test_a_missing_wall_of_the_whole_host_is_noticed(
    wall: Wall, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall.patch(monkeypatch)
    assert await wall.deed(page, wall.edits), f"without {wall.wall}, {wall.notices} is held all the same"
    assert all(edit.used for edit in wall.edits), "an edit that changed nothing proves nothing"


@pytest.mark.parametrize("wall", ONLY_HERE, ids=lambda wall: wall.wall)
async def test_with_every_wall_in_place_the_deed_is_held(wall: Wall, page: Page) -> None:
    assert not await wall.deed(page, ())


@pytest.mark.parametrize("wall", LAST_TO_HOLD, ids=lambda wall: wall.wall)
async def test_when_nothing_else_is_left_the_wall_holds_alone(
    wall: Wall, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall.patch(monkeypatch)
    assert not await wall.deed(page, wall.edits[1:])
