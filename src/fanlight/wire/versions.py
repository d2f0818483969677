"""Protocol revisions, how two sides agree on one, and the literals that name the extension."""

from __future__ import annotations

from typing import Any

from .jsonrpc import JSONObject

__all__ = [
    "EXTENSION_ID",
    "LATEST",
    "MIME_TYPE",
    "RESERVED_PREFIX",
    "SUPPORTED",
    "URI_SCHEME",
    "agree",
    "extension_settings",
    "peer_shows_apps",
]

EXTENSION_ID = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
URI_SCHEME = "ui://"
RESERVED_PREFIX = "ui/notifications/sandbox-"
"""Methods that only host and sandbox proxy exchange; from a view they are hostile (R31)."""

LATEST = "2026-01-26"

# The same list as the official host has. Views of 2025-11-21 (SDK 0.x) are told LATEST and connect: nobody
# fails on a difference, and behaviour never depends on the version.
SUPPORTED = (LATEST,)


def agree(requested: object) -> str:
    """The version a host answers: the view's own if it is supported, else the host's latest."""
    return requested if isinstance(requested, str) and requested in SUPPORTED else LATEST


def extension_settings() -> JSONObject:
    """What a client declares under ``extensions[EXTENSION_ID]``; ``mimeTypes`` is required (R11)."""
    return {"mimeTypes": [MIME_TYPE]}


def peer_shows_apps(client_capabilities: Any) -> bool:
    """Whether a client said that it shows apps (R12): the extension is declared and includes our MIME type.

    ``mimeTypes`` is required by the spec and optional in the SDK's type: its absence does not exclude us.
    """
    extensions = client_capabilities.get("extensions") if isinstance(client_capabilities, dict) else None
    settings = extensions.get(EXTENSION_ID) if isinstance(extensions, dict) else None
    if not isinstance(settings, dict):
        return False
    mime_types = settings.get("mimeTypes")
    return mime_types is None or (isinstance(mime_types, list) and MIME_TYPE in mime_types)
