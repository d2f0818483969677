"""Who may ask, and how: decided from the head of a request alone, before any route is looked up.

No framework here: an ASGI scope in, a refusal or None out. Names (the Host header) are `Addresses`' business.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Refusal", "header", "malformed", "stranger"]

Scope = Mapping[str, Any]

# None of our addresses needs an escape, a backslash, an empty or a dotted segment: whoever writes one tries
# to be read differently by two readers. A colon names a drive on some systems.
_ODD_PATH = re.compile(r"[\x00-\x20\x7f-\U0010ffff\\%:]|//|/\.{1,2}(?:/|$)")
_ONCE = ("host", "origin", "sec-fetch-site", "sec-fetch-mode")
_FOREIGN = ("cross-site", "same-site")


@dataclass(frozen=True)
class Refusal:
    """What a request gets instead of an answer."""

    status: int
    text: str


def header(scope: Scope, name: str) -> str | None:
    """The header of this name; None when there is none."""
    wanted = name.encode()
    return next((value.decode("latin-1") for key, value in scope["headers"] if key == wanted), None)


def malformed(scope: Scope) -> Refusal | None:
    """Is the head written so that two readers could understand it differently?"""
    for name in _ONCE:
        count = sum(key == name.encode() for key, _ in scope["headers"])
        if count > 1 or (name == "host" and not count):
            return Refusal(400, f"There must be one {name.title()} header, not {count}.\n")
    path = scope["path"]
    if not path.startswith("/"):
        return Refusal(400, "Ask for a path, such as /, not for a whole address.\n")
    raw = scope.get("raw_path")
    if _ODD_PATH.search(path) or (raw is not None and b"%" in raw):
        return Refusal(404, "Nothing has such an address here.\n")
    return None


def stranger(scope: Scope, ours: Collection[str], *, origin_needed: bool = False) -> Refusal | None:
    """Does a page of another origin ask? `ours` are the origins of pages that may.

    Browsers leave Origin off where a page gets something of its own origin; who asks then stands in
    Sec-Fetch-Site. A person may always come from elsewhere by a link, which is a navigation.
    """
    origin = header(scope, "origin")
    if origin is None:
        foreign = header(scope, "sec-fetch-site") in _FOREIGN
        refused = origin_needed or (foreign and header(scope, "sec-fetch-mode") != "navigate")
    else:
        refused = origin not in ours
    return Refusal(403, "Only a page of this program may ask for this.\n") if refused else None
