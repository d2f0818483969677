"""What a host says about declared domains: its own origins, a block list, an allow list. All only remove."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fanlight.errors import ConfigError

from .names import hostname
from .origins import DEVELOPMENT_PAGE_HOSTS, Origins
from .sources import BadSource, Source, parse_source

__all__ = ["DomainRules", "own_sources"]


@dataclass(frozen=True)
class DomainRules:
    """Which of the declared sources a host lets through. A blocked one is out, whatever is allowed."""

    allowed: tuple[Source, ...] | None = None
    """None: every source; otherwise only what one of these covers, so an empty list allows nothing."""
    blocked: tuple[Source, ...] = ()
    own: tuple[Source, ...] = ()
    """The host's own origins: no view may reach host page, proxy or other views by declaring them."""

    @classmethod
    def of(cls, allow: Iterable[str] | None, block: Iterable[str]) -> DomainRules:
        """Read the settings `allow_domains` and `block_domains`.

        Raises:
            ConfigError: one of them is not a list of sources.
        """
        allowed = None if allow is None else _sources("allow_domains", allow)
        return cls(allowed, _sources("block_domains", block))

    def reserving(self, own: Iterable[Source]) -> DomainRules:
        """The same rules for a page whose own origins these are."""
        return replace(self, own=(*self.own, *own))

    def problem(self, source: Source) -> str | None:
        """Say why `source` is refused, or None when it is not."""
        for own in self.own:
            if own.shares_host(source) and _ports_meet(own.ports, source.ports):
                return f"it reaches {own}, which is an origin of this host"
        for blocked in self.blocked:
            # A blocked name without a port is blocked on every port, and under every scheme.
            ports = blocked.ports if blocked.port else None
            if blocked.shares_host(source) and _ports_meet(ports, source.ports):
                return f"this host blocks {blocked}"
        if self.allowed is not None and not any(allowed.covers(source) for allowed in self.allowed):
            return "it is not among the domains that this host allows"
        return None


def own_sources(origins: Origins, pages: Iterable[str] = ()) -> tuple[Source, ...]:
    """Every origin that belongs to a host with these origins, as patterns."""
    views = () if origins.view is None else (origins.view,)
    fixed = (origins.host, origins.sandbox, *views)
    found = [_own(text) for text in (*fixed, *origins.domains, *origins.pages, *pages)]
    for own in tuple(found):
        if own.host in DEVELOPMENT_PAGE_HOSTS or own.host.endswith(".localhost"):
            # On this machine one port answers for all of these names, whichever the page was opened under.
            found += [replace(own, host=name, wildcard=False) for name in DEVELOPMENT_PAGE_HOSTS]
            found.append(replace(own, host="localhost", wildcard=True))
    return tuple(dict.fromkeys(found))


def _own(origin: str) -> Source:
    """An origin, or the pattern of views, whose first label stands for any."""
    scheme, _, rest = origin.partition("://")
    name = hostname(origin)
    port = rest[len(name) :].removeprefix(":")
    wildcard = name.startswith("{")
    return Source(name.partition(".")[2] if wildcard else name, scheme, wildcard, port)


def _ports_meet(one: frozenset[int] | None, another: frozenset[int] | None) -> bool:
    return one is None or another is None or not one.isdisjoint(another)


def _sources(setting: str, values: Iterable[str]) -> tuple[Source, ...]:
    if isinstance(values, str):
        raise ConfigError(f"{setting} is {values!r}: give a list, such as [{values!r}]")
    found = []
    for value in values:
        try:
            found.append(parse_source(value))
        except BadSource as problem:
            raise ConfigError(f"{setting} has {value!r}: {problem}") from None
    return tuple(found)
