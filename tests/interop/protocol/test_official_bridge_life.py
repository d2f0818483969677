"""The life of a view from its own side: our ViewConnection and the published AppBridge.

What is asserted is what the official code reported, and that our events say what it was told to send.
"""

from __future__ import annotations

from typing import Any

import pytest
from conversation import NodePeer, official
from scenes import ALL_CAPABILITIES, APP_INFO, FULL_CONTEXT, HOST_INFO, PATIENT, view_meets_bridge

from fanlight.errors import LocalProtocolError
from fanlight.protocol import ViewConnection
from fanlight.protocol.events import (
    HostContextChanged,
    HostReady,
    ListChanged,
    RequestCancelled,
    RequestReceived,
    ResponseReceived,
    TeardownReceived,
    ToolCancelled,
    ToolInput,
    ToolInputPartial,
    ToolResult,
)
from fanlight.wire.jsonrpc import ErrorCode

pytestmark = pytest.mark.interop

bridge_peer = official("bridge_driver.mjs")

VIEW = {
    "tools": {"listChanged": True},
    "availableDisplayModes": ["inline", "fullscreen"],
    "experimental": {"example.com/x": {"on": True}},
}


async def test_the_bridge_learns_who_the_view_is_and_what_it_can_do(bridge_peer: NodePeer) -> None:
    """Holds: R35, R38."""
    async with view_meets_bridge(
        bridge_peer, host_capabilities=ALL_CAPABILITIES, context=FULL_CONTEXT, capabilities=VIEW
    ) as talk:
        assert await talk.run("state") == {"app": APP_INFO, "capabilities": VIEW}
        assert talk.ours.host_info == HOST_INFO
        assert talk.ours.host_capabilities == ALL_CAPABILITIES
        assert talk.ours.host_context == FULL_CONTEXT
        assert talk.ours.protocol_version == "2026-01-26"


async def test_a_view_without_capabilities_still_sends_the_field(bridge_peer: NodePeer) -> None:
    """Holds: R35."""
    async with view_meets_bridge(bridge_peer) as talk:
        assert await talk.run("state") == {"app": APP_INFO, "capabilities": {}}


async def test_the_handshake_may_be_repeated_and_the_last_values_win(bridge_peer: NodePeer) -> None:
    async with view_meets_bridge(bridge_peer, context={"theme": "dark"}, view_at_fault=True) as talk:
        talk.ours.initialize(talk.now, timeout=PATIENT)
        await talk.event(HostReady)
        await talk.report("initialized")
        talk.ours = ViewConnection(app_info={"name": "mounted twice", "version": "8"})
        talk.ours.initialize(talk.now, timeout=PATIENT)
        await talk.event(HostReady)
        await talk.report("initialized")
        assert (await talk.run("state"))["app"] == {"name": "mounted twice", "version": "8"}
        assert await talk.reported("error") == []
        warnings = await talk.reported("console")
        assert all("second ui/initialize" in warning["text"] for warning in warnings)


async def test_the_view_hears_the_tool_call_from_the_first_letter_to_the_result(
    bridge_peer: NodePeer,
) -> None:
    result = {
        "content": [{"type": "text", "text": "ø 🌧"}],
        "structuredContent": {"days": [1, None]},
        "isError": False,
        "_meta": {"viewUUID": "u"},
        "x-of-the-server": 1,
    }
    async with view_meets_bridge(bridge_peer) as talk:
        for text in ("O", "Os"):
            await talk.run("sendToolInputPartial", {"arguments": {"city": text}})
        await talk.run("sendToolInput", {"arguments": {"city": "Oslo", "days": None}})
        await talk.run("sendToolResult", result)
        assert (await talk.event(ToolInputPartial)).arguments == {"city": "O"}
        assert (await talk.event(ToolInputPartial)).arguments == {"city": "Os"}
        assert (await talk.event(ToolInput)).arguments == {"city": "Oslo", "days": None}
        assert (await talk.event(ToolResult)).result == result


@pytest.mark.parametrize(("params", "reason"), [({"reason": "user action"}, "user action"), ({}, None)])
async def test_the_view_hears_that_the_call_was_cancelled(
    bridge_peer: NodePeer, params: dict[str, str], reason: str | None
) -> None:
    async with view_meets_bridge(bridge_peer) as talk:
        await talk.run("sendToolInput", {})
        await talk.run("sendToolCancelled", params)
        assert (await talk.event(ToolInput)).arguments == {}
        assert (await talk.event(ToolCancelled)).reason == reason


async def test_context_changes_merge_shallowly_as_the_bridge_means_them(bridge_peer: NodePeer) -> None:
    """Holds: R58."""
    async with view_meets_bridge(bridge_peer, context=FULL_CONTEXT) as talk:
        styles = {"variables": {"--shadow-sm": "none"}}
        now: dict[str, Any] = {**FULL_CONTEXT, "theme": "light", "styles": styles}
        await talk.run("setHostContext", now)
        changed = await talk.event(HostContextChanged)
        assert changed.changes == {"theme": "light", "styles": styles}
        assert changed.context == now
        await talk.run("sendHostContextChange", {"displayMode": "pip"})
        await talk.event(HostContextChanged)
        assert talk.ours.host_context == {**now, "displayMode": "pip"}


@pytest.mark.parametrize(
    ("method", "what"), [("Tool", "tools"), ("Resource", "resources"), ("Prompt", "prompts")]
)
async def test_the_view_hears_of_changed_lists(bridge_peer: NodePeer, method: str, what: str) -> None:
    async with view_meets_bridge(bridge_peer, host_capabilities=ALL_CAPABILITIES) as talk:
        await talk.run(f"send{method}ListChanged")
        assert (await talk.event(ListChanged)).what == what


async def test_the_bridge_lists_and_calls_the_tools_of_the_view(bridge_peer: NodePeer) -> None:
    """Holds: D07."""
    tools = [{"name": "move_pin", "inputSchema": {"type": "object", "properties": {}}}]
    result = {"content": [{"type": "text", "text": "moved"}], "structuredContent": {"at": 3}}
    async with view_meets_bridge(bridge_peer, capabilities=VIEW) as talk:
        listed = talk.start("listTools", {})
        request = await talk.event(RequestReceived)
        assert request.method == "tools/list"
        talk.ours.answer(request.request_id, {"tools": tools})
        assert (await talk.outcome(listed)).value == {"tools": tools}

        called = talk.start("callTool", {"name": "move_pin", "arguments": {"to": [1, 2]}})
        request = await talk.event(RequestReceived)
        assert (request.method, request.params) == (
            "tools/call",
            {"name": "move_pin", "arguments": {"to": [1, 2]}},
        )
        assert request.wants_progress
        talk.ours.send_progress(request.request_id, 1, 2, "half way")
        progress = await talk.report("progress")
        assert (progress["ref"], progress["params"]["message"]) == (called, "half way")
        talk.ours.answer(request.request_id, result)
        assert (await talk.outcome(called)).value == result

        talk.ours.notify_tools_changed()
        await talk.report("toollistchanged")


async def test_a_tool_of_the_view_that_fails_rejects_the_bridges_promise(bridge_peer: NodePeer) -> None:
    async with view_meets_bridge(bridge_peer, capabilities=VIEW) as talk:
        called = talk.start("callTool", {"name": "no_such_tool"})
        request = await talk.event(RequestReceived)
        talk.ours.refuse(request.request_id, ErrorCode.INVALID_PARAMS, "no such tool")
        outcome = await talk.outcome(called)
        assert (outcome.ok, outcome.error["code"]) == (False, ErrorCode.INVALID_PARAMS)


async def test_a_view_that_declared_no_tools_refuses_calls(bridge_peer: NodePeer) -> None:
    async with view_meets_bridge(bridge_peer, host_at_fault=True) as talk:
        outcome = await talk.outcome(talk.start("callTool", {"name": "move_pin"}))
        assert (outcome.ok, outcome.error["code"]) == (False, ErrorCode.METHOD_NOT_FOUND)
        with pytest.raises(LocalProtocolError):
            talk.ours.notify_tools_changed()


async def test_a_call_the_bridge_aborts_is_cancelled_and_its_answer_never_sent(bridge_peer: NodePeer) -> None:
    async with view_meets_bridge(bridge_peer, capabilities=VIEW) as talk:
        called = talk.start("callTool", {"name": "slow"})
        request = await talk.event(RequestReceived)
        talk.abort(called, "the user left")
        cancelled = await talk.event(RequestCancelled)
        assert (cancelled.request_id, cancelled.reason) == (request.request_id, "the user left")
        talk.ours.answer(request.request_id, {"content": []})
        assert not (await talk.outcome(called)).ok
        assert not [message for way, message in talk.log if way == "sent" and "result" in message]


async def test_both_sides_answer_a_ping(bridge_peer: NodePeer) -> None:
    async with view_meets_bridge(bridge_peer) as talk:
        assert await talk.run("ping") == {}
        asked = talk.ours.ping(talk.now, timeout=PATIENT)
        await talk.report("ping")
        answer = await talk.event(ResponseReceived)
        assert (answer.request_id, answer.result) == (asked, {})


async def test_the_view_is_pinged_and_pings_before_the_handshake(bridge_peer: NodePeer) -> None:
    async with view_meets_bridge(bridge_peer, connect=False) as talk:
        assert await talk.run("ping") == {}
        talk.ours.ping(talk.now, timeout=PATIENT)
        assert (await talk.event(ResponseReceived)).method == "ping"


async def test_the_view_asks_to_go_and_finishes_before_it_does(bridge_peer: NodePeer) -> None:
    async with view_meets_bridge(bridge_peer) as talk:
        talk.ours.request_teardown()
        await talk.report("requestteardown")
        torn = talk.start("teardownResource", {})
        request = await talk.event(TeardownReceived)
        talk.ours.answer(request.request_id, {"saved": True})
        outcome = await talk.outcome(torn)
        assert (outcome.ok, outcome.value) == (True, {"saved": True})


async def test_the_judge_does_object_when_the_view_breaks_the_rules(bridge_peer: NodePeer) -> None:
    """The control: the official AppBridge drops a notification with a wrong field, and says so."""
    async with view_meets_bridge(bridge_peer, view_at_fault=True) as talk:
        bad = {"jsonrpc": "2.0", "method": "ui/notifications/size-changed", "params": {"width": "wide"}}
        bridge_peer.write_line(bad)
        await talk.report("error")
        assert await talk.reported("sizechange") == []
