"""Fanlight: MCP Apps (SEP-1865) for Python.

The front door. Names load on first use, so that `import fanlight` stays cheap and brings no web framework.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanlight._version import __version__

if TYPE_CHECKING:
    from fanlight.errors import FanlightError
    from fanlight.host import Call, Host, Server, Theme, Verdict, View

__all__ = ["Call", "FanlightError", "Host", "Server", "Theme", "Verdict", "View", "__version__"]

_HOMES = {
    "Call": "fanlight.host",
    "FanlightError": "fanlight.errors",
    "Host": "fanlight.host",
    "Server": "fanlight.host",
    "Theme": "fanlight.host",
    "Verdict": "fanlight.host",
    "View": "fanlight.host",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fanlight' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
