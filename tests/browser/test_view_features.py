"""Which of the browser's features a view has: written out, so that a new or a forgotten one is noticed."""

from __future__ import annotations

import pytest
from playwright.async_api import Page
from served import app_server, served_host, shown, view_frame
from test_isolation import PAGE

from fanlight.host import Host

# What Chromium 156 leaves to every document and what harms nobody: hints that it sends anyway, how a page
# ends, what a screen reader says (as `aria-live` does), and requests that the policy has to allow as well.
HARMLESS = {
    "aria-notify", "ch-save-data", "ch-ua", "ch-ua-high-entropy-values", "ch-ua-mobile", "ch-ua-platform",
    "sync-xhr", "unload",
}  # fmt: skip


@pytest.mark.parametrize("name", ["fanlight.localhost", "127.0.0.1"], ids=["own origin", "opaque"])
async def test_a_view_that_declares_nothing_has_these_features_and_no_others(page: Page, name: str) -> None:
    host = Host()
    async with served_host(host) as port:
        server = await host.connect("one", app_server(PAGE))
        await shown(page, port, await server.call_tool("show"), name=name)
        frame = await view_frame(page)
        assert set(await frame.evaluate("document.featurePolicy.allowedFeatures()")) <= HARMLESS
