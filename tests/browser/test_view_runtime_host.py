"""`view.js` in our own host and a real browser: on an origin of its own and opaque, at both policy levels."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp.server.apps import Apps
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from playwright.async_api import Error, Frame, Page, expect
from runtime_views import view_html
from served import WAIT_MS, served_host, shown, view_frame

from fanlight.host import Host, View
from fanlight.host.policy import allow_all
from fanlight.runtime import read_asset
from fanlight.stores import SqliteStore

URI = "ui://runtime/view.html"
# Named hosts give the view an origin of its own; on the address it is opaque.
NAMES = pytest.mark.parametrize("name", ["fanlight.localhost", "127.0.0.1"], ids=["own origin", "opaque"])
BODY = """
  <p id="input"></p><p id="result"></p>
  <form data-tool-call="echo"><input name="word" value="hello"><button>Call</button><output></output></form>
  <a id="link" href="https://weather.example/oslo">Outside</a>
"""
SCRIPT = """
  const write = (id, value) => { document.getElementById(id).textContent = JSON.stringify(value); };
  const seen = [];
  fanlight.on("partial", (args) => { seen.push("partial"); write("input", args); });
  fanlight.on("input", (args) => { seen.push("input"); write("input", args); });
  fanlight.on("result", (result) => { seen.push("result"); write("result", fanlight.text(result)); });
  fanlight.on("cancelled", ({ reason }) => write("result", reason));
  fanlight.on("teardown", () => fanlight.callTool("echo", { word: "bye" }));
  fanlight.setup({ modes: ["inline", "fullscreen"] });
"""


@dataclass
class Shown:
    """The view on its page, and what its server and its host heard."""

    page: Page
    port: int
    host: Host
    view: View
    frame: Frame
    words: list[str]
    messages: list[Any]
    complaints: list[str] = field(default_factory=list)


def runtime_server(html: str, words: list[str]) -> MCPServer[Any]:
    """`show` has the view; `echo` answers, `refuse` fails, `count` tells its progress."""
    apps = Apps()
    apps.add_html_resource(URI, html)

    @apps.tool(resource_uri=URI)
    def show(city: str = "nowhere") -> str:
        return f"the weather in {city}"

    server: MCPServer[Any] = MCPServer("runtime", extensions=[apps])

    @server.tool()
    def echo(word: str) -> str:
        words.append(word)
        return f"echo {word}"

    @server.tool()
    def refuse() -> str:
        raise ToolError("no such city")

    @server.tool()
    async def count(ctx: Context) -> str:
        for number in range(3):
            await ctx.report_progress(number, 3)
        return "counted"

    return server


@asynccontextmanager
async def on_a_page(
    page: Page, *, name: str = "fanlight.localhost", script: str = SCRIPT, host: Host | None = None
) -> AsyncIterator[Shown]:
    host = Host(policy=allow_all) if host is None else host
    words: list[str] = []
    messages: list[Any] = []
    complaints: list[str] = []
    host.on_message(lambda view, content: messages.append(content))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    async with served_host(host) as port:
        server = await host.connect("runtime", runtime_server(view_html(BODY, script), words))
        call = await server.call_tool("show", {"city": "Oslo"})
        await shown(page, port, call, name=name)
        assert call.view is not None
        frame = await view_frame(page)
        yield Shown(page, port, host, call.view, frame, words, messages, complaints)


@NAMES
@pytest.mark.parametrize("level", ["compat", "strict"])
async def test_a_view_is_shown_its_call_and_works_under_either_policy(
    level: str, name: str, page: Page
) -> None:
    host = Host(policy=allow_all, csp_level=level)
    async with on_a_page(page, name=name, host=host) as here:
        await expect(here.frame.locator("#input")).to_have_text('{"city":"Oslo"}', timeout=WAIT_MS)
        await expect(here.frame.locator("#result")).to_have_text('"the weather in Oslo"', timeout=WAIT_MS)
        await here.frame.get_by_role("button", name="Call").click()
        await expect(here.frame.locator("output")).to_have_text("echo hello", timeout=WAIT_MS)
        assert here.words == ["hello"]
        assert await here.frame.evaluate("origin === 'null'") == (name == "127.0.0.1")
        assert here.complaints == []
        assert here.view.violations == []


async def test_the_look_of_the_host_is_on_the_view_and_changes_with_it(page: Page) -> None:
    async with on_a_page(page) as here:
        root = here.frame.locator("html")
        await expect(root).to_have_attribute("data-theme", "light")
        await expect(root).to_have_attribute("data-display-mode", "inline")
        names = await here.frame.evaluate(
            "[...document.documentElement.style].filter((name) => name.startsWith('--')).length"
        )
        assert names == 76
        await page.evaluate("document.querySelector('fanlight-view').setAttribute('theme', 'dark')")
        await expect(root).to_have_attribute("data-theme", "dark", timeout=WAIT_MS)
        assert await here.frame.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"


async def test_every_request_has_its_effect_in_the_host(page: Page) -> None:
    async with on_a_page(page) as here:
        frame, host = here.frame, here.host
        assert await frame.evaluate("fanlight.ready.then(({ host }) => host.name)") == "fanlight"
        await frame.evaluate("fanlight.message('good morning')")
        assert here.messages == [[{"type": "text", "text": "good morning"}]]
        await frame.evaluate("fanlight.updateContext('A map', { zoom: 3 })")
        (context,) = host.context_for_next_turn()
        assert context["structuredContent"] == {"zoom": 3}
        assert context["content"] == [{"type": "text", "text": "A map"}]
        read = await frame.evaluate(f"fanlight.readResource({URI!r})")
        assert read["contents"][0]["uri"] == URI
        listed = await frame.evaluate("fanlight.listResources()")
        assert URI in [resource["uri"] for resource in listed["resources"]]
        assert await frame.evaluate("fanlight.requestMode('fullscreen')") == "fullscreen"
        await expect(frame.locator("html")).to_have_attribute("data-display-mode", "fullscreen")
        assert await frame.evaluate("fanlight.requestMode('inline')") == "inline"
        result = await frame.evaluate("fanlight.callTool('refuse')")
        assert result["isError"] is True
        assert "no such city" in await frame.evaluate("(result) => fanlight.text(result)", result)
        progress = await frame.evaluate(
            "() => { const all = []; return fanlight.callTool('count', {}, "
            "{ onProgress: ({ progress }) => all.push(progress) }).then(() => all); }"
        )
        assert progress == sorted(progress)
        assert progress


async def test_a_link_of_the_view_opens_outside(page: Page) -> None:
    await page.context.route("https://weather.example/**", lambda route: route.fulfill(body="outside"))
    async with on_a_page(page) as here:
        async with page.context.expect_page() as opened:
            await here.frame.locator("#link").click()
        await (await opened.value).wait_for_url("https://weather.example/oslo")


async def test_a_file_of_the_view_is_saved(page: Page) -> None:
    async with on_a_page(page) as here:
        for data, saved in (("'Grüße'", "Grüße".encode()), ("new Uint8Array([0, 255])", b"\x00\xff")):
            async with page.expect_download(timeout=WAIT_MS) as downloaded:
                await here.frame.evaluate(f"fanlight.download('my notes.txt', {data})")
            file = await downloaded.value
            assert file.suggested_filename == "my notes.txt"
            path = await file.path()
            assert path.read_bytes() == saved


async def test_a_tool_of_the_view_is_called_from_python(page: Page) -> None:
    script = SCRIPT + "fanlight.tool('zoom', { description: 'Zoom' }, ({ level }) => `at level ${level}`);"
    async with on_a_page(page, script=script) as here:
        (tool,) = await here.view.tools()
        assert tool.name == "zoom"
        result = await here.view.call_tool("zoom", {"level": 3})
        assert result["content"] == [{"type": "text", "text": "at level 3"}]


async def test_a_view_that_asks_to_close_is_torn_down_in_peace(page: Page) -> None:
    async with on_a_page(page) as here:
        await here.frame.evaluate("fanlight.close()")
        await page.locator('fanlight-view[data-verdict="closed"]').wait_for(timeout=WAIT_MS)
        assert here.words == ["bye"], "the host waited for what the view did last"


async def test_arguments_that_are_still_written_arrive_as_partial(page: Page) -> None:
    host = Host(policy=allow_all)
    async with served_host(host) as port:
        server = await host.connect("runtime", runtime_server(view_html(BODY, SCRIPT), []))
        async with server.begin_call("show") as call:
            await shown(page, port, call)
            frame = await view_frame(page)
            call.feed_arguments('{"city": "Os')
            await expect(frame.locator("#input")).to_have_text('{"city":"Os"}', timeout=WAIT_MS)
            call.feed_arguments('lo"}')
        await expect(frame.locator("#result")).to_have_text('"the weather in Oslo"', timeout=WAIT_MS)
        seen = await frame.evaluate("seen")
        assert seen[0] == "partial"
        assert seen[-2:] == ["input", "result"]


async def waits_for_state(view: View, key: str) -> None:
    """Until the host has it: a reload may cut off what is still between the frames."""
    async with asyncio.timeout(WAIT_MS / 1000):
        while key not in (view.kept_state or {}):  # noqa: ASYNC110 - a change of the state has no event
            await asyncio.sleep(0.005)


async def connected_frame(page: Page) -> Frame:
    await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS, state="attached")
    frame = await view_frame(page)
    await frame.evaluate("fanlight.ready.then(() => true)")
    return frame


@NAMES
async def test_state_survives_a_reload_and_is_each_views_own(name: str, page: Page) -> None:
    """An opaque view has no storage: its host keeps it."""
    async with on_a_page(page, name=name) as here:
        await here.frame.evaluate("fanlight.state.set('columns', ['To do', 'Done'])")
        await waits_for_state(here.view, "columns")
        await page.reload()
        frame = await connected_frame(page)
        assert await frame.evaluate("fanlight.state.get('columns')") == ["To do", "Done"]
        assert await frame.evaluate("fanlight.state.get('rows', 7)") == 7
        other = await here.host.servers["runtime"].call_tool("show", {"city": "Bergen"})
        await shown(page, here.port, other, name=name)
        frame = await connected_frame(page)
        assert await frame.evaluate("fanlight.state.get('columns', 'nothing')") == "nothing"
        assert here.complaints == []


async def test_state_is_there_when_another_process_shows_the_view(page: Page, tmp_path: Path) -> None:
    first = Host(policy=allow_all, store=SqliteStore(tmp_path / "views.db"))
    async with on_a_page(page, name="127.0.0.1", host=first) as here:
        await here.frame.evaluate("fanlight.state.set('columns', ['To do'])")
        await waits_for_state(here.view, "columns")
        view_id = here.view.id
    second = Host(store=SqliteStore(tmp_path / "views.db"))
    async with served_host(second) as port:
        view = await second.restore(view_id)
        assert view is not None
        await page.goto("about:blank")
        await page.goto(f"http://127.0.0.1:{port}{view.url}")
        frame = await connected_frame(page)
        assert await frame.evaluate("fanlight.state.get('columns')") == ["To do"]


async def test_state_without_storage_never_throws(page: Page) -> None:
    async with on_a_page(page, name="127.0.0.1") as here:
        with pytest.raises(Error, match="SecurityError"):
            await here.frame.evaluate("localStorage.length")
        await here.frame.evaluate("fanlight.setup({ stateKey: 'not of this host' })")
        await here.frame.evaluate("fanlight.state.set('a', 1)")
        await here.frame.evaluate("fanlight.state.set('b', 2)")
        assert await here.frame.evaluate("[fanlight.state.get('a'), fanlight.state.get('b')]") == [1, 2]


async def test_the_height_of_the_view_is_that_of_its_content(page: Page) -> None:
    script = SCRIPT + "document.body.style.cssText = 'margin: 0; height: 200vh';"
    async with on_a_page(page, script=script) as here:
        # Whatever is still to be written would make it higher.
        await expect(here.frame.locator("#result")).to_have_text('"the weather in Oslo"')
        content = await here.frame.evaluate(
            "Math.ceil(Math.max(...Array.from(document.body.children, (child) =>"
            " child.getBoundingClientRect().bottom)))"
        )
        await page.wait_for_function(
            "(content) => Math.abs(document.querySelector('fanlight-view').shadowRoot"
            ".querySelector('iframe').getBoundingClientRect().height - content) < 40",
            arg=content,
            timeout=WAIT_MS,
        )


async def test_the_script_is_served_as_it_is_inlined_and_runs_as_a_module(page: Page) -> None:
    host = Host()
    async with served_host(host) as port:
        await page.goto(f"http://fanlight.localhost:{port}{host.mount}/page")
        address = f"{host.mount}/view.js"
        kind, text = await page.evaluate(
            "(address) => fetch(address).then(async (response) =>"
            " [response.headers.get('content-type'), await response.text()])",
            address,
        )
        assert kind.startswith("text/javascript")
        assert text.encode() == read_asset("view.js")
        loaded = await page.evaluate(
            "(address) => import(address).then(() => typeof fanlight.callTool)", address
        )
        assert loaded == "function"
