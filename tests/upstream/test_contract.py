"""The contract for every door of the 2.x SDK and FastMCP, over every transport and in both eras."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import fastmcp
import httpx2
import pytest
from fastmcp.client.transports import StdioTransport
from mcp import ClientSession, StdioServerParameters
from mcp.client import Client, advertise
from mcp.client.stdio import stdio_client
from objects_sdk2 import fastmcp_server, sdk_server
from raw_http import RawHttp
from upstream_contract import Case, ChildContract, HttpContract, UpstreamContract, WireContract, opened

from fanlight.upstream import HttpTarget, ObjectTarget, SseTarget, StdioTarget, Upstream
from fanlight.upstream.doors import Era
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

RAW = str(Path(__file__).with_name("raw_server.py"))
APPS = advertise(EXTENSION_ID, {"mimeTypes": [MIME_TYPE]})
# A client that is pinned to the modern revision does not ask what the server offers; then we do.
MODES = {"handshake": "legacy", "modern": "2026-07-28"}


def child(era: str) -> Case:
    return Case(f"sdk2-stdio-{era}", lambda: opened(StdioTarget(sys.executable, (RAW, era))))


def http(era: str) -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        async with RawHttp(era).served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
            yield upstream

    return Case(f"sdk2-http-{era}", open)


def sse() -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        async with RawHttp().served() as origin, opened(SseTarget(f"{origin}/sse")) as upstream:
            yield upstream

    return Case("sdk2-sse", open)


def in_process(era: Era) -> Case:
    return Case(f"sdk2-object-{era}", lambda: opened(ObjectTarget(sdk_server()), era))


def fastmcp_object(era: Era) -> Case:
    return Case(f"fastmcp-object-{era}", lambda: opened(ObjectTarget(fastmcp_server()), era))


def fastmcp_client(era: str, *, entered: bool) -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        client: fastmcp.Client[Any] = fastmcp.Client(
            StdioTransport(sys.executable, [RAW, era], keep_alive=False), mode=MODES[era]
        )
        if not entered:
            async with opened(ObjectTarget(client)) as upstream:
                yield upstream
            return
        async with client:
            async with opened(ObjectTarget(client)) as upstream:
                yield upstream
            assert client.is_connected(), "the program's connection was closed"
            assert await client.list_tools()

    # A handshake that was done without us cannot be done again.
    advertises = not entered or era == "modern"
    name = f"fastmcp-client-{'entered' if entered else 'new'}-{era}"
    return Case(name, open, advertises, largest=4 << 20)


def existing_client(era: str) -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        parameters = StdioServerParameters(command=sys.executable, args=[RAW, era])
        async with Client(parameters, mode=MODES[era]) as client:
            async with opened(ObjectTarget(client)) as upstream:
                yield upstream
            assert (await client.list_tools(cache_mode="refresh")).tools, (
                "the program's connection was closed"
            )

    return Case(f"existing-client-{era}", open, advertises=era == "modern", largest=4 << 20)


def existing_session() -> Case:
    @asynccontextmanager
    async def open() -> AsyncIterator[Upstream]:
        parameters = StdioServerParameters(command=sys.executable, args=[RAW])
        extensions = {EXTENSION_ID: APPS.settings()}
        async with (
            stdio_client(parameters) as streams,
            ClientSession(*streams, extensions=extensions) as session,
        ):
            await session.initialize()
            async with opened(ObjectTarget(session)) as upstream:
                yield upstream
            assert (await session.list_tools()).tools, "the program's connection was closed"

    return Case("existing-session", open, largest=4 << 20)


CHILDREN = [child("handshake"), child("modern"), fastmcp_client("handshake", entered=False)]
OVER_THE_WIRE = [
    *CHILDREN,
    http("handshake"),
    http("modern"),
    sse(),
    fastmcp_client("modern", entered=False),
    fastmcp_client("handshake", entered=True),
    fastmcp_client("modern", entered=True),
    existing_client("handshake"),
    existing_client("modern"),
    existing_session(),
]
EVERY = [
    *OVER_THE_WIRE,
    in_process("handshake"),
    in_process("auto"),
    fastmcp_object("handshake"),
    fastmcp_object("auto"),
]


@pytest.mark.parametrize("case", EVERY, ids=str)
class TestEveryDoor(UpstreamContract):
    """All of them."""


@pytest.mark.parametrize("case", OVER_THE_WIRE, ids=str)
class TestTheWire(WireContract):
    """Those with the raw server behind them."""


@pytest.mark.parametrize("case", CHILDREN, ids=str)
class TestChildren(ChildContract):
    """Those that start a process."""


class TestHttp(HttpContract):
    """Those behind HTTP, in both eras."""

    @pytest.fixture(params=["handshake", "modern"])
    def era(self, request: pytest.FixtureRequest) -> Any:
        return request.param

    @pytest.fixture
    def auth(self) -> Any:
        return BearerAuth()


class BearerAuth(httpx2.Auth):
    """Authentication as the SDK's OAuth provider does it: an object that the HTTP client asks."""

    def auth_flow(self, request: httpx2.Request) -> Any:
        request.headers["Authorization"] = "Bearer t0ken"
        yield request
