"""Which text may stand as a source in a Content-Security-Policy: one strict grammar, whole values only.

A server's declared domains end up inside a policy string. A value that does not match is dropped
whole and reported; nothing is repaired, because a repaired attack is still an attack.
"""

from __future__ import annotations

import re

__all__ = ["source_problem"]

# Schemes that fetch and nothing else; `javascript:`, `data:`, `blob:` and friends are never declared.
_SCHEMES = frozenset({"http", "https", "ws", "wss"})
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_SOURCE = re.compile(
    rf"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://)?(?P<host>(?:\*\.)?{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>\d{1,5}|\*))?(?P<slash>/?)",
)
_MAX_LENGTH = 300


def source_problem(value: object) -> str | None:
    """Say why `value` may not stand in a policy, or None when it may."""
    if not isinstance(value, str):
        return "not a string"
    if len(value) > _MAX_LENGTH:
        return f"longer than {_MAX_LENGTH} characters"
    if value.startswith("*") and not value.startswith("*."):
        return "a bare * would allow every site; name the host"
    if "@" in value:
        return "user names and passwords do not belong in a source"
    match = _SOURCE.fullmatch(value)
    if match is None:
        return "not an origin of the form https://host, https://*.host or https://host:port"
    scheme, host, port = match["scheme"], match["host"], match["port"]
    if scheme is not None and scheme.lower() not in _SCHEMES:
        return f"scheme {scheme!r} is not one of http, https, ws, wss"
    if scheme is None and "." not in host and host != "localhost" and not host.startswith("["):
        return "a host without a scheme needs a dot; write https://host"
    if host.startswith("*.") and host.count(".") < 2:
        return "a wildcard must stand before a registrable name, such as https://*.example.com"
    if port not in (None, "*") and not 0 < int(port) < 65536:
        return f"port {port} is out of range"
    return None
