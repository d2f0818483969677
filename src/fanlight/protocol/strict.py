"""Strict out: what the program hands us, made fit for an official peer, or refused by name.

Only what we build ourselves is validated. Payloads of others (arguments, results) are not walked through:
their own top-level nulls are dropped, everything inside is data.
"""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from fanlight.errors import ConfigError, LocalProtocolError
from fanlight.wire.jsonrpc import JSONObject
from fanlight.wire.types import WireModel

__all__ = ["checked", "same_json", "tool_result", "without_nulls"]

_SHOWN = 80
# Pydantic names the first branch of a union in the path; ours are Number and RequestId.
_UNIONS = {"int": "give a number", "str": "give a string or an integer"}


def checked(model: type[WireModel], data: JSONObject, what: str) -> JSONObject:
    """``data`` as it may go on the wire: validated, null fields left out, and a copy of our own.

    Raises:
        ConfigError: names the field, its value and what to do.
    """
    try:
        return model.model_validate(data).to_wire()
    except ValidationError as fault:
        first = fault.errors()[0]
    path = [str(part) for part in first["loc"]]
    remedy = _UNIONS.get(path[-1]) if len(path) > 1 else None
    if remedy is not None:
        path.pop()
    field = ".".join([what, *path])
    if first["type"] == "missing":
        raise ConfigError(f"{field} is missing: add it")
    shown = repr(first["input"])
    if len(shown) > _SHOWN:
        shown = shown[: _SHOWN - 1] + "…"
    expected = first.get("ctx", {}).get("expected")
    if expected is not None:
        remedy = f"use {expected}"
    raise ConfigError(f"{field} is {shown}: {remedy or first['msg'].removeprefix('Value error, ')}")


def without_nulls(data: JSONObject) -> JSONObject:
    """``data`` without its own null fields; the same object if it has none."""
    if None in data.values():
        return {key: value for key, value in data.items() if value is not None}
    return data


def tool_result(result: JSONObject) -> JSONObject:
    """A ``CallToolResult`` fit to send: ``content`` present, no null field in it or in its blocks.

    ``structuredContent`` and ``_meta`` are data and stay as they are.

    Raises:
        LocalProtocolError: ``content`` is not an array.
    """
    result = without_nulls(result)
    content = result.get("content")
    if content is None:
        return {"content": [], **result}
    if not isinstance(content, list):
        raise LocalProtocolError(f"a tool result's content must be an array, not {type(content).__name__}")
    blocks = [_block(block) for block in content]
    if any(new is not old for new, old in zip(blocks, content, strict=True)):
        return {**result, "content": blocks}
    return result


def _block(block: Any) -> Any:
    if not isinstance(block, dict):
        return block
    block = without_nulls(block)
    resource = block.get("resource")
    if isinstance(resource, dict) and (cleaned := without_nulls(resource)) is not resource:
        return {**block, "resource": cleaned}
    return block


def same_json(one: object, other: object) -> bool:
    """Whether two JSON values are the same on the wire: unlike ``==``, ``True`` is not ``1``."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_json(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and one == other
