"""`view.js` in a minimal page on the published AppBridge, in Chromium: real and opaque, default policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect
from runtime_views import csp, view_html
from served import WAIT_MS
from view_server import bundled

from fanlight.wire.styles import STYLE_VARIABLES

HOST_PAGE = Path(__file__).parent / "hosts" / "frame_host.mjs"
RELEASES = pytest.mark.parametrize(
    "package", ["@modelcontextprotocol/ext-apps", "ext-apps-v1"], ids=["2.0.4", "1.7.5"]
)
ORIGINS = pytest.mark.parametrize(
    "sandbox", ["allow-scripts allow-same-origin allow-forms", "allow-scripts"], ids=["real", "opaque"]
)
BODY = """
  <p id="input"></p><p id="result"></p>
  <form data-tool-call="echo"><input name="word" value="hello"><button>Call</button><output></output></form>
"""
SCRIPT = """
  const write = (id, value) => { document.getElementById(id).textContent = JSON.stringify(value); };
  fanlight.on("input", (args) => write("input", args));
  fanlight.on("result", (result) => write("result", fanlight.text(result)));
  fanlight.on("teardown", () => { window.gone = true; });
  fanlight.setup({ info: { name: "map", version: "2" }, modes: ["inline", "fullscreen"] });
  fanlight.tool("zoom", { description: "Zoom" }, ({ level }) => `at level ${level}`);
"""
EVERYTHING = """async () => {
  const texts = [];
  const { content: [answer] } = await fanlight.callTool("echo", { word: "x" });
  texts.push(answer.text, (await fanlight.readResource("ui://a")).contents[0].text);
  await fanlight.listResources();
  await fanlight.message("hi");
  await fanlight.updateContext("A map", { zoom: 3 });
  await fanlight.openLink("https://example.com/");
  await fanlight.download("a.txt", new Blob(["a"], { type: "text/plain" }));
  texts.push(await fanlight.requestMode("fullscreen"));
  texts.push((await fanlight.sample("?")).content.text);
  await fanlight.log("line");
  fanlight.state.set("kept", "kept");
  return [...texts, fanlight.state.get("kept")];
}"""
ASKED = [
    "oncalltool", "onreadresource", "onlistresources", "onmessage", "onupdatemodelcontext", "onopenlink",
    "ondownloadfile", "onrequestdisplaymode", "oncreatesamplingmessage", "onloggingmessage",
]  # fmt: skip
CAPABILITIES: dict[str, Any] = {"serverTools": {}, "sampling": {}, "logging": {}}


@RELEASES
@ORIGINS
async def test_a_view_lives_a_whole_life_in_an_official_host(
    sandbox: str, package: str, page: Page, peers: Path
) -> None:
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    script = bundled(peers, HOST_PAGE, f"{package}/app-bridge")
    await page.route(
        "http://host.example/",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<!doctype html><body><script type="module">{script}</script></body>',
        ),
    )
    await page.goto("http://host.example/")
    shown = await page.evaluate(
        "(given) => showView(given)",
        {
            "html": view_html(BODY, SCRIPT, head=csp()),
            "sandbox": sandbox,
            "capabilities": CAPABILITIES,
            "hostContext": {
                "theme": "dark",
                "availableDisplayModes": ["inline", "fullscreen"],
                "styles": {"variables": dict.fromkeys(STYLE_VARIABLES, "red")},
            },
        },
    )
    assert shown["app"] == {"name": "map", "version": "2"}
    assert shown["capabilities"]["availableDisplayModes"] == ["inline", "fullscreen"]
    frame = page.frames[1]
    # The host's page hears from an opaque document, which has a process of its own, before Playwright does.
    await frame.wait_for_url("about:srcdoc", timeout=WAIT_MS)
    assert await frame.evaluate("origin") == ("null" if sandbox == "allow-scripts" else "http://host.example")
    await page.evaluate("bridge.sendToolInput({ arguments: { city: 'Oslo' } })")
    await page.evaluate("bridge.sendToolResult({ content: [{ type: 'text', text: 'rain' }] })")
    await expect(frame.locator("#input")).to_have_text('{"city":"Oslo"}', timeout=WAIT_MS)
    await expect(frame.locator("#result")).to_have_text('"rain"', timeout=WAIT_MS)
    await frame.get_by_role("button").click()
    await expect(frame.locator("output")).to_have_text("echo hello", timeout=WAIT_MS)
    await page.evaluate("asked.length = 0")
    assert await frame.evaluate(EVERYTHING) == ["echo x", "read", "fullscreen", "42", "kept"]
    # The last of them is a notification: nobody answers when it was heard.
    await page.wait_for_function("(last) => asked.includes(last)", arg=ASKED[-1], timeout=WAIT_MS)
    assert await page.evaluate("asked") == ASKED
    names = await frame.evaluate(
        "[...document.documentElement.style].filter((name) => name.startsWith('--'))"
    )
    assert sorted(names) == sorted(STYLE_VARIABLES)
    assert await page.evaluate("bridge.callTool({ name: 'zoom', arguments: { level: 3 } })") == {
        "content": [{"type": "text", "text": "at level 3"}]
    }
    await page.evaluate("bridge.sendHostContextChange({ theme: 'light' })")
    await expect(frame.locator("html")).to_have_attribute("data-theme", "light", timeout=WAIT_MS)
    assert await page.evaluate("bridge.teardownResource({})") == {}
    assert await frame.evaluate("gone") is True
    assert await page.evaluate("complaints") == []
    assert problems == []
