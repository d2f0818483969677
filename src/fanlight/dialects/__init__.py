"""Other spellings of MCP Apps, translated to and from the canonical one.

``Translator`` stands between one view's channel and its connection; ``canonical_tool``,
``canonical_resource_meta`` and ``canonical_mime`` do the same for what a server declares;
``ExtAppsHandler`` answers a widget's requests with callbacks. ``DIALECTS`` names every dialect of messages.
Nothing in this room does I/O, reads a clock or raises for what a peer said.
"""

from __future__ import annotations

from .base import STABLE, Dialect, DialectWarning
from .ext_apps import (
    ExtAppsContext,
    ExtAppsError,
    ExtAppsHandler,
    ExtAppsInvalidParamsError,
    ExtAppsMethodNotFoundError,
    ExtAppsNotSupportedError,
    ExtAppsToolNotFoundError,
)
from .handshake import DIALECTS
from .metadata import canonical_mime, canonical_resource_meta, canonical_tool
from .translator import Translator

__all__ = [
    "DIALECTS",
    "STABLE",
    "Dialect",
    "DialectWarning",
    "ExtAppsContext",
    "ExtAppsError",
    "ExtAppsHandler",
    "ExtAppsInvalidParamsError",
    "ExtAppsMethodNotFoundError",
    "ExtAppsNotSupportedError",
    "ExtAppsToolNotFoundError",
    "Translator",
    "canonical_mime",
    "canonical_resource_meta",
    "canonical_tool",
]
