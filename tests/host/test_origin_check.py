"""The check of the public names: each failure is a sentence that names the setting and the remedy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from page_client import WAIT, http_client, served

from fanlight.errors import ConfigError
from fanlight.host import Host

NAMES = {
    "public_url": "http://chat.example/base",
    "sandbox_url": "http://box.example",
    "view_url": "http://{app}.views.example",
}
HERE = "127.0.0.1"
Answer = Callable[[bytes], bytes]


def host() -> Host:
    return Host(**NAMES)  # type: ignore[arg-type]


@asynccontextmanager
async def front(
    target: int | None, change: Answer = lambda head: head, stop: bool = False
) -> AsyncIterator[int]:
    """A small reverse proxy: takes `/base` away, changes the head of each request as a mistake would."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = change((await reader.readuntil(b"\r\n\r\n")).replace(b"GET /base/", b"GET /"))
            if target is None or stop:
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
                return
            back_reader, back_writer = await asyncio.open_connection(HERE, target)
            try:
                back_writer.write(head)
                while data := await back_reader.read(65536):
                    writer.write(data)
                    await writer.drain()
            finally:
                back_writer.close()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # who asked has seen enough
        finally:
            writer.close()

    server = await asyncio.start_server(serve, HERE, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


async def problems(found: Awaitable[None]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        await found
    return str(caught.value).splitlines()


async def test_names_that_lead_here_pass() -> None:
    made = host()
    async with served(made) as port, front(port) as public:
        await made.check_origins(via=(HERE, public))


async def test_in_development_there_is_nothing_to_ask() -> None:
    await Host().check_origins()


async def test_a_name_that_leads_to_another_process_is_told_for_each_setting() -> None:
    async with served(host()) as port, front(port) as public:
        found = await problems(host().check_origins(via=(HERE, public)))
    assert [line.partition(":")[0] for line in found] == ["public_url", "sandbox_url", "view_url"]
    assert all("one worker" in line for line in found)


async def test_a_proxy_that_drops_the_name_is_told() -> None:
    made = host()

    def renamed(head: bytes) -> bytes:
        return head.replace(b"Host: box.example", b"Host: 127.0.0.1:8000")

    async with served(made) as port, front(port, renamed) as public:
        (found,) = await problems(made.check_origins(via=(HERE, public)))
    assert found.startswith("sandbox_url: http://box.example leads here under another name")
    assert "proxy_set_header Host $http_host" in found


async def test_a_proxy_that_does_not_upgrade_is_told() -> None:
    made = host()

    def plain(head: bytes) -> bytes:
        return head.replace(b"Connection: Upgrade\r\nUpgrade: websocket\r\n", b"Connection: close\r\n")

    async with served(made) as port, front(port, plain) as public:
        (found,) = await problems(made.check_origins(via=(HERE, public)))
    assert "WebSockets do not pass" in found


async def test_something_else_that_answers_is_told() -> None:
    async with front(None) as public:
        found = await problems(host().check_origins(via=(HERE, public)))
    assert len(found) == 3
    assert "http://chat.example/base/apps is answered by something else (status 200)" in found[0]


async def test_a_name_without_a_record_and_a_closed_port_are_told() -> None:
    made = Host(public_url="http://chat.invalid", sandbox_url=f"http://{HERE}:9")
    found = await problems(made.check_origins())
    assert "chat.invalid cannot be found" in found[0]
    assert "add a DNS record" in found[0]
    assert "refused the connection" in found[1]


class Heard(logging.Handler):
    """Keeps what is logged and tells that it came."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []
        self.came = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())
        self.came.set()


async def test_a_page_starts_the_check_once_and_problems_go_to_the_log() -> None:
    made, heard = Host(public_url=f"http://{HERE}:9", sandbox_url=f"http://{HERE}:7"), Heard()
    log = logging.getLogger("fanlight.host")
    log.addHandler(heard)
    try:
        async with made, served(made) as port, http_client() as client:
            for _ in range(2):
                page = await client.get(f"http://{HERE}:{port}/apps/page", headers={"Host": f"{HERE}:9"})
                assert page.status_code == 200
            async with asyncio.timeout(WAIT):
                await heard.came.wait()
    finally:
        log.removeHandler(heard)
    (message,) = heard.messages
    assert "refused the connection" in message


async def test_mapped_domains_are_asked_for_and_a_foreign_proxy_is_not() -> None:
    mapped = Host(**NAMES, view_domains={"weather": {"w": "http://w.example"}})  # type: ignore[arg-type]
    async with served(mapped) as port, front(port) as public:
        await mapped.check_origins(via=(HERE, public))
    async with front(None) as public:
        found = await problems(mapped.check_origins(via=(HERE, public)))
        assert found[-1].startswith("view_domains: http://w.example/apps is answered by something else")
        foreign = Host(public_url="http://chat.example", sandbox_proxy="http://proxy.example/p.html")
        found = await problems(foreign.check_origins(via=(HERE, public)))
    assert [line.partition(":")[0] for line in found] == ["public_url"]


async def test_frames_on_the_site_of_the_page_are_advised_against_in_the_log() -> None:
    made = Host(public_url="http://chat.example.invalid:9", sandbox_url="http://box.example.invalid:9")
    heard, log = Heard(), logging.getLogger("fanlight.host")
    log.addHandler(heard)
    try:
        async with made, served(made) as port, http_client() as client:
            await client.get(f"http://{HERE}:{port}/apps/page", headers={"Host": "chat.example.invalid:9"})
            async with asyncio.timeout(WAIT):
                await heard.came.wait()
    finally:
        log.removeHandler(heard)
    assert heard.messages[0].startswith("http://box.example.invalid:9 and the page at")
