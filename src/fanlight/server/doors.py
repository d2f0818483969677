"""Which SDK a server object belongs to, and the door that fits.

Objects are told apart by the names of their classes, so that nothing is imported to look at them.
"""

from __future__ import annotations

from typing import Any

from fanlight.errors import ConfigError

from .registration import Door

__all__ = ["door_for"]


def door_for(server: Any) -> Door:
    """The door to a server object.

    Raises:
        ConfigError: it is none that is known.
    """
    kinds = {(base.__module__.partition(".")[0], base.__name__) for base in type(server).__mro__}
    if ("fastmcp", "FastMCP") in kinds:
        from .fastmcp import FastMcpDoor

        return FastMcpDoor(server)
    if ("mcp", "MCPServer") in kinds:
        from .sdk2 import ServerDoor

        return ServerDoor(server)
    if ("mcp", "Apps") in kinds:
        from .sdk2 import ExtensionDoor

        return ExtensionDoor(server)
    if ("mcp", "Server") in kinds and hasattr(server, "add_request_handler"):
        from .sdk2_lowlevel import LowLevelDoor

        return LowLevelDoor(server)
    if ("mcp", "FastMCP") in kinds:
        from .sdk1 import Sdk1Door

        return Sdk1Door(server)
    raise ConfigError(f"app.tool({_shown(server)}) {_remedy(server, kinds)}")


def _shown(server: Any) -> str:
    return "" if server is None else f"{getattr(server, '__name__', type(server).__name__)}"


def _remedy(server: Any, kinds: set[tuple[str, str]]) -> str:
    if ("mcp", "Server") in kinds:
        return "is a low-level Server of mcp 1: use its FastMCP, or mcp 2"
    if server is None or callable(server):
        return "names no server: write @app.tool(server)"
    return (
        "is not a server that is known: give an MCPServer, Server or Apps of mcp 2, a FastMCP of mcp 1.30, "
        "or a FastMCP of fastmcp 4"
    )
