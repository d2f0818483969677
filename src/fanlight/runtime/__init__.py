"""The files that browsers run, and how Python reads them. DOM names appear only in the `.js` files."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

__all__ = ["asset_names", "read_asset"]


def asset_names() -> list[str]:
    """The scripts and style sheets, all of which browsers may load."""
    return sorted(file.name for file in files(__name__).iterdir() if file.name.endswith((".js", ".css")))


@cache
def read_asset(name: str) -> bytes:
    """The bytes of one runtime file, read once."""
    return files(__name__).joinpath(name).read_bytes()
