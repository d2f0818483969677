"""Which SDK is installed, what kind of object was given, and the door that fits.

Imported late: an SDK costs half a second. Objects are told apart by the names of their classes, so that
nothing is imported to look at them.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from fanlight.errors import ConfigError

from .base import ClientIdentity, ObjectTarget, Target, Upstream
from .link import Door
from .supervised import SupervisedUpstream

__all__ = ["CONNECT_TIMEOUT", "Era", "is_server_object", "open_upstream"]

CONNECT_TIMEOUT = 60.0  # `npx -y` may download a package before the server's first word

Era = Literal["auto", "handshake"]
_MODES = {"auto": "auto", "handshake": "legacy"}

Kind = Literal["server", "fastmcp-server", "fastmcp-client", "client", "session"]
# The package that defines a class, the class, and what its objects are.
_KINDS: dict[tuple[str, str], Kind] = {
    ("fastmcp", "FastMCP"): "fastmcp-server",
    ("fastmcp", "Client"): "fastmcp-client",
    ("mcp", "MCPServer"): "server",
    ("mcp", "FastMCP"): "server",
    ("mcp", "Server"): "server",
    ("mcp", "Client"): "client",
    ("mcp", "ClientSession"): "session",
}


def is_server_object(value: object) -> bool:
    """Is this an MCP server object that can be served in process?"""
    return _kind(value) in ("server", "fastmcp-server")


async def open_upstream(
    name: str,
    target: Target,
    identity: ClientIdentity,
    *,
    timeout: float = CONNECT_TIMEOUT,
    era: Era = "auto",
) -> Upstream:
    """Connect to a target through the SDK that is installed, or that the given object belongs to.

    `era` is `handshake` to insist on the older protocol revisions; `auto` finds out what the server speaks.

    Raises:
        UpstreamError: it could not be reached; the message says what to do.
        ConfigError: the target or the installed SDK cannot be used.
    """
    upstream = SupervisedUpstream(name, _door(target, identity, era))
    await upstream.open(timeout)
    return upstream


def _door(target: Target, identity: ClientIdentity, era: Era) -> Door:
    major = _sdk_major()
    kind = _kind(target.server) if isinstance(target, ObjectTarget) else None
    if isinstance(target, ObjectTarget):
        given = target.server
        if kind is None:
            raise ConfigError(
                f"{type(given).__name__} is not an MCP server or client that can be connected; give a server "
                "object of mcp or fastmcp, an open mcp.Client or ClientSession, or a fastmcp.Client"
            )
        if kind in ("client", "session") or (kind == "fastmcp-client" and given.is_connected()):  # type: ignore[attr-defined]
            from .existing import ExistingDoor

            return ExistingDoor(target)
        if kind.startswith("fastmcp"):
            from .fastmcp import FastMcpDoor

            return FastMcpDoor(target, identity, _MODES[era])
    if major == 1:
        from .sdk1 import Sdk1Door

        return Sdk1Door(target, identity)
    from .sdk2 import Sdk2Door

    return Sdk2Door(target, identity, _MODES[era])


def _sdk_major() -> int:
    try:
        installed = version("mcp")
    except PackageNotFoundError:
        raise ConfigError("the mcp package is not installed: pip install 'mcp>=1.30,<3'") from None
    return int(installed.partition(".")[0])


def _kind(value: object) -> Kind | None:
    for base in type(value).__mro__:
        kind = _KINDS.get((base.__module__.partition(".")[0], base.__name__))
        if kind is not None:
            return kind
    return None
