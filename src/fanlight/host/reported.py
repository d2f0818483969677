"""What browsers reported of a view: counted, bounded, each with the way out, as plain JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fanlight.sandbox import fix_for, metadata_with

if TYPE_CHECKING:
    from fanlight.sandbox import CspReport, Violation

    from .view import View

__all__ = ["MAX_REPORTS", "blocked_outcome", "count", "entry_for", "policy_facts"]

# Of one showing. A page with a hundred different faults is read as one that is broken.
MAX_REPORTS = 1000
_MAX_KINDS = 100
_NAMED = 3


def entry_for(violation: Violation, in_force: CspReport) -> dict[str, Any]:
    """A violation as pages, reports and logs have it: `directive`, `blocked`, `advice` and perhaps `fix`."""
    fix = fix_for(violation, in_force)
    entry = {**violation.as_json(), "blocked": violation.blocked, "advice": fix.sentence}
    return entry if fix.metadata is None else {**entry, "fix": fix.metadata}


def count(entries: list[dict[str, Any]], entry: dict[str, Any]) -> dict[str, Any] | None:
    """Add an entry, or count it to the one that says the same; None when there are too many kinds."""
    for known in entries:
        if (known["directive"], known["blocked"]) == (entry["directive"], entry["blocked"]):
            known["count"] += 1
            return known
    if len(entries) >= _MAX_KINDS:
        return None
    entries.append({**entry, "count": 1})
    return entries[-1]


def policy_facts(view: View) -> dict[str, Any]:
    """What of a view's declaration is `applied`, what was `dropped`, and the `fix`, if something was refused.

    The fix is the whole `csp` for `_meta.ui`: with it nothing is refused any more that can be declared.
    """
    if view.csp is None:
        return {}
    facts: dict[str, Any] = {
        "applied": view.csp.applied,
        "dropped": [vars(source) for source in view.csp.dropped],
    }
    fixes = [entry["fix"] for entry in view.violations if "fix" in entry]
    return {**facts, "fix": metadata_with(view.csp.applied, fixes)} if fixes else facts


def blocked_outcome(view: View, problem: str) -> tuple[str, str] | None:
    """Reason and remedy for a view that did not come up after its policy refused something."""
    if not view.violations:
        return None
    named = [f"{entry['directive']} {entry['blocked']}" for entry in view.violations[:_NAMED]]
    more = len(view.violations) - len(named)
    also = f" and {more} more" if more else ""
    # What can be declared is told before what cannot.
    first = min(view.violations, key=lambda entry: "fix" not in entry)
    return f"{problem} Its policy refused {', '.join(named)}{also}.", str(first["advice"])
