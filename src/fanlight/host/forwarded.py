"""What a reverse proxy says about the browser's request, believed only from proxies that the program trusts.

Without a trusted proxy every `X-Forwarded-*` header is a stranger's word and changes nothing.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, MutableMapping
from typing import Any

from fanlight.errors import ConfigError

__all__ = ["TrustedProxies"]

UNIX = "unix"
_SCHEMES = {"http": {"http": "http", "websocket": "ws"}, "https": {"http": "https", "websocket": "wss"}}


class TrustedProxies:
    """Addresses and networks whose `X-Forwarded-Host` and `X-Forwarded-Proto` are believed.

    The word `unix` stands for a proxy that comes through a Unix socket and so has no address.
    """

    def __init__(self, proxies: Iterable[str]) -> None:
        names = [proxies] if isinstance(proxies, str) else list(proxies)
        self._unix = UNIX in names
        try:
            self._networks = [ipaddress.ip_network(name) for name in names if name != UNIX]
        except ValueError as error:
            raise ConfigError(
                f"trusted_proxies: {error}; give addresses or networks such as '127.0.0.1' or '10.0.0.0/8'"
            ) from error

    def as_the_browser_asked(self, scope: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        """The scope with the name and the scheme that the browser used, when a trusted proxy tells them."""
        if not self._trusts(scope.get("client")):
            return scope
        # The last value is the nearest proxy's own; those before it may come from the browser.
        name, scheme = _last(scope, b"x-forwarded-host"), _last(scope, b"x-forwarded-proto")
        seen = dict(scope)
        if name:
            others = [(key, value) for key, value in scope["headers"] if key != b"host"]
            seen["headers"] = [(b"host", name.encode("latin-1")), *others]
        if scheme in _SCHEMES:
            seen["scheme"] = _SCHEMES[scheme][scope["type"]]
        return seen

    def _trusts(self, client: tuple[str, int] | None) -> bool:
        if client is None:
            return self._unix
        try:
            address = ipaddress.ip_address(client[0])
        except ValueError:
            return False
        if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)


def _last(scope: MutableMapping[str, Any], header: bytes) -> str:
    values = [value for key, value in scope["headers"] if key == header]
    return values[-1].rpartition(b",")[2].strip().decode("latin-1").lower() if values else ""
