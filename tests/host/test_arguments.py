"""Arguments are checked before a call, and the error names the field."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.host.arguments import check_arguments
from fanlight.upstream import Tool

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "array", "items": {"type": "integer"}}},
    "required": ["city"],
}


def tool(schema: Any) -> Tool:
    return Tool({"name": "weather", "inputSchema": schema}, None)


def test_arguments_that_fit_pass_unchanged() -> None:
    given = {"city": "Oslo", "days": [1, 2]}
    assert check_arguments(tool(SCHEMA), given) is given


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "'city' is a required property"),
        ({"city": 5}, "argument city of weather: 5 is not of type 'string'"),
        ({"city": "x", "days": [1, "two"]}, "argument days.1 of weather"),
        ([], "must be a JSON object, not list"),
        (None, "must be a JSON object, not NoneType"),
    ],
)
def test_arguments_that_do_not_fit_name_the_field(given: Any, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        check_arguments(tool(SCHEMA), given)


def test_a_schema_that_is_itself_wrong_does_not_stop_the_call() -> None:
    assert check_arguments(tool({"type": "nonsense"}), {"a": 1}) == {"a": 1}
