"""Which text may stand as a source in a Content-Security-Policy: one strict grammar, whole values only.

A server's declared domains end up inside a policy. A value is parsed into its parts, and the policy is
written from the parts. What does not fit is dropped whole and reported; nothing is repaired, because a
repaired attack is still an attack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["SCHEMES", "BadSource", "Source", "parse_source", "plain_text"]

# Schemes that fetch and nothing else; `javascript:`, `data:`, `blob:` and friends are never declared.
SCHEMES = ("http", "https", "ws", "wss")
_USUAL_PORTS = {"http": "80", "ws": "80", "https": "443", "wss": "443"}
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_IPV4 = re.compile(r"(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\.(?!$)|$)){4}")
_PORT = re.compile(r"[1-9][0-9]{0,4}|\*")
_SCHEME_ALONE = re.compile(r"([a-z][a-z0-9+.-]*):(?![0-9*]+/?$)")
_MAX_LENGTH = 300
_MAX_HOST = 253  # RFC 1035: no longer name can be asked for
# Under two-letter domains these are registries, not owners: `*.co.uk` is everybody. A full list of public
# suffixes changes weekly and would still not stop a server that declares a site of its own.
_REGISTRIES = frozenset(
    {"ac", "co", "com", "edu", "gob", "gouv", "gov", "go", "mil", "ne", "net", "nom", "or", "org", "sch"}
)
_FORM = "not an origin of the form https://host, https://*.host or https://host:port"


class BadSource(ValueError):
    """A value that may not stand in a policy; the text says why."""


@dataclass(frozen=True)
class Source:
    """One parsed source. `port` is empty for the usual one, digits, or `*`. No `scheme`: the document's."""

    host: str
    scheme: str | None = None
    wildcard: bool = False
    port: str = ""

    def __str__(self) -> str:
        scheme = f"{self.scheme}://" if self.scheme else ""
        port = f":{self.port}" if self.port else ""
        return f"{scheme}{'*.' if self.wildcard else ''}{self.host}{port}"

    def covers(self, other: Source) -> bool:
        """Does this allow every address that `other` allows?"""
        upgrade = {("http", "https"), ("ws", "wss")}
        if self.scheme not in (None, other.scheme) and (self.scheme, other.scheme) not in upgrade:
            return False
        if self.wildcard:
            same = other.wildcard and other.host == self.host
            host = same or other.host.endswith(f".{self.host}")
        else:
            host = other.host == self.host and not other.wildcard
        return host and self.port in ("*", other.port)

    def shares_host(self, other: Source) -> bool:
        """Is there a host name that both allow?"""
        for one, another in ((self, other), (other, self)):
            if one.wildcard and another.host.endswith(f".{one.host}"):
                return True
        return self.host == other.host and self.wildcard == other.wildcard

    @property
    def ports(self) -> frozenset[int] | None:
        """The ports that it allows, or None for every port."""
        if self.port == "*":
            return None
        secure = self.scheme in ("https", "wss")
        found = int(self.port) if self.port else (443 if secure else 80)
        # Browsers take an insecure source for its secure version too.
        return frozenset({found} if secure or found != 80 else {80, 443})


def parse_source(value: object) -> Source:
    """Read a declared domain.

    Raises:
        BadSource: it may not stand in a policy.
    """
    if not isinstance(value, str):
        raise BadSource("not a string")
    if len(value) > _MAX_LENGTH:
        raise BadSource(f"longer than {_MAX_LENGTH} characters")
    _check_characters(value)
    text = value.lower()
    scheme, rest = _split_scheme(text)
    host, port = _split_port(rest)
    wildcard = host.startswith("*.")
    name = host.removeprefix("*.")
    _check_host(name, wildcard=wildcard, scheme=scheme)
    if port and not _PORT.fullmatch(port):
        raise BadSource(f"port {port!r} is not a number without leading zeros, or *")
    if port.isdigit() and int(port) > 65535:
        raise BadSource(f"port {port} is out of range")
    usual = port == _USUAL_PORTS.get(scheme or "")
    return Source(name, scheme, wildcard, "" if usual else port)


def _check_characters(value: str) -> None:
    if not value.isascii():
        raise BadSource("not ASCII; write the host name in its xn-- form")
    if "'" in value or '"' in value:
        raise BadSource("keywords, nonces and hashes are the host's to set; declare origins only")
    if any(character in " ;,\\" or not character.isprintable() for character in value):
        raise BadSource("contains a space or a separator; give one origin for each entry of the list")
    if "@" in value:
        raise BadSource("user names and passwords do not belong in a source")
    if "[" in value:
        raise BadSource("browsers ignore IPv6 addresses in a policy; use a host name")


def _split_scheme(text: str) -> tuple[str | None, str]:
    scheme, mark, rest = text.partition("://")
    if not mark:
        alone = _SCHEME_ALONE.match(text)
        if alone and alone[1] in SCHEMES:
            raise BadSource(f"{alone[1]}: alone would allow every site; name the host")
        if alone:
            raise BadSource(f"scheme {alone[1]!r} is not one of {', '.join(SCHEMES)}")
        return None, text
    if scheme not in SCHEMES:
        raise BadSource(f"scheme {scheme!r} is not one of {', '.join(SCHEMES)}")
    return scheme, rest


def _split_port(rest: str) -> tuple[str, str]:
    place = re.search("[/?#]", rest)
    if place is not None:
        if rest[place.start() :] != "/":
            raise BadSource("has a path or a query; declare the origin alone, it stands for all of its paths")
        rest = rest[:-1]
    host, mark, port = rest.partition(":")
    if mark and not port:
        raise BadSource(_FORM)
    return host, port


def _check_host(name: str, *, wildcard: bool, scheme: str | None) -> None:
    if name.startswith("*"):
        raise BadSource("a bare * would allow every site; name the host")
    labels = name.split(".")
    if len(name) > _MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise BadSource(_FORM)
    if _NUMBER.fullmatch(labels[-1]):
        # Browsers read any name that ends in a number as an address, and write it in its one usual form.
        if wildcard or not _IPV4.fullmatch(name):
            raise BadSource("not a complete IPv4 address such as 192.0.2.1")
        return
    if wildcard and (
        len(labels) < 2 or (len(labels[-1]) == 2 and len(labels) == 2 and labels[0] in _REGISTRIES)
    ):
        raise BadSource("a wildcard must stand before a name of one owner, such as https://*.example.com")
    if scheme is None and len(labels) < 2 and name != "localhost":
        raise BadSource("a host without a scheme needs a dot; write https://host")


def plain_text(value: str, limit: int) -> str:
    """Text of a stranger for logs, terminals and pages: printable ASCII, the rest escaped, and bounded."""
    shown = "".join(
        character if " " <= character <= "~" else f"\\u{ord(character):04x}" for character in value[:limit]
    )
    return shown if len(value) <= limit else f"{shown}… ({len(value)} characters)"
