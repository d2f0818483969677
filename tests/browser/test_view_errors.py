"""What a view's scripts did not catch reaches its author, with file, line and column."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from mcp.server import MCPServer
from playwright.async_api import Page, expect
from served import WAIT_MS, app_server, served_workbench
from test_dev_reload import dev_command

from fanlight.host import Host
from fanlight.server import App, AppResource, Reply, reply
from fanlight.testing.render import RenderReport, render_call

PAGE = "<!doctype html><html lang=en><title>t</title><h1>here</h1>"
ENTRY = f"{PAGE}<script type=module src=app.js></script>"
LATE = "// one\n\nexport function go() {\n  const a = 1;\n  null.missing;\n}\n"
# What the folder holds besides its entry, and the line that must be told.
BROKEN = {
    "thrown by an imported module while it is loaded": (
        {"app.js": "import { go } from './js/late.js';\n\ngo();\n", "js/late.js": LATE},
        "TypeError: Cannot read properties of null (reading 'missing') (js/late.js:5:8)",
    ),
    "thrown later": (
        {"app.js": "import { go } from './js/late.js';\nsetTimeout(go);\n", "js/late.js": LATE},
        "TypeError: Cannot read properties of null (reading 'missing') (js/late.js:5:8)",
    ),
    "a promise that nobody caught": (
        {"app.js": "import { go } from './js/late.js';\nPromise.resolve().then(go);\n", "js/late.js": LATE},
        "TypeError: Cannot read properties of null (reading 'missing') (js/late.js:5:8)",
    ),
    "an imported module that cannot be read": (
        {"app.js": "import { x } from './js/x.js';\n", "js/x.js": "export const x = 1;\n\nlet y = = 2;\n"},
        "SyntaxError: Unexpected token '=' (js/x.js:3:9)",
    ),
    "a lone script that cannot be read": (
        {"app.js": "let a = 1;\n\n  let a = 2;\n"},
        "SyntaxError: Identifier 'a' has already been declared (app.js:3:7)",
    ),
    "something that is no error": (
        {"app.js": "setTimeout(() => {\n  throw 'a word';\n});"},
        "a word (app.js:2:3)",
    ),
}


def folder_server(folder: Path, files: dict[str, str]) -> MCPServer[Any]:
    for name, text in {"index.html": ENTRY, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return kit_server(AppResource.folder(folder))


def kit_server(resource: AppResource) -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("kit")
    app = App("ui://kit/view.html", resource)

    @app.tool(server)
    def show() -> Reply:
        return reply("the tool's text")

    return server


async def rendered(server: MCPServer[Any]) -> RenderReport:
    async with Host() as host:
        connected = await host.connect("kit", server)
        return await render_call(host, connected, "show", {}, timeout=30, settle=0.3)


@pytest.mark.parametrize("how", BROKEN)
async def test_a_rendering_tells_the_file_and_the_line_of_an_error(tmp_path: Path, how: str) -> None:
    files, told = BROKEN[how]
    report = await rendered(folder_server(tmp_path, files))
    assert told in report.console_errors, report.console_errors
    assert f"console  {told}" in report.as_text()


async def test_a_rendering_tells_the_line_of_what_is_written_to_the_console(tmp_path: Path) -> None:
    report = await rendered(folder_server(tmp_path, {"app.js": "\n\nconsole.error('oh', 1);\n"}))
    assert report.console_errors == ["oh 1 (app.js:3:9)"]


async def test_a_line_of_a_document_is_the_line_of_its_file(tmp_path: Path) -> None:
    file = tmp_path / "view.html"
    file.write_text(f"{PAGE}\n<p>two\n<script>\n  null.y;\n</script>")
    for dev in (False, True):
        report = await rendered(kit_server(AppResource.file(file, dev=dev)))
        assert report.console_errors == [
            "TypeError: Cannot read properties of null (reading 'y') (document:4:8)"
        ]


@pytest.mark.parametrize("how", BROKEN)
async def test_the_workbench_shows_an_error_of_a_view_in_development_with_its_place(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setenv("FANLIGHT_DEV", "1")
    files, told = BROKEN[how]
    words, place = re.fullmatch(r"(.*) \((\S+)\)", told).groups()  # type: ignore[union-attr]
    async with served_workbench(kit=folder_server(tmp_path, files)) as (link, _):
        await page.goto(link)
        await page.get_by_test_id("run-button").click()
        first = page.get_by_test_id("view-error").first
        await expect(first).to_contain_text(words, timeout=WAIT_MS)
        await expect(first.get_by_test_id("view-error-place")).to_have_text(place)
        await expect(page.get_by_test_id("verdict")).to_have_text("ok")
        await expect(page.get_by_test_id("view-error-count")).to_have_text(re.compile(r"[12] errors?"))


# An honest bridge of its own, as the official SDK's is: the reporter may not need ours.
OWN_BRIDGE = f"""{PAGE}<button onclick="late()">Again</button><script>
const say = (message) => parent.postMessage({{ jsonrpc: "2.0", ...message }}, "*");
addEventListener("message", ({{ data }}) => {{
  if (data.id === 1) say({{ method: "ui/notifications/initialized" }});
}});
addEventListener("error", (event) => event.message.includes("dealt with") && event.preventDefault());
setTimeout(() => {{ throw Error("dealt with by the view itself"); }});
setTimeout(() => {{ throw Error("<b>early</b>"); }});
const appInfo = {{ name: "own", version: "1" }};
const params = {{ appInfo, appCapabilities: {{}}, protocolVersion: "2026-01-26" }};
setTimeout(() => say({{ id: 1, method: "ui/initialize", params }}), 300);
function late() {{
  throw Error("late");
}}
</script>"""


async def test_errors_are_told_by_a_document_with_its_own_bridge_counted_and_never_read_as_markup(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is said before the view is initialized, so the host has nothing to complain of."""
    monkeypatch.setenv("FANLIGHT_DEV", "1")
    notes: list[str] = []
    async with served_workbench(kit=kit_server(AppResource.text(OWN_BRIDGE, runtime=False))) as (link, bench):
        bench.host.tap.listen(
            lambda record: notes.append(str(record.message)) if record.direction == "note" else None
        )
        await page.goto(link)
        await page.get_by_test_id("run-button").click()
        rows = page.get_by_test_id("view-error")
        await expect(rows).to_have_text([re.compile("Error: <b>early</b>document:8:")], timeout=WAIT_MS)
        view = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
        for times in ("", "× 2 "):
            await view.get_by_role("button", name="Again").click()
            await expect(rows.nth(1)).to_have_text(re.compile(f"Error: late{times}document:13:"))
        await expect(page.get_by_test_id("view-error-count")).to_have_text("3 errors")
        assert all(note.startswith("log error ") for note in notes), notes
        # A new run begins without them.
        await page.get_by_test_id("run-button").click()
        await expect(rows).to_have_count(1, timeout=WAIT_MS)


async def test_an_error_that_keeps_a_view_from_connecting_is_told_all_the_same(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANLIGHT_DEV", "1")
    broken = f"{PAGE}<script>\nnull.bridge;\nparent.postMessage({{ method: 'ui/initialize' }}, '*')</script>"
    async with served_workbench(kit=kit_server(AppResource.text(broken, runtime=False))) as (link, _):
        await page.goto(link)
        await page.get_by_test_id("run-button").click()
        await expect(page.get_by_test_id("view-error-place")).to_have_text("document:2:6", timeout=WAIT_MS)


async def test_what_any_view_logs_as_an_error_is_shown_and_nothing_else(page: Page) -> None:
    logs = """fanlight.log("only for information"); fanlight.log("a warning", "warning");
      fanlight.log({ message: "no answer", place: 7 }, "critical"); fanlight.log([1, null], "error");"""
    html = f"{PAGE}<script>{logs}</script>"
    document = AppResource.text(html).document
    assert document is not None
    assert "data-fanlight-files" not in document.html, "only in development"
    async with served_workbench(other=app_server(document.html)) as (link, _):
        await page.goto(link)
        await page.get_by_test_id("run-button").click()
        await expect(page.get_by_test_id("view-error")).to_have_text(
            ["no answer", "[1,null]"], timeout=WAIT_MS
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
async def test_the_errors_of_a_view_can_be_read_on_every_page(page: Page, scheme: Any, width: int) -> None:
    long = "x" * 300
    html = f"""{PAGE}<script>fanlight.log({{ message: "{long}", place: "js/{long[:80]}.js:1:2" }}, "error")
      </script>"""
    document = AppResource.text(html).document
    assert document is not None
    await page.emulate_media(color_scheme=scheme)
    await page.set_viewport_size({"width": width, "height": 800})
    async with served_workbench(other=app_server(document.html)) as (link, _):
        await page.goto(link)
        await page.get_by_test_id("run-button").click()
        errors = page.get_by_test_id("view-errors")
        await expect(errors).to_be_visible(timeout=WAIT_MS)
        inside = """(element) => element.scrollWidth <= element.clientWidth &&
          [...element.querySelectorAll("*")].every((each) =>
            each.getBoundingClientRect().right <= element.getBoundingClientRect().right)"""
        assert await errors.evaluate(inside)
        head = page.locator(".frame-head")
        assert await head.evaluate("(element) => element.scrollWidth <= element.clientWidth")
        # Its colours are those of the page: light on dark or dark on light.
        luminance = """(element) => {
          const context = document.createElement("canvas").getContext("2d");
          const bright = (colour) => {
            context.fillStyle = colour;
            context.fillRect(0, 0, 1, 1);
            const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
            return red * 0.3 + green * 0.6 + blue * 0.1;
          };
          const { color } = getComputedStyle(element.querySelector(".view-error-message"));
          return bright(color) - bright(getComputedStyle(element).backgroundColor);
        }"""
        contrast = await errors.evaluate(luminance)
        assert contrast > 120 if scheme == "dark" else contrast < -120


async def test_with_the_command_an_error_is_shown_and_gone_when_it_is_mended(
    page: Page, tmp_path: Path
) -> None:
    source = (
        "from mcp.server import MCPServer\nfrom fanlight.server import App, AppResource, Reply, reply\n"
        "server = MCPServer('dev')\napp = App('ui://dev/view.html', AppResource.folder('view'))\n"
        "@app.tool(server)\ndef show() -> Reply:\n    return reply('hello')\n"
    )
    (tmp_path / "server.py").write_text(source)
    (tmp_path / "view").mkdir()
    (tmp_path / "view" / "index.html").write_text(ENTRY)
    script = tmp_path / "view" / "app.js"
    script.write_text("\nfanlight.on('result', () => nope());\n")
    async with dev_command(tmp_path) as link:
        await page.goto(link)
        await page.get_by_test_id("run-button").click()
        row = page.get_by_test_id("view-error")
        await expect(row).to_have_text(
            re.compile(r"ReferenceError: nope is not definedapp\.js:2:29"), timeout=WAIT_MS
        )
        script.write_text("document.querySelector('h1').textContent = 'mended'\n")
        view = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
        await expect(view.locator("h1")).to_have_text("mended", timeout=WAIT_MS)
        await expect(row).to_have_count(0)
        await expect(page.get_by_test_id("view-errors")).to_be_hidden()
