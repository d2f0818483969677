"""Changes that a server tells once are heard: while its stream is replaced, refused or closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from raw_http import RawHttp
from upstream_contract import PATIENCE, opened, until

from fanlight.upstream import HttpTarget, Upstream, UpstreamState, sdk2_changes
from fanlight.upstream.subscribing import Subscribing

TOOLS = "notifications/tools/list_changed"
RESOURCES = "notifications/resources/list_changed"
UPDATED = "notifications/resources/updated"


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk2_changes, "_FIRST_DELAY", 0.005)
    monkeypatch.setattr(sdk2_changes, "_LONGEST_DELAY", 0.02)
    # A machine that is slow to open the first stream must not look like a server that is.
    monkeypatch.setattr(sdk2_changes, "_FIRST_WORD", PATIENCE)


class Following:
    """A connection of the modern era, what it heard, and the server on the other side."""

    def __init__(self, http: RawHttp, upstream: Upstream) -> None:
        self.http = http
        self.server = http.server
        self.upstream = upstream
        self.heard: list[str] = []
        self.updated: list[str] = []
        upstream.on_notification(self._note)

    def _note(self, method: str, params: dict[str, Any]) -> None:
        self.heard.append(method)
        if method == UPDATED:
            self.updated.append(params["uri"])

    async def listens_to(self, *uris: list[str] | None) -> None:
        """Until there is one stream for each of these lists of resources."""
        streams = self.server.listening
        await until(lambda: [one.get("resourceSubscriptions") for one, _ in streams.values()] == [*uris])

    async def hears(self, method: str) -> None:
        await until(lambda: method in self.heard)


@asynccontextmanager
async def following() -> AsyncIterator[Following]:
    http = RawHttp("modern")
    async with http.served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
        yield Following(http, upstream)


async def test_a_connection_that_is_there_listens_already() -> None:
    async with following() as case:
        assert len(case.server.listening) == 1
        case.server.grow()
        await case.hears(TOOLS)


async def test_a_server_that_acknowledges_late_is_asked_again_what_it_offers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sdk2_changes, "_FIRST_WORD", 0.01)
    http = RawHttp("modern")
    http.server.acknowledges.clear()
    async with http.served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
        case = Following(http, upstream)
        case.server.grow()  # to nobody
        assert case.heard == []
        case.server.acknowledges.set()
        await case.hears(TOOLS)


@pytest.mark.parametrize("status", [404, 429, 503])
async def test_a_refusal_to_listen_again_is_not_the_end(status: int) -> None:
    async with following() as case:
        case.http.refuse_listening_with = status
        case.server.end_listening()
        await until(lambda: case.http.refused >= 2)
        assert case.upstream.state is UpstreamState.CONNECTED
        case.http.refuse_listening_with = None
        await case.listens_to(None)
        case.heard.clear()
        case.server.grow()
        await case.hears(TOOLS)


async def test_a_change_while_nobody_listened_is_told_when_somebody_does() -> None:
    async with following() as case:
        await case.upstream.watch(["ui://a"])
        await case.listens_to(["ui://a"])
        case.http.refuse_listening_with = 503
        case.server.end_listening()
        await until(lambda: case.http.refused >= 1)
        case.server.grow()  # to nobody
        assert case.heard == []
        case.http.refuse_listening_with = None
        await case.hears(TOOLS)
        await case.hears(RESOURCES)
        await until(lambda: case.updated == ["ui://a"])


async def test_a_change_while_a_stream_is_replaced_is_told() -> None:
    async with following() as case:
        case.server.acknowledges.clear()
        for uris in (["ui://a"], ["ui://a", "ui://b"]):
            await case.upstream.watch(uris)
        case.server.grow()
        await case.hears(TOOLS)
        assert RESOURCES not in case.heard  # heard of the server, not presumed
        case.server.acknowledges.set()
        await case.listens_to(["ui://a", "ui://b"])
        assert RESOURCES not in case.heard  # nothing can have been missed


async def test_a_server_that_does_not_know_the_method_is_asked_once() -> None:
    http = RawHttp("modern")
    http.refuse_listening_with = 404  # how a gateway says "no such method"
    async with http.served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
        assert http.refused == 1
        await upstream.request("tools/list", timeout=PATIENCE)
        assert http.refused == 1


async def test_the_handshake_era_subscribes_in_the_order_of_the_wishes() -> None:
    asked: list[tuple[str, str]] = []
    answering = asyncio.Event()

    async def request(method: str, params: dict[str, Any], _: None) -> dict[str, Any]:
        asked.append((method.rpartition("/")[2], params["uri"]))
        await answering.wait()
        return {}

    subscribing = Subscribing(request)
    wishes = [asyncio.create_task(subscribing.to(uris)) for uris in (["ui://a", "ui://b"], ["ui://c"])]
    await until(lambda: bool(asked))
    answering.set()
    await asyncio.gather(*wishes)
    held: set[str] = set()
    for what, uri in asked:
        held = held | {uri} if what == "subscribe" else held - {uri}
    assert held == {"ui://c"}
