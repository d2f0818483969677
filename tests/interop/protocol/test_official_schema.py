"""The checker that judges our outgoing messages: right messages pass, wrong ones are refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from official_schema import definition_names, problems

pytestmark = pytest.mark.interop

JSONObject = dict[str, Any]

CONTEXT: JSONObject = {
    "theme": "dark",
    "styles": {"variables": {"--font-sans": "Inter"}, "css": {"fonts": "@import 'x'"}},
    "displayMode": "inline",
    "availableDisplayModes": ["inline", "pip"],
    "containerDimensions": {"height": 300, "maxWidth": 640},
    "platform": "web",
    "safeAreaInsets": {"top": 0, "right": 0, "bottom": 0, "left": 0},
    "toolInfo": {"id": 0, "tool": {"name": "t", "inputSchema": {"type": "object"}, "x-of-the-server": 1}},
    "x-host": "kept",
}


def initialize_answer(**context: object) -> JSONObject:
    return {
        "jsonrpc": "2.0",
        "id": 0,
        "result": {
            "protocolVersion": "2026-01-26",
            "hostInfo": {"name": "h", "version": "1"},
            "hostCapabilities": {"openLinks": {}},
            "hostContext": {**copy.deepcopy(CONTEXT), **context},
        },
    }


def notification(name: str, params: JSONObject) -> JSONObject:
    return {"jsonrpc": "2.0", "method": f"ui/notifications/{name}", "params": params}


def request(method: str, params: JSONObject) -> JSONObject:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


BLOCK = {"type": "text", "text": "hi", "x-of-the-server": 1}

RIGHT: dict[str, tuple[JSONObject, str | None]] = {
    "initialize answer": (initialize_answer(), "ui/initialize"),
    "tool input": (notification("tool-input", {"arguments": {"a": None}}), None),
    "tool result": (notification("tool-result", {"content": [BLOCK], "x": 1}), None),
    "context": (notification("host-context-changed", {"theme": "light"}), None),
    "teardown with a reason": (request("ui/resource-teardown", {"reason": "closed"}), None),
    "core call": (request("tools/call", {"name": "t"}), None),
    "tool result as an answer": ({"jsonrpc": "2.0", "id": "a", "result": {"content": []}}, "tools/call"),
    "empty answer": ({"jsonrpc": "2.0", "id": 3, "result": {}}, "ui/update-model-context"),
    "error": ({"jsonrpc": "2.0", "id": 3, "error": {"code": -32000, "message": "no"}}, "ui/open-link"),
}

WRONG: dict[str, tuple[JSONObject, str | None]] = {
    "unknown theme": (initialize_answer(theme="blue"), "ui/initialize"),
    "null field of the context": (initialize_answer(locale=None), "ui/initialize"),
    "unknown style variable": (
        initialize_answer(styles={"variables": {"--my-colour": "red"}}),
        "ui/initialize",
    ),
    "null style variable": (initialize_answer(styles={"variables": {"--font-sans": None}}), "ui/initialize"),
    "unknown platform": (initialize_answer(platform="watch"), "ui/initialize"),
    "unknown display mode": (initialize_answer(availableDisplayModes=["modal"]), "ui/initialize"),
    "height that is no number": (initialize_answer(containerDimensions={"height": "3"}), "ui/initialize"),
    "null maximum": (initialize_answer(containerDimensions={"maxHeight": None}), "ui/initialize"),
    "three insets": (
        initialize_answer(safeAreaInsets={"top": 0, "right": 0, "left": 0}),
        "ui/initialize",
    ),
    "tool without inputSchema": (initialize_answer(toolInfo={"tool": {"name": "t"}}), "ui/initialize"),
    "answer without hostInfo": (
        {"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "1"}},
        "ui/initialize",
    ),
    "misspelt field": (notification("tool-input", {"argument": {}}), None),
    "null arguments": (notification("tool-input", {"arguments": None}), None),
    "null reason": (notification("tool-cancelled", {"reason": None}), None),
    "unknown content block": (notification("tool-result", {"content": [{"type": "hologram"}]}), None),
    "null structuredContent": (
        notification("tool-result", {"content": [], "structuredContent": None}),
        None,
    ),
    "message content as one object": (request("ui/message", {"role": "user", "content": BLOCK}), None),
    "unknown method": (notification("tool-output", {}), None),
    "no params": ({"jsonrpc": "2.0", "method": "ui/notifications/initialized"}, None),
    "null id": (
        {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}},
        None,
    ),
    "null in the answer of a core method": (
        {"jsonrpc": "2.0", "id": 1, "result": {"resources": [], "nextCursor": None}},
        "resources/list",
    ),
    "no envelope": ({"method": "ui/notifications/tool-input", "params": {}}, None),
    "context update answered with more than nothing": (
        {"jsonrpc": "2.0", "id": 3, "result": {"ok": True}},
        "ui/update-model-context",
    ),
    "result and error": (
        {"jsonrpc": "2.0", "id": 3, "result": {}, "error": {"code": 1, "message": "no"}},
        "ping",
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_message_passes(name: str) -> None:
    message, answered = RIGHT[name]
    assert problems(message, answered) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_message_is_refused(name: str) -> None:
    message, answered = WRONG[name]
    assert problems(message, answered)


def test_the_published_file_is_the_one_the_relaxation_was_written_for() -> None:
    assert len(definition_names()) == 39
