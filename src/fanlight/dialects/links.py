"""Whether a widget's link is one that may be opened, and the words to refuse it with."""

from __future__ import annotations

from urllib.parse import urlsplit

__all__ = ["link_fault"]

_MALFORMED = "Invalid URL format"
_FORBIDDEN_IN_HOST = frozenset(" <>^|\\")


def link_fault(url: str) -> str | None:
    """Why ``url`` may not be opened; None for an absolute http or https URL with a host and a usable port."""
    try:
        parts = urlsplit(url.strip())
        _ = parts.port  # reading it is what checks it
    except ValueError:
        return _MALFORMED
    if not parts.scheme:
        return _MALFORMED
    if parts.scheme not in ("http", "https"):
        return f"URL scheme '{parts.scheme}:' not allowed. Only http: and https: are permitted."
    if not parts.hostname or _FORBIDDEN_IN_HOST & set(parts.netloc):
        return _MALFORMED
    return None
