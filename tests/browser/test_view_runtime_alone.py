"""`view.js` without an MCP host: a preview, a sentence that says what is missing, and `window.openai`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect
from runtime_views import HELD_TIMERS, PlayedHost, csp, view_html
from served import WAIT_MS

WATCH = """
  window.got = {};
  for (const event of ["input", "result", "context", "error"])
    fanlight.on(event, (value) => { got[event] = value.message ?? structuredClone(value); });
"""
SAMPLE: dict[str, Any] = {
    "input": {"city": "Oslo"},
    "result": {"structuredContent": {"degrees": 12}},
    "context": {"theme": "dark"},
}
MISSING = 'This view needs an MCP host, or sample data with the id "fanlight-sample".'


async def opened(page: Page, folder: Path, html: str) -> None:
    """Open a view as a person does who double-clicks the file."""
    file = folder / "view.html"
    file.write_text(html, "utf-8")
    await page.goto(file.as_uri())


async def test_sample_data_is_shown_as_if_a_host_had_sent_it(page: Page, tmp_path: Path) -> None:
    sample = f'<script type="application/json" id="fanlight-sample">{json.dumps(SAMPLE)}</script>'
    await opened(page, tmp_path, view_html(f'{sample}<a href="https://example.com/">Out</a>', WATCH))
    await page.wait_for_function("'result' in got", timeout=WAIT_MS)
    assert await page.evaluate("got") == SAMPLE
    assert await page.evaluate("fanlight.ready.then(({ host }) => host.name)") == "preview"
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    refused = await page.evaluate("fanlight.callTool('x').catch(({ message }) => message)")
    assert refused == "There is no tools/call in preview."
    assert await page.evaluate("(fanlight.state.set('a', 1), fanlight.state.get('a'))") == 1
    await page.context.route("https://example.com/", lambda route: route.fulfill(body="outside"))
    async with page.context.expect_page() as outside:
        await page.get_by_role("link").click()
    await (await outside.value).wait_for_url("https://example.com/")


async def test_without_a_host_and_sample_data_the_page_says_what_is_missing(
    page: Page, tmp_path: Path
) -> None:
    lost: list[str] = []
    page.on("pageerror", lambda error: lost.append(str(error)))
    script = (
        WATCH + "addEventListener('bridge:error', ({ detail }) => { got.bridge = detail.error.message; });"
    )
    await opened(page, tmp_path, view_html("<h1>Weather</h1>", script))
    await expect(page.locator("body")).to_contain_text(MISSING, timeout=WAIT_MS)
    assert await page.evaluate("fanlight.ready.catch(({ message }) => message)") == MISSING
    assert await page.evaluate("got") == {"error": MISSING, "bridge": MISSING}
    assert await page.evaluate("fanlight.callTool('x').catch(({ message }) => message)") == MISSING
    await page.evaluate("fanlight.log('nobody hears this')")
    assert lost == []


async def test_a_host_that_refuses_the_handshake_is_an_error_of_ready(page: Page) -> None:
    host = await PlayedHost.open(page, error={"code": -32000, "message": "too old"})
    frame = await host.show(view_html("", WATCH, head=csp()))
    assert await frame.evaluate("fanlight.ready.catch(({ message, code }) => [message, code])") == [
        "too old",
        -32000,
    ]
    await expect(frame.locator("body")).to_contain_text("too old", timeout=WAIT_MS)


OPENAI = """
  const asked = window.asked = [];
  const answer = (name, value) => async (...args) => (asked.push([name, ...args]), value);
  window.openai = {
    toolInput: { city: "Oslo" }, toolOutput: { degrees: 12 }, toolResponseMetadata: { station: 7 },
    theme: "dark", locale: "nb-NO", displayMode: "inline", widgetState: null,
    safeArea: { insets: { top: 1, right: 2, bottom: 3, left: 4 } },
    callTool: answer("callTool", { structuredContent: { degrees: 13 } }),
    sendFollowUpMessage: answer("sendFollowUpMessage"), openExternal: answer("openExternal"),
    requestDisplayMode: answer("requestDisplayMode", { mode: "fullscreen" }),
    notifyIntrinsicHeight: answer("notifyIntrinsicHeight"), requestClose: answer("requestClose"),
    setWidgetState(state) { this.widgetState = state; },
  };
"""


async def test_the_words_of_window_openai_are_used_where_there_is_nothing_else(
    page: Page, tmp_path: Path
) -> None:
    body = f"<script>{OPENAI}</script><p style='margin: 0; height: 40px'>x</p>"
    await opened(page, tmp_path, view_html(body, WATCH, head="<style>body { margin: 0 }</style>"))
    await page.wait_for_function("'result' in got", timeout=WAIT_MS)
    got = await page.evaluate("got")
    assert got["input"] == {"city": "Oslo"}
    assert got["result"] == {"content": [], "structuredContent": {"degrees": 12}, "_meta": {"station": 7}}
    assert got["context"] == {
        "theme": "dark",
        "locale": "nb-NO",
        "displayMode": "inline",
        "safeAreaInsets": {"top": 1, "right": 2, "bottom": 3, "left": 4},
    }
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    answer = await page.evaluate("fanlight.callTool('get', { city: 'Oslo' })")
    assert answer == {"structuredContent": {"degrees": 13}}
    assert await page.evaluate("fanlight.requestMode('fullscreen')") == "fullscreen"
    for call in ("message('hi')", "openLink('https://example.com/')", "updateContext('A map')", "close()"):
        await page.evaluate(f"fanlight.{call}")
    await page.wait_for_function("asked.some(([name]) => name === 'notifyIntrinsicHeight')", timeout=WAIT_MS)
    asked = await page.evaluate("asked")
    assert ["notifyIntrinsicHeight", 40] in asked
    assert [call for call in asked if call[0] != "notifyIntrinsicHeight"] == [
        ["callTool", "get", {"city": "Oslo"}],
        ["requestDisplayMode", {"mode": "fullscreen"}],
        ["sendFollowUpMessage", {"prompt": "hi"}],
        ["openExternal", {"href": "https://example.com/"}],
        ["requestClose"],
    ]
    told = {"content": [{"type": "text", "text": "A map"}]}
    assert await page.evaluate("openai.widgetState") == {"modelContext": told}
    await page.evaluate("fanlight.state.set('zoom', 3)")
    assert await page.evaluate("openai.widgetState") == {"modelContext": told, "zoom": 3}
    refused = await page.evaluate("fanlight.readResource('ui://x').catch(({ message }) => message)")
    assert refused == "There is no resources/read in openai."
    await page.evaluate("void (openai.callTool = async () => { throw new Error('no such tool'); })")
    assert await page.evaluate("fanlight.callTool('x').catch(({ message }) => message)") == "no such tool"


async def test_news_of_window_openai_are_told(page: Page, tmp_path: Path) -> None:
    await opened(page, tmp_path, view_html(f"<script>{OPENAI}</script>", WATCH))
    await page.wait_for_function("'result' in got", timeout=WAIT_MS)
    await page.evaluate("""() => {
      for (const key in got) delete got[key];
      const globals = { theme: "light", toolOutput: { degrees: 14 } };
      dispatchEvent(new CustomEvent("openai:set_globals", { detail: { globals } }));
    }""")
    await page.wait_for_function("'result' in got", timeout=WAIT_MS)
    got = await page.evaluate("got")
    assert "input" not in got
    assert got["result"]["structuredContent"] == {"degrees": 14}
    assert (got["context"]["theme"], got["context"]["locale"]) == ("light", "nb-NO")


@pytest.mark.parametrize("answers", [True, False])
async def test_an_mcp_host_that_answers_is_preferred_to_window_openai(answers: bool, page: Page) -> None:
    host = await PlayedHost.open(page)
    if not answers:
        await host.answer("ui/initialize", '"silence"')
    frame = await host.show(view_html(f"<script>{OPENAI}</script>", HELD_TIMERS + WATCH))
    await host.heard("ui/notifications/initialized" if answers else "ui/initialize")
    await frame.evaluate("elapse(1000)")
    name = await frame.evaluate("fanlight.ready.then(({ host }) => host.name)")
    assert name == ("played" if answers else "openai")
