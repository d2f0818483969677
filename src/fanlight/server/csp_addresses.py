"""Every address in a document that a browser loads by itself or that a script asks for.

Sure is only what nobody can mean otherwise. Which field of the policy an address needs is a row here; what
follows from it is said elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from .css_tokens import css_references
from .html_templates import with_templates
from .html_tokens import StartTag, Text, tokens
from .inline_scripts import script_kind
from .js_calls import beginning, literal_calls
from .js_modules import module_syntax
from .js_tokens import JsKind, JsSyntaxError, JsToken
from .source_text import Source
from .srcset import srcset_candidates

__all__ = ["FoundAddress", "document_addresses"]

RESOURCE, CONNECT, FRAME, BASE = "resourceDomains", "connectDomains", "frameDomains", "baseUriDomains"
_ATTRIBUTES = {
    ("audio", "src"): RESOURCE,
    ("base", "href"): BASE,
    ("feimage", "href"): RESOURCE,
    ("frame", "src"): FRAME,
    ("iframe", "src"): FRAME,
    ("image", "href"): RESOURCE,
    ("image", "xlink:href"): RESOURCE,
    ("img", "src"): RESOURCE,
    ("input", "src"): RESOURCE,
    ("script", "src"): RESOURCE,
    ("source", "src"): RESOURCE,
    ("track", "src"): RESOURCE,
    ("video", "poster"): RESOURCE,
    ("video", "src"): RESOURCE,
}
_LINKS = frozenset({"icon", "apple-touch-icon", "mask-icon", "modulepreload", "preload", "stylesheet"})
_CALLS = {
    "EventSource": CONNECT,
    "WebSocket": CONNECT,
    "fetch": CONNECT,
    "import": RESOURCE,
    "sendBeacon": CONNECT,
}
_METHODS = frozenset({"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
_ADDRESS = re.compile(r"(?:https?|wss?)://", re.IGNORECASE)
_SOURCE_URL = re.compile(r"\n//# sourceURL=(\S+)\s*\Z")
# Calls that name a link or a namespace, not something to load.
_NAMES_ONLY = frozenset({"createElementNS", "getAttributeNS", "hasAttributeNS", "openLink", "setAttributeNS"})


@dataclass(frozen=True)
class FoundAddress:
    """One address. `complete` is false when a script goes on with something unknown behind it.

    `sure` is false when it may be for something else, or for nothing: what a `<template>` holds, a method
    that is merely called `fetch`.
    """

    address: str
    field: str
    name: str
    line: int
    column: int
    seen_as: str
    complete: bool = True
    sure: bool = True


def _found(
    address: str,
    field: str,
    source: Source,
    offset: int,
    seen_as: str,
    complete: bool = True,
    sure: bool = True,
) -> FoundAddress:
    return FoundAddress(address, field, source.name, *source.place(offset), seen_as, complete, sure)


def document_addresses(document: Source) -> Iterator[FoundAddress]:
    """The addresses of a document in the order they stand; relative ones too."""
    tag: StartTag | None = None
    for token, in_template in with_templates(tokens(document.text)):
        found: Iterable[FoundAddress] = ()
        if isinstance(token, StartTag):
            tag = token
            found = _tag_addresses(document, token)
        elif isinstance(token, Text) and token.of == "style":
            found = _css_addresses(document.part(token.start, token.end), "in <style>")
        elif isinstance(token, Text) and token.of == "script" and tag is not None:
            kind = script_kind(tag)
            if kind in ("classic", "module") and tag.attribute("src") is None:
                found = _script_addresses(document.part(token.start, token.end), module=kind == "module")
        yield from (replace(each, sure=False) for each in found) if in_template else found


def _tag_addresses(document: Source, tag: StartTag) -> Iterator[FoundAddress]:
    for attribute in tag.attributes:
        field = _ATTRIBUTES.get((tag.name, attribute.name))
        seen_as = f"<{tag.name} {attribute.name}>"
        if tag.name == "link" and attribute.name == "href":
            relations = set((tag.value("rel") or "").lower().split()) & _LINKS
            loads_data = "preload" in relations and tag.value("as") == "fetch"
            field = (CONNECT if loads_data else RESOURCE) if relations else None
        if field is not None:
            yield _found(attribute.value.strip(), field, document, attribute.start, seen_as)
        elif attribute.name == "srcset" and tag.name in ("img", "source"):
            for address, _ in srcset_candidates(attribute.value):
                yield _found(address, RESOURCE, document, attribute.start, seen_as)
        elif attribute.name == "style":
            begins = attribute.value_start + len(attribute.quote)
            yield from _css_addresses(Source(document.name, attribute.value, document, begins), "in style=")


def _css_addresses(source: Source, where: str) -> Iterator[FoundAddress]:
    found = css_references(source.text)
    for statement in found.imports:
        yield _found(statement.url.address, RESOURCE, source, statement.start, f"@import {where}")
    for url in [*found.urls, *(url for font in found.fonts for url in font.urls)]:
        yield _found(url.address, RESOURCE, source, url.start, f"url() {where}")


def _script_addresses(source: Source, *, module: bool) -> Iterator[FoundAddress]:
    named = _SOURCE_URL.search(source.text)
    if named:
        # Inlined from a file, which begins right behind the tag: told as a place in that file.
        source = Source(unquote(named[1]), source.text)
    try:
        syntax = module_syntax(source.text, module=module)
    except JsSyntaxError:
        return
    known: set[int] = set()
    for found in syntax.imports:
        known.add(found.offset)
        yield _found(found.specifier, RESOURCE, source, found.offset, "import")
    for call in literal_calls(syntax):
        field = _CALLS.get(call.callee)
        if call.callee == "open" and call.method in _METHODS:
            field = CONNECT
        if field is not None or call.callee in _NAMES_ONLY:
            known.add(call.token.start)
        if field is not None:
            place, seen_as = call.token.start, f"{call.callee}()"
            yield _found(call.argument, field, source, place, seen_as, call.complete, call.of_browser)
    yield from _loose_addresses(source, syntax.tokens, known)


def _loose_addresses(source: Source, code: Sequence[JsToken], known: set[int]) -> Iterator[FoundAddress]:
    """Addresses that stand in a script without saying what for; most are for `fetch`."""
    for token in code:
        if token.kind in (JsKind.STRING, JsKind.TEMPLATE) and token.start not in known:
            text = beginning(token)
            if text is not None and _ADDRESS.match(text[0]):
                seen_as = "an address in a script"
                yield _found(text[0], CONNECT, source, token.start, seen_as, text[1], sure=False)
