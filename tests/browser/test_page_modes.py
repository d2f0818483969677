"""Inline, fullscreen and pip in a real browser: the same frame, the person in command, nobody lost."""

from __future__ import annotations

from typing import Any

import pytest
from page_views import WAIT_MS, app_html, fitted, frame_of, shelf, state, wait_state
from playwright.async_api import Frame, Page, expect

from fanlight.host import Action, Host, View
from fanlight.host.policy import Decision, deny

FULL = "in full screen"
FLOAT = "in a floating window"
CHAT = "<main style='transform: scale(1); overflow: hidden; max-width: 600px'>{}</main><input id=say>"


async def told(frame: Frame) -> list[dict[str, Any]]:
    """Every context change that the view heard of, oldest first."""
    changes: list[dict[str, Any]] = await frame.evaluate(
        "heard.filter((m) => m.method?.endsWith('context-changed')).map((m) => m.params)"
    )
    return changes


async def hears_mode(frame: Frame, mode: str) -> None:
    await frame.wait_for_function("(mode) => context.displayMode === mode", arg=mode, timeout=WAIT_MS)


async def asks_for(frame: Frame, mode: str) -> Any:
    """The view asks to be shown so; the answer."""
    return await frame.evaluate("(mode) => ask('ui/request-display-mode', {mode})", mode)


def embedded(view: View, attributes: str) -> str:
    return view.embed_html().replace("<fanlight-view ", f"<fanlight-view {attributes} ")


async def test_fullscreen_is_the_same_frame_above_everything_and_escape_leaves(page: Page) -> None:
    """Holds: R42."""
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=CHAT.format(view.embed_html()))
        frame = await fitted(page)
        born = await frame.evaluate("born")
        inline = await state(page, "box.offsetHeight")
        await page.get_by_role("button", name=FULL).click()
        await hears_mode(frame, "fullscreen")
        size = page.viewport_size
        assert size is not None
        rect = await state(page, "rect.toJSON()")
        assert (rect["left"], rect["top"]) == (0, pytest.approx(0, abs=8))
        assert (rect["width"], rect["height"]) == (size["width"], size["height"])
        assert await state(page, "root.activeElement.title") == "Leave full screen"
        assert "Report" in await page.locator("fanlight-view .head").inner_text()
        assert "sales" in await page.locator("fanlight-view .head").inner_text()
        # The rest of the page is out of reach.
        assert await page.evaluate("() => { say.focus(); return document.activeElement.id }") != "say"
        await frame.wait_for_function("context.containerDimensions.height > 100", timeout=WAIT_MS)
        assert (await frame.evaluate("context.containerDimensions"))["width"] == size["width"]
        await page.keyboard.press("Escape")
        await hears_mode(frame, "inline")
        assert await state(page, "box.offsetHeight") == inline
        assert FULL in await state(page, "root.activeElement.title")
        await frame.wait_for_function("context.containerDimensions.maxHeight > 0", timeout=WAIT_MS)
        assert await frame.evaluate("born") == born


async def test_the_page_behind_does_not_jump(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=view.embed_html() + "<p id=below>below")
        await fitted(page)
        where = "below.getBoundingClientRect().top"
        before = await state(page, where)
        await page.get_by_role("button", name=FULL).click()
        assert await state(page, where) == before


async def test_focus_goes_back_to_where_it_was(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=CHAT.format(view.embed_html()))
        frame = await frame_of(page)
        await page.focus("#say")
        assert await asks_for(frame, "fullscreen") == {"mode": "fullscreen"}
        await wait_state(page, "box.open && root.activeElement?.title === 'Leave full screen'")
        await page.get_by_role("button", name="Leave full screen").click()
        await hears_mode(frame, "inline")
        assert await page.evaluate("document.activeElement.id") == "say"


async def test_a_view_that_asks_is_answered_with_the_mode_it_got(page: Page) -> None:
    """The change is announced before the answer. Holds: R42."""
    async with shelf() as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        assert await asks_for(frame, "pip") == {"mode": "pip"}
        assert await frame.evaluate("context.displayMode") == "pip"
        await wait_state(page, "view.shadowRoot.querySelector('.box').matches(':popover-open')")
        assert await asks_for(frame, "inline") == {"mode": "inline"}
        await wait_state(page, "box.dataset.mode === 'inline' && !box.matches(':popover-open')")


async def test_modes_that_the_view_did_not_declare_have_no_control(page: Page) -> None:
    """Holds: R41, R43."""
    async with shelf(app_html(modes=["inline", "pip"])) as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        await expect(page.get_by_role("button", name=FLOAT)).to_be_visible()
        await expect(page.get_by_role("button", name=FULL)).to_have_count(0)
        assert await asks_for(frame, "fullscreen") == {"mode": "inline"}
        await page.get_by_role("button", name=FLOAT).click()
        await hears_mode(frame, "pip")
        await expect(page.get_by_role("button", name=FULL)).to_have_count(0)


async def test_a_view_without_a_list_has_no_controls_but_gets_what_it_asks_for(page: Page) -> None:
    async with shelf(app_html(modes=None)) as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        await expect(page.locator("fanlight-view .control:visible")).to_have_count(0)
        assert await asks_for(frame, "fullscreen") == {"mode": "fullscreen"}
        await page.get_by_role("button", name="Leave full screen").click()
        await hears_mode(frame, "inline")


async def test_a_view_that_could_not_come_back_stays_inline(page: Page) -> None:
    """Its person could not leave without breaking R41."""
    async with shelf(app_html(modes=["fullscreen"])) as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        assert await asks_for(frame, "fullscreen") == {"mode": "inline"}
        await expect(page.locator("fanlight-view .control:visible")).to_have_count(0)


async def test_the_page_may_offer_fewer_modes(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=embedded(view, "modes='inline fullscreen'"))
        frame = await frame_of(page)
        assert await frame.evaluate("context.availableDisplayModes") == ["inline", "fullscreen"]
        await expect(page.get_by_role("button", name=FULL)).to_be_visible()
        await expect(page.get_by_role("button", name=FLOAT)).to_have_count(0)


async def test_what_the_policy_denies_does_not_happen(page: Page) -> None:
    async def policy(action: Action) -> Decision:
        return deny("not here")

    async with shelf(host=Host(policy=policy)) as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        assert await asks_for(frame, "fullscreen") == {"mode": "inline"}
        assert await state(page, "box.dataset.mode") == "inline"


async def test_pip_floats_in_the_corner_and_leaves_a_place(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=CHAT.format(view.embed_html()))
        frame = await frame_of(page)
        born = await frame.evaluate("born")
        await page.get_by_role("button", name=FLOAT).click()
        await hears_mode(frame, "pip")
        await wait_state(page, "Math.round(rect.bottom) === innerHeight - 16")
        assert await state(page, "[box.offsetWidth, box.offsetHeight]") == [400, 300]
        assert await state(page, "innerWidth - rect.right") == 16
        # The page stays usable.
        await page.locator("#say").fill("hello")
        await frame.get_by_role("button", name="Details").click()
        await expect(page.get_by_text("Report is in a floating window.").first).to_be_visible()
        await page.get_by_role("button", name="Bring it back").click()
        await hears_mode(frame, "inline")
        assert FLOAT in await state(page, "root.activeElement.title")
        assert await frame.evaluate("born") == born


async def test_pip_moves_with_the_arrow_keys_and_stays_inside_of_the_window(page: Page) -> None:
    async with shelf() as here:
        await here.open(page, await here.view())
        await page.get_by_role("button", name=FLOAT).click()
        move = page.get_by_role("button", name="Move the window")
        await move.focus()
        await wait_state(page, "box.getAnimations().length === 0")
        before = await state(page, "rect.toJSON()")
        await page.keyboard.press("ArrowLeft")
        await page.keyboard.press("Shift+ArrowUp")
        after = await state(page, "rect.toJSON()")
        assert (after["left"] - before["left"], after["top"] - before["top"]) == (-10, -50)
        for _ in range(4):
            await page.keyboard.press("Shift+ArrowDown")
            await page.keyboard.press("Shift+ArrowRight")
        bottom, right = await state(page, "[rect.bottom, rect.right]")
        assert (bottom, right) == (await page.evaluate("innerHeight"), await page.evaluate("innerWidth"))
        await page.set_viewport_size({"width": 500, "height": 400})
        await wait_state(page, "rect.right <= 500 && rect.bottom <= 400")
        await page.keyboard.press("Escape")
        await wait_state(page, "box.dataset.mode === 'inline'")


async def test_pip_moves_with_the_mouse(page: Page) -> None:
    async with shelf() as here:
        await here.open(page, await here.view())
        await page.get_by_role("button", name=FLOAT).click()
        await wait_state(page, "box.getAnimations().length === 0")
        # Where the frame was a moment ago, the pointer may still belong to it; a click waits for its own.
        await page.locator("fanlight-view .mark").click()
        before = await state(page, "rect.toJSON()")
        x, y = before["left"] + 150, before["top"] + 15
        await page.mouse.move(x, y)
        await page.mouse.down()
        await page.mouse.move(x - 5000, y - 100, steps=3)
        # Past the edge and back: the window is still under the pointer that holds it.
        await page.mouse.move(x - 200, y - 120, steps=3)
        await page.mouse.up()
        after = await state(page, "rect.toJSON()")
        assert (after["left"] - before["left"], after["top"] - before["top"]) == (-200, -120)
        await page.mouse.move(x, y)
        assert await state(page, "rect.left") == after["left"]


async def test_only_one_view_of_a_page_floats(page: Page) -> None:
    async with shelf() as here:
        await here.open(page, await here.view(), await here.view())
        first, second = await frame_of(page, 0), await frame_of(page, 1)
        await page.get_by_role("button", name=FLOAT).first.click()
        await hears_mode(first, "pip")
        assert await asks_for(second, "pip") == {"mode": "pip"}
        await hears_mode(first, "inline")
        await wait_state(page, "box.dataset.mode === 'inline'", 0)
        await wait_state(page, "box.dataset.mode === 'pip'", 1)


# The page is drawn when a test says so, at the time that it says: how fast this machine is does not matter.
DRAWN_BY_HAND = """() => {
  const waiting = [];
  window.requestAnimationFrame = (draw) => waiting.push(draw);
  window.cancelAnimationFrame = () => waiting.splice(0);
  window.drawn = (now) => { for (const draw of waiting.splice(0)) draw(now); };
}"""


async def reported(frame: Frame, height: int) -> None:
    """The view reports this height, and the page has heard it: answers come behind it."""
    await frame.evaluate("(height) => { report(height); return ask('ping'); }", height)


async def test_a_size_that_is_reported_elsewhere_leaves_the_inline_height_alone(page: Page) -> None:
    async with shelf(app_html(script="ready.then(() => report(222));")) as here:
        await here.open(page, await here.view())
        await wait_state(page, "iframe.offsetHeight === 222")
        frame = await frame_of(page)
        await page.get_by_role("button", name=FULL).click()
        await hears_mode(frame, "fullscreen")
        await reported(frame, 900)
        await page.evaluate(DRAWN_BY_HAND)
        left = await page.evaluate("performance.now()")
        await page.keyboard.press("Escape")
        await hears_mode(frame, "inline")
        # So soon after its return the last report may be of the other mode.
        await page.evaluate("(now) => drawn(now)", left + 100)
        assert await state(page, "iframe.offsetHeight") == 222
        await reported(frame, 222)
        # Longer than a view has to report after its return.
        await page.evaluate("(now) => drawn(now)", left + 60_000)
        assert await state(page, "iframe.offsetHeight") == 222


async def test_a_view_that_ends_in_fullscreen_gives_the_page_back(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view)
        await page.get_by_role("button", name=FULL).click()
        await wait_state(page, "box.open")
        await here.host.close_view(view.id)
        await wait_state(page, "!box.open && view.dataset.verdict === 'closed'")


async def test_nothing_moves_for_people_who_asked_for_less_motion(page: Page) -> None:
    await page.emulate_media(reduced_motion="reduce")
    async with shelf() as here:
        await here.open(page, await here.view())
        await page.get_by_role("button", name=FLOAT).click()
        await wait_state(page, "box.dataset.mode === 'pip'")
        assert await state(page, "box.getAnimations({subtree: true}).length") == 0


async def test_each_change_is_told_once_and_only_what_changed(page: Page) -> None:
    async with shelf() as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        before = len(await told(frame))
        await page.get_by_role("button", name=FULL).click()
        await frame.wait_for_function("context.containerDimensions.height > 100", timeout=WAIT_MS)
        await page.get_by_role("button", name="Leave full screen").click()
        await frame.wait_for_function("context.containerDimensions.maxHeight > 0", timeout=WAIT_MS)
        changes = (await told(frame))[before:]
        assert [sorted(change) for change in changes] == [
            ["displayMode"],
            ["containerDimensions"],
            ["displayMode"],
            ["containerDimensions"],
        ]
