"""The tool call of a view: any order in, one order out."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from talk import RESULT, TOOL_CANCELLED, TOOL_INPUT, TOOL_PARTIAL, TOOL_RESULT, methods

from fanlight.errors import LocalProtocolError
from fanlight.protocol.tool_data import ToolData


def supply(data: ToolData, what: str) -> None:
    if what == "partial":
        data.supply_partial({"a": 1})
    elif what == "input":
        data.supply_input({"a": 12})
    elif what == "result":
        data.supply_result(RESULT)
    else:
        data.supply_cancelled("stop")


@pytest.mark.parametrize("order", list(itertools.permutations(["partial", "input", "result"])))
def test_whatever_order_they_come_in_the_view_gets_input_before_result(order: tuple[str, ...]) -> None:
    """Holds: R48, R49, R50, R53."""
    data = ToolData()
    for what in order:
        if what == "partial" and order.index("input") < order.index("partial"):
            with pytest.raises(LocalProtocolError):
                supply(data, what)
        else:
            supply(data, what)
    assert methods(data.due()) == [TOOL_INPUT, TOOL_RESULT]
    assert data.due() == []


def test_the_newest_partial_wins_while_it_waits() -> None:
    data = ToolData()
    data.supply_partial({"a": 1})
    data.supply_partial({"a": 12})
    assert [message["params"] for message in data.due()] == [{"arguments": {"a": 12}}]
    data.supply_partial({"a": 123})
    assert methods(data.due()) == [TOOL_PARTIAL]


def test_no_partial_follows_the_input() -> None:
    """Holds: R50."""
    data = ToolData()
    data.supply_partial({"a": 1})
    data.supply_input({"a": 12})
    assert methods(data.due()) == [TOOL_INPUT]
    with pytest.raises(LocalProtocolError, match="partial"):
        data.supply_partial({"a": 1})


def test_the_input_comes_once() -> None:
    """Holds: R49."""
    data = ToolData()
    data.supply_input({})
    with pytest.raises(LocalProtocolError, match="already"):
        data.supply_input({})


def test_a_tool_without_arguments_still_gets_its_input() -> None:
    """Holds: R48."""
    data = ToolData()
    data.supply_input(None)
    assert [message["params"] for message in data.due()] == [{"arguments": {}}]


def test_a_result_waits_for_the_input_and_says_so() -> None:
    """Holds: R49."""
    data = ToolData()
    assert not data.awaits_input
    data.supply_result(RESULT)
    assert data.awaits_input
    assert data.due() == []
    data.supply_input({"a": 1})
    assert not data.awaits_input
    assert methods(data.due()) == [TOOL_INPUT, TOOL_RESULT]


def test_a_cancellation_does_not_wait_for_arguments_that_never_come() -> None:
    """Holds: R54."""
    data = ToolData()
    data.supply_partial({"a": 1})
    data.supply_cancelled(None)
    assert data.due() == [{"jsonrpc": "2.0", "method": TOOL_CANCELLED, "params": {}}]


def test_a_cancellation_follows_the_input_if_there_is_one() -> None:
    """Holds: R54."""
    data = ToolData()
    data.supply_input({})
    data.supply_cancelled("stop")
    messages = data.due()
    assert methods(messages) == [TOOL_INPUT, TOOL_CANCELLED]
    assert messages[1]["params"] == {"reason": "stop"}


@pytest.mark.parametrize("end", ["result", "cancelled"])
@pytest.mark.parametrize("second", ["result", "cancelled"])
def test_a_call_ends_once(end: str, second: str) -> None:
    data = ToolData()
    supply(data, end)
    with pytest.raises(LocalProtocolError):
        supply(data, second)


@pytest.mark.parametrize("what", ["partial", "input"])
def test_nothing_follows_a_cancellation(what: str) -> None:
    data = ToolData()
    data.supply_cancelled(None)
    with pytest.raises(LocalProtocolError, match="cancellation"):
        supply(data, what)


@pytest.mark.parametrize("wrong", [None, [], "text"])
def test_what_is_no_object_is_the_callers_fault_and_changes_nothing(wrong: Any) -> None:
    data = ToolData()
    before = data.to_json()
    with pytest.raises(LocalProtocolError, match="object"):
        data.supply_partial(wrong)
    with pytest.raises(LocalProtocolError, match="object"):
        data.supply_result(wrong)
    if wrong is not None:
        with pytest.raises(LocalProtocolError, match="object"):
            data.supply_input(wrong)
    assert data.to_json() == before


@pytest.mark.parametrize("cut", range(5))
def test_it_sleeps_as_json_at_every_step(cut: int) -> None:
    steps = ["partial", "result", "input"]
    data, twin = ToolData(), ToolData()
    for number, step in enumerate(steps):
        if number == cut:
            twin = ToolData.from_json(json.loads(json.dumps(twin.to_json())))
        supply(data, step)
        supply(twin, step)
        assert data.due() == twin.due()
