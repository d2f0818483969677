"""The demos as a person uses them, each in its own view in a real browser."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import pytest
from playwright.async_api import Browser, Frame, Page, expect
from served import WAIT_MS, served_host, shown, until, view_frame

from fanlight.demos import DEMOS
from fanlight.host import Host, View
from fanlight.host.server import Server

TOOLS = {
    "clock": "show_time",
    "explorer": "explore_trips",
    "monitor": "watch_system",
    "meeting": "plan_meeting",
    "board": "show_board",
    "editor": "write_note",
}
# What a demo draws comes with its result, which is later than that it is there.
TOLD = """addEventListener("message", ({data}) => {
  if (data?.method === "ui/notifications/tool-result") globalThis.toldResult = true;
});"""


@asynccontextmanager
async def demo(name: str, host: Host | None = None) -> AsyncIterator[tuple[Server, int]]:
    own = host or Host()
    async with served_host(own) as port:
        yield await own.connect(name, import_module(f"fanlight.demos.{name}").server), port


@asynccontextmanager
async def opened(
    page: Page, name: str, arguments: dict[str, Any] | None = None, host: Host | None = None
) -> AsyncIterator[tuple[View, Frame]]:
    """A demo on the screen that was told its result: its view, and the frame of its document."""
    await page.add_init_script(TOLD)
    async with demo(name, host) as (server, port):
        call = await server.call_tool(TOOLS[name], arguments)
        assert call.view is not None
        await shown(page, port, call)
        frame = await view_frame(page)
        await frame.wait_for_function("() => globalThis.toldResult", timeout=WAIT_MS)
        yield call.view, frame


def test_every_demo_is_shown_by_the_command() -> None:
    assert set(DEMOS) == set(TOOLS)


@pytest.mark.parametrize("name", sorted(TOOLS))
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_a_demo_comes_up_without_a_complaint_and_keeps_inside_a_narrow_page(
    browser: Browser, name: str, scheme: Any
) -> None:
    context = await browser.new_context(color_scheme=scheme, viewport={"width": 340, "height": 700})
    try:
        page = await context.new_page()
        complaints: list[str] = []
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        async with opened(page, name) as (view, frame):
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert await frame.evaluate(wide) <= 0
            assert await frame.evaluate("getComputedStyle(document.documentElement).colorScheme") == scheme
            assert view.violations == []
            assert complaints == []
    finally:
        await context.close()


async def test_the_explorer_draws_while_rows_are_still_being_written(page: Page) -> None:
    """Holds: R51, R52. Half-written rows are drawn, and nothing else is done with them."""
    host = Host()
    async with demo("explorer", host) as (server, port):
        async with server.begin_call("explore_trips") as call:
            await shown(page, port, call)
            frame = await view_frame(page)
            call.feed_arguments(
                '{"title": "Ferries", "districts": [{"name": "North", "trips": 30}, {"name": "So'
            )
            await expect(frame.locator(".bar")).to_have_count(1)
            await expect(frame.locator("#summary")).to_have_text("30 trips in 1 district, more to come…")
            assert host.context_for_next_turn() == []
            call.feed_arguments('uth", "trips": 10}]}')
        await expect(frame.locator(".bar")).to_have_count(2)
        await expect(frame.locator("#summary")).to_have_text("40 trips in 2 districts")
        await expect(frame.locator("h1")).to_have_text("Ferries")


async def test_the_explorer_drills_down_through_an_app_only_tool_and_tells_the_model(page: Page) -> None:
    host = Host()
    async with opened(page, "explorer", host=host) as (_, frame):
        assert [tool["name"] for tool in host.servers["explorer"].tools_for_model()] == ["explore_trips"]
        await frame.get_by_role("button", name="Harbour").click()
        await expect(frame.locator("#hours rect")).to_have_count(24)
        await expect(frame.get_by_role("button", name="All districts")).to_be_focused()
        await until(lambda: bool(host.context_for_next_turn()))
        assert "Harbour" in host.context_for_next_turn()[0]["content"][0]["text"]
        await frame.get_by_role("button", name="All districts").click()
        await expect(frame.locator(".bar").first).to_be_visible()


async def test_the_explorer_says_that_a_district_can_be_pressed_where_it_can(page: Page) -> None:
    async with opened(page, "explorer") as (_, frame):
        hint = frame.get_by_text("Press a district for its hours")
        await expect(hint).to_be_visible(timeout=WAIT_MS)
        # The name of the button is what it shows; the hint is not part of it.
        await frame.get_by_role("button", name="Harbour 4,210", exact=True).press("Enter")
        await expect(frame.locator("#hours rect")).to_have_count(24, timeout=WAIT_MS)
        await expect(hint).to_be_hidden()
        await frame.get_by_role("button", name="All districts").click()
        await expect(hint).to_be_visible()


async def test_the_explorer_says_when_there_is_nothing_to_draw(page: Page) -> None:
    async with opened(page, "explorer", {"title": "Ferries", "districts": []}) as (_, frame):
        await expect(frame.get_by_role("heading", name="No districts to show")).to_be_visible(timeout=WAIT_MS)
        await expect(frame.get_by_role("status")).to_have_text("No trips")
        await expect(frame.locator(".bar")).to_have_count(0)
        await expect(frame.get_by_role("button")).to_have_count(0)
        await expect(frame.get_by_text("Press a district")).to_be_hidden()


async def test_the_explorer_dims_only_the_row_that_is_still_written(page: Page) -> None:
    host = Host()
    async with demo("explorer", host) as (server, port), server.begin_call("explore_trips") as call:
        await shown(page, port, call)
        frame = await view_frame(page)
        call.feed_arguments('{"districts": [{"name": "N", "trips": 3}, {"name": "S", "trips": 1}')
        fills = frame.locator(".bar .fill")
        await expect(fills).to_have_count(2, timeout=WAIT_MS)
        await expect(fills.nth(0)).to_have_css("opacity", "1")
        await expect(fills.nth(1)).to_have_css("opacity", "0.6")
        call.feed_arguments("]}")


async def test_an_empty_board_says_where_cards_come_from(page: Page) -> None:
    async with opened(page, "board", {"cards": []}, Host(ask="allow")) as (_, frame):
        todo = frame.get_by_role("region", name="To do")
        await expect(todo.get_by_text("Write the first card above")).to_be_visible(timeout=WAIT_MS)
        await frame.get_by_label("New card").fill("Buy seeds")
        await frame.get_by_label("New card").press("Enter")
        await expect(todo.get_by_role("listitem")).to_have_count(1, timeout=WAIT_MS)
        await expect(frame.get_by_text("Move a card here")).to_have_count(2)


async def test_the_monitor_samples_until_it_is_paused(page: Page) -> None:
    async with opened(page, "monitor") as (_, frame):
        await frame.get_by_label("Seconds between samples").select_option("1")
        await expect(frame.locator("#meter-disk .since")).to_have_text(
            re.compile(r"^\d+ s ago$"), timeout=WAIT_MS
        )
        await frame.get_by_role("button", name="Pause").click()
        await expect(frame.get_by_role("status")).to_have_text("Paused.")


async def test_the_monitor_goes_on_after_a_sample_that_failed(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when it is the first one, which came with the view."""

    def fails() -> None:
        raise OSError("the disk is gone")

    lost: list[str] = []
    page.on("pageerror", lambda error: lost.append(str(error)))
    with monkeypatch.context() as broken:
        broken.setattr("fanlight.demos.monitor._disk", fails)
        async with opened(page, "monitor") as (_, frame):
            await expect(frame.locator("#problem")).to_contain_text("No sample", timeout=WAIT_MS)
            broken.undo()
            await frame.get_by_label("Seconds between samples").select_option("1")
            await expect(frame.locator("#meter-disk")).to_be_visible(timeout=WAIT_MS)
            await expect(frame.locator("#problem")).to_have_text("")
    assert lost == []


async def test_the_form_tells_the_model_what_is_in_it_and_ends_in_a_message(page: Page) -> None:
    host, heard = Host(ask="allow"), []

    @host.on_message
    def said(view: View, content: list[dict[str, Any]]) -> None:
        heard.append(content[0]["text"])

    async with opened(page, "meeting", {"topic": "Roof garden", "people": ["Ada"]}, host) as (view, frame):
        await frame.get_by_role("button", name="Ask to book it").click()
        await expect(frame.get_by_role("alert")).to_have_text("Choose one of the free times.")
        await frame.locator(".time").first.click()
        await until(lambda: view.model_context is not None)
        assert view.model_context is not None
        assert view.model_context["structuredContent"]["people"] == ["Ada"]
        await frame.get_by_role("button", name="Ask to book it").click()
        await expect(frame.get_by_role("heading", name="Sent to the conversation")).to_be_visible()
        assert heard[0].startswith("Please book this meeting: “Roof garden” on ")


async def test_the_board_keeps_its_cards_over_a_reload_and_takes_one_from_the_model(page: Page) -> None:
    async with opened(page, "board", host=Host(ask="allow")) as (view, frame):
        await frame.get_by_role("button", name="Move “Ask the neighbours” to Doing").click()
        await frame.get_by_label("New card").fill("Buy seeds")
        await frame.get_by_role("button", name="Add").click()
        result = await view.call_tool("add_card", {"text": "Find a ladder", "column": "done"})
        assert "column done" in result["content"][0]["text"]
        await until(lambda: "Find a ladder" in str(view.kept_state))
        await page.reload()
        await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS)
        again = await view_frame(page)
        await expect(
            again.get_by_role("region", name="Doing").get_by_text("Ask the neighbours")
        ).to_be_visible()
        await expect(again.get_by_role("region", name="To do").get_by_text("Buy seeds")).to_be_visible()
        await expect(again.get_by_role("region", name="Done").get_by_text("Find a ladder")).to_be_visible()


async def test_the_editor_shows_downloads_and_fills_the_screen(page: Page) -> None:
    async with opened(page, "editor", host=Host(ask="allow")) as (_, frame):
        await frame.get_by_label("Text, in Markdown").fill("# Hello\n\n<b>not markup</b> and **bold**")
        await expect(frame.locator("#preview h1")).to_have_text("Hello")
        await expect(frame.locator("#preview strong")).to_have_text("bold")
        await expect(frame.locator("#preview b")).to_have_count(0)
        async with page.expect_download() as downloading:
            await frame.get_by_role("button", name="Download").click()
        assert (await downloading.value).suggested_filename == "Roof garden.md"
        await frame.get_by_role("button", name="Fullscreen").click()
        await expect(page.locator("fanlight-view")).to_have_attribute("data-mode", "fullscreen")
        await expect(frame.locator("html")).to_have_attribute("data-display-mode", "fullscreen")
        await frame.get_by_role("button", name="Back").click()
        await expect(page.locator("fanlight-view")).to_have_attribute("data-mode", "inline")
        await frame.get_by_role("button", name="Look: as the host").click()
        await expect(frame.locator("html")).to_have_css("color-scheme", "light")
