"""The demos in the colours of their host, and on wide and narrow pages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Frame, Page, expect
from served import WAIT_MS
from test_demos import TOOLS, opened

from fanlight.host import Host, Theme

TEXT = "rgb(12, 34, 56)"
TEXT_COLOURS = """(colour) => [...document.body.querySelectorAll("*")].filter((element) =>
  element.checkVisibility() && getComputedStyle(element).color === colour &&
  [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
).length"""
OVERFLOW = """[...document.querySelectorAll("*")].filter((element) => {
  const { right } = element.getBoundingClientRect();
  return right > document.documentElement.clientWidth + 1 && element.checkVisibility();
}).map((element) => element.outerHTML.slice(0, 80))"""
# Where text is longer than its box, whether that hides it or not. A field scrolls by itself.
CUT = """[...document.body.querySelectorAll("*:not(input, textarea, select)")].filter((element) =>
  element.clientWidth && element.scrollWidth > element.clientWidth + 1 && element.checkVisibility() &&
  [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())
).map((element) => element.outerHTML.slice(0, 80))"""
WORD = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen"
LONG_WORDS: dict[str, dict[str, Any]] = {
    "board": {"title": WORD, "cards": [{"text": WORD}, {"text": WORD, "column": "done"}]},
    "editor": {"title": WORD, "text": f"# {WORD}\n\n{WORD}\n\n- {WORD}"},
    "explorer": {
        "title": WORD * 2,
        "districts": [{"name": WORD, "trips": 3}, {"name": "B", "trips": 123456}],
    },
    "meeting": {"topic": WORD, "people": [WORD]},
}
BOX = """(element) => {
  const { left, right, top, width, height } = element.getBoundingClientRect();
  return { left, right, top, width, height };
}"""


async def box(frame: Frame, selector: str) -> dict[str, float]:
    found: dict[str, float] = await frame.locator(selector).first.evaluate(BOX)
    return found


async def sized(page: Page, width: int) -> None:
    await page.set_viewport_size({"width": width, "height": 800})


@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_the_text_of_a_demo_has_the_colour_and_the_font_of_its_host(page: Page, name: str) -> None:
    theme = Theme({"--color-text-primary": TEXT, "--font-sans": "Ours, serif"})
    async with opened(page, name, host=Host(theme=theme)) as (_, frame):
        assert await frame.evaluate("getComputedStyle(document.body).fontFamily") == "Ours, serif"
        assert await frame.evaluate(TEXT_COLOURS, TEXT) > 0


@pytest.mark.parametrize("words", ["its own", "long"])
@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_nothing_of_a_demo_is_cut_off_or_scrolls_sideways(
    page: Page, name: str, width: int, words: str
) -> None:
    await sized(page, width)
    arguments = LONG_WORDS.get(name) if words == "long" else None
    async with opened(page, name, arguments) as (_, frame):
        assert await frame.evaluate("document.documentElement.clientWidth") > width * 0.75
        assert await frame.evaluate(OVERFLOW) == []
        assert await frame.evaluate(CUT) == []


@pytest.mark.parametrize("width", [360, 1200])
async def test_the_rows_of_the_explorer_stand_below_its_title_and_its_button(page: Page, width: int) -> None:
    await sized(page, width)
    async with opened(page, "explorer") as (_, frame):
        await expect(frame.locator(".bar")).to_have_count(6, timeout=WAIT_MS)
        title, name, track = [await box(frame, each) for each in ("#title", ".bar .name", ".bar .track")]
        header, bars = await box(frame, "header"), await box(frame, "#bars")
        assert name["left"] == title["left"]
        assert bars["right"] == header["right"]
        if width == 360:
            assert (track["left"], track["right"]) == (header["left"], header["right"])


@pytest.mark.parametrize(("width", "signs"), [(360, ["↑", "↓"]), (1200, ["←", "→"])])
async def test_the_arrows_of_the_board_point_to_where_its_columns_are(
    page: Page, width: int, signs: list[str]
) -> None:
    await sized(page, width)
    async with opened(page, "board") as (_, frame):
        columns = frame.locator(".column")
        await expect(columns).to_have_count(3, timeout=WAIT_MS)
        tops = {(await columns.nth(at).evaluate(BOX))["top"] for at in range(3)}
        assert len(tops) == (3 if width == 360 else 1)
        drawn = """(row) => [...row.querySelectorAll(".back, .on")]
          .map((button) => getComputedStyle(button, "::before").content.slice(1, -1))"""
        assert await frame.locator(".card .row").first.evaluate(drawn) == signs
        # The names say where to, whatever is drawn.
        await expect(frame.get_by_role("button", name="Move “Ask the neighbours” to Doing")).to_be_visible()
        assert (await box(frame, "#add"))["right"] == (await box(frame, "#columns"))["right"]


@pytest.mark.parametrize("width", [500, 1200])
async def test_the_fields_of_the_meeting_are_of_one_height_and_fill_the_view(page: Page, width: int) -> None:
    await sized(page, width)
    async with opened(page, "meeting") as (_, frame):
        day, minutes, form = [await box(frame, each) for each in ("#day", "#minutes", "#form")]
        assert (day["top"], day["height"]) == (minutes["top"], minutes["height"])
        inside = await frame.evaluate("document.documentElement.clientWidth") - 40
        assert form["width"] == inside
        note = await box(frame, "#note")
        assert note["right"] == form["right"]


async def test_the_first_sample_of_the_monitor_is_drawn_over_the_whole_card(page: Page) -> None:
    async with opened(page, "monitor") as (_, frame):
        await frame.get_by_role("button", name="Pause").click()
        line = frame.locator("#meter-disk path").nth(1)
        await expect(line).to_have_attribute("d", re.compile("L"), timeout=WAIT_MS)
        chart = await box(frame, "#meter-disk svg")
        drawn: dict[str, float] = await line.evaluate(BOX)
        assert drawn["width"] > chart["width"] * 0.9
