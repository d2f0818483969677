"""Where browsers reach this host: the three origins, and the path in front of its routes under each.

Made once from the settings of `Host`; any mix that cannot isolate or cannot work is refused right then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from fanlight.errors import ConfigError
from fanlight.sandbox import Origins, authority, development_origins

__all__ = ["Addresses"]

_URL = re.compile(r"(https?)://([^/?#@\s:]+|\[[0-9a-fA-F:]+\])(:\d{1,5})?((?:/[\w.~-]+)*)/?", re.ASCII)
_USUAL_PORTS = {"http": ":80", "https": ":443"}


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
    ) -> Addresses:
        """Read the settings.

        Raises:
            ConfigError: they contradict each other, or two origins would be one.
        """
        if mount and (not mount.startswith("/") or mount.endswith("/")):
            raise ConfigError(
                f'mount is {mount!r}: it starts with "/" and does not end with it, such as "/apps"'
            )
        paths = {"page_path": mount, "sandbox_path": mount, "view_path": mount}
        if public_url is None:
            if sandbox_url is not None or view_url is not None:
                raise ConfigError("sandbox_url and view_url belong to public_url: give all of them, or none")
        elif origins is not None:
            raise ConfigError("give origins or public_url, sandbox_url and view_url, not both")
        elif sandbox_url is None:
            raise ConfigError(
                f"public_url is {public_url!r} and sandbox_url is missing: apps need a host name of "
                "their own, such as sandbox_url='https://sandbox.example.net'"
            )
        else:
            page, paths["page_path"] = _split("public_url", public_url, mount)
            sandbox, paths["sandbox_path"] = _split("sandbox_url", sandbox_url, mount)
            view = None
            if view_url is not None:
                view, paths["view_path"] = _split("view_url", view_url, mount)
            else:
                paths["view_path"] = paths["sandbox_path"]
            origins = Origins(page, sandbox, view)
        foreign = frozenset(_split("pages", page, "", bare=True)[0] for page in pages)
        if origins is not None:
            for page in foreign:
                replace(origins, host=page)  # refused when it is the sandbox's or a view's origin
        return cls(mount, origins, **paths, pages=foreign)

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
        if self.origins is None:
            return development_origins(host_header, scheme)
        return self.origins if authority(self.origins.host) == host_header else None

    def caller_origins(self, host_header: str, scheme: str, caller: str | None) -> Origins | None:
        """The origins for a page of origin `caller` that speaks with us, or None when it is a stranger."""
        own = self.page_origins(host_header, scheme)
        if own is None or caller is None:
            return None
        if caller == own.host:
            return own
        return replace(own, host=caller) if caller in self.pages else None

    def is_ours(self, host_header: str, scheme: str) -> bool:
        """Is this Host header a page's name, the proxy's or a view's?"""
        if self.page_origins(host_header, scheme) is not None:
            return True
        if self.origins is None:
            return development_origins(host_header.partition(".")[2], scheme) is not None
        views = self.origins.view
        return host_header == authority(self.origins.sandbox) or (
            views is not None and host_header.partition(".")[2] == authority(views).partition(".")[2]
        )


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
