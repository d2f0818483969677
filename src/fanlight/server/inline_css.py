"""Style sheets with everything they import, and images as `data:`; fonts are handed on.

`@import` becomes the imported text under its conditions. An imported sheet that is used twice is there
twice, as browsers have it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from .css_tokens import CssImport, css_references, safe_style
from .folder import Folder
from .inline_fonts import Font, font_of
from .source_text import Edit, Source, apply_edits

__all__ = ["Sheet", "inline_css"]

_COMMENT = re.compile(r"/\*[\s\S]*?\*/")
_LAYER_STATEMENT = re.compile(r"@layer\b[^{};]*;", re.IGNORECASE)
_LAYER = re.compile(r"layer\b(?!-)(?:\(\s*([^()]*?)\s*\))?", re.IGNORECASE)
# Longer chains are mistakes; browsers load them one round trip after another.
_MAX_DEPTH = 50


@dataclass(frozen=True)
class Sheet:
    """A finished style sheet, safe inside `<style>`, and the fonts that a script must add for it."""

    text: str
    fonts: tuple[Font, ...]


def inline_css(folder: Folder, source: Source, path: PurePosixPath) -> Sheet:
    """A style sheet that stands in `path`, with everything it needs from the folder.

    Raises:
        ConfigError: a reference cannot be followed, imports form a circle, or an import comes too late.
    """
    joiner = _Joiner(folder)
    text = joiner.joined(source, path, (), first=True)
    return Sheet(safe_style(text), tuple(joiner.fonts))


@dataclass
class _Joiner:
    """Joins one sheet with what it imports; each imported sheet is read once, however often it is used."""

    folder: Folder
    fonts: dict[Font, None] = field(default_factory=dict)
    done: dict[tuple[PurePosixPath, bool], str] = field(default_factory=dict)

    def joined(self, source: Source, path: PurePosixPath, chain: tuple[str, ...], *, first: bool) -> str:
        """The text of one sheet. `first`: no rule and no condition stands before or around it yet."""
        found = css_references(source.text)
        edits = [Edit(0, found.charset_end, "")] if found.charset_end else []
        behind = found.charset_end
        inlined = False
        for statement in found.imports:
            if not _only_layers(source.text[behind : statement.start]):
                raise source.error(
                    statement.start, "browsers ignore an @import behind other rules; move it to the top"
                )
            behind = statement.end
            wrappers = _wrappers(statement)
            at_top = first and not inlined and not wrappers
            text = self._imported(
                source, path, statement, chain, first=at_top, may_stay=first and not inlined
            )
            if text is not None:
                inlined = inlined or not _only_layers(text)
                edits.append(Edit(statement.start, statement.end, _wrapped(text, wrappers)))
        if found.namespaces and inlined:
            raise source.error(found.namespaces[0], "@namespace cannot follow an imported file; remove it")
        for url in found.urls:
            reference = self.folder.find(url.address, path, source, url.start)
            if reference is not None:
                data = self.folder.data_url(reference, source, url.start)
                edits.append(Edit(url.start, url.end, f"url({data})"))
        for face in found.fonts:
            font = font_of(self.folder, face, source, path)
            if font is not None:
                self.fonts[font] = None
                lines = source.text.count("\n", face.start, face.end)
                edits.append(Edit(face.start, face.end, "\n" * lines))
        return apply_edits(source.text, edits)

    def _imported(
        self,
        source: Source,
        path: PurePosixPath,
        statement: CssImport,
        chain: tuple[str, ...],
        *,
        first: bool,
        may_stay: bool,
    ) -> str | None:
        """The text that an import brings; None for one of another origin, which stays where it is."""
        reference = self.folder.find(statement.url.address, path, source, statement.url.start)
        if reference is None:
            if may_stay:
                return None
            raise source.error(
                statement.start,
                "an @import of another origin must come before all files of the folder; put it first in "
                "the first style sheet, or use <link rel=stylesheet>",
            )
        name = self.folder.display(reference.path)
        if name in (source.name, *chain) or len(chain) > _MAX_DEPTH:
            circle = " → ".join([*chain, source.name, name])
            raise source.error(statement.start, f"style sheets import each other: {circle}; remove one")
        key = (reference.path, first)
        if key not in self.done:
            imported = self.folder.source_of(reference.path)
            self.done[key] = self.joined(imported, reference.path, (*chain, source.name), first=first)
        self.folder.spend(len(self.done[key]), source, statement.start)
        return self.done[key]


def _only_layers(text: str) -> bool:
    """Whether nothing stands in `text` but what may stand before an `@import`."""
    return not _LAYER_STATEMENT.sub("", _COMMENT.sub("", text)).strip()


def _wrapped(text: str, wrappers: list[str]) -> str:
    return "".join(f"{wrapper} {{\n" for wrapper in wrappers) + text + "\n" + "}\n" * len(wrappers)


def _wrappers(statement: CssImport) -> list[str]:
    """The rules that put an imported sheet under its conditions, outermost first."""
    conditions = _COMMENT.sub(" ", statement.conditions).strip()
    inner: list[str] = []
    layer = _LAYER.match(conditions)
    if layer:
        inner.append(f"@layer {layer[1]}" if layer[1] else "@layer")
        conditions = conditions[layer.end() :].strip()
    if conditions[:9].lower() == "supports(":
        end = _closing(conditions, 8)
        inside = conditions[9:end].strip()
        # `supports(display: grid)` needs brackets of its own; a whole condition has them already.
        bare = re.match(r"[\w-]+\s*:", inside) is not None
        inner.append(f"@supports ({inside})" if bare else f"@supports {inside}")
        conditions = conditions[end + 1 :].strip()
    if conditions:
        inner.append(f"@media {conditions}")
    return inner[::-1]


def _closing(text: str, opening: int) -> int:
    """The offset of the bracket that closes the one at `opening`."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)
