"""The files that browsers run, and how Python reads them. DOM names appear only in the `.js` files."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

__all__ = ["asset_names", "inline_digest", "preload_links", "preloads", "read_asset"]

_IMPORT = re.compile(rb'^import .*"\./([\w.]+)";$', re.MULTILINE)


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


@cache
def preloads(name: str) -> tuple[str, ...]:
    """Every module that `name` needs, found by its imports: announced at once, they load side by side."""
    found = [name]
    for module in found:
        found += [other for other in _imports(module) if other not in found]
    return tuple(found)


def _imports(name: str) -> list[str]:
    return [match.decode() for match in _IMPORT.findall(read_asset(name))]


def preload_links(base: str, name: str) -> str:
    """The tags that announce a module and all it needs, for a page at whose `base` the assets are."""
    return "".join(f'<link rel="modulepreload" href="{base}/{module}">' for module in preloads(name))
