"""The contract for every door of the 1.x SDK; `test_sdk1.py` runs it where that SDK is installed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from objects_sdk1 import fastmcp_server, lowlevel_server
from raw_http import RawHttp
from upstream_contract import Case, ChildContract, HttpContract, UpstreamContract, WireContract, opened

from fanlight.upstream import HttpTarget, ObjectTarget, SseTarget, StdioTarget, Upstream

RAW = str(Path(__file__).with_name("raw_server.py"))


def test_this_is_the_older_sdk() -> None:
    assert version("mcp").startswith("1.")


def child() -> Case:
    return Case("sdk1-stdio", lambda: opened(StdioTarget(sys.executable, (RAW,))))


def http() -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        async with RawHttp().served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
            yield upstream

    return Case("sdk1-http", open)


def sse() -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        async with RawHttp().served() as origin, opened(SseTarget(f"{origin}/sse")) as upstream:
            yield upstream

    return Case("sdk1-sse", open)


def existing_session() -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        parameters = StdioServerParameters(command=sys.executable, args=[RAW])
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            async with opened(ObjectTarget(session)) as upstream:
                yield upstream
            assert (await session.list_tools()).tools, "the program's connection was closed"

    return Case("sdk1-existing-session", open, advertises=False, largest=4 << 20)


OVER_THE_WIRE = [child(), http(), sse(), existing_session()]
IN_PROCESS = [
    Case("sdk1-fastmcp", lambda: opened(ObjectTarget(fastmcp_server()))),
    Case("sdk1-lowlevel", lambda: opened(ObjectTarget(lowlevel_server()))),
]


@pytest.mark.parametrize("case", [*OVER_THE_WIRE, *IN_PROCESS], ids=str)
class TestEveryDoor(UpstreamContract):
    """All of them."""


@pytest.mark.parametrize("case", OVER_THE_WIRE, ids=str)
class TestTheWire(WireContract):
    """Those with the raw server behind them."""


@pytest.mark.parametrize("case", [child()], ids=str)
class TestChildren(ChildContract):
    """The one that starts a process."""


class TestHttp(HttpContract):
    """Behind HTTP; this SDK knows only the handshake."""

    @pytest.fixture
    def era(self) -> str:
        return "handshake"

    @pytest.fixture
    def auth(self) -> Any:
        return BearerAuth()


class BearerAuth(httpx.Auth):
    """Authentication as the SDK's OAuth provider does it: an object that the HTTP client asks."""

    def auth_flow(self, request: httpx.Request) -> Any:
        request.headers["Authorization"] = "Bearer t0ken"
        yield request


class Table(dict[Any, Any]):
    """The session's table of requests; `taken` is called once, when the answer to one has arrived."""

    taken: Callable[[], object] | None = None

    def pop(self, *key: Any) -> Any:
        found = super().pop(*key)
        taken, self.taken = self.taken, None
        if taken is not None:
            taken()
        return found


async def test_a_request_that_is_given_up_while_its_answer_arrives_leaves_the_session_alive() -> None:
    parameters = StdioServerParameters(command=sys.executable, args=[RAW])
    async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
        await session.initialize()
        table = session._response_streams = Table()
        async with opened(ObjectTarget(session)) as upstream:
            asking = asyncio.create_task(upstream.request("ping"))
            table.taken = asking.cancel
            with pytest.raises(asyncio.CancelledError):
                await asking
            assert table.taken is None
            assert await upstream.request("ping") == {}
        assert (await session.list_tools()).tools
