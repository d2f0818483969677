"""Views of other ages and dialects, in the same host and in a real browser."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import ConsoleMessage, Frame, Page, expect
from served import WAIT_MS, served_host, shown, view_frame
from view_server import FLAT, NESTED, official_page, view_page, view_server
from watching import Watch

from fanlight.dialects import DIALECTS, STABLE
from fanlight.host import Host, View
from fanlight.host.policy import allow_all
from fanlight.wire.versions import MIME_TYPE


@dataclass(frozen=True)
class Age:
    """One kind of view: its page, the dialect it is recognised by, and how its server declared it."""

    name: str
    html: Callable[[Path], str]
    dialect: str
    meta: dict[str, Any] = field(default_factory=lambda: NESTED)
    mime_type: str = MIME_TYPE

    def __str__(self) -> str:
        return self.name


FRONTMCP = Age("FrontMCP 2026", lambda _: view_page("frontmcp"), "frontmcp")
GOOSE = Age("early goose", lambda _: view_page("goose"), "goose", FLAT)
MCP_UI = Age("legacy mcp-ui", lambda _: view_page("mcp-ui"), "mcp-ui")
AGES = (
    FRONTMCP,
    Age(
        "FrontMCP of the seed",
        lambda _: view_page("frontmcp").replace('data-era="2026"', 'data-era="seed"'),
        "frontmcp",
        FLAT,
        "text/html+mcp",
    ),
    GOOSE,
    MCP_UI,
    Age("official 0.4.1", lambda peers: official_page(peers, "ext-apps-v0"), "draft-2025-11"),
    Age("official 1.7.5", lambda peers: official_page(peers, "ext-apps-v1"), STABLE),
    Age("official 2.0.4", lambda peers: official_page(peers, "@modelcontextprotocol/ext-apps"), STABLE),
    Age("without an SDK", lambda _: view_page("handwritten"), STABLE),
)
# Named hosts give the view an origin of its own; on the address it is opaque.
NAMES = pytest.mark.parametrize("name", ["fanlight.localhost", "127.0.0.1"], ids=["own origin", "opaque"])


@dataclass
class Shown:
    """A view on its page."""

    page: Page
    frame: Frame
    view: View
    host: Host
    watch: Watch
    heard: list[Any]


@asynccontextmanager
async def on_a_page(
    page: Page, age: Age, peers: Path, name: str = "fanlight.localhost"
) -> AsyncIterator[Shown]:
    host = Host(policy=allow_all)
    heard: list[Any] = []
    host.on_message(lambda view, content: heard.append(content))
    watch = Watch(host)
    async with served_host(host) as port:
        server = await host.connect(
            "ages", view_server(age.html(peers), meta=age.meta, mime_type=age.mime_type)
        )
        call = server.start_call("show", {"city": "Oslo"})
        await shown(page, port, call, name=name)
        assert call.view is not None
        yield Shown(page, await view_frame(page), call.view, host, watch, heard)


@NAMES
@pytest.mark.parametrize("age", AGES, ids=str)
async def test_a_view_of_any_age_is_shown_its_call_and_answered(
    age: Age, name: str, page: Page, peers: Path
) -> None:
    """Input and result arrive, a tool call is answered, a size is applied, and the dialect is named."""
    complaints: list[str] = []

    def listen(message: ConsoleMessage) -> None:
        if message.type == "error":
            complaints.append(f"{message.text} ({message.location['url']})")

    page.on("console", listen)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    async with on_a_page(page, age, peers, name) as shown:
        frame = shown.frame
        await expect(frame.locator("#input")).to_contain_text('{"city":"Oslo"}', timeout=WAIT_MS)
        await expect(frame.locator("#result")).to_contain_text("the weather in Oslo", timeout=WAIT_MS)
        await frame.locator("#call").click()
        await expect(frame.locator("#answer")).to_have_text("echo hello", timeout=WAIT_MS)
        await expect(page.locator("fanlight-view iframe")).to_have_css("height", "321px", timeout=WAIT_MS)
        named = {dialect for dialect in DIALECTS for note in shown.watch.notes if f"({dialect})" in note}
        assert named == ({age.dialect} - {STABLE})
        assert not [note for note in shown.watch.notes if note.startswith("fault")]
        assert complaints == []


@NAMES
async def test_every_method_of_a_frontmcp_widget_is_answered_and_has_its_effect(
    name: str, page: Page, peers: Path
) -> None:
    async with on_a_page(page, FRONTMCP, peers, name) as shown:
        frame, watch, host = shown.frame, shown.watch, shown.host
        await expect(page.locator("fanlight-view iframe")).to_have_css("height", "321px", timeout=WAIT_MS)
        capabilities = await frame.evaluate("window.capabilities")
        assert {"serverToolProxy", "openLink", "modelContextUpdate", "logging", "widgetTools"} <= set(
            capabilities
        )

        async def ask(method: str, params: dict[str, Any]) -> Any:
            return await frame.evaluate("([method, params]) => ask(method, params)", [method, params])

        assert await ask("ui/message", {"content": "good morning"}) == {}
        assert shown.heard == [[{"type": "text", "text": "good morning"}]]
        assert await ask("ui/updateModelContext", {"context": {"a": 1}, "merge": True}) == {}
        assert await ask("ui/updateModelContext", {"context": {"b": 2}, "merge": True}) == {}
        (context,) = host.context_for_next_turn()
        assert context["structuredContent"] == {"a": 1, "b": 2}
        assert await ask("ui/log", {"level": "warn", "message": "cloudy", "data": {"n": 1}}) == {}
        await watch.noted("cloudy")
        await page.context.route("https://weather.example/**", lambda route: route.fulfill(body="outside"))
        async with page.context.expect_page() as opened:
            assert await ask("ui/openLink", {"url": "https://weather.example/oslo"}) == {}
        await (await opened.value).wait_for_url("https://weather.example/oslo", timeout=WAIT_MS)
        assert "refused" in await ask("ui/openLink", {"url": "javascript:alert(1)"})
        assert await ask("ui/callServerTool", {"name": "echo", "arguments": {"word": "x"}}) == await ask(
            "tools/call", {"name": "echo", "arguments": {"word": "x"}}
        )
        schema = {"type": "object"}
        assert await ask("ui/registerTool", {"name": "t", "description": "d", "inputSchema": schema}) == {}
        assert await ask("ui/unregisterTool", {"name": "t"}) == {}
        # Not awaited in the frame, which may be gone before it could tell.
        await frame.evaluate("() => void ask('ui/close', {reason: 'done'})")
        assert (await watch.answer(await watch.said("ui/close")))["result"] == {}
        await page.locator('fanlight-view[data-verdict="closed"]').wait_for(timeout=WAIT_MS)


async def test_an_early_goose_view_reads_its_own_words_and_says_one_block(page: Page, peers: Path) -> None:
    async with on_a_page(page, GOOSE, peers) as shown:
        await expect(shown.frame.locator("#input")).to_have_text('show {"city":"Oslo"}', timeout=WAIT_MS)
        await expect(shown.frame.locator("#result")).to_have_text("show the weather in Oslo", timeout=WAIT_MS)
        welcome = await shown.frame.evaluate("window.welcome")
        assert welcome["hostCapabilities"]["links"] is True
        assert welcome["hostCapabilities"]["messages"] is True
        assert set(welcome["hostContext"]["viewport"]) >= {"width", "height"}
        block = {"type": "text", "text": "honk"}
        answer = await shown.frame.evaluate("(content) => ask('ui/message', {role: 'user', content})", block)
        assert answer["result"] == {}
        assert shown.heard == [[block]]


async def test_a_legacy_mcp_ui_view_gets_the_replies_that_it_waits_for(page: Page, peers: Path) -> None:
    async with on_a_page(page, MCP_UI, peers) as shown:
        frame = shown.frame
        await expect(frame.locator("#result")).to_have_text("the weather in Oslo", timeout=WAIT_MS)

        async def act(kind: str, payload: dict[str, Any]) -> Any:
            return await frame.evaluate("([kind, payload]) => act(kind, payload)", [kind, payload])

        assert (await act("prompt", {"prompt": "and tomorrow?"}))["response"] == {}
        assert (await act("intent", {"intent": "zoom", "params": {"by": 2}}))["response"] == {}
        assert [content[0]["text"] for content in shown.heard] == ["and tomorrow?", 'zoom: {"by": 2}']
        assert (await act("notify", {"message": "rain"}))["response"] == {}
        await shown.watch.noted("rain")
        assert "error" in await act("link", {"url": "javascript:alert(1)"})
        assert "error" in await act("tool", {"toolName": "nothing-like-it", "params": {}})
        heard = await frame.evaluate("window.heard")
        assert heard.count("ui-message-received") == heard.count("ui-message-response") == 5
        assert json.dumps(heard).count("ui-lifecycle-iframe-render-data") >= 3
