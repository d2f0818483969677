"""What a host makes of what a view says."""

from __future__ import annotations

from typing import Any

import pytest
from talk import (
    ALL_CAPABILITIES,
    CONTEXT,
    CONTEXT_CHANGED,
    INITIALIZED,
    RESULT,
    TOOL_INPUT,
    TOOL_RESULT,
    ask,
    drain,
    error_code,
    faults,
    hear,
    introduction,
    methods,
    new_host,
    ready_host,
    tell,
)

from fanlight.protocol import (
    ConnectionState,
    FaultReason,
    Initialized,
    InitializeReceived,
    Limits,
    LogMessage,
    RequestCancelled,
    RequestFailed,
    RequestReceived,
    ResponseReceived,
    SizeChanged,
    TeardownRequested,
    ViewToolsChanged,
)
from fanlight.wire import ErrorCode, request, response

TEXT = {"type": "text", "text": "hi"}


# ---- the handshake


def test_the_handshake_is_answered_with_all_four_fields() -> None:
    """Holds: R36."""
    host = new_host()
    messages, events = hear(host, introduction({"tools": {}}))
    assert messages == [
        response(
            0,
            {
                "protocolVersion": "2026-01-26",
                "hostInfo": {"name": "host", "version": "1"},
                "hostCapabilities": ALL_CAPABILITIES,
                "hostContext": CONTEXT,
            },
        )
    ]
    info = {"name": "view", "version": "1"}
    assert events == [InitializeReceived(info, {"tools": {}}, "2026-01-26", repeated=False)]
    assert host.app_info == info
    assert host.app_capabilities == {"tools": {}}


def test_an_empty_host_still_answers_with_all_four_fields() -> None:
    """Holds: R36."""
    messages, _ = hear(new_host(capabilities={}, context={}), introduction())
    assert messages[0]["result"].keys() == {"protocolVersion", "hostInfo", "hostCapabilities", "hostContext"}


@pytest.mark.parametrize("version", ["2025-11-21", "2025-06-18", "2024-11-05"])
def test_a_view_of_another_version_is_told_ours_and_connects(version: str) -> None:
    params = {**introduction()["params"], "protocolVersion": version}
    messages, events = hear(new_host(), request(0, "ui/initialize", params))
    assert messages[0]["result"]["protocolVersion"] == "2026-01-26"
    assert faults(events) == []


def test_a_handshake_with_gaps_is_answered_and_reported() -> None:
    """Holds: R35."""
    messages, events = hear(new_host(), request(0, "ui/initialize", {"appInfo": None}))
    assert "result" in messages[0]
    assert faults(events) == [FaultReason.INVALID_PARAMS] * 3
    assert events[-1] == InitializeReceived({}, {}, None, repeated=False)


@pytest.mark.parametrize(
    "params",
    [
        {"appInfo": "name"},
        {"appCapabilities": []},
        {"protocolVersion": 3},
        {"appCapabilities": {"availableDisplayModes": "inline"}},
    ],
)
def test_a_handshake_of_the_wrong_shape_is_refused_and_changes_nothing(params: dict[str, Any]) -> None:
    host = new_host()
    messages, _ = hear(host, request(0, "ui/initialize", params))
    assert error_code(messages) == ErrorCode.INVALID_PARAMS
    assert host.state is ConnectionState.NEW


def test_a_repeated_handshake_is_answered_and_the_last_values_win() -> None:
    host = new_host()
    hear(host, introduction({"tools": {}}))
    host.update_context({"theme": "dark"})
    messages, events = hear(host, introduction({"availableDisplayModes": ["pip"]}))
    assert messages[0]["result"]["hostContext"]["theme"] == "dark"
    assert isinstance(events[0], InitializeReceived)
    assert events[0].repeated
    assert host.app_capabilities == {"availableDisplayModes": ["pip"]}
    messages, events = hear(host, INITIALIZED)
    assert events == [Initialized()]
    assert messages == []


def test_a_view_that_begins_again_waits_for_no_old_request_and_hears_nothing_until_ready() -> None:
    """Holds: R32, R49."""
    host = ready_host()
    host.send_tool_input({"a": 1})
    ask(host, "tools/call", {"name": "x"}, 0)
    drain(host)
    messages, events = hear(host, introduction())
    assert RequestCancelled(0, "the view initialised again") in events
    host.send_tool_result(RESULT)
    host.update_context({"theme": "dark"})
    host.answer(0, RESULT)
    assert drain(host)[0] == []
    messages, _ = hear(host, INITIALIZED)
    assert methods(messages) == [CONTEXT_CHANGED, TOOL_RESULT]


def test_the_ids_of_a_new_beginning_may_repeat_those_of_the_old() -> None:
    host = ready_host()
    ask(host, "tools/call", {"name": "x"}, 1)
    hear(host, introduction())
    hear(host, INITIALIZED)
    _, events = ask(host, "tools/call", {"name": "y"}, 1)
    assert events == [RequestReceived(1, "tools/call", {"name": "y"})]
    host.answer(1, RESULT)
    assert drain(host)[0] == [response(1, RESULT)]


def test_initialized_before_its_time_or_twice_is_reported_and_ignored() -> None:
    host = new_host()
    host.send_tool_input({})
    messages, events = hear(host, INITIALIZED)
    assert messages == []
    assert faults(events) == [FaultReason.OUT_OF_ORDER]
    messages, events = hear(ready_host(), INITIALIZED)
    assert messages == []
    assert faults(events) == [FaultReason.DUPLICATED]


def test_a_handshake_while_the_view_is_torn_down_is_refused() -> None:
    host = ready_host()
    host.teardown(0.0, timeout=5)
    drain(host)
    messages, events = hear(host, introduction(request_id=9))
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.OUT_OF_ORDER]
    assert faults(hear(host, INITIALIZED)[1]) == [FaultReason.OUT_OF_ORDER]


def test_on_initialized_the_context_comes_first_then_the_tool_call_then_the_rest() -> None:
    """Holds: R32, R48, R49."""
    host = new_host()
    host.notify_list_changed("resources")
    host.send_tool_result(RESULT)
    host.send_tool_input({"a": 1})
    hear(host, introduction())
    host.update_context({"theme": "dark"})
    messages, events = hear(host, INITIALIZED)
    assert events == [Initialized()]
    assert methods(messages) == [
        CONTEXT_CHANGED,
        TOOL_INPUT,
        TOOL_RESULT,
        "notifications/resources/list_changed",
    ]


# ---- messages and context for the model


@pytest.mark.parametrize("content", ["hi", TEXT, [TEXT]])
@pytest.mark.parametrize("role", [{}, {"role": "user"}, {"role": None}])
def test_a_message_is_an_array_of_blocks_of_the_user_however_it_is_spelled(
    content: Any, role: dict[str, Any]
) -> None:
    """Holds: R45."""
    _, events = ask(ready_host(), "ui/message", {"content": content, **role})
    assert events == [RequestReceived(1, "ui/message", {"role": "user", "content": [TEXT]})]


@pytest.mark.parametrize(
    "params",
    [{"role": "assistant", "content": []}, {"content": [3]}, {"content": None}, {}, {"content": [{}]}],
)
def test_a_message_that_is_none_is_refused(params: dict[str, Any]) -> None:
    messages, events = ask(ready_host(), "ui/message", params)
    assert error_code(messages) == ErrorCode.INVALID_PARAMS
    assert faults(events) == [FaultReason.INVALID_PARAMS]


def test_content_of_a_kind_that_was_not_advertised_is_refused() -> None:
    capabilities: dict[str, Any] = {"message": {"text": {}}, "updateModelContext": {"text": {}}}
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    host = ready_host(capabilities=capabilities)
    assert error_code(ask(host, "ui/message", {"content": image})[0]) == ErrorCode.INVALID_PARAMS
    update: dict[str, Any] = {"structuredContent": {}}
    assert error_code(ask(host, "ui/update-model-context", update)[0]) == ErrorCode.INVALID_PARAMS
    assert ask(host, "ui/message", {"content": TEXT})[0] == []


@pytest.mark.parametrize(
    ("params", "seen"),
    [
        ({}, {}),
        ({"content": None, "structuredContent": None}, {}),
        ({"content": "hi"}, {"content": [TEXT]}),
        (
            {"content": [TEXT], "structuredContent": {"a": 1}},
            {"content": [TEXT], "structuredContent": {"a": 1}},
        ),
    ],
)
def test_a_context_for_the_model_is_normalised(params: dict[str, Any], seen: dict[str, Any]) -> None:
    _, events = ask(ready_host(), "ui/update-model-context", params)
    assert events == [RequestReceived(1, "ui/update-model-context", seen)]


@pytest.mark.parametrize("params", [{"structuredContent": []}, {"content": [1]}, {"content": 3}])
def test_a_context_for_the_model_that_is_none_is_refused(params: dict[str, Any]) -> None:
    messages, _ = ask(ready_host(), "ui/update-model-context", params)
    assert error_code(messages) == ErrorCode.INVALID_PARAMS


# ---- display modes


def display(host: Any, mode: str) -> tuple[Any, Any]:
    return ask(host, "ui/request-display-mode", {"mode": mode})


@pytest.mark.parametrize("declared", [{}, {"availableDisplayModes": ["inline", "fullscreen"]}])
def test_a_mode_both_sides_have_is_passed_on(declared: dict[str, Any]) -> None:
    """Holds: R38, R39."""
    messages, events = display(ready_host(declared), "fullscreen")
    assert messages == []
    assert events == [RequestReceived(1, "ui/request-display-mode", {"mode": "fullscreen"})]


@pytest.mark.parametrize(
    ("declared", "mode"),
    [
        ({}, "pip"),
        ({"availableDisplayModes": ["inline"]}, "fullscreen"),
        ({"availableDisplayModes": []}, "fullscreen"),
    ],
)
def test_a_mode_one_side_lacks_is_answered_with_the_current_one(declared: dict[str, Any], mode: str) -> None:
    """Holds: R41, R42, R43."""
    messages, events = display(ready_host(declared), mode)
    assert messages == [response(1, {"mode": "inline"})]
    assert faults(events) == [FaultReason.NOT_ADVERTISED]
    assert len(events) == 1


def test_a_host_that_offers_no_modes_answers_the_current_one() -> None:
    """Holds: R43."""
    messages, _ = display(ready_host(context={"displayMode": "pip"}), "fullscreen")
    assert messages == [response(1, {"mode": "pip"})]


def test_the_current_mode_is_answered_at_once() -> None:
    """Holds: R42."""
    messages, events = display(ready_host(), "inline")
    assert messages == [response(1, {"mode": "inline"})]
    assert events == []


def test_a_mode_that_does_not_exist_is_refused() -> None:
    messages, _ = display(ready_host(), "hologram")
    assert error_code(messages) == ErrorCode.INVALID_PARAMS


# ---- downloads and sampling


def test_a_download_is_checked() -> None:
    host = ready_host()
    good = {"contents": [{"type": "resource", "resource": {"uri": "f.txt", "text": "x"}}]}
    assert ask(host, "ui/download-file", good)[1] == [RequestReceived(1, "ui/download-file", good)]
    messages, _ = ask(host, "ui/download-file", {"contents": ["x"]}, 2)
    assert error_code(messages) == ErrorCode.INVALID_PARAMS


def test_sampling_with_tools_needs_its_own_capability() -> None:
    """Holds: D02."""
    params = {"messages": [], "maxTokens": 5, "tools": []}
    messages, events = ask(ready_host(capabilities={"sampling": {}}), "sampling/createMessage", params)
    assert error_code(messages) == ErrorCode.INVALID_PARAMS
    assert faults(events) == [FaultReason.NOT_ADVERTISED]
    assert ask(ready_host(), "sampling/createMessage", params)[0] == []
    plain = {"messages": [], "maxTokens": 5, "tools": None}
    assert ask(ready_host(capabilities={"sampling": {}}), "sampling/createMessage", plain)[0] == []


# ---- notifications


@pytest.mark.parametrize(
    ("params", "event"),
    [
        ({"width": 400, "height": 124.5}, SizeChanged(400, 124.5)),
        ({"height": 10}, SizeChanged(None, 10)),
        ({"width": None, "height": -3}, SizeChanged(None, 0)),
        ({}, SizeChanged(None, None)),
    ],
)
def test_a_size_is_reported(params: dict[str, Any], event: SizeChanged) -> None:
    """Holds: R37."""
    assert tell(ready_host(), "ui/notifications/size-changed", params) == ([], [event])


def test_a_size_that_is_none_is_dropped() -> None:
    host = ready_host()
    message = {"jsonrpc": "2.0", "method": "ui/notifications/size-changed", "params": {"width": float("inf")}}
    host.receive(message, 0.0, size=5)
    events = host.events()
    assert faults(events) == [FaultReason.INVALID_PARAMS]
    assert len(events) == 1


def test_a_log_line_is_reported() -> None:
    """Holds: R67."""
    _, events = tell(
        ready_host(), "notifications/message", {"level": "error", "data": {"a": 1}, "logger": "l"}
    )
    assert events == [LogMessage("error", {"a": 1}, "l")]


@pytest.mark.parametrize("level", [{}, {"level": "warn"}, {"level": 3}])
def test_a_log_line_of_an_unknown_level_is_kept_as_information(level: dict[str, Any]) -> None:
    _, events = tell(ready_host(), "notifications/message", {"data": "x", **level})
    assert faults(events) == [FaultReason.INVALID_PARAMS]
    assert events[-1] == LogMessage("info", "x", None)


def test_a_view_may_ask_to_be_closed() -> None:
    """Holds: D09."""
    host = ready_host()
    assert tell(host, "ui/notifications/request-teardown") == ([], [TeardownRequested()])
    assert host.state is ConnectionState.READY


def test_changed_tools_of_a_view_are_reported_if_it_has_tools() -> None:
    """Holds: D11."""
    assert tell(ready_host({"tools": {}}), "notifications/tools/list_changed")[1] == [ViewToolsChanged()]
    _, events = tell(ready_host(), "notifications/tools/list_changed")
    assert faults(events) == [FaultReason.NOT_ADVERTISED]
    assert len(events) == 1


# ---- tools of the view


def test_tools_of_a_view_are_listed_also_as_plain_names() -> None:
    """Holds: D07."""
    host = ready_host({"tools": {}})
    request_id = host.list_view_tools(0.0, timeout=5)
    _, events = hear(host, response(request_id, {"tools": ["a"], "nextCursor": "n"}))
    tools = [{"name": "a", "inputSchema": {"type": "object"}}]
    assert events == [ResponseReceived(request_id, "tools/list", {"tools": tools, "nextCursor": "n"})]


def test_a_list_of_tools_that_is_none_fails() -> None:
    host = ready_host({"tools": {}})
    request_id = host.list_view_tools(0.0, timeout=5)
    _, events = hear(host, response(request_id, {}))
    assert faults(events) == [FaultReason.INVALID_RESULT]
    assert isinstance(events[-1], RequestFailed)


def test_too_many_tools_fail_loudly_also_over_several_pages() -> None:
    """Holds: D11."""
    host = ready_host({"tools": {}}, limits=Limits(max_view_tools=3))
    page = {"tools": ["a", "b"]}
    hear(host, response(host.list_view_tools(0.0, timeout=5), page))
    _, events = hear(host, response(host.list_view_tools(0.0, timeout=5, cursor="n"), page))
    assert faults(events) == [FaultReason.OVER_LIMIT]
    assert isinstance(events[-1], RequestFailed)
    _, events = hear(host, response(host.list_view_tools(0.0, timeout=5), page))
    assert faults(events) == []


def test_fifty_tools_are_taken_and_one_more_is_not() -> None:
    """Holds: D11."""
    host = ready_host({"tools": {}})
    fifty = {"tools": [f"t{number}" for number in range(50)]}
    assert faults(hear(host, response(host.list_view_tools(0.0, timeout=5), fifty))[1]) == []
    more = {"tools": [*fifty["tools"], "one more"]}
    events = hear(host, response(host.list_view_tools(0.0, timeout=5), more))[1]
    assert faults(events) == [FaultReason.OVER_LIMIT]


def test_the_result_of_a_views_tool_is_passed_on_with_content() -> None:
    host = ready_host({"tools": {}})
    request_id = host.call_view_tool("t", {"a": 1}, 0.0, timeout=5)
    _, events = hear(host, response(request_id, {"structuredContent": {"b": 2}}))
    result = {"content": [], "structuredContent": {"b": 2}}
    assert events == [ResponseReceived(request_id, "tools/call", result)]


def test_a_result_that_is_too_large_fails_loudly_and_is_not_cut() -> None:
    """Holds: D11."""
    host = ready_host({"tools": {}}, limits=Limits(max_view_tool_result=200))
    request_id = host.call_view_tool("t", None, 0.0, timeout=5)
    _, events = hear(host, response(request_id, {"content": [], "x": "y" * 200}))
    assert faults(events) == [FaultReason.OVER_LIMIT]
    assert isinstance(events[-1], RequestFailed)
    assert events[-1].request_id == request_id


def test_a_result_of_a_views_tool_that_is_none_fails() -> None:
    host = ready_host({"tools": {}})
    request_id = host.call_view_tool("t", None, 0.0, timeout=5)
    _, events = hear(host, response(request_id, {"content": "text"}))
    assert faults(events) == [FaultReason.INVALID_RESULT]
    assert isinstance(events[-1], RequestFailed)
