"""The files that browsers run, and how Python reads them. DOM names appear only in the `.js` files."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

__all__ = ["asset_names", "inline_digest", "read_asset"]


def asset_names() -> list[str]:
    """The scripts and style sheets, all of which browsers may load."""
    return sorted(file.name for file in files(__name__).iterdir() if file.name.endswith((".js", ".css")))


@cache
def read_asset(name: str) -> bytes:
    """The bytes of one runtime file, read once."""
    return files(__name__).joinpath(name).read_bytes()


@cache
def inline_digest(name: str) -> str:
    """The source expression that allows exactly this file inline: `sha256-…`."""
    return f"sha256-{base64.b64encode(hashlib.sha256(read_asset(name)).digest()).decode()}"
