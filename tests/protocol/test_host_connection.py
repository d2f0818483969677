"""What a host may say to a view, and in which order."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from talk import (
    CONTEXT_CHANGED,
    INITIALIZED,
    RESULT,
    TOOL_CANCELLED,
    TOOL_INPUT,
    TOOL_PARTIAL,
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
)

from fanlight.errors import ConfigError, LocalProtocolError
from fanlight.protocol import (
    Closed,
    ConnectionState,
    FaultReason,
    HostConnection,
    Limits,
    RequestCancelled,
    RequestFailed,
    RequestReceived,
    TornDown,
)
from fanlight.wire import ErrorCode, error, notification, response

# ---- construction


@pytest.mark.parametrize("info", [{}, {"name": "h"}, {"name": "h", "version": 1}])
def test_a_host_without_name_and_version_is_refused(info: dict[str, Any]) -> None:
    """Holds: R36."""
    with pytest.raises(ConfigError, match=r"host info\."):
        HostConnection(host_info=info)


def test_capabilities_and_context_that_views_reject_are_refused_at_once() -> None:
    with pytest.raises(ConfigError, match=r"host capabilities\.openLinks is True"):
        new_host(capabilities={"openLinks": True})
    with pytest.raises(ConfigError, match=r"host context\.theme is 'system'"):
        new_host(context={"theme": "system"})


def test_nulls_of_the_program_never_reach_the_wire() -> None:
    host = HostConnection(
        host_info={"name": "h", "version": "1", "title": None},
        capabilities={"openLinks": None, "serverTools": {"listChanged": None}},
        context={"theme": None, "containerDimensions": {"maxHeight": 5, "width": None}},
    )
    messages, _ = hear(host, introduction())
    assert messages[0]["result"] == {
        "protocolVersion": "2026-01-26",
        "hostInfo": {"name": "h", "version": "1"},
        "hostCapabilities": {"serverTools": {}},
        "hostContext": {"containerDimensions": {"maxHeight": 5}},
    }


def test_what_is_known_is_handed_out_as_copies() -> None:
    host = ready_host({"tools": {}})
    host.capabilities["openLinks"]["x"] = 1
    host.app_capabilities["tools"]["x"] = 1
    host.app_info["x"] = 1
    host.context["x"] = 1
    assert host.capabilities["openLinks"] == host.app_capabilities["tools"] == {}
    assert "x" not in host.app_info
    assert "x" not in host.context


# ---- the tool call


@pytest.mark.parametrize("ready_after", range(4))
@pytest.mark.parametrize("order", list(itertools.permutations(["partial", "input", "result"])))
def test_every_order_of_supply_and_readiness_gives_the_one_order_on_the_wire(
    order: tuple[str, ...], ready_after: int
) -> None:
    """Holds: R32, R48, R49, R50, R53."""
    host = new_host()
    sent: list[str] = []
    for step in range(4):
        if step == ready_after:
            hear(host, introduction())
            host.receive(INITIALIZED, 0.0)
        sent += methods(drain(host)[0])
        if step == 3:
            break
        if order[step] == "input":
            host.send_tool_input({"a": 1})
        elif order[step] == "result":
            host.send_tool_result(RESULT)
            assert host.awaits_tool_input is ("input" not in order[: step + 1])
        elif "input" in order[:step]:
            with pytest.raises(LocalProtocolError):
                host.send_tool_input_partial({})
        else:
            host.send_tool_input_partial({})
    assert [name for name in sent if name != TOOL_PARTIAL] == [TOOL_INPUT, TOOL_RESULT]
    if TOOL_PARTIAL in sent:
        assert sent.index(TOOL_PARTIAL) < sent.index(TOOL_INPUT)


def test_partials_stream_to_a_ready_view() -> None:
    host = ready_host()
    for text in ("a", "ab", "abc"):
        host.send_tool_input_partial({"x": text})
    host.send_tool_input({"x": "abc"})
    messages, _ = drain(host)
    assert methods(messages) == [TOOL_PARTIAL] * 3 + [TOOL_INPUT]


def test_a_cancelled_call_is_told_in_every_phase() -> None:
    """Holds: R54."""
    host = ready_host()
    host.send_tool_input_partial({})
    host.send_tool_cancelled("user")
    messages, _ = drain(host)
    assert methods(messages) == [TOOL_PARTIAL, TOOL_CANCELLED]
    assert messages[1]["params"] == {"reason": "user"}
    waiting = new_host()
    waiting.send_tool_input({})
    waiting.send_tool_cancelled()
    hear(waiting, introduction())
    assert methods(hear(waiting, INITIALIZED)[0]) == [TOOL_INPUT, TOOL_CANCELLED]


# ---- context and capabilities


def test_a_change_of_context_is_told_as_the_smallest_difference() -> None:
    host = ready_host()
    host.update_context({"theme": "dark", "availableDisplayModes": ["inline", "fullscreen"], "locale": "en"})
    assert drain(host)[0] == [notification(CONTEXT_CHANGED, {"theme": "dark", "locale": "en"})]
    host.update_context({"theme": "dark", "locale": None})
    assert drain(host)[0] == []
    assert "locale" not in host.context


def test_before_the_handshake_the_context_is_told_with_it() -> None:
    host = new_host()
    host.update_context({"theme": "dark"})
    messages, _ = hear(host, introduction())
    assert messages[0]["result"]["hostContext"]["theme"] == "dark"
    assert hear(host, INITIALIZED)[0] == []


def test_an_invalid_context_is_refused_with_field_value_and_remedy() -> None:
    host = ready_host()
    with pytest.raises(ConfigError, match="theme is 'blue': use 'light' or 'dark'"):
        host.update_context({"theme": "blue"})
    with pytest.raises(ConfigError, match="76 style variables"):
        host.update_context({"styles": {"variables": {"--spacing-md": "4px"}}})
    with pytest.raises(ConfigError, match="displayMode"):
        host.update_context({"displayMode": "modal"})
    assert drain(host)[0] == []


def test_a_host_never_moves_a_view_to_a_mode_it_did_not_declare() -> None:
    """Holds: R41."""
    host = ready_host({"availableDisplayModes": ["inline", "pip"]})
    with pytest.raises(LocalProtocolError, match="R41"):
        host.update_context({"displayMode": "fullscreen"})
    host.update_context({"displayMode": "inline"})
    host.update_context({"displayMode": "pip"})
    host.update_context({"displayMode": "pip"})
    changes = [message["params"] for message in drain(host)[0]]
    assert changes == [{"displayMode": "inline"}, {"displayMode": "pip"}]


def test_a_view_that_declared_no_modes_may_be_moved_to_any() -> None:
    """Holds: R41."""
    host = ready_host()
    host.update_context({"displayMode": "pip"})
    assert drain(host)[0] == [notification(CONTEXT_CHANGED, {"displayMode": "pip"})]


def test_changed_capabilities_gate_from_now_on_and_are_told_to_the_next_handshake() -> None:
    host = ready_host(capabilities={"openLinks": {}})
    host.update_capabilities({"serverTools": {}})
    assert error_code(ask(host, "ui/open-link", {"url": "https://a"})[0]) == ErrorCode.METHOD_NOT_FOUND
    assert ask(host, "tools/call", {"name": "x"})[0] == []
    messages, _ = hear(host, introduction())
    assert messages[0]["result"]["hostCapabilities"] == {"serverTools": {}}
    with pytest.raises(ConfigError):
        host.update_capabilities({"logging": True})
    assert host.capabilities == {"serverTools": {}}


@pytest.mark.parametrize("what", ["tools", "resources"])
def test_a_changed_list_is_relayed_only_if_that_was_advertised(what: Any) -> None:
    key = {"tools": "serverTools", "resources": "serverResources"}[what]
    host = ready_host(capabilities={key: {"listChanged": True}})
    host.notify_list_changed(what)
    assert drain(host)[0] == [notification(f"notifications/{what}/list_changed")]
    silent = ready_host(capabilities={key: {}})
    with pytest.raises(LocalProtocolError, match="listChanged was not advertised"):
        silent.notify_list_changed(what)


def test_changed_prompts_have_no_capability() -> None:
    host = ready_host(capabilities={})
    host.notify_list_changed("prompts")
    assert drain(host)[0] == [notification("notifications/prompts/list_changed")]


def test_a_followed_resource_is_told_of_only_if_following_was_advertised() -> None:
    host = ready_host(capabilities={"experimental": {"resourceSubscriptions": {}}})
    host.notify_resource_updated("data://rows")
    assert drain(host)[0] == [notification("notifications/resources/updated", {"uri": "data://rows"})]
    silent = ready_host(capabilities={"serverResources": {}})
    with pytest.raises(LocalProtocolError, match="resourceSubscriptions was not advertised"):
        silent.notify_resource_updated("data://rows")


def test_state_is_kept_only_if_that_was_advertised() -> None:
    """Between our host and our views; like everything else it is refused where it was not offered."""
    state = {"a": None, "b": [1]}
    host = ready_host(capabilities={"experimental": {"fanlight/state": {}}})
    (_, (received,)) = ask(host, "fanlight/set-state", {"state": state})
    assert received == RequestReceived(1, "fanlight/set-state", {"state": state})
    host.answer(1, {})
    assert drain(host)[0] == [response(1, {})]
    silent = ready_host(capabilities={"experimental": {}})
    assert error_code(ask(silent, "fanlight/set-state", {"state": state})[0]) == ErrorCode.METHOD_NOT_FOUND


# ---- answers


def test_the_answer_to_a_display_mode_is_announced_and_becomes_the_context() -> None:
    """Holds: R42."""
    host = ready_host()
    ask(host, "ui/request-display-mode", {"mode": "fullscreen"})
    host.answer(1, {"mode": "fullscreen"})
    assert drain(host)[0] == [
        notification(CONTEXT_CHANGED, {"displayMode": "fullscreen"}),
        response(1, {"mode": "fullscreen"}),
    ]
    assert host.context["displayMode"] == "fullscreen"


def test_a_display_mode_may_be_answered_with_the_current_one() -> None:
    """Holds: R43."""
    host = ready_host(context={"displayMode": "inline", "availableDisplayModes": ["fullscreen"]})
    ask(host, "ui/request-display-mode", {"mode": "fullscreen"})
    host.answer(1, {"mode": "inline"})
    assert drain(host)[0] == [response(1, {"mode": "inline"})]


def test_a_refused_display_mode_is_answered_with_the_current_one() -> None:
    """Holds: R42, R43."""
    host = ready_host()
    ask(host, "ui/request-display-mode", {"mode": "fullscreen"})
    host.refuse(1, ErrorCode.DENIED, "not now")
    assert drain(host)[0] == [response(1, {"mode": "inline"})]


def test_a_display_mode_is_not_answered_with_one_the_view_did_not_declare_or_that_is_none() -> None:
    """Holds: R41, R42."""
    host = ready_host({"availableDisplayModes": ["inline", "fullscreen"]})
    ask(host, "ui/request-display-mode", {"mode": "fullscreen"})
    with pytest.raises(LocalProtocolError, match="R41"):
        host.answer(1, {"mode": "pip"})
    with pytest.raises(ConfigError, match="mode"):
        host.answer(1, {"mode": "huge"})
    with pytest.raises(ConfigError, match="mode is missing"):
        host.answer(1, {})
    assert drain(host)[0] == []
    host.answer(1, {"mode": "inline"})
    assert drain(host)[0] == [
        notification(CONTEXT_CHANGED, {"displayMode": "inline"}),
        response(1, {"mode": "inline"}),
    ]


def test_a_context_update_is_answered_with_exactly_nothing() -> None:
    host = ready_host()
    ask(host, "ui/update-model-context", {})
    with pytest.raises(LocalProtocolError, match=r"answered with \{\}; remove ok"):
        host.answer(1, {"ok": True})
    host.answer(1, {"ok": None, "_meta": {"a": 1}})
    assert drain(host)[0] == [response(1, {"_meta": {"a": 1}})]


def test_a_tool_result_is_answered_losslessly_but_without_nulls() -> None:
    host = ready_host()
    ask(host, "tools/call", {"name": "x"})
    result = {
        "content": [{"type": "text", "text": "a", "annotations": None}],
        "structuredContent": {"kept": None},
        "isError": None,
        "future": [1],
    }
    host.answer(1, result)
    assert drain(host)[0][0]["result"] == {
        "content": [{"type": "text", "text": "a"}],
        "structuredContent": {"kept": None},
        "future": [1],
    }


# ---- teardown


def test_a_view_is_told_before_it_is_removed_and_may_save_meanwhile() -> None:
    """Holds: R55, R56."""
    host = ready_host()
    request_id = host.teardown(0.0, timeout=5, reason="closed by user")
    messages, _ = drain(host)
    assert messages[0]["params"] == {"reason": "closed by user"}
    assert host.state is ConnectionState.CLOSING
    assert host.next_deadline() == 5.0
    _, events = ask(host, "tools/call", {"name": "save"}, 8)
    assert events == [RequestReceived(8, "tools/call", {"name": "save"})]
    host.answer(8, RESULT)
    host.send_tool_input({})
    assert methods(drain(host)[0]) == [TOOL_INPUT]
    _, events = hear(host, response(request_id, {}))
    assert events == [TornDown(clean=True), Closed("torn down")]


def test_new_work_is_not_given_to_a_view_that_is_leaving() -> None:
    """Holds: D14."""
    host = ready_host({"tools": {}})
    host.teardown(0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="closing"):
        host.call_view_tool("t", None, 0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="closing"):
        host.list_view_tools(0.0, timeout=5)


def test_a_view_without_a_teardown_handler_is_ready() -> None:
    """Holds: R56."""
    host = ready_host()
    request_id = host.teardown(0.0, timeout=5)
    _, events = hear(host, error(request_id, ErrorCode.METHOD_NOT_FOUND, "Method not found"))
    assert events == [TornDown(clean=True), Closed("torn down")]


def test_a_view_that_fails_or_is_silent_is_not_clean_but_over() -> None:
    """Holds: R55, R56."""
    failing = ready_host()
    request_id = failing.teardown(0.0, timeout=5)
    _, events = hear(failing, error(request_id, ErrorCode.INTERNAL_ERROR, "boom"))
    assert events == [TornDown(clean=False), Closed("torn down")]
    silent = ready_host()
    waiting = silent.ping(0.0, timeout=5)
    ask(silent, "tools/call", {"name": "x"}, 0)
    silent.teardown(0.0, timeout=5)
    drain(silent)
    silent.tick(5.0)
    messages, events = drain(silent)
    assert [message["params"]["requestId"] for message in messages] == [waiting]
    assert [type(event) for event in events] == [RequestFailed, TornDown, RequestCancelled, Closed]
    assert silent.next_deadline() is None


@pytest.mark.parametrize("now", [5.0, 60.0])
def test_a_silent_teardown_fails_what_else_waits_once(now: float) -> None:
    host = ready_host()
    host.teardown(0.0, timeout=5)
    longer = host.ping(0.0, timeout=50)
    drain(host)
    host.tick(now)
    messages, events = drain(host)
    assert messages == []
    assert [event.request_id for event in events if isinstance(event, RequestFailed)] == [longer]
    assert events[0] == TornDown(clean=False)


def test_a_view_that_was_never_ready_is_torn_down_at_once() -> None:
    """It may not be asked before initialized. Holds: R32, R55."""
    for begun in (False, True):
        host = new_host()
        host.send_tool_input({})
        if begun:
            hear(host, introduction())
        host.teardown(0.0, timeout=5)
        assert drain(host) == ([], [TornDown(clean=False), Closed("torn down")])
        assert host.state is ConnectionState.CLOSED


def test_a_second_teardown_changes_nothing() -> None:
    host = ready_host()
    first = host.teardown(0.0, timeout=5)
    drain(host)
    assert host.teardown(1.0, timeout=50) == first
    assert drain(host) == ([], [])
    assert host.next_deadline() == 5.0
    hear(host, response(first, {}))
    assert host.teardown(2.0, timeout=5) == first


def test_a_channel_lost_during_teardown_ends_the_wait() -> None:
    host = ready_host()
    host.teardown(0.0, timeout=5)
    drain(host)
    host.close("socket lost")
    assert drain(host)[1] == [TornDown(clean=False), Closed("socket lost")]


def test_no_limit_stands_in_the_way_of_a_teardown() -> None:
    """Holds: R55."""
    host = ready_host(limits=Limits(max_requests_to_peer=1))
    host.ping(0.0, timeout=5)
    host.teardown(0.0, timeout=5)
    assert methods(drain(host)[0]) == ["ping", "ui/resource-teardown"]


# ---- tools of the view


def test_a_view_without_tools_is_not_asked_for_any() -> None:
    """Holds: D12, D14."""
    for host in (new_host(), ready_host()):
        with pytest.raises(LocalProtocolError, match=r"did not declare appCapabilities\.tools"):
            host.call_view_tool("t", None, 0.0, timeout=5)
        with pytest.raises(LocalProtocolError, match=r"did not declare appCapabilities\.tools"):
            host.list_view_tools(0.0, timeout=5)


def test_a_views_tool_is_called_with_arguments_and_a_progress_token() -> None:
    host = ready_host({"tools": {}})
    request_id = host.call_view_tool("t", {"a": 1}, 0.0, timeout=30)
    (message,) = drain(host)[0]
    assert message["params"] == {
        "name": "t",
        "arguments": {"a": 1},
        "_meta": {"progressToken": request_id},
    }
    host.list_view_tools(0.0, timeout=5, cursor="c")
    assert drain(host)[0][0]["params"] == {"cursor": "c"}
    host.list_view_tools(0.0, timeout=5)
    assert drain(host)[0][0]["params"] == {}


def test_a_views_tool_may_not_take_longer_than_the_limit() -> None:
    """Holds: D11."""
    host = ready_host({"tools": {}})
    with pytest.raises(LocalProtocolError, match="30 s"):
        host.call_view_tool("t", None, 0.0, timeout=31)
    patient = ready_host({"tools": {}}, limits=Limits(max_view_tool_seconds=100))
    patient.call_view_tool("t", None, 0.0, timeout=100)
    patient.tick(100.0)
    assert any(isinstance(event, RequestFailed) and event.timed_out for event in patient.events())


def test_a_call_made_while_the_view_begins_is_sent_when_it_is_ready() -> None:
    """Holds: R32."""
    host = new_host()
    hear(host, introduction({"tools": {}}))
    host.call_view_tool("t", None, 0.0, timeout=5)
    assert drain(host)[0] == []
    assert methods(hear(host, INITIALIZED)[0]) == ["tools/call"]


def test_a_sleeping_host_remembers_the_view_and_the_teardown() -> None:
    host = ready_host({"tools": {}, "availableDisplayModes": ["inline"]})
    first = host.teardown(0.0, timeout=5)
    woken = HostConnection.restore(host.snapshot())
    assert woken.teardown(0.0, timeout=5) == first
    assert woken.app_info == host.app_info
    assert woken.app_capabilities == host.app_capabilities
    assert faults(hear(woken, introduction())[1]) == [FaultReason.OUT_OF_ORDER]
