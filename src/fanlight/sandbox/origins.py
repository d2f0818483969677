"""The three origins of a view: host page, sandbox proxy, view document. Always different.

In development one port answers for all three names; a deployment configures its own. A browser that
does not resolve `*.localhost` opens the page on 127.0.0.1 and gets an opaque view instead. Where a view may
live, host names are compared and not only origins: a cookie does not know ports or schemes.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace

from fanlight.errors import ConfigError

from .names import hostname, origin_problem

__all__ = ["DEVELOPMENT_PAGE_HOSTS", "Origins", "app_label", "authority", "development_origins", "split_host"]

# The names under which a development host page may be opened. Any other Host header is refused, so a
# rebinding name gets nothing.
DEVELOPMENT_PAGE_HOSTS = ("fanlight.localhost", "localhost", "127.0.0.1")
_APP = "{app}"
_HOST = re.compile(r"([a-z0-9.-]+)(:\d{1,5})?")
_LABEL = re.compile(r"v[0-9a-f]{24}")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True)
class Origins:
    """Where the host page, the proxy and the views live.

    `view` is a pattern with one `{app}` label (`https://{app}.views.example.net`), or None for the
    opaque mode: views then have no origin at all and no storage. `domains` are further origins of views,
    each for the apps that the deployment chose. `foreign` says that the proxy is not ours, so that a view may
    live on the proxy's own origin. `pages` are pages of ours beside the one at `host`.

    Raises:
        ConfigError: two of them are not apart, or a browser would not load one inside the other.
    """

    host: str
    sandbox: str
    view: str | None
    domains: frozenset[str] = frozenset()
    foreign: bool = False
    pages: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        fixed = [("host", self.host), ("sandbox", self.sandbox)]
        mapped = [("view_domains", origin) for origin in sorted(self.domains)]
        for name, origin in (*fixed, *mapped):
            _require_spelling(name, origin)
        if self.host == self.sandbox:
            raise ConfigError(
                f"host and sandbox are both {self.host!r}: a view could reach the host page; "
                "give the sandbox a host name of its own"
            )
        _require_other_names(fixed[:1], fixed[1:] if self.foreign else [])
        _require_other_names([*fixed, *mapped], mapped)
        if self.view is not None:
            _require_pattern(self.view)
            for name, origin in (*fixed, *mapped):
                if self._fits_pattern(origin):
                    raise ConfigError(
                        f"origin {name}={origin!r} could be the origin of a view, by {self.view!r}; "
                        f"give the {name} another host name"
                    )
        insecure = {name: None for name, origin in self._framed() if origin.startswith("http://")}
        if self.host.startswith("https://") and insecure:
            raise ConfigError(
                f"the host page is https and {' and '.join(insecure)} is http: browsers refuse that frame; "
                "serve all three with https"
            )

    def _framed(self) -> list[tuple[str, str]]:
        """Everything that is shown inside of the host page."""
        views = [("view", self.view)] if self.view is not None else []
        mapped = [("view_domains", origin) for origin in sorted(self.domains)]
        return [("sandbox", self.sandbox), *views, *mapped]

    def hosted_by(self, page: str) -> Origins:
        """The same for a page at another origin; the page at `host` stays one of ours."""
        return replace(self, host=page, pages=self.pages | {self.host})

    def view_origin(self, app: str) -> str | None:
        """The origin of one app's views, or None when views are opaque."""
        return None if self.view is None else self.view.replace(_APP, app)

    def is_view(self, origin: str) -> bool:
        """Could a view have this origin?"""
        return origin in self.domains or self._fits_pattern(origin)

    def _fits_pattern(self, origin: str) -> bool:
        """Whether the pattern makes this host name, whatever the port and the scheme."""
        if self.view is None:
            return False
        label, _, rest = hostname(origin).partition(".")
        return rest == hostname(self.view).partition(".")[2] and _LABEL.fullmatch(label) is not None

    def advice(self) -> str | None:
        """What is allowed and yet unwise: cookies of a site are sent to all of it, also to frames of ours."""
        site = _site(self.host)
        near = [origin for _, origin in self._framed() if _site(origin) == site]
        if site is None or not near:
            return None
        return (
            f"{' and '.join(near)} and the page at {self.host} are both in {site}: a cookie of the page with "
            f"Domain={site} is sent there too; give sandbox and views another registrable domain"
        )


def _require_spelling(name: str, origin: str) -> None:
    problem = origin_problem(origin)
    if problem is not None:
        raise ConfigError(f"origin {name}={origin!r} {problem}")


def _require_other_names(some: list[tuple[str, str]], views: list[tuple[str, str]]) -> None:
    """Refuse a host name that a view may live on and somebody else does too."""
    for name, origin in some:
        for other, view in views:
            if hostname(origin) == hostname(view) and (name, origin) != (other, view):
                raise ConfigError(
                    f"{name} {origin!r} and {other} {view!r} have one host name, and cookies do not know "
                    "ports and schemes: a view could read what is not its own; "
                    f"give {other} a host name of its own"
                )


def _require_pattern(pattern: str) -> None:
    if pattern.count(_APP) != 1:
        raise ConfigError(
            f"origin view={pattern!r} must contain {_APP} once, such as https://{_APP}.views.example.net"
        )
    if f"//{_APP}." not in pattern:
        raise ConfigError(f"in origin view={pattern!r} {_APP} must be the whole first label of the host name")
    _require_spelling("view", pattern.replace(_APP, "a"))


def _site(origin: str) -> str | None:
    """The last two labels, most often what is registered; None for addresses and names of this machine."""
    labels = hostname(origin).split(".")
    return None if labels[-1] in ("localhost", "") or labels[-1].isdigit() else ".".join(labels[-2:])


def authority(origin: str) -> str:
    """What a browser sends as Host header for this origin."""
    return origin.partition("://")[2]


def app_label(identity: str, resource_uri: str) -> str:
    """A host-name label that stays the same for one app of one server, so its storage survives.

    The leading letter keeps a label from looking like a number or like our own `sandbox`.
    """
    digest = hashlib.sha256(f"{len(identity)}:{identity}:{resource_uri}".encode()).hexdigest()
    return f"v{digest[:24]}"


def split_host(header: str) -> tuple[str, str] | None:
    """`name[:port]` of a Host header as (name, ":port" or ""), or None when it is malformed."""
    match = _HOST.fullmatch(header.lower())
    return (match[1], match[2] or "") if match else None


def development_origins(host_header: str, scheme: str = "http") -> Origins | None:
    """The origins that belong to a page opened under this Host header; None for a foreign name."""
    parts = split_host(host_header)
    if parts is None or parts[0] not in DEVELOPMENT_PAGE_HOSTS:
        return None
    name, port = parts
    if port == _DEFAULT_PORTS.get(scheme):
        port = ""
    host = f"{scheme}://{name}{port}"
    if origin_problem(host) is not None:
        return None
    if name == "127.0.0.1":
        return Origins(host, f"{scheme}://localhost{port}", None)
    return Origins(host, f"{scheme}://sandbox.{name}{port}", f"{scheme}://{_APP}.{name}{port}")
