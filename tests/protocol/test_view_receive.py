"""What a view makes of what its host says."""

from __future__ import annotations

from typing import Any

import pytest
from talk import (
    ALL_CAPABILITIES,
    CONTEXT,
    CONTEXT_CHANGED,
    HOST_ANSWER,
    TOOL_CANCELLED,
    TOOL_INPUT,
    TOOL_PARTIAL,
    TOOL_RESULT,
    ask,
    drain,
    error_code,
    faults,
    hear,
    methods,
    new_view,
    ready_view,
    tell,
)

from fanlight.protocol import (
    Closed,
    ConnectionState,
    FaultReason,
    HostContextChanged,
    HostReady,
    ListChanged,
    RequestCancelled,
    RequestFailed,
    RequestReceived,
    ResponseReceived,
    TeardownReceived,
    ToolCancelled,
    ToolInput,
    ToolInputPartial,
    ToolResult,
)
from fanlight.wire import ErrorCode, error, response

# ---- the handshake


def test_the_answer_of_the_host_makes_the_view_ready_and_it_says_so() -> None:
    view = new_view()
    request_id = view.initialize(0.0, timeout=60)
    drain(view)
    messages, events = hear(view, response(request_id, HOST_ANSWER))
    assert messages == [{"jsonrpc": "2.0", "method": "ui/notifications/initialized", "params": {}}]
    info = {"name": "host", "version": "1"}
    assert events == [HostReady(info, ALL_CAPABILITIES, CONTEXT, "2026-01-26")]
    assert view.state is ConnectionState.READY
    assert view.host_info == info
    assert view.host_capabilities == ALL_CAPABILITIES
    assert view.host_context == CONTEXT
    assert view.protocol_version == "2026-01-26"


def test_an_answer_with_gaps_is_taken_and_reported() -> None:
    """FrontMCP's host leaves out two fields."""
    view = new_view()
    request_id = view.initialize(0.0, timeout=60)
    _, events = hear(view, response(request_id, {"protocolVersion": 3, "hostInfo": None}))
    assert faults(events) == [FaultReason.INVALID_RESULT] * 3
    assert events[-1] == HostReady({}, {}, {}, None)


def test_an_answer_of_the_wrong_shape_fails_and_may_be_asked_for_again() -> None:
    view = new_view()
    request_id = view.initialize(0.0, timeout=60)
    drain(view)
    messages, events = hear(view, response(request_id, {**HOST_ANSWER, "hostContext": []}))
    assert messages == []
    assert faults(events) == [FaultReason.INVALID_RESULT]
    assert isinstance(events[-1], RequestFailed)
    again = view.initialize(0.0, timeout=60)
    assert isinstance(hear(view, response(again, HOST_ANSWER))[1][-1], HostReady)


def test_a_refused_or_silent_handshake_fails_and_may_be_asked_for_again() -> None:
    view = new_view()
    _, events = hear(view, error(view.initialize(0.0, timeout=60), ErrorCode.INTERNAL_ERROR, "no"))
    assert isinstance(events[0], RequestFailed)
    view.initialize(0.0, timeout=60)
    drain(view)
    view.tick(60.0)
    messages, events = drain(view)
    assert messages == []
    assert isinstance(events[0], RequestFailed)
    assert events[0].timed_out
    assert view.state is ConnectionState.NEW


# ---- the tool call


def test_the_tool_call_comes_in_order() -> None:
    view = ready_view()
    assert tell(view, TOOL_PARTIAL, {"arguments": {"a": 1}})[1] == [ToolInputPartial({"a": 1})]
    assert tell(view, TOOL_INPUT, {"arguments": {"a": 12}})[1] == [ToolInput({"a": 12})]
    result = {"structuredContent": {"b": None}, "isError": None}
    assert tell(view, TOOL_RESULT, result)[1] == [
        ToolResult({"content": [], "structuredContent": {"b": None}})
    ]


def test_absent_arguments_are_empty_ones() -> None:
    assert tell(ready_view(), TOOL_INPUT)[1] == [ToolInput({})]
    assert tell(ready_view(), TOOL_PARTIAL, {"arguments": None})[1] == [ToolInputPartial({})]


def test_a_cancelled_call_is_told() -> None:
    """Holds: R54."""
    assert tell(ready_view(), TOOL_CANCELLED, {"reason": "user"})[1] == [ToolCancelled("user")]
    assert tell(ready_view(), TOOL_CANCELLED)[1] == [ToolCancelled(None)]


def test_partials_after_the_input_or_the_end_are_dropped() -> None:
    """Holds: R50."""
    for method in (TOOL_INPUT, TOOL_CANCELLED):
        view = ready_view()
        tell(view, method)
        _, events = tell(view, TOOL_PARTIAL, {"arguments": {}})
        assert faults(events) == [FaultReason.OUT_OF_ORDER]
        assert len(events) == 1


def test_a_second_input_is_dropped() -> None:
    """Holds: R49."""
    view = ready_view()
    tell(view, TOOL_INPUT, {"arguments": {"a": 1}})
    _, events = tell(view, TOOL_INPUT, {"arguments": {"a": 2}})
    assert faults(events) == [FaultReason.DUPLICATED]
    assert len(events) == 1


def test_a_result_before_the_input_is_reported_and_both_are_used() -> None:
    """Holds: R49."""
    view = ready_view()
    _, events = tell(view, TOOL_RESULT, {"content": []})
    assert faults(events) == [FaultReason.OUT_OF_ORDER]
    assert events[-1] == ToolResult({"content": []})
    assert tell(view, TOOL_INPUT)[1] == [ToolInput({})]


@pytest.mark.parametrize("first", [TOOL_RESULT, TOOL_CANCELLED])
@pytest.mark.parametrize("second", [TOOL_RESULT, TOOL_CANCELLED])
def test_a_second_end_is_dropped(first: str, second: str) -> None:
    """A later result would overwrite the view's own."""
    view = ready_view()
    tell(view, TOOL_INPUT)
    tell(view, first)
    _, events = tell(view, second)
    assert faults(events) == [FaultReason.DUPLICATED]
    assert len(events) == 1


def test_arguments_after_a_cancellation_are_dropped() -> None:
    view = ready_view()
    tell(view, TOOL_CANCELLED)
    _, events = tell(view, TOOL_INPUT)
    assert faults(events) == [FaultReason.OUT_OF_ORDER]
    assert len(events) == 1


def test_a_host_that_speaks_before_initialized_is_reported_and_heard() -> None:
    """Holds: R32."""
    view = new_view()
    view.initialize(0.0, timeout=60)
    drain(view)
    _, events = tell(view, TOOL_INPUT, {"arguments": {}})
    assert faults(events) == [FaultReason.BEFORE_INITIALIZED]
    assert events[-1] == ToolInput({})
    messages, events = ask(view, "ui/resource-teardown", {}, 5)
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.BEFORE_INITIALIZED]


# ---- context and lists


def test_changes_of_the_context_are_merged_by_top_level_key() -> None:
    """Holds: R58."""
    view = ready_view()
    changes: dict[str, Any] = {"theme": "dark", "styles": {"variables": {}}, "locale": None}
    _, events = tell(view, CONTEXT_CHANGED, changes)
    told = {"theme": "dark", "styles": {"variables": {}}}
    assert events == [HostContextChanged(told, {**CONTEXT, **told})]
    assert view.host_context == {**CONTEXT, **told}


@pytest.mark.parametrize("what", ["tools", "resources", "prompts"])
def test_changed_lists_are_told(what: str) -> None:
    assert tell(ready_view(), f"notifications/{what}/list_changed")[1] == [ListChanged(what)]


def test_a_changed_list_that_was_not_advertised_is_reported() -> None:
    view = ready_view(host_capabilities={"serverTools": {}})
    assert faults(tell(view, "notifications/tools/list_changed")[1]) == [FaultReason.NOT_ADVERTISED]


# ---- requests of the host


def test_tools_are_served_if_they_were_declared() -> None:
    """Holds: D07."""
    view = ready_view({"tools": {}})
    _, events = ask(view, "tools/call", {"name": "t", "_meta": {"progressToken": 1}}, 1)
    assert events == [RequestReceived(1, "tools/call", {"name": "t"}, wants_progress=True)]
    _, events = ask(view, "tools/list", {"cursor": None}, 2)
    assert events == [RequestReceived(2, "tools/list", {})]
    view.send_progress(1, 0.5)
    view.answer(1, {"content": None})
    view.answer(2, {"tools": []})
    messages, _ = drain(view)
    assert methods(messages) == ["notifications/progress"]
    assert messages[1:] == [response(1, {"content": []}), response(2, {"tools": []})]


def test_tools_that_were_not_declared_are_refused() -> None:
    """Holds: D07."""
    messages, events = ask(ready_view(), "tools/call", {"name": "t"})
    assert error_code(messages) == ErrorCode.METHOD_NOT_FOUND
    assert faults(events) == [FaultReason.NOT_ADVERTISED]


# ---- the end


def test_a_view_saves_before_it_answers_the_teardown() -> None:
    """Holds: R55, R56."""
    view = ready_view()
    _, events = ask(view, "ui/resource-teardown", {"reason": "bye"}, 0)
    assert events == [TeardownReceived(0, "bye")]
    assert view.state.value == "closing"
    save = view.call_tool("save", {}, 0.0, timeout=5)
    drain(view)
    assert hear(view, response(save, {}))[1] == [ResponseReceived(save, "tools/call", {"content": []})]
    view.answer(0, {})
    messages, events = drain(view)
    assert messages == [response(0, {})]
    assert events == [Closed("torn down")]
    assert view.state is ConnectionState.CLOSED


def test_a_refused_teardown_ends_the_view_all_the_same() -> None:
    view = ready_view()
    waiting = view.call_tool("x", None, 0.0, timeout=5)
    ask(view, "ui/resource-teardown", {}, 1)
    view.refuse(1, ErrorCode.INTERNAL_ERROR, "cannot save")
    messages, events = drain(view)
    assert messages == [error(1, -32603, "cannot save")]
    assert [event.request_id for event in events if isinstance(event, RequestFailed)] == [waiting]
    assert events[-1] == Closed("torn down")


def test_a_host_that_stops_waiting_for_the_teardown_ends_the_view() -> None:
    view = ready_view()
    ask(view, "ui/resource-teardown", {}, 1)
    _, events = tell(view, "notifications/cancelled", {"requestId": 1})
    assert events == [RequestCancelled(1, None), Closed("torn down")]
    view.answer(1, {})
    assert drain(view) == ([], [])


def test_another_cancelled_request_does_not_end_the_view() -> None:
    view = ready_view({"tools": {}})
    ask(view, "tools/call", {"name": "t"}, 1)
    assert tell(view, "notifications/cancelled", {"requestId": 1})[1] == [RequestCancelled(1, None)]
    assert view.state is ConnectionState.READY
    ask(view, "tools/call", {"name": "t"}, 2)
    view.refuse(2, ErrorCode.INTERNAL_ERROR, "no")
    assert view.state is ConnectionState.READY


def test_a_second_teardown_is_refused() -> None:
    view = ready_view()
    ask(view, "ui/resource-teardown", {}, 1)
    messages, events = ask(view, "ui/resource-teardown", {}, 2)
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.OUT_OF_ORDER]


# ---- answers


def test_the_mode_of_the_answer_counts_not_the_one_that_was_asked_for() -> None:
    """Holds: R40."""
    view = ready_view()
    request_id = view.request_display_mode("fullscreen", 0.0, timeout=5)
    _, events = hear(view, response(request_id, {"mode": "inline"}))
    assert events == [ResponseReceived(request_id, "ui/request-display-mode", {"mode": "inline"})]


@pytest.mark.parametrize("result", [{}, {"mode": "huge"}])
def test_an_answer_without_a_mode_fails(result: dict[str, Any]) -> None:
    """Holds: R42."""
    view = ready_view()
    request_id = view.request_display_mode("fullscreen", 0.0, timeout=5)
    _, events = hear(view, response(request_id, result))
    assert faults(events) == [FaultReason.INVALID_RESULT]
    assert isinstance(events[-1], RequestFailed)
