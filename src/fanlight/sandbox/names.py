"""How browsers spell an origin. Two spellings of one origin must never pass as two origins.

Settings are refused rather than repaired here: what a person wrote and what a browser sends are then the same
text, and every later comparison is a comparison of texts.
"""

from __future__ import annotations

import ipaddress
import re

__all__ = ["hostname", "origin_problem"]

_ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?")
_USUAL_PORTS = {"http": "80", "https": "443"}
_FORM = "is not of the form https://name[:port], lower case, in ASCII"


def hostname(origin: str) -> str:
    """The name of an origin in browsers' spelling, without scheme and port."""
    rest = origin.partition("://")[2]
    return rest[: rest.index("]") + 1] if rest.startswith("[") else rest.partition(":")[0]


def origin_problem(origin: str) -> str | None:
    """Why this text is not an origin as browsers write it, and how to write it; None when it is."""
    match = _ORIGIN.fullmatch(origin)
    if match is None:
        return _FORM
    scheme, name, port = match.groups()
    if port == _USUAL_PORTS[scheme]:
        return "names the usual port, which browsers leave out: leave it out"
    if port is not None and (port.startswith("0") or int(port) > 65535):
        return f"has the port {port}, which browsers do not write so: give a number from 1 to 65535"
    return _address_problem(name) if _is_address(name) else _name_problem(name)


def _is_address(name: str) -> bool:
    """Browsers read a name whose last label is a number as an address."""
    last = name.removesuffix(".").rpartition(".")[2]
    return name.startswith("[") or re.fullmatch(r"\d+|0x[0-9a-f]*", last) is not None


def _address_problem(name: str) -> str | None:
    try:
        if name.startswith("["):
            found = ipaddress.IPv6Address(name[1:-1])
            written = str(found.ipv4_mapped) if found.ipv4_mapped else f"[{found.compressed}]"
        else:
            written = str(ipaddress.IPv4Address(name))
    except ValueError:
        return "is read as an address by browsers, and is none: write it as 127.0.0.1 or [::1]"
    return None if written == name else f"is one spelling of many for an address: write it as {written}"


def _name_problem(name: str) -> str | None:
    if name.endswith("."):
        return "ends with a dot, which is another origin for browsers and the same place: leave the dot out"
    labels = name.split(".")
    if len(name) > 253 or any(not label or len(label) > 63 for label in labels):
        return "has a part that is empty or longer than 63 letters: no name server knows such a name"
    return None
