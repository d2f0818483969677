"""docs/embedding.md: its code runs, and what it says of it is so."""

from __future__ import annotations

import re
from typing import Any

import pytest
from doc_code import run_page
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from starlette.requests import HTTPConnection

from fanlight.errors import ConfigError


def server(tool: str) -> MCPServer[Any]:
    """A server with one app."""
    apps = Apps()
    apps.add_html_resource("ui://app/view.html", "<p>app")

    @apps.tool(resource_uri="ui://app/view.html", name=tool)
    def shown(city: str = "", question: str = "") -> str:
        return f"{city}{question}"

    return MCPServer(tool, extensions=[apps])


@pytest.fixture
def code() -> dict[str, Any]:
    return run_page("embedding.md", conversation=[], form_server=server("ask"))


async def test_a_call_becomes_a_tag_and_messages_reach_the_conversation(code: dict[str, Any]) -> None:
    host = code["host"]
    async with host:
        tag = await code["show_weather"]("Oslo", server("get_weather"))
        assert '<script type="module" src="/apps/host.js"></script>\n<fanlight-view ' in tag
        view = host.view(re.findall('view-id="(.*?)"', tag)[0])
        await code["on_message"](view, [{"type": "text", "text": "hi"}])
        assert [entry["from"] for entry in code["prompt_for_next_turn"]()] == [view.label]


async def test_users_are_kept_apart(code: dict[str, Any]) -> None:
    async with code["shared"] as shared:
        canteen = await shared.connect("canteen", server("show_menu"))
        assert "<fanlight-view" in await code["lunch_for"]("ann")
        with pytest.raises(ConfigError, match="user="):
            await canteen.call_tool("show_menu")
        asked = HTTPConnection({"type": "http", "headers": [], "session": {"user": "ann"}})
        assert await shared.users.of(asked) == "ann"


def test_a_script_waits_for_its_answer(code: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with pytest.raises(TimeoutError):
        code["ask_once"]({"question": "Left or right?"}, answer_within=0.05)
    (address,) = opened
    assert address.startswith("http://localhost:")
    assert "/apps/page#" in address


def test_a_flask_page_loads_the_script_from_the_hosts_port(code: dict[str, Any]) -> None:
    with code["clocks"] as clocks:
        clocks.connect("clock", "fanlight.demos.clock:server")
        page = code["flask"].test_client().get("/").text
        assert f'src="http://localhost:{clocks.port}/apps/host.js"' in page
        assert f'base="http://localhost:{clocks.port}/apps"' in page
