"""Content-Security-Policy texts: one table from declared domains to directives, two named levels.

The texts go out as HTTP headers on documents that we serve; a view can never choose its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from .sources import source_problem

__all__ = ["CspLevel", "CspReport", "DroppedSource", "relay_policy", "view_policy"]


class CspLevel(StrEnum):
    """How literally the specification's policy is taken."""

    STRICT = "strict"
    """The letter of the specification: no eval, no blob:, no data: scripts."""
    COMPAT = "compat"
    """No new origin, but eval, wasm, blob: and data:. The letter breaks one in five official apps."""


# What the specification's construction rule puts into each directive (protocol reference §2.7), and
# which declared field widens it. `connect-src` and `frame-src` are 'none' until something is declared.
_DIRECTIVES: tuple[tuple[str, tuple[str, ...], str | None], ...] = (
    ("script-src", ("'self'", "'unsafe-inline'"), "resourceDomains"),
    ("style-src", ("'self'", "'unsafe-inline'"), "resourceDomains"),
    ("img-src", ("'self'", "data:"), "resourceDomains"),
    ("font-src", ("'self'",), "resourceDomains"),
    ("media-src", ("'self'", "data:"), "resourceDomains"),
    ("connect-src", (), "connectDomains"),
    ("frame-src", (), "frameDomains"),
    ("worker-src", (), None),
    ("base-uri", (), "baseUriDomains"),
)
# What `compat` adds: ways to run or show bytes that the document already has. None reaches a new origin.
_COMPAT: Mapping[str, tuple[str, ...]] = {
    "script-src": ("'unsafe-eval'", "'wasm-unsafe-eval'", "blob:", "data:"),
    "style-src": ("blob:", "data:"),
    "img-src": ("blob:",),
    "font-src": ("data:", "blob:"),
    "media-src": ("blob:",),
    "connect-src": ("data:", "blob:"),
    "worker-src": ("'self'", "blob:", "data:"),
}
_FIELDS = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")


@dataclass(frozen=True)
class DroppedSource:
    """A declared source that did not make it into the policy, and why."""

    field: str
    value: object
    reason: str


@dataclass(frozen=True)
class CspReport:
    """The policy text, what of the declaration stands in it, and what was dropped."""

    policy: str
    applied: dict[str, list[str]]
    dropped: list[DroppedSource] = field(default_factory=list)


def view_policy(
    declared: Mapping[str, Any] | None,
    *,
    level: CspLevel = CspLevel.COMPAT,
    frame_ancestors: str,
    report_uri: str | None = None,
    opaque: bool = False,
) -> CspReport:
    """Build the policy of a view's own document from its `_meta.ui.csp`.

    R13, R15, R27–R30: only declared domains, restrictive where nothing is declared. The view keeps
    `base-uri 'self'` by default (R28); `form-action` and `object-src` are 'none' whatever is declared.
    An opaque document (no origin of its own) is sandboxed by its own header as well.
    """
    applied, dropped = _declared_sources(declared or {})
    directives = ["default-src 'none'"]
    for name, base, source_field in _DIRECTIVES:
        extra = _COMPAT.get(name, ()) if level is CspLevel.COMPAT else ()
        declared_here = applied.get(source_field, []) if source_field else []
        values = [*base, *extra, *declared_here]
        if name == "base-uri" and not values:
            values = ["'self'"]
        directives.append(f"{name} {' '.join(values) if values else _NONE}")
    directives += ["object-src 'none'", "form-action 'none'", f"frame-ancestors {frame_ancestors}"]
    if opaque:
        directives.append("sandbox allow-scripts allow-forms")
    if report_uri is not None:
        directives.append(f"report-uri {report_uri}")
    return CspReport("; ".join(directives), applied, dropped)


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


_NONE = "'none'"


def _declared_sources(declared: Mapping[str, Any]) -> tuple[dict[str, list[str]], list[DroppedSource]]:
    applied: dict[str, list[str]] = {}
    dropped: list[DroppedSource] = []
    for name in _FIELDS:
        values = declared.get(name)
        if values is None:
            continue
        if isinstance(values, str) or not isinstance(values, Iterable):
            dropped.append(DroppedSource(name, values, "must be a list of strings"))
            continue
        kept: list[str] = []
        for value in values:
            problem = source_problem(value)
            if problem is None:
                kept.append(value)
            else:
                dropped.append(DroppedSource(name, value, problem))
        if kept:
            applied[name] = kept
    return applied, dropped
