"""A saved file shows itself in the open view, in a real page."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect
from served import WAIT_MS, served_host, shown

from fanlight.host import Host
from fanlight.upstream import parse_target
from fanlight.workbench.reloading import Reloader, Sources, forget_modules

SERVER = """
from pathlib import Path
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer

apps = Apps()
apps.add_html_resource("ui://dev/view.html", Path(__file__).with_name("view.html").read_text())

@apps.tool(resource_uri="ui://dev/view.html", name="show")
def show(city: str = "Oslo") -> str:
    return f"hello {city}"

server = MCPServer("dev", version="1", extensions=[apps])
"""
# The smallest honest view: it shakes hands and shows what it is given.
VIEW = """<!doctype html><title>t</title><h1>{word}</h1><p id=input></p><p id=result></p><script>
const say = (message) => parent.postMessage({{ jsonrpc: "2.0", ...message }}, "*");
addEventListener("message", ({{ data }}) => {{
  if (data.id === 1) say({{ method: "ui/notifications/initialized" }});
  if (data.method === "ui/notifications/tool-input") input.textContent = data.params.arguments.city;
  if (data.method === "ui/notifications/tool-result") result.textContent = data.params.content[0].text;
  if (data.method === "ui/resource-teardown") say({{ id: data.id, result: {{}} }});
}});
const appInfo = {{ name: "dev", version: "1" }};
const params = {{ appInfo, appCapabilities: {{}}, protocolVersion: "2026-01-26" }};
say({{ id: 1, method: "ui/initialize", params }});
</script>"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "view.html").write_text(VIEW.format(word="first"))
    path = list(sys.path)
    yield tmp_path
    sys.path[:] = path
    forget_modules([tmp_path])


async def test_a_saved_document_is_shown_in_the_open_view_with_its_input_and_result(
    page: Page, project: Path
) -> None:
    host = Host()
    said: list[str] = []
    async with served_host(host) as port:
        server = await host.connect("server", str(project / "server.py"))
        await shown(page, port, await server.call_tool("show", {"city": "Bergen"}))
        view = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
        await expect(view.locator("h1")).to_have_text("first")
        sources = Sources([project], lambda: parse_target(str(project / "server.py")))
        reloader = Reloader(host, sources, said.append)
        (project / "view.html").write_text(VIEW.format(word="second"))
        await reloader.reload([project / "view.html"])
        await expect(view.locator("h1")).to_have_text("second")
        await expect(view.locator("#input")).to_have_text("Bergen")
        await expect(view.locator("#result")).to_have_text("hello Bergen")
        await expect(page.locator("fanlight-view")).to_have_attribute("data-verdict", "ok")


KIT_SERVER = """
from mcp.server import MCPServer
from fanlight.server import App, AppResource, Reply, reply

server = MCPServer("dev")
app = App("ui://dev/view.html", AppResource.file("../web/dist/index.html"))


@app.tool(server)
def show(city: str) -> Reply:
    return reply(f"hello {city}")
"""
KIT_VIEW = """<!doctype html><title>t</title><h1>{word}</h1><p id=input></p><p id=result></p>
<script type=module>
const write = (id, text) => {{ document.getElementById(id).textContent = text; }};
fanlight.on("input", ({{ city }}) => write("input", city));
fanlight.on("result", (result) => write("result", fanlight.text(result)));
</script>"""


@asynccontextmanager
async def dev_command(folder: Path) -> AsyncIterator[str]:
    """`fanlight dev server.py` as a person gives it; yields the link that it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "fanlight", "dev", "server.py", "--no-open"),
        cwd=folder,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdout is not None
    try:
        text = await asyncio.wait_for(process.stdout.readuntil(b"Watching"), 60)
        link = re.search(rb"http://fanlight\.localhost:\S+", text)
        assert link is not None, text
        yield link[0].decode()
    finally:
        process.kill()
        await process.wait()


async def test_with_the_command_a_save_is_on_the_screen_and_input_and_result_are_kept(
    page: Page, tmp_path: Path
) -> None:
    built, source = tmp_path / "web" / "dist" / "index.html", tmp_path / "api" / "server.py"
    for file, text in ((built, KIT_VIEW.format(word="first")), (source, KIT_SERVER)):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    view = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
    async with dev_command(source.parent) as link:
        await page.goto(link)
        await page.get_by_label("city").fill("Bergen")
        await page.get_by_test_id("run-button").click()
        await expect(view.locator("#result")).to_have_text("hello Bergen", timeout=WAIT_MS)
        built.write_text(KIT_VIEW.format(word="second"))
        await expect(view.locator("h1")).to_have_text("second", timeout=WAIT_MS)
        await expect(view.locator("#input")).to_have_text("Bergen", timeout=WAIT_MS)
        await expect(view.locator("#result")).to_have_text("hello Bergen", timeout=WAIT_MS)
        source.write_text("raise SystemExit('set API_KEY')")
        await expect(page.get_by_text("set API_KEY")).to_be_visible(timeout=WAIT_MS)
        await expect(view.locator("h1")).to_have_text("second", timeout=WAIT_MS)
