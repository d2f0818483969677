"""The 76 style variables a host may give a view, and no other.

One unknown name makes an official view reject the whole handshake, so the list is closed.
"""

from __future__ import annotations

from difflib import get_close_matches

__all__ = ["STYLE_VARIABLES", "closest_style_variable"]

_PALETTE = (
    "primary",
    "secondary",
    "tertiary",
    "inverse",
    "ghost",
    "info",
    "danger",
    "success",
    "warning",
    "disabled",
)
_GROUPS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("--color-background-", _PALETTE, ""),
    ("--color-text-", _PALETTE, ""),
    ("--color-border-", _PALETTE, ""),
    ("--color-ring-", ("primary", "secondary", "inverse", "info", "danger", "success", "warning"), ""),
    ("--font-", ("sans", "mono"), ""),
    ("--font-weight-", ("normal", "medium", "semibold", "bold"), ""),
    ("--font-text-", ("xs", "sm", "md", "lg"), "-size"),
    ("--font-heading-", ("xs", "sm", "md", "lg", "xl", "2xl", "3xl"), "-size"),
    ("--font-text-", ("xs", "sm", "md", "lg"), "-line-height"),
    ("--font-heading-", ("xs", "sm", "md", "lg", "xl", "2xl", "3xl"), "-line-height"),
    ("--border-radius-", ("xs", "sm", "md", "lg", "xl", "full"), ""),
    ("--border-width-", ("regular",), ""),
    ("--shadow-", ("hairline", "sm", "md", "lg"), ""),
)

STYLE_VARIABLES: frozenset[str] = frozenset(
    f"{prefix}{name}{suffix}" for prefix, names, suffix in _GROUPS for name in names
)


def closest_style_variable(name: str) -> str | None:
    """The allowed name that looks most like ``name``, for error messages; None if nothing is near."""
    matches = get_close_matches(name, sorted(STYLE_VARIABLES), n=1)
    return matches[0] if matches else None
