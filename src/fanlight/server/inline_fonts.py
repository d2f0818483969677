"""Fonts of the folder, added by a small script instead of `@font-face`.

The specification's policy allows no `data:` font, and no font at all when nothing is declared. A `FontFace`
made from bytes is no fetch, so it works under every policy that allows the view's own scripts.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from .css_tokens import FontFace
from .folder import Folder
from .script_data import script_json
from .source_text import Source

__all__ = ["Font", "font_of", "font_script"]

# What a FontFace can say, as CSS calls it and as scripts do.
_DESCRIPTORS = {
    "ascent-override": "ascentOverride",
    "descent-override": "descentOverride",
    "font-display": "display",
    "font-feature-settings": "featureSettings",
    "font-stretch": "stretch",
    "font-style": "style",
    "font-variation-settings": "variationSettings",
    "font-weight": "weight",
    "line-gap-override": "lineGapOverride",
    "size-adjust": "sizeAdjust",
    "unicode-range": "unicodeRange",
}
# Best first; every browser that runs views reads all of them.
_FORMATS = (".woff2", ".woff", ".otf", ".ttf")


@dataclass(frozen=True)
class Font:
    """One font as a script adds it."""

    family: str
    descriptors: tuple[tuple[str, str], ...]
    data: str


def font_of(folder: Folder, face: FontFace, source: Source, base: PurePosixPath) -> Font | None:
    """The font that a rule takes from the folder: the best format of those it names; None if it takes none.

    Other sources of the same rule are the same font from elsewhere and are not needed.
    """
    found = [
        (reference, url)
        for url in face.urls
        if (reference := folder.find(url.address, base, source, url.start)) is not None
    ]
    known = [
        (_FORMATS.index(reference.path.suffix.lower()), reference, url)
        for reference, url in found
        if reference.path.suffix.lower() in _FORMATS
    ]
    if found and not known:
        path = folder.display(found[0][0].path)
        raise source.error(
            found[0][1].start, f"{path} is no font that browsers read; use .woff2, .woff, .otf or .ttf"
        )
    declared = dict(face.declarations)
    if not known or "font-family" not in declared:
        return None
    _, reference, url = min(known, key=lambda item: item[0])
    data = base64.b64encode(folder.bytes_of(reference.path)).decode()
    folder.spend(len(data), source, url.start)
    descriptors = tuple(
        (_DESCRIPTORS[name], value) for name, value in declared.items() if name in _DESCRIPTORS
    )
    return Font(declared["font-family"].strip("\"'"), descriptors, data)


def font_script(fonts: Sequence[Font]) -> str:
    """The script that adds these fonts; empty for none."""
    if not fonts:
        return ""
    rows = script_json([[font.family, font.data, dict(font.descriptors)] for font in fonts])
    return (
        f"for (const [family, data, descriptors] of {rows}) document.fonts.add("
        "new FontFace(family, Uint8Array.from(atob(data), (char) => char.charCodeAt(0)), descriptors));"
    )
