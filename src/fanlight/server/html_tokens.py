"""Where the tags, attributes and raw texts of a document are, as a browser's tokenizer finds them.

`html.parser` tells neither where an attribute stands nor, in the same way in every release of Python,
where a script ends; both decide here whether an edit is safe. This builds no tree and repairs nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.entities import html5
from string import ascii_letters

__all__ = [
    "Attribute",
    "Comment",
    "Doctype",
    "EndTag",
    "StartTag",
    "Text",
    "Token",
    "quote_attribute",
    "tokens",
]

_SPACE = "\t\n\f\r "
_MARKUP = re.compile(r"<(?:[A-Za-z]|/[A-Za-z]|!|\?|/)")
_TAG_NAME = re.compile(r"[^\t\n\f\r />]+")
_BEFORE_ATTRIBUTE = re.compile(r"[\t\n\f\r /]*")
_ATTRIBUTE_NAME = re.compile(r"=?[^\t\n\f\r />=]*")
_EQUALS = re.compile(r"[\t\n\f\r ]*=[\t\n\f\r ]*")
_UNQUOTED = re.compile(r"[^\t\n\f\r >]*")
_COMMENT_END = re.compile(r"--!?>")
_SCRIPT_STEP = {
    "script": re.compile(r"(?P<escape><!--)|(?P<end></script(?=[\t\n\f\r />]))", re.IGNORECASE),
    "escaped": re.compile(
        r"(?P<leave>-->)|(?P<end></script(?=[\t\n\f\r />]))|(?P<double><script(?=[\t\n\f\r />]))",
        re.IGNORECASE,
    ),
    "double": re.compile(r"(?P<leave>-->)|(?P<single></script(?=[\t\n\f\r />]))", re.IGNORECASE),
}
# Their content is text up to the end tag. `noscript` is one of them wherever scripts run.
_RAW = frozenset({"iframe", "noembed", "noframes", "noscript", "script", "style", "textarea", "title", "xmp"})
# In SVG and MathML an element may be closed by `/>`; inside these, HTML's rules are back.
_FOREIGN = frozenset({"svg", "math"})
_BACK_TO_HTML = frozenset({"annotation-xml", "desc", "foreignobject", "title"})
_REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9A-Fa-f]+;?|[A-Za-z][A-Za-z0-9]*;?)")


@dataclass(frozen=True)
class Attribute:
    """One attribute: its name in lower case, its decoded value, and where both stand."""

    name: str
    value: str
    start: int
    end: int
    value_start: int
    quote: str


@dataclass(frozen=True)
class StartTag:
    """A start tag; `closed` is false when the document ends inside it."""

    start: int
    end: int
    name: str
    attributes: tuple[Attribute, ...]
    closed: bool

    def attribute(self, name: str) -> Attribute | None:
        """The attribute that counts: the first of that name."""
        return next((found for found in self.attributes if found.name == name), None)

    def value(self, name: str) -> str | None:
        """The decoded value of an attribute, None when it is not there."""
        found = self.attribute(name)
        return None if found is None else found.value


@dataclass(frozen=True)
class EndTag:
    """An end tag."""

    start: int
    end: int
    name: str


@dataclass(frozen=True)
class Text:
    """Text between tags. `of` names the element when it is a raw text, which tags cannot interrupt."""

    start: int
    end: int
    of: str = ""
    closed: bool = True


@dataclass(frozen=True)
class Comment:
    """A comment, or what browsers take for one."""

    start: int
    end: int
    closed: bool


@dataclass(frozen=True)
class Doctype:
    """The document type; `name` in lower case."""

    start: int
    end: int
    name: str


Token = StartTag | EndTag | Text | Comment | Doctype


def quote_attribute(value: str) -> str:
    """`value` in double quotes, escaped."""
    return '"' + value.replace("&", "&amp;").replace('"', "&quot;") + '"'


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a document in order; together they cover all of it."""
    at = 0
    islands: list[str] = []
    while at < len(text):
        match = _MARKUP.search(text, at)
        start = match.start() if match else len(text)
        if start > at:
            yield Text(at, start)
        if match is None:
            return
        token = _markup(text, start, in_foreign=bool(islands) and islands[-1] in _FOREIGN)
        yield token
        at = token.end
        if isinstance(token, EndTag) and token.name in islands:
            del islands[len(islands) - 1 - islands[::-1].index(token.name) :]
        if not isinstance(token, StartTag):
            continue
        foreign = bool(islands) and islands[-1] in _FOREIGN
        if (foreign or token.name in _FOREIGN) and text.endswith("/>", 0, token.end):
            continue
        if token.name in _FOREIGN or (foreign and token.name in _BACK_TO_HTML):
            islands.append(token.name)
        elif token.name in _RAW and token.closed:
            end = _raw_end(text, at, token.name)
            yield Text(at, len(text) if end is None else end, token.name, end is not None)
            at = len(text) if end is None else end
        elif token.name == "plaintext":
            yield Text(at, len(text), token.name, closed=False)
            return


def _markup(text: str, start: int, *, in_foreign: bool) -> Token:
    if text[start + 1] == "!":
        if text.startswith("<!--", start):
            return _comment(text, start)
        if text[start + 2 : start + 9].lower() == "doctype":
            end = _after(text, ">", start)
            words = text[start + 9 : end].strip(_SPACE + ">").split()
            return Doctype(start, end, words[0].lower() if words else "")
        if in_foreign and text.startswith("<![CDATA[", start):
            end = _after(text, "]]>", start)
            return Text(start, end)
    if text[start + 1] in ascii_letters:
        return _start_tag(text, start)
    if text[start + 1] == "/" and text[start + 2 : start + 3] in set(ascii_letters):
        tag = _start_tag(text, start + 1)
        return EndTag(start, tag.end, tag.name)
    return Comment(start, _after(text, ">", start), text.find(">", start) >= 0)


def _after(text: str, mark: str, start: int) -> int:
    found = text.find(mark, start)
    return len(text) if found < 0 else found + len(mark)


def _comment(text: str, start: int) -> Comment:
    for short in ("<!-->", "<!--->"):
        if text.startswith(short, start):
            return Comment(start, start + len(short), True)
    end = _COMMENT_END.search(text, start + 4)
    return Comment(start, end.end() if end else len(text), end is not None)


def _start_tag(text: str, start: int) -> StartTag:
    name = _TAG_NAME.match(text, start + 1)
    assert name is not None, "called at a letter"
    at = name.end()
    attributes: list[Attribute] = []
    while True:
        space = _BEFORE_ATTRIBUTE.match(text, at)
        at = space.end() if space else at
        if at >= len(text):
            return StartTag(start, len(text), name[0].lower(), tuple(attributes), closed=False)
        if text[at] == ">":
            return StartTag(start, at + 1, name[0].lower(), tuple(attributes), closed=True)
        attribute = _attribute(text, at)
        attributes.append(attribute)
        at = attribute.end


def _attribute(text: str, start: int) -> Attribute:
    name = _ATTRIBUTE_NAME.match(text, start)
    assert name is not None, "the pattern matches the empty text"
    equals = _EQUALS.match(text, name.end())
    if equals is None:
        return Attribute(name[0].lower(), "", start, name.end(), name.end(), "")
    at = equals.end()
    quote = text[at : at + 1]
    if quote and quote in "\"'":
        close = text.find(quote, at + 1)
        close = len(text) if close < 0 else close
        raw, end = text[at + 1 : close], min(close + 1, len(text))
    else:
        value = _UNQUOTED.match(text, at)
        raw, end, quote = (value[0], value.end(), "") if value else ("", at, "")
    return Attribute(name[0].lower(), _decoded(raw), start, end, at, quote)


def _decoded(raw: str) -> str:
    """An attribute's text without references. `?a=1&copy=2` stays: HTML decodes no bare name before `=`."""

    def one(match: re.Match[str]) -> str:
        name = match[0][1:]
        if name.startswith("#"):
            return html.unescape(match[0])
        followed = raw[match.end() : match.end() + 1]
        return match[0] if name not in html5 or (not name.endswith(";") and followed == "=") else html5[name]

    return _REFERENCE.sub(one, raw)


def _raw_end(text: str, start: int, name: str) -> int | None:
    """Where the end tag of a raw text begins; None when there is none."""
    if name != "script":
        found = re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE).search(text, start)
        return found.start() if found else None
    state, at = "script", start
    while match := _SCRIPT_STEP[state].search(text, at):
        if match.lastgroup == "end":
            return match.start()
        # `<!-->` enters and leaves at once: the dashes count for both.
        at = match.start() + 2 if match.lastgroup == "escape" else match.end()
        state = {"escape": "escaped", "leave": "script", "double": "double", "single": "escaped"}[
            match.lastgroup or ""
        ]
    return None
