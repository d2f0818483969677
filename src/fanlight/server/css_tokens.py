"""What a style sheet refers to: `@import`, `url()`, the strings of `image-set()`, and its `@font-face` rules.

Finds places; reads no file and changes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

__all__ = ["CssImport", "CssReferences", "CssUrl", "FontFace", "css_references", "safe_style"]

_TOKEN = re.compile(
    r"(?P<comment>/\*[\s\S]*?(?:\*/|\Z))"
    r"|(?P<string>\"(?:[^\"\\\n\r\f]|\\[\s\S])*\"|'(?:[^'\\\n\r\f]|\\[\s\S])*')"
    r"|(?P<url>url\([\t\n\f\r ]*(?![\t\n\f\r \"'])"
    r"(?P<address>(?:[^\"'()\\\t\n\f\r ]|\\[^\n\r\f])*)[\t\n\f\r ]*\))"
    r"|(?P<at>@(?:[\w-]|[^\x00-\x7f]|\\[^\n\r\f])+)"
    r"|(?P<name>(?:[\w-]|[^\x00-\x7f]|\\[^\n\r\f])+\(?)"
    r"|(?P<mark>[{}()\[\];,])",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\(?:([0-9A-Fa-f]{1,6})(?:\r\n|[\t\n\f\r ])?|(\r\n|[\s\S]))")
_URL_FUNCTIONS = frozenset({"url(", "src("})
_IMAGE_SETS = frozenset({"image-set(", "-webkit-image-set("})


@dataclass(frozen=True)
class CssUrl:
    """An address and the span that `url(…)` may replace."""

    address: str
    start: int
    end: int


@dataclass(frozen=True)
class CssImport:
    """One `@import`. `conditions` is what stands between the address and the `;`."""

    url: CssUrl
    start: int
    end: int
    conditions: str


@dataclass(frozen=True)
class FontFace:
    """One `@font-face` rule: its span, its declarations, and the addresses in its `src`."""

    start: int
    end: int
    declarations: tuple[tuple[str, str], ...]
    urls: tuple[CssUrl, ...]


@dataclass
class CssReferences:
    """Everything that was found, each list in order. `urls` has neither imports nor those of fonts."""

    imports: list[CssImport] = field(default_factory=list)
    urls: list[CssUrl] = field(default_factory=list)
    fonts: list[FontFace] = field(default_factory=list)
    namespaces: list[int] = field(default_factory=list)
    charset_end: int = 0
    """Where the style sheet begins behind an `@charset`."""


def css_references(text: str) -> CssReferences:
    """Read a style sheet, or the declarations of a `style` attribute."""
    return _Reader(text).read()


def safe_style(text: str) -> str:
    """A style sheet that cannot end its `<style>`; the same style sheet."""
    return re.sub(r"</(style)", r"<\\/\1", text, flags=re.IGNORECASE)


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1]:
            code = int(match[1], 16)
            return chr(code) if 0 < code <= 0x10FFFF else "\ufffd"
        return "" if match[2] in ("\n", "\r", "\r\n", "\f") else match[2]

    return _ESCAPE.sub(one, text)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.matches = [match for match in _TOKEN.finditer(text) if match.lastgroup != "comment"]
        self.at = 0
        self.found = CssReferences()

    def read(self) -> CssReferences:
        charset = re.match(r'@charset "[^"]*";', self.text)
        self.found.charset_end = charset.end() if charset else 0
        depth = 0
        functions: list[str] = []
        while self.at < len(self.matches):
            match = self.matches[self.at]
            word = match[0].lower()
            if match["at"] and depth == 0 and word in ("@import", "@namespace"):
                self._statement(word)
                continue
            if match["at"] and word == "@font-face":
                self._font_face()
                continue
            if word == "{":
                depth += 1
            elif word == "}":
                depth = max(0, depth - 1)
            elif word == ")" and functions:
                functions.pop()
            elif word.endswith("(") and not match["url"] and not match["string"]:
                functions.append(word)
            url = self._url(functions)
            if url is not None:
                self.found.urls.append(url)
            self.at += 1
        return self.found

    def _url(self, functions: list[str]) -> CssUrl | None:
        """The address at this token, if it is one: `url(a)`, `url("a")` or a string of an image set."""
        match = self.matches[self.at]
        if match["url"]:
            return CssUrl(_unescaped(match["address"]), match.start(), match.end())
        if not match["string"] or not functions:
            return None
        address = _unescaped(match[0][1:-1])
        if functions[-1] in _IMAGE_SETS:
            return CssUrl(address, match.start(), match.end())
        if functions[-1] in _URL_FUNCTIONS and self.at + 1 < len(self.matches):
            return CssUrl(address, self.matches[self.at - 1].start(), self.matches[self.at + 1].end())
        return None

    def _statement(self, word: str) -> None:
        """`@import` or `@namespace`, up to its `;`."""
        first = self.matches[self.at]
        self.at += 1
        url: CssUrl | None = None
        functions: list[str] = []
        while self.at < len(self.matches) and self.matches[self.at][0] not in (";", "{", "}"):
            match = self.matches[self.at]
            if match["name"] and match[0].endswith("("):
                functions.append(match[0].lower())
            if url is None:
                plain_string = match["string"] and not functions
                address = _unescaped(match[0][1:-1]) if plain_string else ""
                url = CssUrl(address, match.start(), match.end()) if plain_string else self._url(functions)
            self.at += 1
        closed = self.at < len(self.matches) and self.matches[self.at][0] == ";"
        end = self.matches[self.at].start() if self.at < len(self.matches) else len(self.text)
        if word == "@namespace":
            self.found.namespaces.append(first.start())
        elif url is not None:
            conditions = self.text[url.end : end].strip()
            self.found.imports.append(CssImport(url, first.start(), end + closed, conditions))
        self.at += closed

    def _font_face(self) -> None:
        """One rule: its declarations as they stand, without comments, and its addresses."""
        first = self.matches[self.at]
        self.at += 1
        urls: list[CssUrl] = []
        functions: list[str] = []
        marks: list[int] = []
        while self.at < len(self.matches) and self.matches[self.at][0] != "}":
            match = self.matches[self.at]
            if match[0] in ("{", ";") and not functions:
                marks.append(match.start())
            elif match[0] == ")" and functions:
                functions.pop()
            elif match["name"] and match[0].endswith("("):
                functions.append(match[0].lower())
            url = self._url(functions)
            if url is not None:
                urls.append(url)
            self.at += 1
        end = self.matches[self.at].end() if self.at < len(self.matches) else len(self.text)
        self.at += 1
        pieces = [
            re.sub(r"/\*[\s\S]*?\*/", " ", self.text[start + 1 : stop])
            for start, stop in zip(marks, [*marks[1:], end - 1], strict=True)
        ]
        declarations = tuple(
            (name.strip().lower(), value.strip())
            for name, colon, value in (piece.partition(":") for piece in pieces)
            if colon
        )
        self.found.fonts.append(FontFace(first.start(), end, declarations, tuple(urls)))
