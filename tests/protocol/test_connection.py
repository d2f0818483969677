"""What both ends do with whatever comes: dispatch, refuse, report, never raise."""

from __future__ import annotations

from typing import Any

import pytest
from talk import (
    ask,
    drain,
    error_code,
    faults,
    hear,
    introduction,
    new_host,
    new_view,
    ready_host,
    ready_view,
    tell,
)

from fanlight.errors import LocalProtocolError
from fanlight.protocol import (
    ConnectionState,
    FaultReason,
    Limits,
    NotificationReceived,
    PeerFault,
    ProgressReceived,
    RequestCancelled,
    RequestFailed,
    RequestReceived,
    ResponseReceived,
)
from fanlight.wire import ErrorCode, error, notification, request, response


@pytest.mark.parametrize("message", [None, 3, "text", [], {}, {"jsonrpc": "2.0"}, object(), float("nan")])
def test_what_is_no_message_is_reported_and_not_answered(message: object) -> None:
    """Holds: R67."""
    for connection in (new_host(), ready_host(), new_view(), ready_view()):
        messages, events = hear(connection, message)
        assert messages == []
        assert faults(events) == [FaultReason.MALFORMED]


def test_a_broken_request_with_an_id_is_answered_with_the_right_code() -> None:
    host = ready_host()
    messages, events = hear(host, {"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": None})
    assert error_code(messages) == ErrorCode.INVALID_PARAMS
    assert messages[0]["id"] == 0
    assert faults(events) == [FaultReason.MALFORMED]
    messages, _ = hear(host, {"jsonrpc": "2.0", "id": "a", "method": 3})
    assert error_code(messages) == ErrorCode.INVALID_REQUEST


def test_a_broken_request_that_shares_the_id_of_an_open_one_does_not_settle_it() -> None:
    host = ready_host()
    ask(host, "tools/call", {"name": "x"}, 7)
    messages, _ = hear(host, {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": None})
    assert messages == []
    host.answer(7, {"content": []})
    assert drain(host)[0] == [response(7, {"content": []})]


def test_an_unknown_request_is_refused_as_not_found() -> None:
    host = ready_host()
    messages, events = ask(host, "prompts/get" + "x" * 500)
    assert error_code(messages) == ErrorCode.METHOD_NOT_FOUND
    assert faults(events) == [FaultReason.UNKNOWN_METHOD]
    assert all(len(event.message) < 200 for event in events if isinstance(event, PeerFault))


def test_the_core_initialize_of_the_specs_own_example_is_refused() -> None:
    messages, _ = ask(new_host(), "initialize", {"clientInfo": {}}, 0)
    assert error_code(messages) == ErrorCode.METHOD_NOT_FOUND


def test_a_method_outside_the_table_is_served_when_the_program_says_so() -> None:
    host = ready_host(extra=("prompts/get",))
    messages, events = ask(host, "prompts/get", {"name": "x"}, 3)
    assert messages == []
    assert events == [RequestReceived(3, "prompts/get", {"name": "x"})]
    messages, events = ask(new_host(extra=("prompts/get",)), "prompts/get")
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.BEFORE_INITIALIZED]


def test_an_unknown_notification_is_passed_on_and_harmless() -> None:
    messages, events = tell(ready_host(), "notifications/anything", {"a": 1})
    assert messages == []
    assert events == [NotificationReceived("notifications/anything", {"a": 1})]


@pytest.mark.parametrize("method", ["ui/notifications/sandbox-proxy-ready", "ui/notifications/sandbox-x"])
def test_the_sandbox_prefix_is_refused_to_a_view(method: str) -> None:
    """Holds: R31."""
    messages, events = tell(ready_host(), method)
    assert messages == []
    assert faults(events) == [FaultReason.RESERVED]
    assert len(events) == 1


def test_a_notification_with_an_id_and_a_request_without_one_are_malformed() -> None:
    host = ready_host()
    messages, events = ask(host, "ui/notifications/initialized")
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.MALFORMED]
    messages, events = tell(host, "tools/call", {"name": "x"})
    assert messages == []
    assert faults(events) == [FaultReason.MALFORMED]


def test_a_request_before_the_handshake_is_refused() -> None:
    """Holds: R32."""
    host = new_host()
    messages, events = ask(host, "tools/call", {"name": "x"})
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.BEFORE_INITIALIZED]


def test_a_request_that_overtakes_initialized_is_reported_and_answered() -> None:
    """The answer is neither a request nor a notification. Holds: R32."""
    host = new_host()
    hear(host, introduction())
    messages, events = ask(host, "tools/call", {"name": "x"})
    assert messages == []
    assert faults(events) == [FaultReason.BEFORE_INITIALIZED]
    (request,) = [event for event in events if isinstance(event, RequestReceived)]
    host.answer(request.request_id, {"content": []})
    (answer,) = host.messages_to_send()
    assert answer["result"] == {"content": []}


def test_a_notification_before_initialized_is_reported_and_still_used() -> None:
    host = new_host()
    messages, events = tell(host, "notifications/whatever")
    assert messages == []
    assert faults(events) == [FaultReason.BEFORE_INITIALIZED]
    assert NotificationReceived("notifications/whatever", {}) in events


def test_ping_is_answered_at_any_time_also_by_the_view() -> None:
    closing = ready_host()
    closing.teardown(0.0, timeout=5)
    beginning = new_view()
    beginning.initialize(0.0, timeout=5)
    drain(closing)
    drain(beginning)
    for connection in (new_host(), ready_host(), closing, new_view(), beginning, ready_view()):
        messages, events = ask(connection, "ping", {}, 0)
        assert messages == [response(0, {})]
        assert events == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "x"}),
        ("tools/list", {}),
        ("resources/read", {"uri": "u"}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("ui/open-link", {"url": "https://a"}),
        ("ui/message", {"role": "user", "content": []}),
        ("ui/update-model-context", {}),
        ("ui/download-file", {"contents": []}),
        ("sampling/createMessage", {"messages": [], "maxTokens": 1}),
    ],
)
def test_what_was_not_advertised_is_refused_and_what_was_is_served(method: str, params: Any) -> None:
    messages, events = ask(ready_host(capabilities={}), method, params)
    assert error_code(messages) == ErrorCode.METHOD_NOT_FOUND
    assert faults(events) == [FaultReason.NOT_ADVERTISED]
    messages, events = ask(ready_host(), method, params)
    assert messages == []
    assert [event.method for event in events if isinstance(event, RequestReceived)] == [method]


def test_prompts_have_no_capability_and_are_always_passed_on() -> None:
    _, events = ask(ready_host(capabilities={}), "prompts/list")
    assert events == [RequestReceived(1, "prompts/list", {})]


def test_a_notification_that_was_not_advertised_is_dropped_and_reported() -> None:
    _, events = tell(ready_host(capabilities={}), "notifications/message", {"level": "info", "data": 1})
    assert faults(events) == [FaultReason.NOT_ADVERTISED]
    assert len(events) == 1


def test_params_of_the_wrong_type_are_refused() -> None:
    """Holds: R67."""
    host = ready_host()
    messages, events = ask(host, "tools/call", {"name": 3})
    assert error_code(messages) == ErrorCode.INVALID_PARAMS
    assert messages[0]["error"]["message"] == "Invalid params for tools/call: 'name' must be a string"
    assert faults(events) == [FaultReason.INVALID_PARAMS]
    _, events = tell(host, "ui/notifications/size-changed", {"width": "wide"})
    assert faults(events) == [FaultReason.INVALID_PARAMS]
    assert len(events) == 1


def test_optional_nulls_count_as_absent() -> None:
    _, events = ask(ready_host(), "tools/call", {"name": "x", "arguments": None})
    assert events == [RequestReceived(1, "tools/call", {"name": "x"})]


def test_unknown_fields_are_kept() -> None:
    _, events = ask(ready_host(), "tools/call", {"name": "x", "task": {"ttl": 1}})
    assert events == [RequestReceived(1, "tools/call", {"name": "x", "task": {"ttl": 1}})]


def test_two_open_requests_cannot_share_an_id() -> None:
    host = ready_host()
    ask(host, "tools/call", {"name": "x"}, 0)
    messages, events = ask(host, "tools/call", {"name": "y"}, 0)
    assert messages == []
    assert faults(events) == [FaultReason.DUPLICATED]
    host.answer(0, {"content": []})
    assert len(drain(host)[0]) == 1
    _, events = ask(host, "tools/call", {"name": "y"}, 0)
    assert faults(events) == []


def test_the_ids_zero_and_zero_as_text_are_two() -> None:
    host = ready_host()
    ask(host, "tools/call", {"name": "x"}, 0)
    _, events = ask(host, "tools/call", {"name": "y"}, "0")
    assert faults(events) == []
    host.answer("0", {"content": []})
    host.refuse(0, ErrorCode.DENIED, "no")
    assert [message["id"] for message in drain(host)[0]] == ["0", 0]


def test_too_many_open_requests_are_refused() -> None:
    host = ready_host(limits=Limits(max_requests_from_peer=2))
    ask(host, "tools/list", {}, 1)
    ask(host, "tools/list", {}, 2)
    messages, events = ask(host, "tools/list", {}, 3)
    assert error_code(messages) == ErrorCode.DENIED
    assert faults(events) == [FaultReason.OVER_LIMIT]


def test_an_id_that_is_too_long_is_refused() -> None:
    host = ready_host(limits=Limits(max_id_length=4))
    messages, events = ask(host, "ping", {}, "12345")
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.OVER_LIMIT]


def test_a_progress_token_that_is_too_long_costs_the_progress_only() -> None:
    host = ready_host(limits=Limits(max_id_length=4))
    params = {"name": "x", "_meta": {"progressToken": "12345"}}
    _, events = ask(host, "tools/call", params, 1)
    assert faults(events) == [FaultReason.OVER_LIMIT]
    assert RequestReceived(1, "tools/call", {"name": "x"}, wants_progress=False) in events


def test_a_message_that_is_too_large_is_refused_whatever_it_is() -> None:
    host = ready_host({"tools": {}}, limits=Limits(max_message_size=300, max_id_length=8))
    big = {"name": "x", "arguments": {"a": "b" * 300}}
    messages, events = ask(host, "tools/call", big, 4)
    assert error_code(messages) == ErrorCode.INVALID_REQUEST
    assert faults(events) == [FaultReason.OVER_LIMIT]
    assert ask(host, "tools/call", big, "long" * 9)[0] == []
    assert tell(host, "n", big) == ([], [PeerFault(FaultReason.OVER_LIMIT, _text(host, "n", big))])
    request_id = host.call_view_tool("t", {}, 0.0, timeout=5)
    drain(host)
    _, events = hear(host, response(request_id, big))
    assert faults(events) == [FaultReason.OVER_LIMIT]
    assert [event.request_id for event in events if isinstance(event, RequestFailed)] == [request_id]
    _, events = hear(host, {"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x" * 300}})
    assert faults(events) == [FaultReason.OVER_LIMIT]


def _text(host: Any, method: str, params: Any) -> str:
    events = tell(host, method, params)[1]
    return str(events[0].message)  # type: ignore[union-attr]


def test_a_large_message_that_reuses_an_open_id_does_not_settle_it() -> None:
    host = ready_host(limits=Limits(max_message_size=200))
    ask(host, "tools/call", {"name": "x"}, 4)
    assert ask(host, "tools/call", {"name": "x" * 200}, 4)[0] == []


def test_the_size_a_caller_knows_is_believed() -> None:
    host = ready_host(limits=Limits(max_message_size=100))
    host.receive(request(1, "ping"), 0.0, size=101)
    assert faults(host.events()) == [FaultReason.OVER_LIMIT]
    host.receive(request(2, "ping"), 0.0, size=100)
    assert host.events() == []


def test_after_the_end_everything_is_reported_and_nothing_answered() -> None:
    """Holds: D14."""
    host = ready_host()
    host.close("gone")
    drain(host)
    messages, events = ask(host, "ping")
    assert messages == []
    assert faults(events) == [FaultReason.AFTER_CLOSE]


# ---- answers to us


def test_an_answer_finds_its_request() -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    _, events = hear(host, response(request_id, {}))
    assert events == [ResponseReceived(request_id, "ping", {})]
    assert host.next_deadline() is None


def test_a_numeric_string_is_accepted_back_for_our_id() -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    _, events = hear(host, response(str(request_id), {}))
    assert events == [ResponseReceived(request_id, "ping", {})]


def test_an_error_fails_its_request_with_its_data() -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    _, events = hear(host, error(request_id, -32050, "no", {"a": 1}))
    assert events == [RequestFailed(request_id, "ping", -32050, "no", False, {"a": 1})]


@pytest.mark.parametrize("result", [None, [], "text", 3])
def test_a_result_that_is_no_object_fails_its_request(result: Any) -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    _, events = hear(host, {"jsonrpc": "2.0", "id": request_id, "result": result})
    assert faults(events) == [FaultReason.INVALID_RESULT]
    assert isinstance(events[-1], RequestFailed)
    assert host.next_deadline() is None


@pytest.mark.parametrize("body", [{}, {"result": {}, "error": {}}, {"result": {}, "jsonrpc": "1.0"}])
def test_a_malformed_answer_fails_its_request_at_once(body: dict[str, Any]) -> None:
    """FrontMCP's host answers void calls without a result."""
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    drain(host)
    messages, events = hear(host, {"jsonrpc": "2.0", "id": request_id, **body})
    assert messages == []
    assert faults(events) == [FaultReason.MALFORMED]
    assert isinstance(events[-1], RequestFailed)
    assert hear(host, {"jsonrpc": "2.0", "id": 99, **body})[0] == []


def test_an_answer_nobody_waits_for_is_late_and_one_nobody_asked_for_is_malformed() -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    hear(host, response(request_id, {}))
    assert faults(hear(host, response(request_id, {}))[1]) == [FaultReason.LATE]
    assert faults(hear(host, response(99, {}))[1]) == [FaultReason.MALFORMED]
    assert faults(hear(host, response("x" * 500, {}))[1]) == [FaultReason.MALFORMED]
    nobody = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "parse"}}
    assert faults(hear(host, nobody)[1]) == [FaultReason.MALFORMED]


def test_a_view_cannot_answer_a_request_it_has_not_been_sent() -> None:
    """A guessed id of a request that is held back does not settle it. Holds: R32."""
    host = new_host()
    hear(host, introduction({"tools": {}}))
    request_id = host.ping(0.0, timeout=5)
    for guess in (
        response(request_id, {}),
        error(request_id, -1, "no"),
        {"jsonrpc": "2.0", "id": request_id},
    ):
        assert faults(hear(host, guess)[1]) == [FaultReason.MALFORMED]
    assert host.next_deadline() == 5.0
    progress = {"progressToken": request_id, "progress": 1}
    assert FaultReason.LATE in faults(tell(host, "notifications/progress", progress)[1])


@pytest.mark.parametrize("is_error", [False, True])
def test_an_answer_after_its_deadline_is_late_even_if_nobody_ticked(is_error: bool) -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    answer = error(request_id, -1, "no") if is_error else response(request_id, {})
    _, events = hear(host, answer, now=5.0)
    assert isinstance(events[0], RequestFailed)
    assert events[0].timed_out
    assert faults(events) == [FaultReason.LATE]


def test_a_view_that_begins_again_hears_nothing_of_requests_that_timed_out_before() -> None:
    """Holds: R32."""
    host = ready_host()
    host.ping(0.0, timeout=5)
    drain(host)
    messages, _ = hear(host, introduction(), now=6.0)
    assert ["result" in message for message in messages] == [True]
    host.tick(6.0)
    messages, events = drain(host)
    assert messages == []
    assert isinstance(events[0], RequestFailed)


# ---- cancellation and progress


@pytest.mark.parametrize("request_id", [0, 1, "", "a"])
def test_a_cancelled_request_is_reported_and_its_answer_is_not_sent(request_id: str | int) -> None:
    """Also for id 0, which the SDK forgets."""
    host = ready_host()
    ask(host, "tools/call", {"name": "x"}, request_id)
    _, events = tell(host, "notifications/cancelled", {"requestId": request_id, "reason": "user"})
    assert events == [RequestCancelled(request_id, "user")]
    host.answer(request_id, {"content": []})
    host.refuse(request_id, -1, "no")
    host.send_progress(request_id, 1)
    assert drain(host) == ([], [])


def test_a_cancellation_of_nothing_is_reported_as_late() -> None:
    _, events = tell(ready_host(), "notifications/cancelled", {"requestId": 5})
    assert faults(events) == [FaultReason.LATE]


def test_a_cancellation_that_names_nothing_is_invalid() -> None:
    wrong: list[dict[str, Any]] = [{}, {"requestId": {}}, {"requestId": None}, {"requestId": True}]
    for params in wrong:
        _, events = tell(ready_host(), "notifications/cancelled", params)
        assert faults(events) == [FaultReason.INVALID_PARAMS]


def test_progress_goes_to_the_token_the_peer_gave_and_the_program_never_sees_it() -> None:
    host = ready_host()
    params = {"name": "x", "_meta": {"progressToken": "tok", "other": 1}}
    _, events = ask(host, "tools/call", params, 4)
    assert events == [
        RequestReceived(4, "tools/call", {"name": "x", "_meta": {"other": 1}}, wants_progress=True)
    ]
    host.send_progress(4, 0.5, total=1, message="half")
    host.send_progress(4, 0.7)
    assert [message["params"] for message in drain(host)[0]] == [
        {"progressToken": "tok", "progress": 0.5, "total": 1, "message": "half"},
        {"progressToken": "tok", "progress": 0.7},
    ]


def test_the_token_zero_is_a_token() -> None:
    host = ready_host()
    ask(host, "tools/call", {"name": "x", "_meta": {"progressToken": 0}}, 4)
    host.send_progress(4, 1)
    assert drain(host)[0] == [notification("notifications/progress", {"progressToken": 0, "progress": 1})]


def test_without_a_token_no_progress_is_sent() -> None:
    host = ready_host()
    ask(host, "tools/call", {"name": "x"}, 4)
    host.send_progress(4, 0.5)
    assert drain(host)[0] == []


def test_progress_on_our_request_is_reported_and_does_not_prolong_it() -> None:
    host = ready_host({"tools": {}})
    request_id = host.call_view_tool("t", None, 0.0, timeout=5)
    token = drain(host)[0][0]["params"]["_meta"]["progressToken"]
    _, events = tell(host, "notifications/progress", {"progressToken": token, "progress": 1, "total": 4})
    assert events == [ProgressReceived(request_id, 1, 4, None)]
    _, events = tell(host, "notifications/progress", {"progressToken": str(token), "progress": 2})
    assert events == [ProgressReceived(request_id, 2, None, None)]
    assert host.next_deadline() == 5.0


@pytest.mark.parametrize("number", [float("inf"), 10**400])
def test_progress_that_is_no_quantity_is_invalid(number: float) -> None:
    host = ready_host({"tools": {}})
    request_id = host.call_view_tool("t", None, 0.0, timeout=5)
    message = notification("notifications/progress", {"progressToken": request_id, "progress": number})
    host.receive(message, 0.0, size=10)
    assert faults(host.events()) == [FaultReason.INVALID_PARAMS]


def test_progress_on_nothing_is_late() -> None:
    _, events = tell(ready_host(), "notifications/progress", {"progressToken": 7, "progress": 1})
    assert faults(events) == [FaultReason.LATE]


# ---- the program's own faults


def test_answering_what_nobody_asked_is_the_programs_fault() -> None:
    host = ready_host()
    with pytest.raises(LocalProtocolError, match="no open request"):
        host.answer(1, {})
    with pytest.raises(LocalProtocolError, match="no open request"):
        host.refuse(1, -1, "no")
    with pytest.raises(LocalProtocolError, match="no open request"):
        host.send_progress(1, 0.1)
    assert drain(host) == ([], [])


def test_answering_twice_is_the_programs_fault() -> None:
    host = ready_host()
    ask(host, "tools/list")
    host.answer(1, {"tools": []})
    with pytest.raises(LocalProtocolError):
        host.answer(1, {"tools": []})
    assert len(drain(host)[0]) == 1


def test_a_result_that_is_no_object_is_the_programs_fault_and_the_request_stays_open() -> None:
    host = ready_host()
    ask(host, "tools/list")
    with pytest.raises(LocalProtocolError, match="object"):
        host.answer(1, [])  # type: ignore[arg-type]
    host.answer(1, {"tools": [], "nextCursor": None})
    assert drain(host)[0] == [response(1, {"tools": []})]


def test_a_refusal_carries_code_message_and_data() -> None:
    host = ready_host()
    ask(host, "tools/list")
    host.refuse(1, ErrorCode.DENIED, "not today", {"until": 5})
    assert drain(host)[0] == [error(1, -32000, "not today", {"until": 5})]


def test_the_state_is_known() -> None:
    beginning = new_host()
    hear(beginning, introduction())
    states = [host.state for host in (new_host(), beginning, ready_host())]
    assert states == [ConnectionState.NEW, ConnectionState.INITIALIZING, ConnectionState.READY]
    assert beginning.limits == Limits()
