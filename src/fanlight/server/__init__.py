"""The server kit: apps for MCP servers in pure Python, with the same words on every SDK.

Names load on first use, and an SDK is looked for only when a server object is given, so importing this
imports none. Only the names of `markup.py` are here at once: one of them is called like the file, and a file
that is imported later would take its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .markup import Markup, html, markup, template

if TYPE_CHECKING:
    from .app import App
    from .clients import client_shows_apps
    from .embedding import embed_data, embed_runtime, json_script
    from .metadata import domain_for
    from .resource import AppResource
    from .results import Reply, reply
    from .templates import jinja_document

__all__ = [
    "App",
    "AppResource",
    "Markup",
    "Reply",
    "client_shows_apps",
    "domain_for",
    "embed_data",
    "embed_runtime",
    "html",
    "jinja_document",
    "json_script",
    "markup",
    "reply",
    "template",
]

_HOMES = {
    "App": "app",
    "AppResource": "resource",
    "Reply": "results",
    "client_shows_apps": "clients",
    "domain_for": "metadata",
    "embed_data": "embedding",
    "embed_runtime": "embedding",
    "jinja_document": "templates",
    "json_script": "embedding",
    "reply": "results",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
