"""Judge one outgoing message by the JSON Schema that the published ext-apps package ships.

The package's ``schema.json`` is generated from Zod, and some of what it says is an artefact of the generator
and not a rule of the protocol. ``_relax`` undoes exactly these, and tightens where the generator lost a rule:

1. The definitions describe ``{method, params}`` without the JSON-RPC envelope. It is checked here by
   a schema of its own, and method and params are handed over without it.
2. All 76 style variables are listed as required. Any subset is legal, so that list is dropped (the names stay
   closed through ``propertyNames``).
3. ``additionalProperties: false`` stands where the protocol is open: on both halves of
   ``containerDimensions`` (an intersection that no object with a height and a width could satisfy; read as
   one object with all four fields), on the params of ``ui/resource-teardown`` (the spec has ``reason``),
   and inside tools, content blocks and annotations, which a host passes on as the server wrote them.
   Elsewhere it stays: what we spell ourselves must be spelled right.
4. ``undefined`` became ``{}`` in ``anyOf: [T, {}]``, which allows everything. It is read as ``T``.

Messages of core MCP have no definition in this file, except the tool result. For these the envelope is
checked here, and the official parser at the other end of the pipe is the judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from plugins.peers import NODE_HOME, REMEDY

__all__ = ["CORE_METHODS", "definition_names", "problems"]

JSONObject = dict[str, Any]

_FILE = NODE_HOME / "node_modules/@modelcontextprotocol/ext-apps/dist/src/generated/schema.json"

CORE_METHODS = frozenset(
    {
        "ping",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/templates/list",
        "sampling/createMessage",
        "tools/call",
        "tools/list",
        "notifications/cancelled",
        "notifications/message",
        "notifications/progress",
        "notifications/prompts/list_changed",
        "notifications/resources/list_changed",
        "notifications/tools/list_changed",
    }
)

_NOT_NULL = {"not": {"type": "null"}}
_FIELDS = {"type": "object", "additionalProperties": _NOT_NULL}
_ID = {"type": ["string", "integer"]}
_ENVELOPE: JSONObject = {
    "type": "object",
    "required": ["jsonrpc"],
    "properties": {
        "jsonrpc": {"const": "2.0"},
        "id": _ID,
        "method": {"type": "string"},
        "params": _FIELDS,
        "result": _FIELDS,
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "integer"}, "message": {"type": "string"}, "data": _NOT_NULL},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
    "oneOf": [
        {"required": ["method", "params"]},
        {"required": ["id", "result"]},
        {"required": ["id", "error"]},
    ],
}
_EMPTY_RESULT = {"type": "object", "properties": {"_meta": {"type": "object"}}, "additionalProperties": False}

# What a host passes on as it came: recognised by the field it stands in, or by a content block's own `type`.
_FOREIGN_FIELDS = frozenset({"tool", "annotations", "icons"})
_BLOCK_TYPES = frozenset({"text", "image", "audio", "resource", "resource_link"})


def problems(message: JSONObject, answered_method: str | None = None) -> list[str]:
    """Everything that the official schema has against ``message``; an empty list means it is right.

    ``answered_method`` is the method of the request that this message answers, for results and errors.
    """
    found = list(_complaints(_ENVELOPE, message))
    if found or "error" in message:
        return found
    if "result" in message:
        return list(_complaints(_result_schema(answered_method), message["result"]))
    method = message["method"]
    if method in CORE_METHODS:
        return []
    if method not in _by_method():
        return [f"{method}: neither the package nor core MCP has this method"]
    return list(_complaints(_by_method()[method], {"method": method, "params": message["params"]}))


def definition_names() -> list[str]:
    """The names of all definitions in the package's file."""
    return list(_definitions())


def _complaints(schema: JSONObject, instance: object) -> Iterator[str]:
    for error in Draft202012Validator(schema).iter_errors(instance):
        yield f"{error.json_path}: {error.message[:300]}"


@cache
def _definitions() -> dict[str, JSONObject]:
    """Each definition as a schema document of its own: references inside them are relative to themselves."""
    if not _FILE.is_file():
        pytest.fail(f"the npm peers are not installed: {REMEDY}")
    document: JSONObject = json.loads(_FILE.read_text(encoding="utf-8"))
    return {name: _relax(schema) for name, schema in document["$defs"].items()}


@cache
def _by_method() -> dict[str, JSONObject]:
    """Method name → definition of the request or notification."""
    found = {}
    for schema in _definitions().values():
        method = schema.get("properties", {}).get("method", {}).get("const")
        if method is not None:
            found[method] = schema
    return found


def _result_schema(method: str | None) -> JSONObject:
    definitions = _definitions()
    if method in ("ping", "ui/update-model-context"):
        return _EMPTY_RESULT
    if method == "tools/call":
        tool_result: JSONObject = definitions["McpUiToolResultNotification"]["properties"]["params"]
        return tool_result
    if method in CORE_METHODS:
        return _FIELDS
    for name, schema in definitions.items():
        if schema.get("properties", {}).get("method", {}).get("const") == method:
            return definitions[name.removesuffix("Request") + "Result"]
    raise AssertionError(f"a result was sent for {method!r}, which is no request that the peer made")


def _relax(node: Any, *, foreign: bool = False) -> Any:
    """A copy of the schema without the artefacts named in the module docstring."""
    if isinstance(node, list):
        return [_relax(item, foreign=foreign) for item in node]
    if not isinstance(node, dict):
        return node
    if "allOf" in node:
        node = _one_object(node["allOf"])
    if {} in node.get("anyOf", []):
        node = {**node, "anyOf": [branch for branch in node["anyOf"] if branch != {}]}
    properties = node.get("properties", {})
    foreign = foreign or properties.get("type", {}).get("const") in _BLOCK_TYPES
    copy = {
        key: _relax_properties(value, foreign) if key == "properties" else _relax(value, foreign=foreign)
        for key, value in node.items()
    }
    if "propertyNames" in copy:
        copy.pop("required", None)
    if properties.get("method", {}).get("const") == "ui/resource-teardown":
        copy["properties"]["params"].pop("additionalProperties", None)
    if foreign and copy.get("additionalProperties") is False:
        del copy["additionalProperties"]
    return copy


def _one_object(halves: list[JSONObject]) -> JSONObject:
    """``allOf: [anyOf: [A, B], anyOf: [C, D]]`` of closed objects as one closed object with all fields."""
    branches = [branch for half in halves for branch in half["anyOf"]]
    fields = {name: schema for branch in branches for name, schema in branch["properties"].items()}
    return {"type": "object", "properties": fields, "additionalProperties": False}


def _relax_properties(properties: JSONObject, foreign: bool) -> JSONObject:
    return {
        name: _relax(schema, foreign=foreign or name in _FOREIGN_FIELDS)
        for name, schema in properties.items()
    }
