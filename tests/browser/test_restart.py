"""The program is restarted while a page stays open: the page finds its view again, by itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from playwright.async_api import Page, expect
from rows_app import rows_server
from served import WAIT_MS, shown, view_frame
from starlette.applications import Starlette
from starlette.routing import Mount

from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.stores import SqliteStore


def app_of(host: Host) -> Any:
    return Starlette(routes=[Mount(host.mount, app=host.asgi())])


async def test_a_page_shows_its_view_again_from_another_process_without_the_server(
    page: Page, tmp_path: Path
) -> None:
    """The first program is not closed but cut off, as by a crash; the page is not reloaded."""
    rows = [{"name": "Oslo"}, {"name": "Bergen"}]
    crashed = Host(store=SqliteStore(tmp_path / "views.db"), teardown_grace=0.01)
    async with serving(app_of(crashed), bind_loopback(0)) as port:
        server = await crashed.connect("rows", rows_server([]))
        call = await server.call_tool("show", {"rows": rows})
        await shown(page, port, call)
        before = await view_frame(page)
        await expect(before.locator("#state")).to_have_text("2 rows")
    async with (
        Host(store=SqliteStore(tmp_path / "views.db")) as host,
        serving(app_of(host), bind_loopback(port)),
    ):
        async with asyncio.timeout(30):
            while (view := host.view(call.view.id if call.view else "")) is None:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert (await view.until_ready(30)).verdict == "ok"
        after = await view_frame(page)
        await expect(after.locator("#rows li")).to_have_text(["Oslo", "Bergen"])
        await expect(after.locator("#state")).to_have_text("2 rows")
        await page.reload()
        await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS, state="attached")
        await expect((await view_frame(page)).locator("#state")).to_have_text("2 rows")
    await crashed.aclose()
