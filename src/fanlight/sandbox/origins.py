"""The three origins of a view: host page, sandbox proxy, view document. Always different.

In development one port answers for all three names; a deployment configures its own. A browser that
does not resolve `*.localhost` opens the page on 127.0.0.1 and gets an opaque view instead.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from fanlight.errors import ConfigError

__all__ = ["DEVELOPMENT_PAGE_HOSTS", "Origins", "app_label", "authority", "development_origins", "split_host"]

# The names under which a development host page may be opened. Any other Host header is refused, so a
# rebinding name gets nothing.
DEVELOPMENT_PAGE_HOSTS = ("fanlight.localhost", "localhost", "127.0.0.1")
_APP = "{app}"
_ORIGIN = re.compile(r"(https?)://(\[[0-9a-fA-F:]+\]|[a-z0-9.-]+)(:\d{1,5})?")
_HOST = re.compile(r"([a-z0-9.-]+)(:\d{1,5})?")
_LABEL = re.compile(r"v[0-9a-f]{24}")
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True)
class Origins:
    """Where the host page, the proxy and the views live.

    `view` is a pattern with one `{app}` label (`https://{app}.views.example.net`), or None for the
    opaque mode: views then have no origin at all and no storage.

    Raises:
        ConfigError: two of them would be one origin, or a browser would not load one inside the other.
    """

    host: str
    sandbox: str
    view: str | None

    def __post_init__(self) -> None:
        schemes = {
            name: _scheme(name, value) for name, value in (("host", self.host), ("sandbox", self.sandbox))
        }
        if self.host == self.sandbox:
            raise ConfigError(
                f"host and sandbox are both {self.host!r}: a view could reach the host page; "
                "give the sandbox a host name of its own"
            )
        if self.view is not None:
            schemes["view"] = _scheme("view", _example(self.view))
            for name, value in (("host", self.host), ("sandbox", self.sandbox)):
                if self.is_view(value):
                    raise ConfigError(
                        f"origin {name}={value!r} could be the origin of a view, by {self.view!r}; "
                        f"give the {name} another host name"
                    )
        insecure = [name for name, scheme in schemes.items() if scheme == "http"]
        if schemes["host"] == "https" and insecure:
            raise ConfigError(
                f"the host page is https and {' and '.join(insecure)} is http: browsers refuse that frame; "
                "serve all three with https"
            )

    def view_origin(self, app: str) -> str | None:
        """The origin of one app's views, or None when views are opaque."""
        return None if self.view is None else self.view.replace(_APP, app)

    def is_view(self, origin: str) -> bool:
        """Could a view have this origin?"""
        before, _, after = (self.view or "").partition(_APP)
        if self.view is None or not (origin.startswith(before) and origin.endswith(after)):
            return False
        return _LABEL.fullmatch(origin[len(before) : len(origin) - len(after)]) is not None


def _scheme(name: str, origin: str) -> str:
    match = _ORIGIN.fullmatch(origin)
    if match is None:
        raise ConfigError(f"origin {name}={origin!r} is not of the form https://name[:port], lower case")
    if match[3] == _DEFAULT_PORTS[match[1]]:
        raise ConfigError(
            f"origin {name}={origin!r} names the usual port, which browsers leave out: leave it out"
        )
    return match[1]


def _example(pattern: str) -> str:
    """One origin of the pattern of views, to be checked like the others."""
    if pattern.count(_APP) != 1:
        raise ConfigError(
            f"origin view={pattern!r} must contain {_APP} once, such as https://{_APP}.views.example.net"
        )
    if f"//{_APP}." not in pattern:
        raise ConfigError(f"in origin view={pattern!r} {_APP} must be the whole first label of the host name")
    return pattern.replace(_APP, "a")


def authority(origin: str) -> str:
    """What a browser sends as Host header for this origin."""
    return origin.partition("://")[2]


def app_label(server: str, resource_uri: str) -> str:
    """A host-name label that stays the same for one app of one server, so its storage survives.

    The leading letter keeps a label from looking like a number or like our own `sandbox`.
    """
    digest = hashlib.sha256(f"{len(server)}:{server}:{resource_uri}".encode()).hexdigest()
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
    if name == "127.0.0.1":
        return Origins(host, f"{scheme}://localhost{port}", None)
    return Origins(host, f"{scheme}://sandbox.{name}{port}", f"{scheme}://{_APP}.{name}{port}")
