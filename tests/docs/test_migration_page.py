"""docs/migration.md: its code runs in a real host, and every name that it gives is one."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from doc_code import DOCS, run_page
from mcp.client import Client
from playwright.async_api import Page, expect
from served import WAIT_MS, served_host, shown, view_frame

from fanlight.dialects import mcpui
from fanlight.host import Host
from fanlight.runtime import read_asset
from fanlight.server import App

PAGE = (DOCS / "migration.md").read_text("utf-8")
MCPUI = PAGE.partition("## mcp-ui\n")[2].partition("\n## ")[0]


async def see(page: Page, server: Any, tool: str, arguments: dict[str, Any], *steps: tuple[str, str]) -> None:
    """Each step is a button to press ("" for none) and what the view's paragraph says then."""
    host = Host(ask="allow")
    async with served_host(host) as port:
        connected = await host.connect("moved", server)
        await shown(page, port, await connected.call_tool(tool, arguments))
        frame = await view_frame(page)
        for button, says in steps:
            if button:
                await frame.get_by_role("button", name=button).click()
            await expect(frame.locator("p")).to_have_text(says, timeout=WAIT_MS)


async def test_what_came_from_frontmcp_shows_and_asks_for_more(page: Page) -> None:
    code = run_page("migration.md")
    steps = [("", "12 degrees"), ("Tomorrow", "14 degrees")]
    await see(page, code["weather_server"], "get_weather", {"city": "Oslo"}, *steps)


async def test_what_came_from_mcp_ui_calls_its_tool_without_a_message_of_its_own(page: Page) -> None:
    code = run_page("migration.md")
    await see(page, code["tasks_server"], "show_tasks", {}, ("", "1 tasks"), ("Add", "2 tasks"))


async def test_what_came_from_the_apps_sdk_keeps_its_keys_and_its_count(page: Page) -> None:
    code = run_page("migration.md")
    async with Client(code["pizza_server"]) as client:
        (tool,) = (await client.list_tools()).tools
        (document,) = (await client.read_resource("ui://widget/pizza.html")).contents
    assert tool.meta is not None
    assert document.meta is not None
    assert tool.meta["openai/outputTemplate"] == tool.meta["ui"]["resourceUri"] == "ui://widget/pizza.html"
    assert tool.meta["openai/widgetAccessible"] is True
    assert document.meta["openai/widgetDescription"] == "An order of pizzas."
    await see(
        page, code["pizza_server"], "order_pizza", {"count": 2}, ("", "2 pizzas"), ("One more", "3 pizzas")
    )


async def test_that_view_also_runs_where_there_is_only_window_openai(page: Page, tmp_path: Path) -> None:
    """As in ChatGPT: a frame whose parent does not answer."""
    code = run_page("migration.md")
    view = tmp_path / "view.html"
    told = "<script>window.openai = {toolInput: {}, toolOutput: {count: 5}, widgetState: null, "
    stub = told + "setWidgetState(state) { this.widgetState = state; }, callTool() {}}</script>"
    async with Client(code["pizza_server"]) as client:
        (document,) = (await client.read_resource("ui://widget/pizza.html")).contents
    html: str = document.text  # type: ignore[union-attr]
    view.write_text(html.replace("<title>", f"{stub}<title>", 1), "utf-8")
    holder = tmp_path / "page.html"
    holder.write_text("<!doctype html><iframe src='view.html'></iframe>", "utf-8")
    await page.goto(holder.as_uri())
    frame = page.frame_locator("iframe")
    await expect(frame.locator("p")).to_have_text("5 pizzas", timeout=WAIT_MS)
    await frame.get_by_role("button").click()
    await expect(frame.locator("p")).to_have_text("6 pizzas", timeout=WAIT_MS)


async def test_every_name_of_the_view_exists(page: Page) -> None:
    named = set(re.findall(r"`[^`]*?fanlight\.(\w+)[(.`]", PAGE)) - {"server", "dialects"}
    assert len(named) > 12
    await page.set_content("<!doctype html><title>empty</title>")
    await page.add_script_tag(content=read_asset("view.js").decode())
    there = await page.evaluate("(names) => names.filter((name) => name in fanlight)", sorted(named))
    assert there == sorted(named)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"App\((\w+)=", PAGE))))
def test_every_option_of_an_app_exists(option: str) -> None:
    assert option in inspect.signature(App).parameters


def test_every_message_of_mcp_ui_that_the_host_knows_has_a_row() -> None:
    rows = " ".join(line.split("|")[1] for line in MCPUI.splitlines() if line.startswith("| `"))
    assert set(mcpui._TYPES) <= set(re.findall(r"`([\w-]+)`", rows))
