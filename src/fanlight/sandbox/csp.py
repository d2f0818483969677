"""Content-Security-Policy texts: one table from declared domains to directives, two named levels.

The texts go out as HTTP headers on documents that we serve; a view can never choose its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .domains import DomainRules
from .sources import BadSource, Source, parse_source, plain_text

__all__ = [
    "FIELDS",
    "MAX_SOURCES",
    "TABLE",
    "CspLevel",
    "CspReport",
    "Directive",
    "DroppedSource",
    "relay_policy",
    "view_policy",
]


class CspLevel(StrEnum):
    """How literally the specification's policy is taken."""

    STRICT = "strict"
    """The letter of the specification: no eval, no blob:, no data: scripts."""
    COMPAT = "compat"
    """No new origin, but eval, wasm, blob: and data:. The letter breaks one in five official apps."""


@dataclass(frozen=True)
class Directive:
    """A row of the table: what the letter gives, what `compat` adds, which declared field widens it."""

    name: str
    strict: tuple[str, ...] = ()
    compat: tuple[str, ...] = ()
    """Ways to run or show bytes that the document already has. None reaches a new origin."""
    field: str | None = None
    undeclared: str = "'none'"
    """What stands there when nothing else does."""

    def sources(self, level: CspLevel, declared: Mapping[str, list[str]]) -> list[str]:
        """What stands in the directive."""
        more = self.compat if level is CspLevel.COMPAT else ()
        found = [*self.strict, *more, *declared.get(self.field or "", ())]
        return found or [self.undeclared]


_SCRIPT = ("'self'", "'unsafe-inline'")
# The specification's construction rule (protocol reference §2.7), and what it leaves open. Its two texts
# differ about `connect-src` with nothing declared ('none' or 'self'): the tighter one stands here. There is
# no `worker-src` in it: browsers refuse workers of another origin, and the view's own origin serves no
# script, so blob: and data: remain. There is no `form-action`, through which any data could leave.
TABLE: tuple[Directive, ...] = (
    Directive("default-src"),
    Directive(
        "script-src", _SCRIPT, ("'unsafe-eval'", "'wasm-unsafe-eval'", "blob:", "data:"), "resourceDomains"
    ),
    Directive("style-src", _SCRIPT, ("blob:", "data:"), "resourceDomains"),
    Directive("img-src", ("'self'", "data:"), ("blob:",), "resourceDomains"),
    Directive("font-src", ("'self'",), ("data:", "blob:"), "resourceDomains"),
    Directive("media-src", ("'self'", "data:"), ("blob:",), "resourceDomains"),
    Directive("connect-src", (), ("data:", "blob:"), "connectDomains"),
    Directive("frame-src", (), (), "frameDomains"),
    Directive("worker-src", (), ("blob:", "data:")),
    Directive("base-uri", (), (), "baseUriDomains", undeclared="'self'"),
    Directive("object-src"),
    Directive("form-action"),
)
FIELDS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
# More would make headers that reverse proxies refuse; real apps declare a handful.
MAX_SOURCES = 50
_SHOWN = 120
# Everything that can be fetched from elsewhere: the enforced policy has decided about that already.
_NETWORK = ("http:", "https:", "ws:", "wss:")


@dataclass(frozen=True)
class DroppedSource:
    """A declared value that is not in the policy, and why. The value is bounded, printable text."""

    field: str
    value: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field} {self.value!r}: {self.reason}"


@dataclass(frozen=True)
class CspReport:
    """The policy text, what of the declaration stands in it, what was dropped, and by which rules.

    `beyond_strict` is a report-only policy: it refuses exactly what `strict` refuses and `compat` allows, so
    that the browser reports each use of the difference. None when the level is `strict`.
    """

    policy: str
    applied: dict[str, list[str]]
    dropped: list[DroppedSource] = field(default_factory=list)
    beyond_strict: str | None = None
    rules: DomainRules = field(default_factory=DomainRules)

    def sources(self) -> list[Source]:
        """Every applied source once."""
        texts = dict.fromkeys(text for values in self.applied.values() for text in values)
        return [parse_source(text) for text in texts]


def view_policy(
    declared: Any,
    *,
    level: CspLevel = CspLevel.COMPAT,
    frame_ancestors: str,
    report_uri: str | None = None,
    opaque: bool = False,
    rules: DomainRules | None = None,
) -> CspReport:
    """Build the policy of a view's own document from its `_meta.ui.csp`.

    R13, R15, R27–R30: only declared domains, restrictive where nothing is declared; `rules` can only remove.
    An opaque document is sandboxed by its own header as well. It has no origin of its own, so its 'self'
    would be the name that serves it, the proxy's: there it is left out.
    """
    rules = rules or DomainRules()
    applied, dropped = _declared_sources(declared, rules)
    parts = []
    for row in TABLE:
        values = row.sources(level, applied)
        if opaque and row.name != "base-uri":
            values = [value for value in values if value != "'self'"] or [row.undeclared]
        parts.append(f"{row.name} {' '.join(values)}")
    parts.append(f"frame-ancestors {frame_ancestors}")
    if opaque:
        parts.append("sandbox allow-scripts allow-forms")
    report = [] if report_uri is None else [f"report-uri {report_uri}"]
    beyond = "; ".join([*_beyond_strict(), *report]) if level is CspLevel.COMPAT and report else None
    return CspReport("; ".join([*parts, *report]), applied, dropped, beyond, rules)


def _beyond_strict() -> list[str]:
    """The directives in which the levels differ, as `strict` has them, with every address allowed."""
    rows = [row for row in TABLE if row.compat]
    return [
        " ".join(
            [
                row.name,
                *(value for value in row.strict if value != "'self'"),
                *_NETWORK,
                *(["'report-sample'"] if row.name == "script-src" else []),
            ]
        )
        for row in rows
    ]


def relay_policy(*, frame_url: str, frame_ancestors: str, script: str, style: str) -> str:
    """The policy of a document of ours that holds a frame: one script and one style by hash, that frame.

    In Chromium the embedder's `frame-src` decides whether a view may navigate itself away, so this line is
    what keeps a view from leaving; the view's own policy cannot. A view can act in the shell's name (they
    share an origin), so this must never allow more than the strictest view policy does.
    """
    return (
        f"default-src 'none'; script-src '{script}'; style-src '{style}'; frame-src {frame_url}; "
        f"frame-ancestors {frame_ancestors}; base-uri 'none'; form-action 'none'"
    )


def _declared_sources(declared: Any, rules: DomainRules) -> tuple[dict[str, list[str]], list[DroppedSource]]:
    if declared is None:
        return {}, []
    if not isinstance(declared, Mapping):
        return {}, [_dropped("csp", declared, f"must be an object with {', '.join(FIELDS)}")]
    applied: dict[str, list[str]] = {}
    dropped = [
        _dropped("csp", name, f"no such field; there are {', '.join(FIELDS)}")
        for name in list(declared)[:MAX_SOURCES]
        # Other spellings have an underscore, and were translated and reported where the metadata was read.
        if name not in FIELDS and "_" not in str(name)
    ]
    for name in FIELDS:
        values = declared.get(name)
        if values is None:
            continue
        if not isinstance(values, list | tuple):
            dropped.append(_dropped(name, values, "must be a list of strings"))
            continue
        kept: dict[str, None] = {}
        for value in values[:MAX_SOURCES]:
            try:
                source = parse_source(value)
            except BadSource as problem:
                dropped.append(_dropped(name, value, str(problem)))
                continue
            refusal = rules.problem(source)
            if refusal is None:
                kept[str(source)] = None
            else:
                dropped.append(_dropped(name, value, refusal))
        if len(values) > MAX_SOURCES:
            rest = f"{len(values) - MAX_SOURCES} more"
            dropped.append(DroppedSource(name, rest, f"a field holds at most {MAX_SOURCES} sources"))
        if kept:
            applied[name] = list(kept)
    return applied, dropped


def _dropped(field: str, value: object, reason: str) -> DroppedSource:
    shown = plain_text(value, _SHOWN) if isinstance(value, str) else f"({type(value).__name__})"
    return DroppedSource(field, shown, reason)
