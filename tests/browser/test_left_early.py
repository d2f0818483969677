"""A view that goes elsewhere while its document is still being read is over, and that is said."""

from __future__ import annotations

import pytest
from playwright.async_api import Page
from served import WAIT_MS, app_server, served_host

from fanlight.host import Host, Verdict

ELSEWHERE = "http://127.0.0.1:9/"
WAYS = {
    "an address": f"<script>location.href = '{ELSEWHERE}'</script>",
    "a form": f"<form method=post action='{ELSEWHERE}'></form><script>document.forms[0].submit()</script>",
    "a refresh": f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    "a blank document": "<script>location.href = 'about:blank'</script>",
    "a reload": "<script>location.reload()</script>",
}
# Of an opaque view nobody sees what stands in its frame; there only what the proxy's policy stops is noticed.
UNSEEN = {"a blank document", "a reload"}
CASES = [
    *((name, "fanlight.localhost") for name in WAYS),
    *((name, "127.0.0.1") for name in WAYS.keys() - UNSEEN),
]


@pytest.mark.parametrize(("way", "name"), sorted(CASES))
async def test_a_view_that_leaves_before_it_is_loaded_is_over(page: Page, way: str, name: str) -> None:
    host = Host()
    async with served_host(host) as port:
        html = f"<!doctype html><title>t</title><p>here{WAYS[way]}<p>there"
        call = await (await host.connect("one", app_server(html))).call_tool("show")
        assert call.view is not None
        await page.goto(f"http://{name}:{port}{call.view.url}")
        outcome = await call.view.until_ready(WAIT_MS / 1000)
        assert outcome.verdict is Verdict.NAVIGATED


async def test_an_app_whose_router_writes_its_own_address_stays(page: Page) -> None:
    route = (
        "<script>history.replaceState(null, '', '/start'); history.pushState(null, '', '/start#top')</script>"
    )
    hello = """<script>
      const post = (message) => parent.postMessage({jsonrpc: "2.0", ...message}, "*");
      addEventListener("message", ({data}) => {
        if (data.id === 1) post({method: "ui/notifications/initialized"});
      });
      addEventListener("load", () => setTimeout(() => post({id: 1, method: "ui/initialize", params: {
        appInfo: {name: "t", version: "1"}, appCapabilities: {}, protocolVersion: "2026-01-26"}})));
    </script>"""
    host = Host()
    async with served_host(host) as port:
        html = f"<!doctype html><title>t</title>{route}{hello}"
        call = await (await host.connect("one", app_server(html))).call_tool("show")
        assert call.view is not None
        await page.goto(f"http://fanlight.localhost:{port}{call.view.url}")
        assert (await call.view.until_ready(WAIT_MS / 1000)).verdict is Verdict.OK
