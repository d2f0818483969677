"""Which origins a document reaches for, and what `csp=` lacks or has too much.

What markup and styles name, and what a script passes to `fetch()` and its like, is sure. An address that
merely stands in a script is a hint, because nobody knows what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fanlight.sandbox.sources import BadSource, parse_source
from fanlight.sandbox.sources import Source as CspSource

from .csp_addresses import FoundAddress, document_addresses
from .source_text import Source

__all__ = ["CspProblem", "InferredCsp", "SeenSource", "csp_lines", "csp_problems", "infer_csp"]

_FIELDS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
# Hosts whose addresses are names of things; nothing is ever loaded from them.
_NAMES = frozenset({"www.w3.org", "schema.org", "json-schema.org", "ns.adobe.com"})
# Map libraries write a placeholder for the servers of a pool: https://{s}.tile.example.org/{z}/{x}/{y}.png
_POOL = re.compile(r"^(\w+://)\{\w+\}\.")


@dataclass(frozen=True)
class SeenSource:
    """One origin at one place: the field of `csp=` that allows it, and how sure that is.

    `name` is the document, or the file that an inlined script came from.
    """

    field: str
    origin: str
    name: str
    line: int
    column: int
    seen_as: str
    sure: bool


@dataclass(frozen=True)
class InferredCsp:
    """Every origin that was seen, in document order."""

    name: str
    seen: tuple[SeenSource, ...]

    def domains(self) -> dict[str, list[str]]:
        """The `csp=` that allows what was surely seen; fields with nothing are left out."""
        found = {
            field: list(dict.fromkeys(seen.origin for seen in self.seen if seen.sure and seen.field == field))
            for field in _FIELDS
        }
        return {field: origins for field, origins in found.items() if origins}


@dataclass(frozen=True)
class CspProblem:
    """One difference between what was seen and what is declared. `str()` is the whole message.

    `hint` is true when nothing surely breaks: a declared origin that is never used, an address in a script
    whose use is unknown. `lines` is what to write into `csp=`; empty when there is nothing to add.
    """

    hint: bool
    field: str
    origin: str
    text: str
    lines: str

    def __str__(self) -> str:
        return self.text


def infer_csp(html: str, name: str = "view.html") -> InferredCsp:
    """Find the origins in a document's attributes, styles and scripts."""
    document = Source(name, html)
    seen = []
    for found in document_addresses(document):
        origin = _origin(found)
        if origin is not None:
            place = (found.name, found.line, found.column)
            seen.append(SeenSource(found.field, origin, *place, found.seen_as, found.sure))
    return InferredCsp(name, tuple(seen))


def _origin(found: FoundAddress) -> str | None:
    """The origin of an address as a policy names it; None when it has none or nobody can tell."""
    address = found.address
    if address.startswith("//"):
        address = f"https:{address}"
    address = _POOL.sub(r"\1*.", address)
    _, mark, rest = address.partition("://")
    if not mark or not (found.complete or re.search("[/?#]", rest)):
        return None
    try:
        parts = urlsplit(address)
        port = f":{parts.port}" if parts.port is not None else ""
        source = parse_source(f"{parts.scheme}://{parts.hostname or ''}{port}")
    except (ValueError, BadSource):
        return None
    return None if source.host in _NAMES else str(source)


def csp_problems(inferred: InferredCsp, declared: Mapping[str, Any] | None) -> list[CspProblem]:
    """What is missing from the declaration (errors first), what may be, and what may be superfluous.

    A declared value that is no source counts as not declared.
    """
    allowed = {field: _parsed((declared or {}).get(field, ())) for field in _FIELDS}
    missing = [seen for seen in inferred.seen if not _covered(seen.origin, allowed[seen.field])]
    named = {seen.origin for seen in inferred.seen if seen.sure}
    everything = [source for sources in allowed.values() for source in sources]
    loose = [
        seen
        for seen in missing
        if not seen.sure and seen.origin not in named and not _covered(seen.origin, everything)
    ]
    first: dict[tuple[str, str], SeenSource] = {}
    for seen in [*(seen for seen in missing if seen.sure), *loose]:
        first.setdefault((seen.field, seen.origin), seen)
    problems = [_missing(inferred, seen, declared) for seen in first.values()]
    used = [parse_source(seen.origin) for seen in inferred.seen]
    return problems + [
        _unused(field, str(source))
        for field, sources in allowed.items()
        for source in sources
        if not any(source.covers(other) for other in used)
    ]


def csp_lines(inferred: InferredCsp, declared: Mapping[str, Any] | None = None) -> str:
    """The whole `csp=` argument, in Python: what is declared, and what was surely seen besides."""
    wanted = {seen.field: "" for seen in inferred.seen if seen.sure} | dict.fromkeys(declared or {}, "")
    lines = [f"    {_line(inferred, field, declared)}\n" for field in _FIELDS if field in wanted]
    return f"csp={{\n{''.join(lines)}}}"


def _line(inferred: InferredCsp, field: str, declared: Mapping[str, Any] | None, more: str = "") -> str:
    """One field with everything that must stand in it."""
    before = list((declared or {}).get(field, ()))
    seen = [*inferred.domains().get(field, ()), *([more] if more else [])]
    lacking = [origin for origin in dict.fromkeys(seen) if not _covered(origin, _parsed(before))]
    quoted = ", ".join(f'"{origin}"' for origin in [*before, *lacking])
    return f'"{field}": [{quoted}],'


def _missing(inferred: InferredCsp, seen: SeenSource, declared: Mapping[str, Any] | None) -> CspProblem:
    line = _line(inferred, seen.field, declared, seen.origin)
    place = f"{seen.name}:{seen.line}:{seen.column}: {seen.seen_as}"
    if seen.sure:
        text = f"{place} needs {seen.origin}, which csp= does not allow; write csp={{{line.rstrip(',')}}}"
    else:
        text = f"{place} names {seen.origin}; if it is loaded, write csp={{{line.rstrip(',')}}}"
    return CspProblem(not seen.sure, seen.field, seen.origin, text, line)


def _unused(field: str, origin: str) -> CspProblem:
    text = (
        f"csp= allows {origin} in {field}, but nothing in the view names it; remove it if no script needs it"
    )
    return CspProblem(True, field, origin, text, "")


def _parsed(values: object) -> list[CspSource]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        return []
    found = []
    for value in values:
        try:
            found.append(parse_source(value))
        except BadSource:
            continue
    return found


def _covered(origin: str, allowed: Iterable[CspSource]) -> bool:
    wanted = parse_source(origin)
    return any(source.covers(wanted) for source in allowed)
