"""Which SDK is installed, and the door that fits it. Imported late: an SDK costs half a second."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from fanlight.errors import ConfigError

from .base import ClientIdentity, Target, Upstream

__all__ = ["is_server_object", "open_upstream"]

CONNECT_TIMEOUT = 60.0  # `npx -y` may download a package before the server's first word


def _require_sdk2() -> None:
    try:
        installed = version("mcp")
    except PackageNotFoundError:
        raise ConfigError("the mcp package is not installed: pip install 'mcp>=2,<3'") from None
    if int(installed.partition(".")[0]) < 2:
        raise ConfigError(f"mcp {installed} is installed; connecting needs mcp 2: pip install 'mcp>=2,<3'")


def is_server_object(value: object) -> bool:
    """Is this an MCP server object that the installed SDK can serve in process?"""
    _require_sdk2()
    from . import sdk2

    return sdk2.is_server_object(value)


async def open_upstream(
    name: str, target: Target, identity: ClientIdentity, *, timeout: float = CONNECT_TIMEOUT
) -> Upstream:
    """Connect to a target through the installed SDK.

    Raises:
        UpstreamError: it could not be reached; the message says what to do.
        ConfigError: the installed SDK cannot be used.
    """
    _require_sdk2()
    from .sdk2 import Sdk2Upstream

    upstream = Sdk2Upstream(name, target, identity)
    await upstream.open(timeout)
    return upstream
