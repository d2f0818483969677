"""The question about a changed app, as a person meets it in the workbench."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, expect
from served import TOKEN, WAIT_MS, app_server, view_frame
from test_isolation import HANDSHAKE

from fanlight.host import Host, Pins
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

ONE = f"<!doctype html><title>one</title><h1>Version one</h1>{HANDSHAKE}"
TWO = f"<!doctype html><title>two</title><h1>Version two</h1>{HANDSHAKE}"


@asynccontextmanager
async def workbench(page: Page, pins: Pins, html: str) -> AsyncIterator[None]:
    """The workbench on one app, whose tool was just run."""
    async with Host(pins=pins) as host:
        await host.connect("weather", app_server(html))
        async with serving(Workbench(host, TOKEN).asgi(), bind_loopback(0)) as port:
            await page.goto(f"http://fanlight.localhost:{port}/#token={TOKEN}")
            await page.get_by_test_id("run-button").click()
            yield


async def test_a_changed_app_is_shown_after_a_yes_and_a_no_says_why(page: Page, tmp_path: Path) -> None:
    pins = Pins(tmp_path / "pins.json")
    ok = page.locator('[data-testid="verdict"][data-verdict="ok"]')
    dialog = page.get_by_role("alertdialog")
    async with workbench(page, pins, ONE):
        await ok.wait_for(timeout=WAIT_MS)
        await expect(dialog).to_have_count(0)
    (before,) = pins.list()
    async with workbench(page, pins, TWO):
        await expect(dialog).to_contain_text("This app has changed. Show it?", timeout=WAIT_MS)
        await expect(dialog).to_contain_text("ui://test/view.html")
        await expect(dialog).to_contain_text(before.sha256)
        await expect(dialog.get_by_role("checkbox")).to_have_count(0)
        assert not [frame for frame in page.frames if "/view/" in frame.url]
        await dialog.get_by_role("button", name="Do not show it").click()
        await page.locator('[data-testid="verdict"][data-verdict="changed"]').wait_for(timeout=WAIT_MS)
        await expect(page.get_by_text("This app has changed since").first).to_be_visible()
        assert pins.list() == [before]
    async with workbench(page, pins, TWO):
        await dialog.get_by_role("button", name="Show it from now on").click(timeout=WAIT_MS)
        await ok.wait_for(timeout=WAIT_MS)
        await expect((await view_frame(page)).locator("h1")).to_have_text("Version two")
    async with workbench(page, pins, TWO):
        await ok.wait_for(timeout=WAIT_MS)
        await expect(dialog).to_have_count(0)
