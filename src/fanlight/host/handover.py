"""Our sandbox proxy for hosts that are not ours: their HTML becomes a document of ours, once.

The specification's handshake gives a proxy raw HTML in a message. A view that is written into the proxy's own
frame would share its origin, so the proxy hands the HTML to Python, which serves it to an origin of its own
under a policy of its own. Whoever asks is a stranger: a page that waits costs nothing, what is kept is
bounded in number, size and time, and where there is no room the oldest goes, so nobody can keep others out by
leaving things here. No server and no view of this host is known here.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fanlight.sandbox import allow_attribute, granted_permissions, view_policy
from fanlight.upstream.documents import MAX_HTML_BYTES

from .guard import Refusal
from .handover_keys import HandOverKeys
from .showing import Frames
from .tokens import fingerprint

if TYPE_CHECKING:
    from fanlight.sandbox import Origins

    from .host import Host

__all__ = ["HandOver", "HandOverLimits", "HandOvers"]


@dataclass(frozen=True)
class HandOverLimits:
    """How much strangers may leave here.

    Attributes:
        documents: hand-overs that no browser has fetched yet.
        body: bytes of one hand-over; HTML grows a little when it is written as JSON.
        bodies: bytes of all hand-overs that arrive or that no browser has fetched yet.
        patience: seconds that a proxy page waits; its host may still be reading the resource.
        pickup: seconds within which the document is read and fetched; a browser does it at once.
        used: keys that are remembered as used.
    """

    documents: int = 1000
    body: int = MAX_HTML_BYTES + (8 << 20)
    bodies: int = 4 * MAX_HTML_BYTES
    patience: float = 300.0
    pickup: float = 60.0
    used: int = 10_000


class HandOver(Frames):
    """One proxy page in a foreign host. Its frames have addresses from the beginning, a document later.

    The view's origin is new each time: the handshake does not say which app it is, so none may share one.
    `key` is apart from the ticket, which a view knows from its own address.
    """

    def __init__(self, origins: list[Origins], host: Host, key: str, ticket: str, label: str) -> None:
        own = origins[0].view_origin(label)
        super().__init__(origins[0], own, host.addresses, [one.host for one in origins], ticket)
        self.key = key
        self.url = f"{self.origins.sandbox}{host.addresses.sandbox_path}/proxy/{self.key}"
        self.until = 0.0
        self.size = 0
        self._served.add("proxy")  # its page is the one that asked
        if self.shell_url:
            # A host may ask for an opaque view, which has no shell.
            self.held = f"{self.shell_url} {self.view_url}"

    @property
    def proxy_csp(self) -> str:
        return f"{super().proxy_csp}; connect-src {self.url}"

    def fill(self, given: dict[str, Any], host: Host) -> dict[str, str] | Refusal:
        """Take what a host sent in `sandbox-resource-ready`; returns what the proxy needs to know."""
        html, flags = given.get("html"), given.get("sandbox")
        if not isinstance(html, str):
            return Refusal(400, "The host of this app gave the sandbox no HTML.\n")
        if isinstance(flags, str):
            # A host can only take flags away: there is none that a view could be given in addition.
            self.flags = [flag for flag in self.flags if flag in flags.split()]
        opaque = "allow-same-origin" not in self.flags
        self.html = html
        self.permissions = granted_permissions(
            given.get("permissions"), host.allowed_permissions, opaque=opaque
        )
        # The handshake has no way to tell a host what was refused: no reports here.
        self.csp = view_policy(
            given.get("csp"),
            level=host.csp_level,
            frame_ancestors=self.frame_ancestors,
            opaque=opaque,
            rules=host.domain_rules.reserving(host.addresses.reserved(self.origins)),
        )
        shell = "" if opaque or self.shell_url is None else self.shell_url
        return {
            "view": shell or self.view_url,
            "viewOrigin": "null" if opaque else str(self.view_origin),
            "shell": "yes" if shell else "",
            "allow": allow_attribute(self.permissions),
            "sandbox": " ".join(self.flags),
        }


class HandOvers:
    """What foreign hosts handed over, until a browser has it. A page that waits is known by its key alone."""

    def __init__(
        self,
        host: Host,
        limits: HandOverLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._host = host
        self._limits = limits or HandOverLimits()
        self._clock = clock
        self._keys = HandOverKeys()
        # Numbers of used keys. If one is forgotten, its page (nobody else has it) could use it again.
        self._used: dict[str, None] = {}
        # By the fingerprint of the ticket, the oldest first.
        self._filled: dict[str, HandOver] = {}
        # Bytes that have arrived of hand-overs that are not complete.
        self._coming = 0

    def open(self, host_header: str, scheme: str) -> HandOver | Refusal:
        """A proxy page is asked for under this name."""
        origins = self._host.addresses.proxy_origins(host_header, scheme)
        if not origins:
            return Refusal(
                404, "No proxy for other hosts is here: give their origins in Host(proxy_for=[…]).\n"
            )
        key = self._keys.issue(origins[0].sandbox, self._clock() + self._limits.patience)
        return self._frames(origins, key, key.partition(".")[0])

    def _frames(self, origins: list[Origins], key: str, number: str) -> HandOver:
        """The same frames whenever they are made for one key."""
        ticket, label = self._keys.derive("ticket", number), self._keys.derive("label", number)
        return HandOver(origins, self._host, key, ticket, f"v{label[:24]}")

    async def take(
        self, host_header: str, scheme: str, key: str, length: int | None, body: AsyncIterable[bytes]
    ) -> dict[str, str] | Refusal:
        """The proxy page with this key hands its HTML over, once. `length` is what it says of the body."""
        limits = self._limits
        if length is None or length > limits.body:
            return Refusal(413, f"The HTML of this app is larger than {limits.body >> 20} MiB.\n")
        origins = self._host.addresses.proxy_origins(host_header, scheme)
        number = self._keys.read(key, origins[0].sandbox, self._clock()) if origins else None
        if number is None or number in self._used:
            return Refusal(404, "This app was handed over before, or too late. Open it again.\n")
        self._used[number] = None
        if len(self._used) > limits.used:
            del self._used[next(iter(self._used))]
        read = bytearray()
        try:
            given = await self._read(length, body, read)
        finally:
            self._coming -= len(read)
        made = self._frames(origins, key, number)
        facts = given if isinstance(given, Refusal) else made.fill(given, self._host)
        if not isinstance(facts, Refusal):
            made.size, made.until = len(read), self._clock() + limits.pickup
            self._filled[fingerprint(made.ticket)] = made
            self._make_room()
        return facts

    async def _read(
        self, length: int, body: AsyncIterable[bytes], read: bytearray
    ) -> dict[str, Any] | Refusal:
        try:
            async with asyncio.timeout(self._limits.pickup):
                async for chunk in body:
                    read += chunk
                    self._coming += len(chunk)
                    if len(read) > length:
                        break
                    if not self._make_room():
                        return Refusal(503, "Too much is being opened here at once. Try again in a minute.\n")
            # Large texts are read beside the event loop.
            given = await asyncio.to_thread(json.loads, bytes(read))
        except (ValueError, RecursionError, TimeoutError):
            given = None
        if not isinstance(given, dict):
            return Refusal(400, "The sandbox could not read what it was given for this app.\n")
        return given

    def get(self, ticket: str) -> HandOver | None:
        """What was handed over and has not been fetched."""
        self._make_room()
        return self._filled.get(fingerprint(ticket))

    def forget(self, made: HandOver) -> None:
        """Its document was served."""
        self._filled.pop(fingerprint(made.ticket), None)

    def _make_room(self) -> bool:
        """Forget what nobody fetched, and the oldest of too much; False when what arrives is too much alone.

        A browser fetches at once, so what is the oldest has most likely been left here on purpose.
        """
        now, limits = self._clock(), self._limits
        held = sum(one.size for one in self._filled.values())
        for name, one in tuple(self._filled.items()):
            full = len(self._filled) > limits.documents or held + self._coming > limits.bodies
            if one.until >= now and not full:
                break  # those behind it were filled later
            del self._filled[name]
            held -= one.size
        return self._coming <= limits.bodies
