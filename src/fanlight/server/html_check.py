"""What surely breaks a view, found in its HTML before any browser sees it.

Browsers repair nearly everything, so only what makes content vanish or leads a view away is a problem here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from fanlight.errors import ConfigError

from .csp_addresses import document_addresses
from .html_tokens import Comment, Doctype, EndTag, StartTag, Text, Token, tokens
from .inline_scripts import script_kind
from .source_text import Source

__all__ = ["HtmlProblem", "check_can_be_sent", "html_problems"]

_HAS_ORIGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//|#|$")
# In these a browser sees no strings, only the first end tag; and what people call them.
_ENDED_BY_THEIR_TEXT = {"script": "script", "style": "style sheet"}
# How much of an address must be known to tell that no scheme can follow.
_IS_PATH = re.compile(r"[/?#]")


@dataclass(frozen=True)
class HtmlProblem:
    """One thing that breaks a view, where it is, and what to do. `str()` gives `name:line:column: text`."""

    name: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.name}:{self.line}:{self.column}: {self.text}"


def html_problems(html: str, name: str = "view.html", *, alone: bool = False) -> list[HtmlProblem]:
    """Everything in `html` that surely breaks a view, in document order; empty when nothing does.

    `alone`: no folder belongs to the document, so that a relative address finds nothing.
    """
    source = Source(name, html)
    found = list(tokens(html))
    offsets = [
        *_document_problems(source, found),
        *_token_problems(found),
        *_early_ends(source, found),
        *_template_problems(found),
    ]
    problems = [HtmlProblem(name, *source.place(offset), text) for offset, text in offsets]
    if alone:
        problems += _relative_problems(source, found)
    return sorted(problems, key=lambda problem: (problem.line, problem.column))


def check_can_be_sent(html: str, name: str) -> None:
    """For every document, checked or not: what is no UTF-8 ends a whole server when it is written out.

    Raises:
        ConfigError: there is half of a surrogate pair in it.
    """
    try:
        html.encode()
    except UnicodeEncodeError as error:
        line = html.count("\n", 0, error.start) + 1
        raise ConfigError(
            f"{name}: line {line} has {html[error.start]!a}, half of a character, which cannot be sent; the "
            "name of a file that is not UTF-8 has such: show os.fsencode(name).decode('utf-8', 'replace')"
        ) from error


def _document_problems(source: Source, found: list[Token]) -> Iterator[tuple[int, str]]:
    for token in found:
        blank = isinstance(token, Text) and not source.text[token.start : token.end].strip()
        if blank or isinstance(token, Comment):
            continue
        if not isinstance(token, Doctype) or token.name != "html":
            yield token.start, "not an HTML5 document; begin it with <!doctype html>"
        return
    yield 0, "the document is empty; begin it with <!doctype html>"


def _token_problems(found: list[Token]) -> Iterator[tuple[int, str]]:
    opened: StartTag | None = None
    for token in found:
        if isinstance(token, StartTag):
            opened = token
            if not token.closed:
                yield token.start, f"the tag <{token.name} is never closed; add the missing quote or '>'"
            elif token.name == "base" and not _HAS_ORIGIN.match(token.value("href") or ""):
                yield token.start, "<base href> leads to the view's own origin, where nothing is; remove it"
            elif token.name == "frameset":
                yield token.start, "a <frameset> has no content of its own; use <body>"
            elif token.name == "meta" and (token.value("http-equiv") or "").strip().lower() == "refresh":
                yield token.start, "a refresh ends the view, which may not navigate; remove it"
        elif isinstance(token, Text) and token.of and not token.closed and opened is not None:
            yield opened.start, f"<{token.of}> is never closed and swallows the rest; write </{token.of}>"
        elif isinstance(token, Comment) and not token.closed:
            yield token.start, "this comment is never closed and swallows the rest; write -->"


def _early_ends(source: Source, found: list[Token]) -> Iterator[tuple[int, str]]:
    """An end tag that ends nothing: the one in a string before it ended the script, and the rest is text."""
    ended: dict[str, EndTag] = {}
    for before, token in pairwise(found):
        if not isinstance(token, EndTag) or token.name not in _ENDED_BY_THEIR_TEXT:
            continue
        if isinstance(before, Text) and before.of == token.name:
            ended[token.name] = token
            continue
        text = f"this </{token.name}> ends nothing"
        if (early := ended.get(token.name)) is None:
            yield token.start, f"{text}: its start tag is missing or misspelled; write it, or remove this"
        else:
            line, _ = source.place(early.start)
            where = f"a string in the {_ENDED_BY_THEIR_TEXT[token.name]} above has one (line {line})"
            yield token.start, f"{text}: {where}; write <\\/{token.name}> there"


def _template_problems(found: list[Token]) -> Iterator[tuple[int, str]]:
    open_templates: list[int] = []
    for token in found:
        if getattr(token, "name", "") == "template":
            if isinstance(token, StartTag):
                open_templates.append(token.start)
            elif open_templates:
                open_templates.pop()
    for start in open_templates:
        yield start, "<template> is never closed and hides the rest; write </template>"


def _relative_problems(source: Source, found: list[Token]) -> Iterator[HtmlProblem]:
    mapped = any(isinstance(token, StartTag) and script_kind(token) == "importmap" for token in found)
    for address in document_addresses(source):
        known = address.complete or _IS_PATH.search(address.address)
        if not address.sure or not known or _HAS_ORIGIN.match(address.address):
            continue
        if mapped and address.seen_as.startswith("import"):
            continue
        if address.field == "connectDomains":
            text = f"{address.seen_as} of {address.address!r} finds no server in a view; call a tool instead"
        else:
            text = (
                f"{address.seen_as} names the file {address.address!r}, which a lone document does not have; "
                "use AppResource.folder, or put its content into the document"
            )
        if address.seen_as.endswith("()"):
            text += "; check=False if this is never called"
        yield HtmlProblem(address.name, address.line, address.column, text)
