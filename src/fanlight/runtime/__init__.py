"""The files that browsers run, and how Python reads them. DOM names appear only in the `.js` files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["read_asset"]


@cache
def read_asset(name: str) -> bytes:
    """The bytes of one runtime file, read once."""
    return files(__name__).joinpath(name).read_bytes()
