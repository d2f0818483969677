"""What a host tells a view about where it is: theme, language, clock, room, the tool that made it.

The page reports what only a browser knows. The page is ours, but its values are not trusted: each is reduced
to a well-formed field or left out.
"""

from __future__ import annotations

from typing import Any

from fanlight.upstream import Tool

from .theme import Theme

__all__ = ["DISPLAY_MODES", "frame_size", "host_context", "page_part"]

DISPLAY_MODES = ("inline", "fullscreen", "pip")
# Taller than any honest inline view, low enough that a runaway height stays scrollable.
MAX_INLINE_HEIGHT = 6000
_MAX_PIXELS = 100_000
_SIDES = ("top", "right", "bottom", "left")


def host_context(
    tool: Tool, call_id: str, page: dict[str, Any], user_agent: str, theme: Theme
) -> dict[str, Any]:
    """The full context of a view for one call; a view begins inline."""
    context: dict[str, Any] = {
        "styles": theme.styles(),
        "displayMode": "inline",
        "userAgent": user_agent,
        "platform": "web",
        **page_part(page),
    }
    # A Tool without inputSchema fails the official view's handshake, so it is left out rather than sent.
    if isinstance(tool.raw.get("inputSchema"), dict):
        context["toolInfo"] = {"id": call_id, "tool": tool.raw}
    return context


def page_part(page: dict[str, Any]) -> dict[str, Any]:
    """The part of the context that the page reported."""
    part: dict[str, Any] = {
        "availableDisplayModes": _display_modes(page),
        "containerDimensions": _dimensions(page),
    }
    if page.get("theme") in ("light", "dark"):
        part["theme"] = page["theme"]
    for key in ("locale", "timeZone"):
        value = page.get(key)
        if isinstance(value, str) and 0 < len(value) <= 64:
            part[key] = value
    device = {key: page[key] for key in ("touch", "hover") if isinstance(page.get(key), bool)}
    if device:
        part["deviceCapabilities"] = device
    covered = page.get("insets")
    if isinstance(covered, dict):
        part["safeAreaInsets"] = {side: _pixels(covered.get(side)) or 0 for side in _SIDES}
    return part


def frame_size(page: dict[str, Any], width: float | None, height: float | None) -> dict[str, int]:
    """What a view reported, as whole pixels that the page can use; what is senseless is left out."""
    size: dict[str, int] = {}
    if width is not None:
        size["width"] = _whole(width, _MAX_PIXELS)
    if height is not None:
        size["height"] = _whole(height, _max_height(page))
    return size


def _display_modes(page: dict[str, Any]) -> list[str]:
    named = page.get("modes")
    modes = named if isinstance(named, list) else []
    return [mode for mode in DISPLAY_MODES if mode == "inline" or mode in modes]


def _dimensions(page: dict[str, Any]) -> dict[str, int]:
    """Fixed where the page rules, a maximum where the view does (protocol: `containerDimensions`)."""
    dimensions: dict[str, int] = {}
    height = _pixels(page.get("height"))
    if height:
        dimensions["height"] = height
    else:
        dimensions["maxHeight"] = _max_height(page)
    for key in ("width", "maxWidth"):
        value = _pixels(page.get(key))
        if value:
            dimensions[key] = value
            break
    return dimensions


def _max_height(page: dict[str, Any]) -> int:
    return min(_pixels(page.get("maxHeight")) or MAX_INLINE_HEIGHT, MAX_INLINE_HEIGHT)


def _pixels(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MAX_PIXELS:
        return value
    return None


def _whole(value: float, most: int) -> int:
    # Rounded up: half a pixel less shows a scrollbar.
    return min(max(int(value + 0.999), 1), most)
