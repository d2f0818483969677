"""The surroundings of a view in a real browser: one theme for all, live; language, clock, input, colours."""

from __future__ import annotations

import asyncio
import contextlib
from io import BytesIO
from typing import Any

import pytest
from page_views import WAIT_MS, app_html, frame_of, shelf, state, wait_state
from playwright.async_api import Browser, Frame, Page

from fanlight.host import Host, Theme

FONT = "@font-face { font-family: Ours; src: url(data:font/woff2;base64,d09GMgABAAAAAAAA); }"
COLOUR = "getComputedStyle(document.body).color"


async def follows(frame: Frame, theme: str) -> None:
    await frame.wait_for_function("(theme) => context.theme === theme", arg=theme, timeout=WAIT_MS)


async def pixel(page: Page, x: int, y: int) -> tuple[int, int, int]:
    """The colour that a person sees there."""
    png = await page.screenshot(clip={"x": x, "y": y, "width": 1, "height": 1})
    colour: list[int] = await page.evaluate(
        """async (bytes) => {
          const image = await createImageBitmap(new Blob([new Uint8Array(bytes)], {type: "image/png"}));
          const canvas = new OffscreenCanvas(1, 1).getContext("2d");
          canvas.drawImage(image, 0, 0);
          return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        }""",
        list(BytesIO(png).getvalue()),
    )
    return (colour[0], colour[1], colour[2])


async def test_the_theme_of_the_host_reaches_every_view(page: Page) -> None:
    """Holds: R65."""
    text = ("rgb(1, 2, 3)", "rgb(9, 8, 7)")
    theme = Theme({"--color-text-primary": text, "--font-sans": "Ours, serif"}, FONT)
    async with shelf(host=Host(theme=theme)) as here:
        await here.open(page, await here.view(), await here.view())
        for index in (0, 1):
            frame = await frame_of(page, index)
            assert await frame.evaluate(COLOUR) == "rgb(1, 2, 3)"
            assert await frame.evaluate("getComputedStyle(document.body).fontFamily") == "Ours, serif"
            assert await frame.evaluate("document.getElementById('fonts').textContent") == FONT
            assert len(await frame.evaluate("Object.keys(context.styles.variables)")) == 76
        await page.evaluate("document.querySelector('fanlight-view').setAttribute('theme', 'dark')")
        frame = await frame_of(page, 0)
        await follows(frame, "dark")
        assert await frame.evaluate(COLOUR) == "rgb(9, 8, 7)"
        assert await (await frame_of(page, 1)).evaluate(COLOUR) == "rgb(1, 2, 3)"


async def test_without_an_attribute_the_theme_is_the_pages_color_scheme(page: Page) -> None:
    await page.emulate_media(color_scheme="dark")
    async with shelf() as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        # A page without color-scheme is light, whatever the system prefers.
        assert await frame.evaluate("context.theme") == "light"
        await page.evaluate("document.documentElement.style.colorScheme = 'light dark'")
        await follows(frame, "dark")
        await page.emulate_media(color_scheme="light")
        await follows(frame, "light")
        await page.evaluate("document.documentElement.style.colorScheme = 'dark'")
        await follows(frame, "dark")


async def test_a_switch_of_the_theme_tells_the_theme_and_nothing_else(page: Page) -> None:
    async with shelf() as here:
        await here.open(page, await here.view())
        await wait_state(page, "box.dataset.state === 'shown'")
        frame = await frame_of(page)
        # The last thing that it is told by itself.
        result = "heard.some((message) => message.method === 'ui/notifications/tool-result')"
        await frame.wait_for_function(result, timeout=WAIT_MS)
        count = await frame.evaluate("heard.length")
        await page.evaluate("document.querySelector('fanlight-view').setAttribute('theme', 'dark')")
        await follows(frame, "dark")
        assert await frame.evaluate(f"heard.slice({count}).map((m) => m.params)") == [{"theme": "dark"}]


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_a_view_without_a_background_stands_on_the_colour_of_the_page(page: Page, theme: str) -> None:
    """A frame whose color-scheme is not its document's is painted white by browsers."""
    await page.emulate_media(color_scheme="light" if theme == "dark" else "dark")
    style = "fanlight-view { --fanlight-surface: light-dark(rgb(250, 250, 200), rgb(20, 20, 60)) }"
    async with shelf(style=style) as here:
        view = await here.view()
        await here.open(page, view, body=view.embed_html().replace(" base=", f" theme={theme} base="))
        await wait_state(page, "box.dataset.state === 'shown'")
        x, y = await state(page, "[rect.right - 40, rect.bottom - 20]")
        expected = (20, 20, 60) if theme == "dark" else (250, 250, 200)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(WAIT_MS / 1000):
                # A frame of another process is drawn when that process comes to it.
                while await pixel(page, int(x), int(y)) != expected:
                    continue
        assert await pixel(page, int(x), int(y)) == expected


async def test_language_clock_and_input_are_told(browser: Browser) -> None:
    profile = await browser.new_context(locale="de-AT", timezone_id="Asia/Tokyo", has_touch=True)
    try:
        page = await profile.new_page()
        async with shelf() as here:
            await here.open(page, await here.view())
            context: dict[str, Any] = await (await frame_of(page)).evaluate("context")
        assert context["locale"] == "de-AT"
        assert context["timeZone"] == "Asia/Tokyo"
        assert context["deviceCapabilities"]["touch"] is True
        assert context["safeAreaInsets"] == {"top": 0, "right": 0, "bottom": 0, "left": 0}
        assert context["availableDisplayModes"] == ["inline", "fullscreen", "pip"]
        assert context["displayMode"] == "inline"
    finally:
        await profile.close()


async def test_the_page_and_its_views_can_share_one_theme(page: Page) -> None:
    theme = Theme({"--color-border-primary": "rgb(7, 77, 177)"})
    async with shelf(app_html(), style=theme.css(), host=Host(theme=theme)) as here:
        await here.open(page, await here.view())
        assert await state(page, "getComputedStyle(box).borderTopColor") == "rgb(7, 77, 177)"
