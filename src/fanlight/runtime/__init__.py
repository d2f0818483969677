"""The files that browsers run, and how Python reads them. DOM names appear only in the `.js` files."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from .shrink import shrink

__all__ = ["inline_digest", "read_asset", "source_digest"]

_IN_EVERY_VIEW = "view.js"


@cache
def read_asset(name: str) -> bytes:
    """The bytes of one runtime file, read once. What every view carries is shrunk."""
    data = files(__name__).joinpath(name).read_bytes()
    return shrink(data.decode()).encode() if name == _IN_EVERY_VIEW else data


@cache
def inline_digest(name: str) -> str:
    """The source expression that allows exactly this file inline: `sha256-…`."""
    return source_digest(read_asset(name))


@cache
def source_digest(text: bytes) -> str:
    """The source expression that allows exactly this script or style inline."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text).digest()).decode()}"
