"""Content blocks that a view sends: are they whole, and how do they read."""

from __future__ import annotations

import base64
import binascii
from typing import Any

__all__ = ["MODALITIES", "blocks_fault", "is_base64", "readable"]

# Every kind of block there is; what is advertised is what is accepted here.
MODALITIES: tuple[str, ...] = ("text", "image", "audio", "resource", "resourceLink")
_STRINGS = {
    "text": ("text",),
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}


def blocks_fault(blocks: list[dict[str, Any]]) -> str | None:
    """What is wrong with these blocks (their kinds were checked by the connection); None if nothing is."""
    for number, block in enumerate(blocks, 1):
        fault = _fault(block)
        if fault is not None:
            return f"content block {number} ({block['type'][:40]}) {fault}"
    return None


def _fault(block: dict[str, Any]) -> str | None:
    if block["type"] == "resource":
        resource = block.get("resource")
        if not isinstance(resource, dict) or not isinstance(resource.get("uri"), str):
            return "needs a 'resource' with a 'uri'"
        if isinstance(resource.get("text"), str):
            return None
        return None if is_base64(resource.get("blob")) else "needs 'text', or 'blob' in base64"
    for key in _STRINGS.get(block["type"], ()):
        if not isinstance(block.get(key), str):
            return f"needs {key!r}"
    if block["type"] in ("image", "audio") and not is_base64(block["data"]):
        return "needs 'data' in base64"
    return None


def is_base64(text: object) -> bool:
    """Whether this is base64 as it is used in MCP."""
    if not isinstance(text, str):
        return False
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def readable(blocks: list[dict[str, Any]]) -> str:
    """The blocks as a person would be shown them: text as it is, everything else by what it is."""
    return "\n\n".join(_readable(block) for block in blocks)


def _readable(block: dict[str, Any]) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "image" | "audio":
            return f"[{block['type']}, {block['mimeType'][:40]}, {len(block['data'])} characters]"
        case "resource":
            resource = block["resource"]
            return f"[resource {resource['uri'][:200]}]\n{resource.get('text', '')}".strip()
        case "resource_link":
            return f"[link {block['name'][:200]} {block['uri'][:200]}]"
        case other:
            return f"[{other[:40]}]"
