"""The kit on every SDK of mcp 2.x and on FastMCP: in process, over stdio and over HTTP."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import fastmcp
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
from kit_server import SDKS, broken, build
from mcp.client import Client

from fanlight.upstream import ObjectTarget, StdioTarget, Upstream

HERE = [sdk for sdk in SDKS if sdk != "sdk1"]


def in_process(sdk: str) -> KitCase:
    return KitCase(f"{sdk}-object", lambda: opened(ObjectTarget(build(sdk))))


def by_handshake(sdk: str) -> KitCase:
    """The revisions of the protocol before 2026-07-28."""
    return KitCase(f"{sdk}-handshake", lambda: opened(ObjectTarget(build(sdk)), "handshake"))


def over_stdio(sdk: str) -> KitCase:
    target = StdioTarget(sys.executable, (KIT_SERVER, sdk))
    return KitCase(f"{sdk}-stdio", lambda: opened(target))


def over_http(sdk: str) -> KitCase:
    return KitCase(f"{sdk}-http", lambda: opened_over_http(sdk))


def mounted() -> fastmcp.FastMCP[None]:
    main: fastmcp.FastMCP[None] = fastmcp.FastMCP("main")
    main.mount(build("fastmcp"))
    return main


CASES = [way(sdk) for sdk in HERE for way in (in_process, by_handshake, over_stdio, over_http)]
CASES.append(KitCase("fastmcp-mounted", lambda: opened(ObjectTarget(mounted()))))


WITH_VERSIONS = [case for case in CASES if not case.id.startswith("extension")]


@pytest.fixture(scope="session")
async def kit(request: pytest.FixtureRequest) -> AsyncIterator[Upstream]:
    async with connected(request.param) as upstream:
        yield upstream


def over(cases: list[KitCase]) -> pytest.MarkDecorator:
    """One connection a case, and one worker for all of its tests."""
    parameters = [pytest.param(case, marks=pytest.mark.xdist_group(case.id), id=case.id) for case in cases]
    return pytest.mark.parametrize("kit", parameters, indirect=True, scope="session")


@over(CASES)
class TestKit(KitContract):
    pass


@over(WITH_VERSIONS)
class TestVersions(VersionsContract):
    pass


@pytest.mark.parametrize("sdk", ["mcpserver", "extension", "lowlevel"])
async def test_a_client_that_does_not_show_apps_gets_the_long_text_and_the_data(sdk: str) -> None:
    """Holds: R08, R09."""
    async with Client(build(sdk)) as client:
        summary = await client.call_tool("summary", {})
        asked = await client.call_tool("asked", {"word": "hi"})
    assert summary.content[0].text == "one and two"  # type: ignore[union-attr]
    assert summary.structured_content == {"rows": [1, 2]}
    assert asked.content[0].text == "hi: text"  # type: ignore[union-attr]


async def test_a_client_of_fastmcp_that_does_not_show_apps_gets_the_long_text_and_the_data() -> None:
    """Holds: R08, R09."""
    async with fastmcp.Client(build("fastmcp")) as client:
        summary = await client.call_tool("summary", {})
        asked = await client.call_tool("asked", {"word": "hi"})
    assert summary.content[0].text == "one and two"
    assert summary.structured_content == {"rows": [1, 2]}
    assert asked.content[0].text == "hi: text"


@pytest.mark.parametrize("sdk", HERE)
async def test_a_document_that_cannot_be_shown_says_why(sdk: str) -> None:
    """Holds: R05."""
    await says_why_a_document_is_not_there(broken(sdk))


@pytest.mark.parametrize("sdk", ["mcpserver", "fastmcp"])
async def test_a_tool_that_is_called_without_a_client_answers_with_words_alone(sdk: str) -> None:
    result = await build(sdk).call_tool("summary", {})
    assert result.content[0].text == "one and two"


@pytest.mark.parametrize("sdk", HERE)
async def test_the_server_says_that_it_has_apps(sdk: str) -> None:
    async with opened(ObjectTarget(build(sdk))) as upstream:
        assert upstream.protocol_version >= "2026"
        assert upstream.capabilities["extensions"]["io.modelcontextprotocol/ui"] == {}
