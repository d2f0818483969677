"""What a browser reports as refused, in bounded plain text, and what the author of the app can do about it.

Every text in a report was chosen by a view: it is read, cut and escaped here, and shown as text only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fanlight.wire.jsonrpc import JSONObject

from .csp import FIELDS, TABLE, CspReport
from .sources import BadSource, parse_source, plain_text

__all__ = ["Fix", "Violation", "fix_for", "metadata_with", "read_report"]

_DIRECTIVE = re.compile(r"[a-z]+(-[a-z]+){0,4}")
_MAX_ADDRESS = 300
_MAX_SAMPLE = 60
_TICKET = "..."
_ROWS = {row.name: row for row in TABLE}
# How reports name what has no address, and the source that allows it.
_WORDS = {
    "eval": ("eval", "'unsafe-eval'"),
    "wasm-eval": ("WebAssembly", "'wasm-unsafe-eval'"),
    "blob": ("blob: addresses", "blob:"),
    "data": ("data: addresses", "data:"),
}
_NEVER = {
    "form-action": "No view may submit a form to an address; handle the submit event and call a tool.",
    "object-src": "Plug-in content is never allowed; use an image, a video or a declared frame.",
    "worker-src": "Browsers refuse workers of another origin; make the worker from a blob: address.",
    "frame-ancestors": "Only this host may show the view.",
}


@dataclass(frozen=True)
class Violation:
    """One refusal. `enforced` is False for what only the `strict` level would have refused."""

    directive: str
    blocked: str
    enforced: bool = True
    sample: str = ""
    where: str = ""

    @property
    def row(self) -> str:
        """The directive of the table: `script-src-elem` is a part of `script-src`."""
        return self.directive.removesuffix("-elem").removesuffix("-attr")

    def as_json(self) -> dict[str, Any]:
        facts = {"directive": self.directive, "blocked": self.blocked, "sample": self.sample}
        return {key: value for key, value in {**facts, "where": self.where}.items() if value}


@dataclass(frozen=True)
class Fix:
    """What to do about a violation, in words; `metadata` is for the resource's `_meta.ui`, if that helps."""

    sentence: str
    metadata: JSONObject | None = None


def read_report(body: bytes, secret: str) -> Violation | None:
    """Read what a browser posted to `report-uri`; None when it is no report.

    `secret` is the ticket, which stands in the view's own address: it is taken out of every text.
    """
    try:
        report = json.loads(body)["csp-report"]
        directive = report.get("effective-directive") or report.get("violated-directive")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not isinstance(directive, str) or not _DIRECTIVE.fullmatch(directive):
        return None

    def text(name: str, limit: int) -> str:
        value = report.get(name)
        return plain_text(value.replace(secret, _TICKET), limit) if isinstance(value, str) else ""

    return Violation(
        directive,
        _without_query(text("blocked-uri", _MAX_ADDRESS)),
        report.get("disposition") != "report",
        text("script-sample", _MAX_SAMPLE),
        _where(_without_query(text("source-file", _MAX_ADDRESS)), report),
    )


def _without_query(address: str) -> str:
    """Queries and fragments hold people's data and keys; the fix never needs them."""
    found = re.search("[?#]", address)
    return address if found is None else f"{address[: found.start()]}?…"


def _where(file: str, report: Mapping[str, Any]) -> str:
    line, column = report.get("line-number"), report.get("column-number")
    if not (type(line) is int and type(column) is int and 0 < line < 1 << 32 and 0 <= column < 1 << 32):
        return ""
    # The view's own address says nothing that its author knows it by.
    place = "" if f"/view/{_TICKET}" in file or not file else f"{file} "
    return f"{place}line {line}, column {column}"


def fix_for(violation: Violation, in_force: CspReport | None = None) -> Fix:
    """Say how to get rid of a violation: by metadata, by the level, or not at all.

    With the policy `in_force`, nothing is suggested that the host would refuse or that is declared already.
    """
    row = _ROWS.get(violation.row)
    if violation.blocked in _WORDS:
        what, source = _WORDS[violation.blocked]
        if row is not None and source in row.compat:
            return Fix(
                f"The strict level refuses {what} here, compat allows it: Host(csp_level='compat') or --csp "
                "compat. An app for every host does without it."
            )
        return Fix(f"No level allows {what} here.")
    if violation.row in _NEVER:
        return Fix(_NEVER[violation.row])
    if row is None or row.field is None:
        return Fix(f"Nothing that a server can declare opens {violation.directive}.")
    return _fix_by_domain(violation, row.field, in_force or CspReport("", {}))


def _fix_by_domain(violation: Violation, field: str, in_force: CspReport) -> Fix:
    scheme, mark, rest = violation.blocked.partition("://")
    if not mark:
        return Fix(f"Nothing that a server can declare allows this in {violation.directive}.")
    try:
        source = parse_source(f"{scheme}://{rest.partition('/')[0]}")
    except BadSource as error:
        return Fix(f"It cannot be declared: {error}.")
    problem = in_force.rules.problem(source)
    if problem is not None:
        return Fix(f"Declaring {source} does not help: {problem}.")
    if any(parse_source(text).covers(source) for text in in_force.applied.get(field, ())):
        return Fix(
            f"{source} is declared; it redirects to an origin that is not. Find that one in the browser's "
            f"network panel and add it to {field}."
        )
    return Fix(f"Add {source} to {field} in the resource's _meta.ui.csp.", {"csp": {field: [str(source)]}})


def metadata_with(applied: Mapping[str, list[str]], fixes: Iterable[JSONObject]) -> JSONObject:
    """The whole `csp` to put into a resource's `_meta.ui`: what holds already, and every fix."""
    merged: dict[str, dict[str, None]] = {name: dict.fromkeys(applied.get(name, ())) for name in FIELDS}
    for fix in fixes:
        for name, sources in fix["csp"].items():
            merged[name].update(dict.fromkeys(sources))
    return {"csp": {name: list(sources) for name, sources in merged.items() if sources}}
