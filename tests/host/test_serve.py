"""The server under a local program: what it binds, and what no client can make it hold."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
from page_client import WAIT, page, served
from raw_request import ask
from skipping_loop import in_skipped_time
from starlette.types import Receive, Scope, Send
from two_servers import make_server
from websockets.asyncio.client import connect

from fanlight.errors import ConfigError
from fanlight.host import Host
from fanlight.host.serve import ServeLimits, bind, bind_loopback, is_loopback, serving


async def hello(scope: Scope, receive: Receive, send: Send) -> None:
    body = b"hello"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": body})


def test_both_loopback_addresses_are_bound_so_that_nobody_else_has_the_second() -> None:
    listener = bind_loopback(0)
    try:
        addresses = {bound.getsockname()[:2] for bound in listener.sockets}
        assert addresses == {("127.0.0.1", listener.port), ("::1", listener.port)}
    finally:
        listener.close()


@pytest.mark.parametrize("address", ["127.0.0.1", "::1"])
def test_a_port_that_somebody_has_on_either_address_is_taken(address: str) -> None:
    with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as other:
        other.bind((address, 0))
        other.listen()
        with pytest.raises(ConfigError, match="taken"):
            bind_loopback(other.getsockname()[1])


def test_a_machine_without_ipv6_has_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    make = socket.socket

    def without_ipv6(family: int, *rest: Any) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(97, "Address family not supported by protocol")
        return make(family, *rest)

    monkeypatch.setattr(socket, "socket", without_ipv6)
    listener = bind_loopback(0)
    assert [bound.getsockname()[0] for bound in listener.sockets] == ["127.0.0.1"]
    listener.close()


@pytest.mark.parametrize(
    ("address", "ours"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.0.1", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.0.2.1", False),
    ],
)
def test_loopback_is_told_from_every_other_address(address: str, ours: bool) -> None:
    assert is_loopback(address) is ours


@pytest.mark.parametrize("address", ["example.com", "127.1", "", "localhost.", "0"])
def test_a_name_is_no_address(address: str) -> None:
    with pytest.raises(ConfigError, match="give an address"):
        is_loopback(address)


def test_an_address_of_another_machine_is_said() -> None:
    with pytest.raises(ConfigError, match="no such address"):
        bind("192.0.2.1", 0)


async def closed_by_server(port: int, said: bytes) -> bytes:
    """Say only this and wait for the server to give up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)
    try:
        async with asyncio.timeout(WAIT):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize("said", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"GET / HT"])
async def test_a_client_that_does_not_finish_its_request_is_let_go(said: bytes) -> None:
    limits = ServeLimits(head_seconds=0.2)
    async with serving(hello, bind_loopback(0), limits) as port:
        assert await closed_by_server(port, said) == b""


async def drip(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0)


async def test_a_client_that_drips_a_body_nobody_reads_is_let_go() -> None:
    limits = ServeLimits(head_seconds=0.2)
    async with serving(hello, bind_loopback(0), limits) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
        async with asyncio.timeout(WAIT):
            await reader.readuntil(b"hello")
            with pytest.raises(ConnectionError):
                await drip(writer)
        writer.close()


# On a clock that skips the waiting: it is long enough for a machine that stands still meanwhile.
HEAD_SECONDS = 4.0


def test_a_second_request_on_a_connection_gets_its_time_anew() -> None:
    async def work() -> None:
        async with serving(hello, bind_loopback(0), ServeLimits(head_seconds=HEAD_SECONDS)) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(3):
                await asyncio.sleep(HEAD_SECONDS / 2)
                writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                async with asyncio.timeout(WAIT):
                    assert (await reader.readuntil(b"hello")).startswith(b"HTTP/1.1 200")
            writer.close()

    in_skipped_time(work)


def test_a_socket_outlives_the_time_for_a_request() -> None:
    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            await send({"type": "websocket.send", "text": message["text"]})

    async def work() -> None:
        async with (
            serving(echo, bind_loopback(0), ServeLimits(head_seconds=HEAD_SECONDS)) as port,
            connect(f"ws://127.0.0.1:{port}/", proxy=None) as talk,
        ):
            for _ in range(3):
                await asyncio.sleep(HEAD_SECONDS)
                await talk.send("still there")
                assert await talk.recv() == "still there"

    in_skipped_time(work)


async def test_more_connections_than_allowed_are_closed_and_one_that_ends_makes_room() -> None:
    async with serving(hello, bind_loopback(0), ServeLimits(connections=2)) as port:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(2)]
        assert (await ask(port, "/", "Host: x")).status == 0
        for _, writer in held:
            writer.close()
            await writer.wait_closed()
        async with asyncio.timeout(WAIT):
            while (await ask(port, "/", "Host: x")).status != 200:
                pass


async def test_a_head_that_is_too_large_is_refused() -> None:
    """Two MiB; a little less may come in one piece, and is then read."""
    async with serving(hello, bind_loopback(0)) as port:
        assert (await ask(port, "/", "Host: x", f"X: {'x' * (2 << 20)}")).status in (0, 400)
        assert (await ask(port, "/", "Host: x")).status == 200


@pytest.mark.parametrize("size", [4000, 30])
async def test_cookies_that_a_view_set_for_the_page_cannot_lock_the_page_out(size: int) -> None:
    """A view is of the page's site, so a browser lets it set 180 cookies of 4 kB for the page's name."""
    bomb = "; ".join(f"c{number}={'x' * size}" for number in range(180))
    async with Host() as host, served(host) as port:
        answer = await ask(port, "/apps/page", f"Host: fanlight.localhost:{port}", f"Cookie: {bomb}")
        assert answer.status == 200
        seen: list[str] = []

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            seen.extend(value.decode() for name, value in scope["headers"] if name == b"cookie")
            await receive()
            await send({"type": "websocket.accept"})
            await send({"type": "websocket.close"})

        async with serving(app, bind_loopback(0)) as other:
            large = f"fanlight_pass_{other}={'y' * 4000}"
            ours = f"fanlight_pass_{other}={'x' * 32}"
            cookies = {"Cookie": f"{large}; {bomb}; {ours}"}
            async with connect(f"ws://127.0.0.1:{other}/", proxy=None, additional_headers=cookies) as talk:
                await talk.wait_closed()
        assert seen[0].startswith(ours)
        assert len(seen[0]) <= 4096


async def test_a_page_still_connects_beside_such_cookies() -> None:
    async with Host() as host, served(host) as port:
        call = await (await host.connect("one", make_server("one"))).call_tool("show")
        assert call.view is not None
        async with page(port, call.view) as client:
            await client.comes_up()
