"""Does each public name really lead to this process? Asked over the network, as a browser would ask.

A deployment that is wrong here shows an empty frame and no error: the check says which name, and the remedy.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import ssl as tls
from base64 import b64encode
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from fanlight.errors import ConfigError
from fanlight.sandbox import app_label, authority

if TYPE_CHECKING:
    from .addresses import Addresses

__all__ = ["ANOTHER_PROCESS", "THIS_PROCESS", "WRONG_NAME", "OriginChecks"]

_TIMEOUT = 10.0
_MAX_ANSWER = 16 * 1024
THIS_PROCESS = "this process"
ANOTHER_PROCESS = "another process of this host"
WRONG_NAME = (
    "This host does not answer to that name. In development open http://localhost:PORT or "
    "http://fanlight.localhost:PORT; in a deployment configure Host(public_url=…, sandbox_url=…), and let "
    "the reverse proxy pass the browser's Host header on.\n"
)
_log = logging.getLogger("fanlight.host")


class _Place(NamedTuple):
    """One of our names: the setting that names it, an origin of it, and the path of our routes there."""

    setting: str
    origin: str
    path: str


class OriginChecks:
    """Asks the public names of one host for a number that only this process knows."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._nonces: set[str] = set()
        self._first: asyncio.Task[None] | None = None

    def knows(self, nonce: str) -> bool:
        """Did this process send that number out?"""
        return nonce in self._nonces

    async def check(self, via: tuple[str, int] | None = None, ssl: tls.SSLContext | None = None) -> None:
        """Ask all names at once; in development there are none to ask.

        Raises:
            ConfigError: one sentence for each that fails, with what to change.
        """
        places = self._places()
        if not places:
            return
        nonce = secrets.token_urlsafe(16)
        self._nonces.add(nonce)
        try:
            found = await asyncio.gather(
                *(_problem(place, nonce, via, ssl) for place in places),
            )
            # What does not answer at all is told already; only the page's name needs sockets.
            if places[0].setting == "public_url" and found[0] is None:
                found.append(await _socket_problem(places[0], nonce, via, ssl))
        finally:
            self._nonces.discard(nonce)
        problems = [problem for problem in found if problem is not None]
        if problems:
            raise ConfigError("\n".join(problems))

    def check_soon(self) -> None:
        """Check once, when the first page comes, without making it wait; problems go to the log."""
        if self._first is None and self._addresses.origins is not None:
            self._first = asyncio.create_task(self._check_and_tell())

    async def _check_and_tell(self) -> None:
        advice = self._addresses.advice()
        if advice is not None:
            _log.warning("%s", advice)
        try:
            await self.check()
        except ConfigError as error:
            _log.warning("the public names of this host do not work from here:\n%s", error)

    async def aclose(self) -> None:
        if self._first is not None:
            self._first.cancel()
            await asyncio.gather(self._first, return_exceptions=True)

    def _places(self) -> list[_Place]:
        here, origins = self._addresses, self._addresses.origins
        if origins is None:
            return []
        places = [_Place("public_url", origins.host, here.page_path)]
        if here.foreign_proxy is None:
            places.append(_Place("sandbox_url", origins.sandbox, here.sandbox_path))
        # Any label must do: a name that only exists for one app would fail for the next.
        view = origins.view_origin(app_label(secrets.token_hex(8), "check"))
        if view is not None:
            places.append(_Place("view_url", view, here.view_path))
        places += [_Place("view_domains", origin, here.view_path) for origin in sorted(origins.domains)]
        # Names under localhost lead here in every browser that knows them; other programs need not know them.
        return [
            place for place in places if (urlsplit(place.origin).hostname or "").split(".")[-1] != "localhost"
        ]


async def _problem(
    place: _Place, nonce: str, via: tuple[str, int] | None, ssl: tls.SSLContext | None
) -> str | None:
    """What is wrong with this name, as a sentence with a remedy; None when it leads here."""
    where = f"{place.setting}: {place.origin}"
    wildcard = " (views need a wildcard: *.)" if place.setting == "view_url" else ""
    try:
        async with asyncio.timeout(_TIMEOUT):
            status, body = await _ask(place, nonce, via, ssl)
    except OSError as error:
        return f"{where} {_unreachable(error, wildcard)}"
    except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        return f"{where} did not answer in HTTP within {_TIMEOUT:.0f} s; check the port and the reverse proxy"
    if status == 200 and body == THIS_PROCESS:
        return None
    if body == ANOTHER_PROCESS:
        return (
            f"{where} leads to another process of this program; run it with one worker, because a view lives "
            "in the process that opened it"
        )
    if status == 421 and body == WRONG_NAME:
        return (
            f"{where} leads here under another name; let the reverse proxy pass the browser's Host header on "
            "(nginx: proxy_set_header Host $http_host), or list it in trusted_proxies"
        )
    return (
        f"{where}{place.path} is answered by something else (status {status}); let the reverse proxy send "
        f"this name and path to this program, mounted at {place.path or '/'}"
    )


def _unreachable(error: OSError, wildcard: str) -> str:
    match error:
        case tls.SSLCertVerificationError():
            return (
                f"has a certificate that is not trusted for it here: {error.verify_message}; get one that "
                f"covers this name{wildcard}"
            )
        case tls.SSLError():
            return "does not speak TLS there; check the port and the reverse proxy"
        case TimeoutError():
            return "did not answer in time; check that this machine can reach its public address"
        case ConnectionError():
            return "refused the connection; check the port, and that the reverse proxy runs"
        case _:
            return f"cannot be found ({error.strerror or error}); add a DNS record for this name{wildcard}"


async def _socket_problem(
    place: _Place, nonce: str, via: tuple[str, int] | None, ssl: tls.SSLContext | None
) -> str | None:
    """Do WebSockets pass? What a reverse proxy forgets most easily."""
    key = b64encode(secrets.token_bytes(16)).decode()
    upgrade = (
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {key}\r\nOrigin: {place.origin}\r\n"
    )
    try:
        async with asyncio.timeout(_TIMEOUT):
            status, _ = await _ask(place, nonce, via, ssl, upgrade)
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
        status = 0
    if status == 101:
        return None
    return (
        f"{place.setting}: {place.origin} answers, but WebSockets do not pass; let the reverse proxy upgrade "
        "them (nginx: proxy_http_version 1.1, proxy_set_header Upgrade $http_upgrade, Connection upgrade)"
    )


async def _ask(
    place: _Place, nonce: str, via: tuple[str, int] | None, ssl: tls.SSLContext | None, extra: str = ""
) -> tuple[int, str]:
    """One GET over a fresh connection: its status and its body."""
    parts = urlsplit(place.origin)
    secure = parts.scheme == "https"
    name = parts.hostname or ""
    address, port = via or (name, parts.port or (443 if secure else 80))
    context = (ssl or tls.create_default_context()) if secure else None
    reader, writer = await asyncio.open_connection(
        address, port, ssl=context, server_hostname=name if secure else None, limit=_MAX_ANSWER
    )
    try:
        connection = extra or "Connection: close\r\n"
        asked = f"GET {place.path}/origin/{nonce} HTTP/1.1\r\nHost: {authority(place.origin)}\r\n"
        writer.write(f"{asked}{connection}\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")),
            None,
        )
        if status == 101:
            return status, ""
        body = (
            await reader.readexactly(min(length, _MAX_ANSWER)) if length is not None else await reader.read()
        )
        return status, body.decode("utf-8", "replace")
    finally:
        writer.close()
