"""What holds for any message: nothing raises, stable spelling passes unchanged, and sleep changes nothing."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fanlight.dialects import (
    DIALECTS,
    STABLE,
    Translator,
    canonical_mime,
    canonical_resource_meta,
    canonical_tool,
)
from fanlight.dialects.mcpui import _TYPES
from fanlight.dialects.translator import _KNOWN
from fanlight.wire.methods import METHODS

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = [
    "context",
    "merge",
    "mode",
    "name",
    "url",
    "width",
    "height",
    "message",
    "level",
    "content",
    "arguments",
]
NAMES += [
    "appInfo",
    "appCapabilities",
    "clientInfo",
    "capabilities",
    "protocolVersion",
    "requestId",
    "inputSchema",
]
NAMES += [
    "description",
    "toolName",
    "params",
    "prompt",
    "intent",
    "hostContext",
    "hostCapabilities",
    "isError",
]
NAMES += ["containerDimensions", "toolInfo", "tool", "tools"]
VALUES = JSON | st.sampled_from(["2024-11-05", "2025-06-18", "2025-11-21", "2025-01-01", "FrontMCP Widget"])
PARAMS = JSON | st.dictionaries(
    st.sampled_from(NAMES), VALUES | st.dictionaries(st.sampled_from(NAMES), VALUES)
)
STANDARD_NAMES = sorted(row.name for row in METHODS)
FOREIGN_NAMES = sorted(_KNOWN)
IDS = st.integers(-1, 3) | st.sampled_from(["0", "a", "mcp-ui-0", "mcp-ui-1"]) | st.none() | st.just([1])


def calls(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    required: dict[str, st.SearchStrategy[Any]] = {
        "jsonrpc": st.just("2.0"),
        "method": st.sampled_from(names),
    }
    optional: dict[str, st.SearchStrategy[Any]] = {"id": IDS, "params": PARAMS}
    return st.fixed_dictionaries(required, optional=optional)


ANSWERS = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "id": IDS},
    optional={"result": PARAMS, "error": st.just({"code": -32000, "message": "no"})},
)
LEGACY = st.fixed_dictionaries(
    {"type": st.sampled_from(sorted(_TYPES))}, optional={"messageId": JSON, "payload": PARAMS}
)
MESSAGES = (
    calls(FOREIGN_NAMES + STANDARD_NAMES) | ANSWERS | LEGACY | st.dictionaries(st.text(max_size=8), JSON)
)
STEPS = st.lists(
    st.tuples(st.just("view"), MESSAGES | JSON) | st.tuples(st.just("host"), MESSAGES), max_size=12
)


def take(translator: Translator, step: tuple[str, Any]) -> list[Any]:
    who, message = step
    heard = translator.inbound(message) if who == "view" else translator.outbound(message)
    return [heard, translator.replies(), translator.answers(), translator.warnings()]


@given(st.sampled_from(sorted(DIALECTS)), STEPS)
def test_nothing_that_is_said_raises_and_everything_heard_is_json(dialect: str, steps: list[Any]) -> None:
    translator = Translator(dialect=dialect)
    for step in steps:
        heard, replies, answers, _ = take(translator, step)
        json.dumps([heard, replies, answers])


@given(st.sampled_from(sorted(DIALECTS)), STEPS)
def test_sleeping_between_any_two_messages_changes_nothing(dialect: str, steps: list[Any]) -> None:
    awake = Translator(dialect=dialect)
    sleeper = Translator(dialect=dialect)
    for step in steps:
        sleeper = Translator.restore(json.loads(json.dumps(sleeper.snapshot())))
        assert take(sleeper, step) == take(awake, step)


CONTENT = st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": st.text()}), max_size=2)
OPENING = st.fixed_dictionaries(
    {
        "appInfo": st.fixed_dictionaries(
            {"name": st.sampled_from(["a", "Chart"]), "version": st.text(max_size=3)}
        ),
        "appCapabilities": st.just({}) | st.just({"tools": {"listChanged": True}}),
        "protocolVersion": st.just("2026-01-26"),
    }
)
STABLE_PARAMS: dict[str, st.SearchStrategy[Any]] = {
    "ui/initialize": OPENING,
    "ui/message": st.fixed_dictionaries({"role": st.just("user"), "content": CONTENT}),
}


@st.composite
def stable_messages(draw: st.DrawFn) -> dict[str, Any]:
    method = draw(st.sampled_from(STANDARD_NAMES))
    params = draw(STABLE_PARAMS.get(method, st.dictionaries(st.text(max_size=8), JSON, max_size=3)))
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return {**message, "id": draw(st.integers(0, 9))} if draw(st.booleans()) else message


@given(st.lists(st.tuples(st.sampled_from(["view", "host"]), stable_messages() | ANSWERS), max_size=12))
def test_stable_spelling_passes_as_the_same_object_both_ways(steps: list[Any]) -> None:
    translator = Translator()
    for step in steps:
        (heard,), replies, answers, warnings = take(translator, step)
        assert heard is step[1]
        assert (replies, answers, warnings) == ([], [], [])
    assert translator.dialect == STABLE


META_KEYS = ["ui", "ui/resourceUri", "ui/csp", "ui/domain", "openai/outputTemplate", "openai/widgetCSP"]
META_KEYS += ["openai/widgetAccessible", "openai/visibility", "ui/mimeType", "csp", "connect_domains"]
META = st.dictionaries(st.sampled_from(META_KEYS), JSON | st.dictionaries(st.sampled_from(META_KEYS), JSON))


@given(META, st.text())
def test_no_metadata_raises_and_the_canonical_form_is_final(meta: dict[str, Any], mime: str) -> None:
    before = json.dumps(meta)
    tool, _ = canonical_tool({"name": "t", "_meta": meta})
    resource, _ = canonical_resource_meta(meta)
    assert json.dumps(meta) == before
    assert canonical_tool(tool)[0] == tool
    assert canonical_resource_meta(resource)[0] == resource
    canonical, _ = canonical_mime(mime)
    assert canonical is None or canonical_mime(canonical) == (canonical, None)
