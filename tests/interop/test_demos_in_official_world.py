"""The demos and a new project, unchanged, on what others publish: AppBridge, and the official clients."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client, advertise
from playwright.async_api import Frame, Page, expect
from runtime_views import csp
from served import WAIT_MS
from test_python_servers_in_node import looked_at
from view_server import bundled

from fanlight.demos import DEMOS
from fanlight.scaffold import write_project
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

HOST_PAGE = Path(__file__).parent / "hosts" / "frame_host.mjs"
NEWEST, OLDER = "@modelcontextprotocol/ext-apps", "ext-apps-v1"
# The least that a host gives a view, and what most give. Without the second, no form is ever submitted.
NO_FORMS, WITH_FORMS = "allow-scripts", "allow-scripts allow-forms"
PROJECT = "my-dice"
CAPABILITIES: dict[str, Any] = {
    "serverTools": {},
    "updateModelContext": {"text": {}, "structuredContent": {}},
    "message": {"text": {}},
    "downloadFile": {},
}
CONTEXT = {"theme": "dark", "displayMode": "inline", "availableDisplayModes": ["inline", "fullscreen"]}


async def drill_down(frame: Frame) -> None:
    await frame.get_by_role("button", name="Harbour").click()
    await expect(frame.locator("#hours rect")).to_have_count(24, timeout=WAIT_MS)
    await expect(frame.locator("#peak")).to_contain_text("Most trips between", timeout=WAIT_MS)


async def go_on_sampling(frame: Frame) -> None:
    await frame.get_by_role("button", name="Pause").click()
    await frame.get_by_role("button", name="Go on").click()
    # Said from the second sample on.
    await expect(frame.locator("#meter-disk .since")).to_contain_text("ago", timeout=WAIT_MS)


async def book(frame: Frame) -> None:
    await frame.get_by_label("Minutes").select_option("60")
    await expect(frame.locator("#times")).not_to_have_attribute("aria-busy", "true", timeout=WAIT_MS)
    await frame.locator(".time").first.click()
    await frame.get_by_role("button", name="Ask to book it").click()
    await expect(frame.get_by_role("heading", name="Sent to the conversation")).to_be_visible(timeout=WAIT_MS)


async def add_and_move_a_card(frame: Frame) -> None:
    for card in ("Buy a hose", "Paint the door"):
        await frame.get_by_label("New card").fill(card)
        if card == "Buy a hose":
            await frame.get_by_role("button", name="Add").click()
        else:
            await frame.get_by_label("New card").press("Enter")
        await expect(frame.get_by_role("region", name="To do").get_by_text(card)).to_be_visible(
            timeout=WAIT_MS
        )
    await frame.get_by_role("button", name="Move “Ask the neighbours” to Doing").click()
    doing = frame.get_by_role("region", name="Doing")
    await expect(doing.get_by_text("Ask the neighbours")).to_be_visible(timeout=WAIT_MS)


async def save_the_note(frame: Frame) -> None:
    await expect(frame.locator("#preview h1")).to_have_text("Roof garden", timeout=WAIT_MS)
    await frame.get_by_role("button", name="Download").click()
    await frame.get_by_role("button", name="Fullscreen").click()


async def ask_the_clock(frame: Frame) -> None:
    await frame.get_by_label("Time zone").select_option("Asia/Tokyo")
    await frame.get_by_role("button", name="Ask the server").click()
    await expect(frame.locator("#zone")).to_have_text("Asia/Tokyo (UTC+09:00)", timeout=WAIT_MS)


async def roll_again(frame: Frame) -> None:
    await frame.get_by_role("button", name="Roll again").click()
    await expect(frame.get_by_role("button", name="Roll again")).to_be_enabled(timeout=WAIT_MS)
    await expect(frame.locator("#dice li")).to_have_count(2, timeout=WAIT_MS)


@dataclass(frozen=True)
class Shown:
    """What an app shows of its result, what a person does in it, and what of that arrives outside.

    `calls` are the tools that the view calls then, `asks` what else it asks AppBridge for.
    """

    tool: str
    shows: str
    act: Callable[[Frame], Awaitable[None]]
    calls: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    app_only: tuple[str, ...] = ()
    arguments: dict[str, Any] = field(default_factory=dict)


APPS = {
    "explorer": Shown(
        "explore_trips", "4,210", drill_down,
        ("trips_by_hour",), ("onupdatemodelcontext",), ("trips_by_hour",),
    ),
    "monitor": Shown(
        "watch_system", "Processor", go_on_sampling, ("system_sample",), (), ("system_sample",)
    ),
    "meeting": Shown(
        "plan_meeting", "Plan a meeting", book, ("free_times",), ("onmessage",), ("free_times",),
        {"topic": "Roof garden", "people": ["Ada"]},
    ),
    "board": Shown("show_board", "Carry up the soil", add_and_move_a_card, (), ("onupdatemodelcontext",)),
    "editor": Shown("write_note", "lavender", save_the_note, (), ("ondownloadfile", "onrequestdisplaymode")),
    "clock": Shown("show_time", "(UTC+00:00)", ask_the_clock, ("show_time",)),
    PROJECT: Shown("roll_dice", "in all", roll_again, ("roll_again",), (), ("roll_again",)),
}  # fmt: skip


def command(name: str, folder: Path) -> list[str]:
    """What starts the server over stdio: a demo as it is in the package, a project as it is written."""
    if name == PROJECT:
        write_project(PROJECT, folder)
        return [sys.executable, str(folder / PROJECT / "server.py")]
    return [sys.executable, "-c", f"from fanlight.demos.{name} import server; server.run()"]


@asynccontextmanager
async def official_client(words: list[str]) -> AsyncIterator[Client]:
    apps = advertise(EXTENSION_ID, {"mimeTypes": [MIME_TYPE]})
    async with Client(StdioServerParameters(command=words[0], args=words[1:]), extensions=[apps]) as client:
        yield client


async def document_of(client: Client, tool: str) -> str:
    """The app's HTML with the policy of an app that declares nothing, as a host would send it."""
    (found,) = [each for each in (await client.list_tools()).tools if each.name == tool]
    assert found.meta is not None
    (content,) = (await client.read_resource(found.meta["ui"]["resourceUri"])).contents
    html: str = content.text  # type: ignore[union-attr]
    before, head, after = html.partition("<head>")
    return f"{before}{head}{csp()}{after}"


def test_every_demo_is_looked_at() -> None:
    assert set(APPS) == {*DEMOS, PROJECT}


@pytest.mark.parametrize(
    ("name", "package", "sandbox"),
    [
        *((name, NEWEST, WITH_FORMS) for name in APPS),
        *((name, OLDER, WITH_FORMS) for name in ("explorer", "clock", PROJECT)),
        *((name, NEWEST, NO_FORMS) for name in ("meeting", "board", "clock")),  # those that have a form
    ],
    ids=lambda value: {NEWEST: "2.0.4", OLDER: "1.7.5", WITH_FORMS: "forms", NO_FORMS: "no forms"}.get(
        value, value
    ),
)
async def test_an_app_works_in_a_page_on_the_published_bridge(
    name: str, package: str, sandbox: str, page: Page, peers: Path, tmp_path: Path
) -> None:
    """Holds: R35. One opaque frame, no proxy and nothing of our host."""
    app = APPS[name]
    called: list[str] = []
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    script = bundled(peers, HOST_PAGE, f"{package}/app-bridge")
    body = f'<!doctype html><body><script type="module">{script}</script></body>'
    await page.route("http://host.example/", lambda route: route.fulfill(content_type="text/html", body=body))
    async with official_client(command(name, tmp_path)) as client:

        async def call_tool(params: dict[str, Any]) -> Any:
            called.append(params["name"])
            result = await client.call_tool(params["name"], params.get("arguments") or {})
            return result.model_dump(mode="json", by_alias=True, exclude_none=True)

        await page.expose_function("callTool", call_tool)
        await page.goto("http://host.example/")
        html = await document_of(client, app.tool)
        given = {
            "html": html,
            "sandbox": sandbox,
            "capabilities": CAPABILITIES,
            "hostContext": CONTEXT,
        }
        async with asyncio.timeout(WAIT_MS / 1000):
            shown = await page.evaluate("(given) => showView(given)", given)
        assert shown["app"]["name"]
        frame = page.frames[1]
        # The host's page hears from the view, which has a process of its own, before Playwright does.
        await frame.wait_for_url("about:srcdoc", timeout=WAIT_MS)
        await page.evaluate("(input) => bridge.sendToolInput({ arguments: input })", app.arguments)
        result = await call_tool({"name": app.tool, "arguments": app.arguments})
        await page.evaluate("(result) => bridge.sendToolResult(result)", result)
        await expect(frame.locator("body")).to_contain_text(app.shows, timeout=WAIT_MS)
        await expect(frame.locator("html")).to_have_css("color-scheme", "dark", timeout=WAIT_MS)
        await app.act(frame)
        assert set(called[1:]) == set(app.calls)
        await page.wait_for_function(
            "(wanted) => wanted.every((each) => asked.includes(each))", arg=[*app.asks], timeout=WAIT_MS
        )
        if name == "board":
            await the_model_adds_a_card(page, frame)
        await page.evaluate("bridge.teardownResource({})")
        assert await page.evaluate("complaints") == []
        assert problems == []


async def the_model_adds_a_card(page: Page, frame: Frame) -> None:
    """The view's own tool, called through the published bridge."""
    listed = await page.evaluate("bridge.listTools({})")
    assert [tool["name"] for tool in listed["tools"]] == ["add_card"]
    await page.evaluate("bridge.callTool({ name: 'add_card', arguments: { text: 'Find a ladder' } })")
    todo = frame.get_by_role("region", name="To do")
    await expect(todo.get_by_text("Find a ladder")).to_be_visible(timeout=WAIT_MS)


@pytest.mark.parametrize("name", APPS)
def test_the_official_typescript_client_lists_and_reads_it(
    name: str, node: str, peers: Path, tmp_path: Path
) -> None:
    """Holds: R01, R02, R03, R04, R07, R10. The published helpers find the app of every tool."""
    app = APPS[name]
    seen = looked_at(node, *command(name, tmp_path))
    tools = seen["tools"]
    assert set(tools) == {app.tool, *app.app_only}
    assert {tool for tool, found in tools.items() if found["appOnly"]} == set(app.app_only)
    ((uri, resource),) = seen["resources"].items()
    assert {found["uri"] for found in tools.values()} == {uri}
    assert resource["listed"]
    assert resource["mimeType"]
    assert resource["html"].lower().startswith("<!doctype html>")
    result = seen["results"][app.tool]
    assert result["content"][0]["text"]
    assert result["structuredContent"]
