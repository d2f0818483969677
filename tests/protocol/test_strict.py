"""Strict out: refused by name, copied, and without nulls."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.errors import ConfigError, LocalProtocolError
from fanlight.protocol.strict import checked, same_json, tool_result, without_nulls
from fanlight.wire.types import HostContext, Implementation


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"theme": "blue"}, "host context.theme is 'blue': use 'light' or 'dark'"),
        (
            {"containerDimensions": {"height": "x"}},
            "host context.containerDimensions.height is 'x': give a number",
        ),
        (
            {"toolInfo": {"id": [], "tool": {"name": "t", "inputSchema": {}}}},
            "host context.toolInfo.id is []: give a string or an integer",
        ),
        ({"toolInfo": {"tool": {"name": "t"}}}, "host context.toolInfo.tool.inputSchema is missing: add it"),
        ({"locale": 3}, "host context.locale is 3: Input should be a valid string"),
    ],
)
def test_an_invalid_value_is_refused_with_field_value_and_remedy(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as refused:
        checked(HostContext, data, "host context")
    assert str(refused.value) == sentence


def test_an_unknown_style_variable_is_refused_by_its_name() -> None:
    with pytest.raises(ConfigError, match="'--font-sens' is not one of the 76 style variables; did you mean"):
        checked(HostContext, {"styles": {"variables": {"--font-sens": "x"}}}, "host context")


def test_a_long_value_is_shown_shortened() -> None:
    with pytest.raises(ConfigError) as refused:
        checked(Implementation, {"name": ["x" * 500], "version": "1"}, "host info")
    assert len(str(refused.value)) < 200
    assert "…" in str(refused.value)


def test_what_is_checked_is_a_copy() -> None:
    given: dict[str, Any] = {"styles": {"variables": {"--font-sans": "x"}}, "theme": None}
    kept = checked(HostContext, given, "host context")
    given["styles"]["variables"]["--font-sans"] = "y"
    assert kept == {"styles": {"variables": {"--font-sans": "x"}}}


def test_nulls_are_dropped_from_the_top_only_and_nothing_is_copied_without_need() -> None:
    clean = {"a": {"b": None}}
    assert without_nulls(clean) is clean
    assert without_nulls({"a": None, "b": 0}) == {"b": 0}


def test_a_tool_result_always_has_content() -> None:
    assert tool_result({}) == {"content": []}
    assert tool_result({"content": None, "isError": True}) == {"content": [], "isError": True}


def test_null_fields_of_blocks_and_resources_are_dropped_and_data_is_kept() -> None:
    result = {
        "content": [
            {"type": "text", "text": "a", "annotations": None},
            {"type": "resource", "resource": {"uri": "u", "text": "t", "mimeType": None}},
            {"type": "resource", "resource": {"uri": "u", "text": "t"}},
            "not a block",
        ],
        "structuredContent": {"kept": None},
        "_meta": {"kept": None},
    }
    assert tool_result(result) == {
        "content": [
            {"type": "text", "text": "a"},
            {"type": "resource", "resource": {"uri": "u", "text": "t"}},
            {"type": "resource", "resource": {"uri": "u", "text": "t"}},
            "not a block",
        ],
        "structuredContent": {"kept": None},
        "_meta": {"kept": None},
    }


def test_a_tool_result_that_is_right_passes_by_reference() -> None:
    result = {"content": [{"type": "text", "text": "a"}], "unknown": 1}
    assert tool_result(result) is result


def test_content_that_is_no_array_is_the_callers_fault() -> None:
    with pytest.raises(LocalProtocolError, match="array"):
        tool_result({"content": "text"})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}, True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": True}, {"a": 1}, False),
        ([True], [1], False),
        ([1], [1, 2], False),
        ({"a": 1}, {"b": 1}, False),
        ({"a": 1}, [1], False),
        (1, 1.0, True),
    ],
)
def test_two_values_are_the_same_when_they_are_the_same_on_the_wire(one: Any, other: Any, same: bool) -> None:
    assert same_json(one, other) is same
