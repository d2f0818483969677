"""The hostile server without a browser: its tools, its listener, its documents, its command."""

from __future__ import annotations

import asyncio
import json
import socket
import sys

import pytest

from fanlight.demos.hostile.listener import DATAGRAMS, KNOCKS, Hit, Listener
from fanlight.demos.hostile.page import attack_page, catalogue, neighbour_page
from fanlight.demos.hostile.serve import serve_stdio
from fanlight.demos.hostile.server import Hostile
from fanlight.errors import ConfigError
from fanlight.upstream import ClientIdentity, ObjectTarget, StdioTarget, Upstream, open_upstream

WAIT = 20.0


async def connected(hostile: Hostile) -> Upstream:
    return await open_upstream("hostile", ObjectTarget(hostile.server), ClientIdentity("test", "1"))


async def arrives(listener: Listener, count: int) -> None:
    async with asyncio.timeout(WAIT):
        while len(listener.hits) < count:
            listener.arrival.clear()
            await listener.arrival.wait()


async def asks(listener: Listener, head: bytes, port: int | None = None) -> bytes:
    host, _, own = listener.url.removeprefix("http://").rpartition(":")
    reader, writer = await asyncio.open_connection(host, port or int(own))
    writer.write(head)
    writer.write_eof()
    async with asyncio.timeout(WAIT):
        answer = await reader.read()
    writer.close()
    return answer


def test_the_catalogue_knows_every_attack_once() -> None:
    ids = [attack.id for attack in catalogue()]
    assert len(ids) > 120
    assert len(ids) == len(set(ids))
    assert {attack.when for attack in catalogue()} == {"load", "click", "last"}


def test_the_documents_carry_what_they_need_and_load_nothing() -> None:
    page = attack_page({"http": "http://127.0.0.1:9/</script><script>alert(1)"})
    assert page.startswith("<!doctype html>")
    assert "</script><script>alert(1)" not in page
    assert "<!-- " not in page
    assert "<script src" not in page
    assert "<!-- " not in neighbour_page()


async def test_the_listener_counts_requests_connections_and_datagrams_by_attack() -> None:
    async with Listener() as listener:
        answer = await asks(listener, b"GET /run1/fetch.js HTTP/1.1\r\nHost: x\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200 OK")
        await asks(listener, b"GET /odd HTTP/1.1\r\n\r\n")
        await asks(listener, b"")
        knock = int(listener.facts["tcp"][KNOCKS[0]].rpartition(":")[2])
        await asks(listener, b"", knock)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"x", ("127.0.0.1", listener.facts["udp"][DATAGRAMS[0]]))
            await arrives(listener, 5)
        assert listener.hits == [
            Hit("request", "fetch", "run1"),
            Hit("request", ""),
            Hit("connection", ""),
            Hit("connection", KNOCKS[0]),
            Hit("datagram", DATAGRAMS[0]),
        ]
        assert listener.since(0, "run2") == listener.hits[1:]


async def test_a_view_learns_what_arrived_since_it_began_and_its_report_is_told() -> None:
    said: list[str] = []
    async with Listener() as listener:
        hostile = Hostile(listener, said.append)
        upstream = await connected(hostile)
        try:
            listener.put(Hit("request", "image", "run1"))
            await upstream.request("tools/call", {"name": "arrived", "arguments": {"run": "run1"}})
            listener.put(Hit("request", "fetch", "run1"))
            told = await upstream.request("tools/call", {"name": "arrived", "arguments": {"run": "run1"}})
            assert told["structuredContent"] == {"names": {"fetch": "request"}}
            rows = [
                {"id": "fetch", "outcome": "through", "detail": "reached the listener"},
                {"id": "image", "outcome": "held", "detail": "nothing"},
            ]
            await upstream.request(
                "tools/call", {"name": "report", "arguments": {"run": "run1", "results": rows}}
            )
            summary = await upstream.request("tools/call", {"name": "summary", "arguments": {}})
        finally:
            await upstream.aclose()
    assert said == ["2 attacks, 1 through: fetch"]
    assert "fetch: through: reached the listener" in summary["content"][0]["text"]


async def test_tools_say_for_whom_they_are_and_a_wrong_attack_is_named() -> None:
    async with Listener() as listener:
        upstream = await connected(Hostile(listener))
        try:
            tools = {tool["name"]: tool for tool in (await upstream.request("tools/list"))["tools"]}
            wrong = await upstream.request("tools/call", {"name": "attack", "arguments": {"only": "nothing"}})
        finally:
            await upstream.aclose()
    assert tools["attack"]["_meta"]["ui"]["resourceUri"] == "ui://hostile/attack.html"
    assert tools["report"]["_meta"]["ui"]["visibility"] == ["app"]
    assert tools["for_the_model_only"]["_meta"]["ui"]["visibility"] == ["model"]
    assert wrong["isError"] is True
    assert "leave-location" in wrong["content"][0]["text"]


async def test_any_host_can_start_it_over_stdio() -> None:
    target = StdioTarget(sys.executable, ("-m", "fanlight", "hostile"))
    upstream = await open_upstream("hostile", target, ClientIdentity("test", "1"))
    try:
        (content,) = (await upstream.request("resources/read", {"uri": "ui://hostile/attack.html"}))[
            "contents"
        ]
    finally:
        await upstream.aclose()
    facts = content["text"].partition('id="facts">')[2].partition("</script>")[0]
    assert json.loads(facts)["http"].startswith("http://127.0.0.1:")


@pytest.mark.parametrize("listen", ["nowhere", "127.0.0.1:99999", ":80", "127.0.0.1:x", "203.0.113.1:0"])
async def test_an_address_that_cannot_be_listened_on_is_named(listen: str) -> None:
    said: list[str] = []
    with pytest.raises(ConfigError) as refused:
        await serve_stdio(listen, None, said.append)
    assert f"--listen is {listen!r}" in str(refused.value)
    assert said == []
