"""Where browsers reach this host: the three origins, and the path in front of its routes under each.

Made once from the settings of `Host`; any mix that cannot isolate or cannot work is refused right then.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import NamedTuple

from fanlight.errors import ConfigError
from fanlight.sandbox import DEVELOPMENT_PAGE_HOSTS, Origins, authority, development_origins, own_sources
from fanlight.sandbox.sources import Source

__all__ = ["Addresses", "Domains", "ForeignProxy"]

# Server -> the domain that its app declares -> the origin that its views then have.
Domains = Mapping[str, Mapping[str, str]]

_URL = re.compile(r"(https?)://([^/?#@\s:]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?((?:/[\w.~-]+)*)/?", re.ASCII)
_ANY_PORT = 9  # host names are compared, whatever the port
_USUAL_PORTS = {"http": ":80", "https": ":443"}


class ForeignProxy(NamedTuple):
    """A sandbox proxy that is not ours."""

    url: str
    origin: str

    def instead(self, origins: Origins) -> Origins:
        """The origins of a page whose views this proxy shows."""
        return replace(origins, sandbox=self.origin, view=None, foreign=True)


@dataclass(frozen=True)
class Addresses:
    """The public face of a host.

    `origins` is None in development, where the name that a page was opened under decides. The three paths
    stand between an origin and our routes: what a reverse proxy takes away, then the mount.
    """

    mount: str
    origins: Origins | None = None
    page_path: str = ""
    sandbox_path: str = ""
    view_path: str = ""
    # Origins of pages that are not served under our own name, such as a Flask program on its own port.
    pages: frozenset[str] = frozenset()
    # Origins of hosts that are not ours, whose pages may use our sandbox proxy.
    proxy_for: tuple[str, ...] = ()
    foreign_proxy: ForeignProxy | None = None
    domains: Domains = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        mount: str,
        *,
        origins: Origins | None = None,
        public_url: str | None = None,
        sandbox_url: str | None = None,
        view_url: str | None = None,
        pages: Iterable[str] = (),
        proxy_for: Iterable[str] = (),
        sandbox_proxy: str | None = None,
        view_domains: Domains | None = None,
    ) -> Addresses:
        """Read the settings.

        Raises:
            ConfigError: they contradict each other, or two origins would be one.
        """
        if mount and (not mount.startswith("/") or mount.endswith("/")):
            raise ConfigError(
                f'mount is {mount!r}: it starts with "/" and does not end with it, such as "/apps"'
            )
        proxy = None
        if sandbox_proxy is not None:
            proxy = ForeignProxy(sandbox_proxy, _split("sandbox_proxy", sandbox_proxy, "")[0])
            instead_of = {"sandbox_url": sandbox_url, "view_url": view_url, "view_domains": view_domains}
            _refuse_beside_foreign_proxy(**instead_of, proxy_for=proxy_for)
        paths = {"page_path": mount, "sandbox_path": mount, "view_path": mount}
        if public_url is None:
            if sandbox_url is not None or view_url is not None:
                raise ConfigError("sandbox_url and view_url belong to public_url: give all of them, or none")
        elif origins is not None:
            raise ConfigError("give origins or public_url, sandbox_url and view_url, not both")
        elif sandbox_url is None and proxy is None:
            raise ConfigError(
                f"public_url is {public_url!r} and sandbox_url is missing: apps need a host name of "
                "their own, such as sandbox_url='https://sandbox.example.net'"
            )
        else:
            page, paths["page_path"] = _split("public_url", public_url, mount)
            sandbox, view = proxy.origin if proxy else "", None
            if sandbox_url is not None:
                sandbox, paths["sandbox_path"] = _split("sandbox_url", sandbox_url, mount)
                paths["view_path"] = paths["sandbox_path"]
            if view_url is not None:
                view, paths["view_path"] = _split("view_url", view_url, mount)
            origins = Origins(page, sandbox, view)
        mapped = {
            server: {declared: _bare("view_domains", origin) for declared, origin in of_server.items()}
            for server, of_server in (view_domains or {}).items()
        }
        found = cls(
            mount,
            origins,
            **paths,
            pages=frozenset(_bare("pages", page) for page in pages),
            proxy_for=tuple(_bare("proxy_for", page) for page in proxy_for),
            foreign_proxy=proxy,
            domains=mapped,
        )
        return replace(found, origins=found._checked())

    def _checked(self) -> Origins | None:
        """The origins with what the settings add to them. Every name of development is tried instead."""
        if self.origins is not None:
            names = [self.origins]
        else:
            found = (development_origins(f"{name}:{_ANY_PORT}") for name in DEVELOPMENT_PAGE_HOSTS)
            names = [origins for origins in found if origins is not None]
        names = [replace(origins, domains=self._domain_origins) for origins in names]
        if self.foreign_proxy is not None:
            names = _where_it_works(names, self.foreign_proxy.instead)
        for setting, pages in (("pages", self.pages), ("proxy_for", self.proxy_for)):
            for page in pages:
                try:
                    _where_it_works(names, partial(Origins.hosted_by, page=page))
                except ConfigError as error:
                    raise ConfigError(f"{setting} has {page!r}: {error}") from None
        return None if self.origins is None else names[0]

    def _in_development(self, origins: Origins | None) -> Origins | None:
        if origins is None:
            return None
        if self.foreign_proxy is not None:
            return _or_none(self.foreign_proxy.instead, origins)
        # A browser that does not know `*.localhost` finds no other name either: its views stay opaque.
        return origins if origins.view is None else replace(origins, domains=self._domain_origins)

    @cached_property
    def _domain_origins(self) -> frozenset[str]:
        return frozenset(origin for of_server in self.domains.values() for origin in of_server.values())

    @cached_property
    def routes_at(self) -> frozenset[str]:
        """The values of `root_path` under which our routes may be called."""
        return frozenset({self.mount, self.page_path, self.sandbox_path, self.view_path})

    @property
    def base(self) -> str:
        """What stands before `/host.js` in your pages: a path, or a whole address for pages elsewhere."""
        return f"{self.origins.host}{self.page_path}" if self.pages and self.origins else self.page_path

    def page_origins(self, host_header: str, scheme: str) -> Origins | None:
        """The origins of a page under this Host header, or None when no page of ours lives there."""
        if self.origins is not None:
            return self.origins if authority(self.origins.host) == host_header else None
        return self._in_development(development_origins(host_header, scheme))

    def caller_origins(self, host_header: str, scheme: str, caller: str | None) -> Origins | None:
        """The origins for a page of origin `caller` that speaks with us, or None when it is a stranger."""
        own = self.page_origins(host_header, scheme)
        if own is None or caller is None:
            return None
        if caller == own.host:
            return own
        return _or_none(partial(Origins.hosted_by, page=caller), own) if caller in self.pages else None

    def proxy_origins(self, host_header: str, scheme: str) -> list[Origins]:
        """For each foreign host that may use our proxy under this Host header: the origins with that host."""
        if self.origins is not None:
            own = self.origins if authority(self.origins.sandbox) == host_header else None
        else:
            label, _, page_name = host_header.partition(".")
            own = self.page_origins(page_name, scheme) if label == "sandbox" else None
        if own is None:
            return []
        found = [_or_none(partial(Origins.hosted_by, page=page), own) for page in self.proxy_for]
        return [origins for origins in found if origins is not None]

    def reserved(self, origins: Origins) -> tuple[Source, ...]:
        """What no view may declare, whichever page shows it: every origin of this host and of its pages."""
        return own_sources(origins, (*self.pages, *self.proxy_for))

    def advice(self) -> str | None:
        """What is allowed and yet unwise in these settings."""
        return None if self.origins is None else self.origins.advice()

    def domain_origin(self, server: str, declared: object, origins: Origins) -> str | None:
        """The origin for an app that declares this domain, where the settings have one for its server."""
        origin = self.domains.get(server, {}).get(declared) if isinstance(declared, str) else None
        return origin if origin in origins.domains else None

    def is_ours(self, host_header: str, scheme: str) -> bool:
        """Is this Host header a page's name, the proxy's or a view's?"""
        if self.page_origins(host_header, scheme) is not None:
            return True
        if any(host_header == authority(origin) for origin in self._domain_origins):
            return True
        if self.foreign_proxy is not None:
            return False
        if self.origins is None:
            return development_origins(host_header.partition(".")[2], scheme) is not None
        views = self.origins.view
        return host_header == authority(self.origins.sandbox) or (
            views is not None and host_header.partition(".")[2] == authority(views).partition(".")[2]
        )


def _where_it_works(names: list[Origins], change: Callable[[Origins], Origins]) -> list[Origins]:
    """The origins that are apart after this change; if none of them are, the reason why the last is not."""
    kept: list[Origins] = []
    problem: ConfigError | None = None
    for origins in names:
        try:
            kept.append(change(origins))
        except ConfigError as error:
            problem = error
    if problem is not None and not kept:
        raise problem
    return kept


def _or_none(change: Callable[[Origins], Origins], origins: Origins) -> Origins | None:
    """The changed origins; None where only another name of development keeps them apart."""
    try:
        return change(origins)
    except ConfigError:
        return None


def _refuse_beside_foreign_proxy(**settings: object) -> None:
    for name, value in settings.items():
        if value:
            raise ConfigError(
                f"{name} and sandbox_proxy are both set: a foreign proxy shows the views in its own way; "
                "leave out one of them"
            )


def _bare(setting: str, url: str) -> str:
    return _split(setting, url, "", bare=True)[0]


def _split(setting: str, url: str, mount: str, *, bare: bool = False) -> tuple[str, str]:
    """An address as (origin, path in front of our routes), in the spelling that browsers use."""
    match = _URL.fullmatch(url)
    if match is None or (bare and match[4]):
        form = "https://name[:port]" if bare else "https://name[:port][/path]"
        raise ConfigError(f"{setting} is {url!r}: expected {form}")
    scheme, name, port, path = match[1], match[2], match[3] or "", match[4]
    if port == _USUAL_PORTS[scheme]:
        port = ""
    return f"{scheme}://{name.lower()}{port}", f"{path}{mount}"
