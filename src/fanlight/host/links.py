"""Which addresses a page may open for a view."""

from __future__ import annotations

from urllib.parse import urlsplit

__all__ = ["link_fault", "site_of"]

_MAX_LENGTH = 8192  # browsers take more; nobody reads more


def link_fault(url: str) -> str | None:
    """Why this address is not opened, or None when it may be."""
    if len(url) > _MAX_LENGTH:
        return f"the address has {len(url)} characters; at most {_MAX_LENGTH} are opened"
    # Browsers drop tabs and newlines inside an address before they read it; such an address is a disguise.
    if any(ord(character) < 0x21 or ord(character) == 0x7F for character in url):
        return "an address with spaces or control characters is not opened"
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return "this address cannot be read"
    if parts.scheme.lower() not in ("http", "https") or not host:
        return f"only http and https links are opened, not {url[:80]!r}"
    if parts.username is not None or parts.password is not None:
        return "an address with a user name in it is not opened: it is used to disguise where it leads"
    if "\\" in url:
        return "an address with a backslash is not opened: browsers read it in another way than people"
    return None


def site_of(url: str) -> str:
    """Whose address it is: paths and queries may hold a person's data."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else f"{parts.scheme}:"
