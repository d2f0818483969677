"""Tolerant in: the several spellings peers use, brought to the one the rest of the house knows.

Each function returns the normal form, or a sentence (``Fault``) that says what is wrong. Nothing raises.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NewType

from fanlight.wire.jsonrpc import MAX_SAFE_INTEGER, JSONObject

__all__ = [
    "Fault",
    "content_blocks",
    "download_contents",
    "is_finite",
    "json_size",
    "modality_fault",
    "pixels",
    "view_tools",
]

Fault = NewType("Fault", str)

_measure = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode

_MODALITY = {
    "text": "text",
    "image": "image",
    "audio": "audio",
    "resource": "resource",
    "resource_link": "resourceLink",
}


def json_size(value: object) -> int | None:
    """How many characters ``value`` has as compact JSON text; None if it is not JSON (cycles, NaN)."""
    try:
        return len(_measure(value))
    except (TypeError, ValueError, RecursionError):
        return None


def is_finite(number: float) -> bool:
    """Whether a number means a quantity: not NaN, not infinite, not an integer no float can hold."""
    return -MAX_SAFE_INTEGER <= number <= MAX_SAFE_INTEGER


def content_blocks(content: Any) -> list[JSONObject] | Fault:
    """Content as an array of blocks. The spec's text shows an object, the SDK an array, FrontMCP a string."""
    items = content if isinstance(content, list) else [content]
    blocks: list[JSONObject] = []
    for item in items:
        block = {"type": "text", "text": item} if isinstance(item, str) else item
        if not (isinstance(block, dict) and isinstance(block.get("type"), str)):
            return Fault("every content block must be an object with a 'type'")
        blocks.append(block)
    return blocks


def modality_fault(blocks: list[JSONObject], structured: bool, modalities: Mapping[str, Any]) -> Fault | None:
    """Which kind of content was not advertised; None if all was.

    An empty modalities object names no kind at all, so it is read as "no restriction": a host that takes
    nothing would not advertise the method.
    """
    if not modalities:
        return None
    kinds: list[str] = [_MODALITY.get(block["type"]) or block["type"] for block in blocks]
    if structured:
        kinds.append("structuredContent")
    for kind in kinds:
        if modalities.get(kind) is None:
            return Fault(f"this host does not take content of the kind {kind[:40]!r}")
    return None


def download_contents(contents: list[Any]) -> Fault | None:
    """What is wrong with the contents of ``ui/download-file``; None if nothing is."""
    for item in contents:
        kind = item.get("type") if isinstance(item, dict) else None
        if kind not in ("resource", "resource_link"):
            return Fault("contents must be of type 'resource' or 'resource_link'")
        holder = item.get("resource") if kind == "resource" else item
        if not (isinstance(holder, dict) and isinstance(holder.get("uri"), str)):
            return Fault("every item of contents must have a 'uri'")
        if kind == "resource" and not any(isinstance(holder.get(key), str) for key in ("text", "blob")):
            return Fault("an embedded resource must have 'text' or 'blob'")
    return None


def pixels(value: float | None) -> float | Fault | None:
    """A length a view reports: not negative (the SDK lets those pass), not infinite, None if absent."""
    if value is None:
        return None
    if not is_finite(value):
        return Fault("a size must be finite")
    return max(value, 0)


def view_tools(result: JSONObject) -> list[JSONObject] | Fault:
    """The tools a view lists. Views before SDK 1.4 list plain names."""
    tools = result.get("tools")
    if not isinstance(tools, list):
        return Fault("'tools' must be an array")
    listed: list[JSONObject] = []
    for tool in tools:
        entry = {"name": tool, "inputSchema": {"type": "object"}} if isinstance(tool, str) else tool
        if not (isinstance(entry, dict) and isinstance(entry.get("name"), str)):
            return Fault("every tool must be an object with a 'name'")
        listed.append(entry)
    return listed
