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
from .targets import command_target, parse_target
from .tools import Tool

__all__ = [
    "AppDocument",
    "AppReadError",
    "Catalog",
    "Change",
    "ClientIdentity",
    "HttpTarget",
    "ObjectTarget",
    "SseTarget",
    "StdioTarget",
    "Target",
    "Tool",
    "Upstream",
    "UpstreamState",
    "command_target",
    "open_upstream",
    "parse_target",
]
