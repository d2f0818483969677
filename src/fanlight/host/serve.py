"""Run an ASGI application on this machine until told to stop; the port is bound before anything opens.

Loopback unless told otherwise, and bounded in everything that a client can make large or slow.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import ipaddress
import socket
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from fanlight.errors import ConfigError

from .headers import SECURITY_HEADERS

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

__all__ = [
    "DEFAULT_PORT",
    "Listener",
    "ServeLimits",
    "bind",
    "bind_loopback",
    "is_loopback",
    "pass_cookie",
    "serving",
]

DEFAULT_PORT = 9470
_TRIES = 100
# A browser that looks for `fanlight.localhost` tries both: whoever has the other one would be asked first.
_LOOPBACK = ("127.0.0.1", "::1")
_NOT_HERE = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL, errno.EPROTONOSUPPORT}
# The WebSocket library reads no longer line; see `_Http.handle_websocket_upgrade`.
_MAX_COOKIES = 4096


@dataclass(frozen=True)
class ServeLimits:
    """What one client, or all of them, may take of the server.

    `head_size` is large on purpose: a view can set cookies for the host page's name (browsers call them the
    same site), at most 180 of 4 kB. With a smaller limit it could lock the person out of the page.
    """

    connections: int = 500
    head_seconds: float = 20.0
    head_size: int = 1 << 20
    message_size: int = 64 << 20


class Listener:
    """The sockets that were bound, all to one port."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        self.sockets = sockets
        self.port: int = sockets[0].getsockname()[1]

    def close(self) -> None:
        for bound in self.sockets:
            bound.close()


def is_loopback(address: str) -> bool:
    """Is this an address that only this machine can reach?

    Raises:
        ConfigError: it is no address.
    """
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        raise ConfigError(
            f"--bind {address}: give an address such as 127.0.0.1, ::1 or 0.0.0.0, not a name"
        ) from None


def bind_loopback(port: int | None) -> Listener:
    """Bind 127.0.0.1 and, where there is one, ::1: the given port, or the first free one from 9470.

    Raises:
        ConfigError: the port is taken or out of range.
    """
    return bind("localhost", port)


def bind(address: str, port: int | None) -> Listener:
    """Bind one address, or both of loopback for `localhost`.

    Raises:
        ConfigError: the address or the port cannot be used.
    """
    addresses = _LOOPBACK if address == "localhost" else (address,)
    candidates: Iterable[int] = range(DEFAULT_PORT, DEFAULT_PORT + _TRIES)
    if port is not None:
        candidates = [port] * (_TRIES if port == 0 else 1)
    for candidate in candidates:
        sockets: list[socket.socket] = []
        try:
            for each in addresses:
                # A port that the system chose for the first is for all of them.
                same = candidate or (sockets[0].getsockname()[1] if sockets else 0)
                with contextlib.suppress(_NotHere) if sockets else contextlib.nullcontext():
                    sockets.append(_listen(each, same))
        except _NotHere as error:
            raise ConfigError(f"--bind {address}: this machine has no such address") from error
        except (OSError, OverflowError):
            for bound in sockets:
                bound.close()
            continue
        return Listener(sockets)
    if port is not None:
        raise ConfigError(
            f"port {port} cannot be used: it is taken or not allowed; choose another with --port"
        )
    raise ConfigError(
        f"no free port between {DEFAULT_PORT} and {DEFAULT_PORT + _TRIES - 1}; choose one with --port"
    )


class _NotHere(Exception):
    """The machine does not have this address, or no IPv6 at all."""


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = None
    try:
        # With the protocol named, asyncio sends small writes at once; without it a second one waits 40 ms.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family is socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((address, port))
        # Without it a second program could bind the same port before either of them listens.
        listener.listen()
    except (OSError, OverflowError) as error:
        if listener is not None:
            listener.close()
        if isinstance(error, OSError) and error.errno in _NOT_HERE:
            raise _NotHere from error
        raise
    return listener


@contextlib.asynccontextmanager
async def serving(app: Any, listener: Listener, limits: ServeLimits | None = None) -> AsyncIterator[int]:
    """Serve `app` for the length of a `with` block; yields the port."""
    limits = limits or ServeLimits()
    config = uvicorn.Config(
        app,
        http=partial(_Http, limits=limits),  # type: ignore[arg-type]
        h11_max_incomplete_event_size=limits.head_size,
        log_level="error",  # what strangers send is refused, not reported to the person
        access_log=False,
        lifespan="off",
        server_header=False,
        proxy_headers=False,  # whom to believe is Host(trusted_proxies=…)'s decision, not the server's
        # Measured: this implementation without deflate is the leanest for many small messages.
        ws=_Socket,
        ws_per_message_deflate=False,
        ws_max_size=limits.message_size,
        timeout_graceful_shutdown=2,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=listener.sockets))
    try:
        up = asyncio.create_task(server.up.wait())
        await asyncio.wait({task, up}, return_when=asyncio.FIRST_COMPLETED)
        up.cancel()
        if task.done():
            await task
        yield listener.port
    finally:
        server.should_exit = True
        await task
        listener.close()


class _Server(uvicorn.Server):
    """Tells when it is up, and leaves signals to the program: Ctrl-C must end children too."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.up.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


class _Http(H11Protocol):
    """One connection: not one too many, and never one that holds its place without asking for something."""

    def __init__(self, *, limits: ServeLimits, **given: Any) -> None:
        super().__init__(**given)
        self._limits = limits
        self._patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections:
            transport.abort()
        self._be_patient()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        cycle = cast("RequestResponseCycle | None", self.cycle)
        became_socket = self.transport.get_protocol() is not self
        if became_socket or (cycle is not None and not cycle.response_complete):
            self._stop_waiting()
        elif self._patience is None:
            self._be_patient()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self.headers = _fewer_cookies(self.headers)
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """What the parser refused gets the headers of every other answer."""
        headers = [(name.lower(), value) for name, value in SECURITY_HEADERS.items()]
        headers += [("content-type", "text/plain; charset=utf-8"), ("connection", "close")]
        if self.conn.our_state is h11.IDLE:
            for part in (
                h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
                h11.Data(data=msg.encode("ascii")),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(part) or b"")
        self.transport.close()

    def _be_patient(self) -> None:
        self._patience = self.loop.call_later(self._limits.head_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


class _Socket(WebSocketsSansIOProtocol):
    """A socket that was refused with an answer is over, not forgotten: nothing to report."""

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True


def pass_cookie(host_header: str) -> str:
    """The name of the cookie that a program of ours knows a browser by.

    One for each port: browsers send a cookie to every port of its name.
    """
    port = host_header.rpartition(":")[2]
    return f"fanlight_pass_{port}" if port.isdecimal() else "fanlight_pass"


def _fewer_cookies(headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Leave cookies out of a handshake that has more than can be read: never our own, the largest first.

    A view may have set the others for the page's name to keep its sockets out. Of our name it can add a few,
    one for each path.
    """
    host = next((value for name, value in headers if name == b"host"), b"")
    ours = pass_cookie(host.decode("latin-1")).encode("latin-1") + b"="
    parts = [part.strip() for name, value in headers if name == b"cookie" for part in value.split(b";")]
    cookies = [part for part in parts if part]
    if sum(map(len, cookies)) + 2 * len(parts) <= _MAX_COOKIES:
        return headers
    kept: list[bytes] = []
    room = _MAX_COOKIES
    # A stranger may send a megabyte of them: each is looked at once, and none after the first without room.
    for cookie in sorted(cookies, key=lambda each: (not each.startswith(ours), len(each))):
        room -= len(cookie) + 2
        if room < 0:
            break
        kept.append(cookie)
    return [*((name, value) for name, value in headers if name != b"cookie"), (b"cookie", b"; ".join(kept))]
