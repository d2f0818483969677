"""The form of the workbench: what a person fills in, and what the tool gets of it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from playwright.async_api import Page, expect
from served import WAIT_MS, served_workbench, until

from fanlight.demos import DEMOS


async def run(page: Page) -> None:
    await page.get_by_test_id("run-button").click()


@pytest.mark.parametrize("name", sorted(DEMOS))
async def test_a_demo_runs_as_its_form_is_filled_in_at_first(page: Page, name: str) -> None:
    """The first thing that anybody does with `fanlight demo`."""
    async with served_workbench(**{name: import_module(f"fanlight.demos.{name}").server}) as (link, _):
        await page.goto(link)
        await run(page)
        await page.locator('[data-testid="verdict"][data-verdict="ok"]').wait_for(timeout=WAIT_MS)


def listing(got: list[Any]) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("lists")

    @server.tool()
    def take(words: list[str] | None = None) -> str:
        got.append(words)
        return f"took {words}"

    return server


async def test_a_list_that_may_be_left_out_is_an_empty_field(page: Page) -> None:
    got: list[Any] = []
    async with served_workbench(lists=listing(got)) as (link, _):
        await page.goto(link)
        await page.get_by_role("button", name="take").click()
        field = page.get_by_label("words")
        await expect(field).to_have_value("")
        for text, taken in (("", None), ("null", None), ('["a"]', ["a"])):
            await field.fill(text)
            before = len(got)
            await run(page)
            # The words of the last run may still be there, and say the same.
            await until(lambda before=before: len(got) > before)  # type: ignore[misc]
            await expect(page.get_by_text(f"took {taken}").first).to_be_visible(timeout=WAIT_MS)
        await field.fill("{}")
        await run(page)
        await expect(page.get_by_text("A JSON array is needed here")).to_be_visible()
        assert got == [None, None, ["a"]]
