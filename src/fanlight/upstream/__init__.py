"""The MCP side: one contract, one door per SDK, and the catalog of what a server offers."""

from .base import ClientIdentity, HttpTarget, ObjectTarget, StdioTarget, Target, Upstream
from .catalog import AppDocument, AppReadError, Catalog, Tool
from .doors import open_upstream
from .targets import command_target, parse_target

__all__ = [
    "AppDocument",
    "AppReadError",
    "Catalog",
    "ClientIdentity",
    "HttpTarget",
    "ObjectTarget",
    "StdioTarget",
    "Target",
    "Tool",
    "Upstream",
    "command_target",
    "open_upstream",
    "parse_target",
]
