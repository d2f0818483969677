"""The kit on the FastMCP of mcp 1.30; `test_kit_sdk1.py` runs it where that SDK is installed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from kit_contract import (
    KIT_SERVER,
    KitCase,
    KitContract,
    VersionsContract,
    connected,
    opened,
    opened_over_http,
    says_why_a_document_is_not_there,
)
from kit_server import broken, build
from mcp.shared.memory import create_connected_server_and_client_session

from fanlight.errors import ConfigError
from fanlight.scaffold import write_project
from fanlight.server import App, AppResource
from fanlight.upstream import ObjectTarget, StdioTarget, Upstream, parse_target

CASES = [
    KitCase("sdk1-object", lambda: opened(ObjectTarget(build("sdk1")))),
    KitCase("sdk1-stdio", lambda: opened(StdioTarget(sys.executable, (KIT_SERVER, "sdk1")))),
    KitCase("sdk1-http", lambda: opened_over_http("sdk1")),
]


def test_this_is_the_older_sdk() -> None:
    assert version("mcp").startswith("1.")


def test_what_needs_the_newer_sdk_says_so_in_one_sentence(tmp_path: Path) -> None:
    write_project("my-dice", tmp_path)
    server = tmp_path / "my-dice" / "server.py"
    for target in ("fanlight.demos.board:server", "fanlight.demos.clock:server", str(server)):
        with pytest.raises(ConfigError, match=r"needs mcp 2, but mcp 1\..* is installed: pip install"):
            parse_target(target)


@pytest.fixture(scope="session", params=CASES, ids=str)
async def kit(request: pytest.FixtureRequest) -> AsyncIterator[Upstream]:
    async with connected(request.param) as upstream:
        yield upstream


class TestKit(KitContract, VersionsContract):
    pass


async def test_a_client_that_does_not_show_apps_gets_the_long_text_and_the_data() -> None:
    """Holds: R08, R09."""
    server: Any = build("sdk1")
    async with create_connected_server_and_client_session(server._mcp_server) as session:
        summary = await session.call_tool("summary", {})
        asked = await session.call_tool("asked", {"word": "hi"})
    assert summary.content[0].text == "one and two"
    assert summary.structuredContent == {"rows": [1, 2]}
    assert asked.content[0].text == "hi: text"


async def test_a_document_that_cannot_be_shown_says_why() -> None:
    """Holds: R05."""
    await says_why_a_document_is_not_there(broken("sdk1"))


def test_a_taken_name_and_a_taken_address_are_refused() -> None:
    from mcp.server.fastmcp import FastMCP

    server: Any = FastMCP("taken")
    server.add_tool(lambda: "x", name="shown")
    server.resource("ui://kit/a.html", name="a", mime_type="text/html")(lambda: "x")
    app = App("ui://kit/a.html", AppResource.text("<!doctype html><title>a</title><p>a</p>"))
    with pytest.raises(ConfigError, match="there is a tool 'shown' on this server already"):
        app.tool(server, name="shown")(lambda: "x")
    with pytest.raises(ConfigError, match="as 'text/html', which no host shows"):
        app.tool(server, name="other")(lambda: "x")


def test_the_low_level_server_of_this_sdk_is_refused_with_the_remedy() -> None:
    from mcp.server.lowlevel import Server

    app = App("ui://kit/a.html", AppResource.text("<!doctype html><title>a</title><p>a</p>"))
    with pytest.raises(ConfigError, match="use its FastMCP, or mcp 2"):
        app.tool(Server("low"))
