"""Two ends on one wire: the whole life, and the pair's own checks."""

from __future__ import annotations

import pytest
from talk import RESULT, TOOL_INPUT, TOOL_PARTIAL, TOOL_RESULT, new_host

from fanlight.protocol import (
    Closed,
    ConnectionState,
    HostContextChanged,
    Initialized,
    InitializeReceived,
    PeerFault,
    ProgressReceived,
    RequestCancelled,
    RequestFailed,
    RequestReceived,
    ResponseReceived,
    Role,
    SizeChanged,
    TeardownReceived,
    TeardownRequested,
    ToolInput,
    ToolInputPartial,
    ToolResult,
    TornDown,
)
from fanlight.testing import ConnectionPair, Crossing
from fanlight.wire import JSONObject, notification, request, response


def test_a_whole_life_with_a_sleep_after_every_step_and_without_a_fault() -> None:
    """Holds: R32, R48, R49, R50, R53, R55, R56, D09."""
    pair = ConnectionPair()
    pair.host.send_tool_input_partial({"city": "O"})
    pair.handshake()
    pair.restart()
    pair.host.send_tool_input_partial({"city": "Os"})
    pair.host.send_tool_result(RESULT)
    pair.host.send_tool_input({"city": "Oslo"})
    pair.settle()
    pair.restart()
    pair.view.send_size(400, 300)
    call = pair.view.call_tool("refresh", None, pair.now, timeout=30)
    pair.settle()
    pair.restart()
    pair.host.send_progress(call, 1, total=2)
    pair.host.answer(call, {**RESULT, "_meta": {"a": None}})
    pair.host.update_context({"theme": "dark"})
    pair.settle()
    pair.view.request_teardown()
    pair.settle()
    pair.host.teardown(pair.now, timeout=10)
    pair.settle()
    pair.restart()
    (teardown,) = [event for event in pair.view_events if isinstance(event, TeardownReceived)]
    pair.view.answer(teardown.request_id, {})
    pair.settle()

    assert pair.sent(Role.HOST) == [
        TOOL_PARTIAL,
        TOOL_PARTIAL,
        TOOL_INPUT,
        TOOL_RESULT,
        "notifications/progress",
        "ui/notifications/host-context-changed",
        "ui/resource-teardown",
    ]
    host_events, view_events = pair.take_events()
    assert [type(event) for event in host_events] == [
        InitializeReceived,
        Initialized,
        SizeChanged,
        RequestReceived,
        TeardownRequested,
        TornDown,
        Closed,
    ]
    assert [type(event) for event in view_events[1:]] == [
        ToolInputPartial,
        ToolInputPartial,
        ToolInput,
        ToolResult,
        ProgressReceived,
        ResponseReceived,
        HostContextChanged,
        TeardownReceived,
        Closed,
    ]
    assert pair.host.state is pair.view.state is ConnectionState.CLOSED
    assert pair.take_events() == ([], [])


def test_time_passes_for_both_ends() -> None:
    pair = ConnectionPair()
    pair.handshake()
    call = pair.host.call_view_tool("slow", None, pair.now, timeout=5)
    pair.settle()
    pair.take_events()
    pair.advance(5)
    host_events, view_events = pair.take_events()
    assert isinstance(host_events[0], RequestFailed)
    assert view_events == [RequestCancelled(call, "timed out")]


def test_a_view_may_begin_again() -> None:
    pair = ConnectionPair()
    pair.handshake()
    pair.view.initialize(pair.now, timeout=5)
    pair.host.update_context({"theme": "dark"})
    pair.restart()
    pair.settle()
    host_events, view_events = pair.take_events()
    assert not [event for event in host_events + view_events if isinstance(event, PeerFault)]
    assert pair.view.host_context["theme"] == "dark"


def test_foreign_requests_cross_unchecked_by_the_table() -> None:
    pair = ConnectionPair(host=new_host(extra=("prompts/get",)))
    pair.handshake()
    call = pair.view.request("prompts/get", {"name": "p"}, 0.0, timeout=5)
    pair.settle()
    pair.host.answer(call, {"messages": []})
    pair.settle()
    assert pair.crossings[-1] == Crossing(Role.HOST, response(call, {"messages": []}))
    pair.view.ping(0.0, timeout=5)
    call = pair.view.open_link("https://a", 0.0, timeout=5)
    pair.settle()
    pair.host.refuse(call, -32000, "no")
    pair.settle()


class Scripted:
    """An end that sends what it is told, and hears nothing."""

    state = ConnectionState.NEW

    def __init__(self, *messages: JSONObject) -> None:
        self.waiting = list(messages)

    def messages_to_send(self) -> list[JSONObject]:
        waiting, self.waiting = self.waiting, []
        return waiting

    def receive(self, message: object, now: float) -> None:
        pass

    def events(self) -> list[object]:
        return []


@pytest.mark.parametrize(
    ("message", "complaint"),
    [
        ({"jsonrpc": "2.0"}, "malformed"),
        (notification(TOOL_INPUT), "R32"),
        (request(1, "ping"), "R32"),
        (response(9, {}), "not open"),
        ({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "x"}}, "answers nobody"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"a": (1, 2)}}, "not plain JSON"),
    ],
)
def test_the_pair_complains_about_a_host(message: JSONObject, complaint: str) -> None:
    pair = ConnectionPair(host=Scripted(message))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match=complaint):
        pair.settle()


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([{"jsonrpc": "2.0", "method": "ui/notifications/initialized"}], "without params"),
        ([notification("ui/notifications/size-changed", {"width": None})], "not as it should be"),
        ([notification("ui/notifications/unheard-of")], "unknown notification"),
        ([notification("tools/call", {"name": "x"})], "as a notification"),
        ([request(1, "ping"), request(1, "ping")], "twice at once"),
    ],
)
def test_the_pair_complains_about_a_view(messages: list[JSONObject], complaint: str) -> None:
    pair = ConnectionPair(view=Scripted(*messages))  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match=complaint):
        pair.settle()


def test_the_pair_complains_about_a_handshake_that_does_not_end_and_a_talk_without_end() -> None:
    class Endless(Scripted):
        def messages_to_send(self) -> list[JSONObject]:
            return [notification("ui/notifications/request-teardown")]

    class Silent(Scripted):
        def initialize(self, now: float, *, timeout: float) -> int:
            return 1

    with pytest.raises(AssertionError, match="not silent"):
        ConnectionPair(view=Endless()).settle()  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="did not end"):
        ConnectionPair(view=Silent()).handshake()  # type: ignore[arg-type]
