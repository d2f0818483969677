"""Bounds of a connection."""

from __future__ import annotations

import pytest

from fanlight.errors import ConfigError
from fanlight.protocol.limits import Limits


def test_the_limits_for_tools_of_a_view_are_those_the_draft_recommends() -> None:
    """Holds: D11."""
    limits = Limits()
    assert limits.max_view_tools == 50
    assert limits.max_view_tool_seconds == 30
    assert limits.max_view_tool_result == 10 * 1024 * 1024
    assert limits.max_message_size > limits.max_view_tool_result


@pytest.mark.parametrize("value", [0, -1, float("nan")])
def test_a_limit_that_lets_nothing_pass_is_refused_by_name(value: float) -> None:
    with pytest.raises(ConfigError, match="max_view_tool_seconds"):
        Limits(max_view_tool_seconds=value)


def test_limits_sleep_as_json() -> None:
    limits = Limits(max_view_tools=3)
    assert Limits.from_json(limits.to_json()) == limits
