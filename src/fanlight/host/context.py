"""What a host tells a view about where it is: theme, language, clock, room, the tool that made it."""

from __future__ import annotations

from typing import Any

from fanlight.upstream import Tool

from .theme import DEFAULT_VARIABLES

__all__ = ["host_context", "page_part"]

# Taller than any honest inline view, low enough that a runaway height stays scrollable.
MAX_INLINE_HEIGHT = 6000


def host_context(tool: Tool, call_id: str, page: dict[str, Any], user_agent: str) -> dict[str, Any]:
    """The full context of an inline view for one call."""
    context: dict[str, Any] = {
        "styles": {"variables": dict(DEFAULT_VARIABLES)},
        "displayMode": "inline",
        "availableDisplayModes": ["inline"],
        "userAgent": user_agent,
        "platform": "web",
        **page_part(page),
    }
    # A Tool without inputSchema fails the official view's handshake, so it is left out rather than sent.
    if isinstance(tool.raw.get("inputSchema"), dict):
        context["toolInfo"] = {"id": call_id, "tool": tool.raw}
    return context


def page_part(page: dict[str, Any]) -> dict[str, Any]:
    """What the page reported, reduced to well-formed fields: the page is ours, its values are not trusted."""
    part: dict[str, Any] = {}
    if page.get("theme") in ("light", "dark"):
        part["theme"] = page["theme"]
    for key in ("locale", "timeZone"):
        value = page.get(key)
        if isinstance(value, str) and 0 < len(value) <= 64:
            part[key] = value
    device = {key: page[key] for key in ("touch", "hover") if isinstance(page.get(key), bool)}
    if device:
        part["deviceCapabilities"] = device
    width = page.get("width")
    dimensions: dict[str, Any] = {"maxHeight": MAX_INLINE_HEIGHT}
    if isinstance(width, int) and not isinstance(width, bool) and 0 < width <= 100_000:
        dimensions["width"] = width
    part["containerDimensions"] = dimensions
    return part
