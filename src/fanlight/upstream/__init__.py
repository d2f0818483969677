"""The MCP side: one contract, one door per SDK, and the catalog of what a server offers."""

from .base import (
    ClientIdentity,
    HttpTarget,
    ObjectTarget,
    SseTarget,
    StdioTarget,
    Target,
    Upstream,
    UpstreamState,
)
from .catalog import Catalog, Change
from .documents import AppDocument, AppReadError
from .doors import open_upstream
from .identity import identity_of
from .limits import MAX_NAME_BYTES, ServerLimits
from .targets import as_target, command_target, parse_target
from .tools import Tool

__all__ = [
    "MAX_NAME_BYTES",
    "AppDocument",
    "AppReadError",
    "Catalog",
    "Change",
    "ClientIdentity",
    "HttpTarget",
    "ObjectTarget",
    "ServerLimits",
    "SseTarget",
    "StdioTarget",
    "Target",
    "Tool",
    "Upstream",
    "UpstreamState",
    "as_target",
    "command_target",
    "identity_of",
    "open_upstream",
    "parse_target",
]
