"""Asking, waiting, cancelling, ending, sleeping: what needs no ears."""

from __future__ import annotations

import json

import pytest
from talk import INITIALIZED, ask, drain, hear, introduction, methods, new_host, ready_host, ready_view

from fanlight.errors import ConfigError, LocalProtocolError
from fanlight.protocol import (
    Closed,
    ConnectionState,
    HostConnection,
    Limits,
    RequestCancelled,
    RequestFailed,
    ViewConnection,
)
from fanlight.wire import ErrorCode, notification


def test_a_request_fails_at_its_deadline_and_the_peer_is_told() -> None:
    host = ready_host()
    request_id = host.ping(10.0, timeout=5)
    drain(host)
    assert host.next_deadline() == 15.0
    host.tick(14.9)
    assert drain(host) == ([], [])
    host.tick(15.0)
    messages, events = drain(host)
    assert messages == [
        notification("notifications/cancelled", {"requestId": request_id, "reason": "timed out"})
    ]
    assert events == [
        RequestFailed(request_id, "ping", ErrorCode.CANCELLED, "no answer to ping in time", timed_out=True)
    ]
    host.tick(99.0)
    assert drain(host) == ([], [])


def test_a_request_that_is_held_back_fails_without_a_word_to_the_peer() -> None:
    """Holds: R32."""
    host = new_host()
    request_id = host.ping(0.0, timeout=5)
    host.notify_list_changed("tools")
    assert drain(host) == ([], [])
    host.tick(5.0)
    messages, events = drain(host)
    assert messages == []
    assert [event.request_id for event in events if isinstance(event, RequestFailed)] == [request_id]
    hear(host, introduction())
    messages, _ = hear(host, INITIALIZED)
    assert methods(messages) == ["notifications/tools/list_changed"]


def test_what_is_held_back_goes_out_in_order_when_the_view_is_ready() -> None:
    """Holds: R32."""
    host = new_host()
    host.notify_list_changed("tools")
    host.ping(0.0, timeout=5)
    host.notify_list_changed("prompts")
    messages, _ = hear(host, introduction())
    assert methods(messages) == []
    messages, _ = hear(host, INITIALIZED)
    assert methods(messages) == [
        "notifications/tools/list_changed",
        "ping",
        "notifications/prompts/list_changed",
    ]
    _, events = hear(host, {"jsonrpc": "2.0", "id": 1, "result": {}})
    assert len(events) == 1


def test_the_queue_of_held_messages_is_bounded_and_refuses_loudly() -> None:
    host = new_host(limits=Limits(max_held_messages=2))
    host.notify_list_changed("tools")
    host.ping(0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="2 messages wait"):
        host.notify_list_changed("tools")
    with pytest.raises(LocalProtocolError, match="2 messages wait"):
        host.ping(0.0, timeout=5)
    hear(host, introduction())
    assert methods(hear(host, INITIALIZED)[0]) == ["notifications/tools/list_changed", "ping"]


def test_the_number_of_our_open_requests_is_bounded_and_refuses_loudly() -> None:
    host = ready_host(limits=Limits(max_requests_to_peer=1))
    host.ping(0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="1 requests wait"):
        host.ping(0.0, timeout=5)


@pytest.mark.parametrize("timeout", [0, -1, float("inf"), float("nan")])
def test_every_wait_has_a_deadline(timeout: float) -> None:
    with pytest.raises(LocalProtocolError, match="timeout"):
        ready_host().ping(0.0, timeout=timeout)


def test_a_cancelled_request_fails_at_once_and_the_peer_is_told() -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    drain(host)
    host.cancel(request_id)
    messages, events = drain(host)
    assert messages == [notification("notifications/cancelled", {"requestId": request_id})]
    assert events == [RequestFailed(request_id, "ping", ErrorCode.CANCELLED, "cancelled")]
    host.cancel(request_id)
    assert drain(host) == ([], [])


def test_a_reason_is_told_to_the_peer_and_to_the_waiter() -> None:
    host = ready_host()
    request_id = host.ping(0.0, timeout=5)
    drain(host)
    host.cancel(request_id, "user stopped")
    messages, events = drain(host)
    assert messages[0]["params"] == {"requestId": request_id, "reason": "user stopped"}
    assert events == [RequestFailed(request_id, "ping", ErrorCode.CANCELLED, "user stopped")]


def test_a_held_request_is_cancelled_out_of_the_queue() -> None:
    host = new_host()
    host.cancel(host.ping(0.0, timeout=5))
    hear(host, introduction())
    assert methods(hear(host, INITIALIZED)[0]) == []


def test_a_request_we_never_made_cannot_be_cancelled() -> None:
    with pytest.raises(LocalProtocolError, match="no request of ours"):
        ready_host().cancel(1)


def test_neither_the_handshake_nor_the_teardown_can_be_cancelled() -> None:
    host = ready_host()
    with pytest.raises(LocalProtocolError, match="cannot be cancelled"):
        host.cancel(host.teardown(0.0, timeout=5))
    view = ready_view()
    with pytest.raises(LocalProtocolError, match="cannot be cancelled"):
        view.cancel(view.initialize(0.0, timeout=5))


def test_a_request_to_a_view_that_began_again_is_given_up_in_silence() -> None:
    """The new beginning does not know it, and may be told nothing yet. Holds: R32."""
    host = ready_host()
    host.ping(0.0, timeout=5)
    drain(host)
    hear(host, introduction())
    host.tick(5.0)
    messages, events = drain(host)
    assert messages == []
    assert isinstance(events[0], RequestFailed)


def test_the_end_of_the_channel_fails_everybody_who_waits() -> None:
    """Holds: D14."""
    host = ready_host()
    ask(host, "tools/call", {"name": "x"}, 0)
    request_id = host.ping(0.0, timeout=5)
    drain(host)
    host.close("socket lost")
    messages, events = drain(host)
    assert messages == []
    text = "the connection is closed: socket lost"
    assert events == [
        RequestFailed(request_id, "ping", ErrorCode.CANCELLED, text),
        RequestCancelled(0, "socket lost"),
        Closed("socket lost"),
    ]
    assert host.state is ConnectionState.CLOSED
    assert host.next_deadline() is None
    host.close("again")
    host.answer(0, {"content": []})
    assert drain(host) == ([], [])


def test_nothing_can_be_said_after_the_end() -> None:
    """Holds: D14."""
    host = ready_host({"tools": {}})
    host.close("gone")
    for act in (
        lambda: host.ping(0.0, timeout=5),
        lambda: host.notify_list_changed("tools"),
        lambda: host.send_tool_input({}),
        lambda: host.send_tool_input_partial({}),
        lambda: host.send_tool_result({}),
        lambda: host.send_tool_cancelled(),
        lambda: host.update_context({"theme": "dark"}),
        lambda: host.call_view_tool("t", None, 0.0, timeout=5),
        lambda: host.list_view_tools(0.0, timeout=5),
        lambda: host.teardown(0.0, timeout=5),
    ):
        with pytest.raises(LocalProtocolError, match="connection is closed"):
            act()


def test_a_snapshot_of_the_other_end_or_another_time_is_refused() -> None:
    host, view = ready_host().snapshot(), ready_view().snapshot()
    with pytest.raises(ConfigError, match="role 'view'"):
        ViewConnection.restore(host)
    with pytest.raises(ConfigError, match="role 'host'"):
        HostConnection.restore(view)
    with pytest.raises(ConfigError, match="version 99"):
        HostConnection.restore({**host, "version": 99})
    with pytest.raises(ConfigError, match="version None"):
        HostConnection.restore({})


def test_a_sleeping_connection_keeps_queued_messages_events_and_open_requests() -> None:
    host = new_host()
    host.send_tool_result({"content": []})
    host.ping(0.0, timeout=5)
    host.receive(introduction({"tools": {}}), 0.0)
    host.update_context({"theme": "dark"})
    woken = HostConnection.restore(json.loads(json.dumps(host.snapshot())))
    assert woken.snapshot() == host.snapshot()
    for connection in (host, woken):
        connection.send_tool_input({"a": 1})
        connection.receive(INITIALIZED, 1.0)
    assert drain(woken) == drain(host)
    for connection in (host, woken):
        connection.receive({"jsonrpc": "2.0", "id": 1, "result": {}}, 2.0)
        connection.call_view_tool("t", None, 2.0, timeout=5)
    assert drain(woken) == drain(host)
    assert woken.next_deadline() == host.next_deadline() == 7.0


def test_a_snapshot_does_not_change_with_the_connection() -> None:
    host = ready_host()
    ask(host, "tools/list", {}, 0)
    snapshot = host.snapshot()
    before = json.dumps(snapshot)
    host.update_context({"theme": "dark"})
    host.update_capabilities({})
    host.answer(0, {"tools": []})
    host.send_tool_input({})
    assert json.dumps(snapshot) == before
