"""The listener on an origin that no app declared: whatever reaches it got out of a sandbox.

It counts and answers; it decides nothing. An attack is known by the path of its request, and where a request
has no path (a bare connection, a datagram) by the port that it came to.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from dataclasses import dataclass
from functools import partial
from importlib.resources import files
from typing import Any, Literal, Self

__all__ = ["Hit", "Listener"]

# Attacks that show as a connection without a request, and as datagrams: each has a port of its own.
KNOCKS = ("preconnect", "above-preconnect", "webrtc-tcp")
DATAGRAMS = ("webrtc", "child-webrtc", "above-webrtc")
_PATH = re.compile(r"[A-Z]+ /([\w-]+)/([\w-]+)")
_HEAD_LIMIT = 64 * 1024
_HEAD_SECONDS = 10.0
_TYPES = {".js": "text/javascript", ".css": "text/css", ".vtt": "text/vtt"}


@dataclass(frozen=True)
class Hit:
    """One thing that arrived. `run` is empty where it could not say whose it is."""

    way: Literal["request", "connection", "datagram"]
    attack: str
    run: str = ""


class Listener:
    """Listens on one address: HTTP (and WebSocket handshakes), bare connections, datagrams.

    Args:
        host, port: where to listen for HTTP; 0 is a free port. The other ports are always free ones.
        name: the host name under which browsers reach it, when that is not `host`.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, name: str | None = None) -> None:
        self.hits: list[Hit] = []
        self.arrival = asyncio.Event()
        self._host = host
        self._port = port
        name = name or host
        self._name = f"[{name}]" if ":" in name else name
        self._page = files("fanlight.demos.hostile").joinpath("view", "outside.html").read_bytes()
        self._stack = contextlib.AsyncExitStack()
        self._talks: set[asyncio.Task[None]] = set()
        self._tcp: dict[str, int] = {}
        self._udp: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        self._port = await self._listen(self._port, "")
        for attack in KNOCKS:
            self._tcp[attack] = await self._listen(0, attack)
        loop = asyncio.get_running_loop()
        for attack in DATAGRAMS:
            transport, _ = await loop.create_datagram_endpoint(
                partial(_Datagrams, self, attack), local_addr=(self._host, 0)
            )
            self._stack.callback(transport.close)
            self._udp[attack] = transport.get_extra_info("sockname")[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        for talk in tuple(self._talks):
            talk.cancel()
        await self._stack.aclose()

    @property
    def url(self) -> str:
        """The undeclared origin."""
        return f"http://{self._name}:{self._port}"

    @property
    def facts(self) -> dict[str, Any]:
        """What the view has to know to attack."""
        return {
            "http": self.url,
            "name": self._name,
            "tcp": {attack: f"http://{self._name}:{port}" for attack, port in self._tcp.items()},
            "udp": self._udp,
        }

    def put(self, hit: Hit) -> None:
        """Count something that arrived."""
        self.hits.append(hit)
        self.arrival.set()

    def since(self, mark: int, run: str) -> list[Hit]:
        """What arrived for this run after `mark` hits, and what did not say whose it is."""
        return [hit for hit in self.hits[mark:] if hit.run in ("", run)]

    async def _listen(self, port: int, attack: str) -> int:
        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._talks.add(task)
            task.add_done_callback(self._talks.discard)
            if attack:
                self.put(Hit("connection", attack))
            # What the other side does with its connection is its business: gone, slow, or not HTTP at all.
            with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError, ValueError):
                await self._talk(reader, writer, attack)
            writer.close()

        server = await asyncio.start_server(talk, self._host, port, limit=_HEAD_LIMIT)
        await self._stack.enter_async_context(server)
        bound: int = server.sockets[0].getsockname()[1]
        return bound

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, attack: str) -> None:
        async with asyncio.timeout(_HEAD_SECONDS):
            try:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            except asyncio.IncompleteReadError as end:
                head = end.partial.decode("latin-1")
        if attack:
            return
        found = _PATH.match(head)
        if found:
            self.put(Hit("request", found[2], found[1]))
        else:
            self.put(Hit("request" if head else "connection", ""))
        target = head.partition(" ")[2].partition(" ")[0]
        suffix = target[target.rfind(".") :] if "." in target else ""
        body = b"" if suffix in _TYPES else self._page
        writer.write(
            b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nCache-Control: no-store\r\n"
            b"Connection: close\r\nContent-Type: "
            + _TYPES.get(suffix, "text/html").encode()
            + f"\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        await writer.drain()


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, listener: Listener, attack: str) -> None:
        self._listener = listener
        self._attack = attack

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self._listener.put(Hit("datagram", self._attack))
