"""The demos in the colours of their host, and on wide and narrow pages."""

from __future__ import annotations

import pytest
from playwright.async_api import Page
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


@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_the_text_of_a_demo_has_the_colour_and_the_font_of_its_host(page: Page, name: str) -> None:
    theme = Theme({"--color-text-primary": TEXT, "--font-sans": "Ours, serif"})
    async with opened(page, name, host=Host(theme=theme)) as (_, frame):
        assert await frame.evaluate("getComputedStyle(document.body).fontFamily") == "Ours, serif"
        assert await frame.evaluate(TEXT_COLOURS, TEXT) > 0


@pytest.mark.parametrize("width", [360, 1200])
@pytest.mark.parametrize("name", sorted(TOOLS))
async def test_nothing_of_a_demo_is_cut_off_or_scrolls_sideways(page: Page, name: str, width: int) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    async with opened(page, name) as (_, frame):
        assert await frame.evaluate("document.documentElement.clientWidth") > width * 0.75
        assert await frame.evaluate(OVERFLOW) == []
