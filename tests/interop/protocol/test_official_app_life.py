"""The life of a view: our HostConnection and the published App, from the handshake to the teardown.

What is asserted is what the official code reported; our own events only where the host must learn something.
"""

from __future__ import annotations

import pytest
from conversation import Conversation, NodePeer, official
from scenes import ALL_CAPABILITIES, APP_INFO, FULL_CONTEXT, HOST_INFO, host_meets_app

from fanlight.protocol import HostConnection
from fanlight.protocol.events import (
    Initialized,
    InitializeReceived,
    RequestReceived,
    ResponseReceived,
    TeardownRequested,
    TornDown,
)

pytestmark = pytest.mark.interop

app_peer = official("app_driver.mjs")

LIFE = ("toolinputpartial", "toolinput", "toolresult", "toolcancelled")


async def test_the_app_learns_everything_the_host_offers(app_peer: NodePeer) -> None:
    """Holds: R36."""
    async with host_meets_app(
        app_peer, capabilities=ALL_CAPABILITIES, context=FULL_CONTEXT, app={"capabilities": {"tools": {}}}
    ) as talk:
        assert await talk.run("state") == {
            "context": FULL_CONTEXT,
            "capabilities": ALL_CAPABILITIES,
            "host": HOST_INFO,
        }
        met = await talk.event(InitializeReceived)
        assert (met.app_info, met.app_capabilities, met.repeated) == (APP_INFO, {"tools": {}}, False)
        await talk.event(Initialized)


async def test_a_host_that_offers_nothing_still_completes_the_handshake(app_peer: NodePeer) -> None:
    """Holds: R36."""
    async with host_meets_app(app_peer) as talk:
        assert await talk.run("state") == {"context": {}, "capabilities": {}, "host": HOST_INFO}


async def test_what_was_supplied_early_arrives_in_order_after_initialized(app_peer: NodePeer) -> None:
    """Holds: R32, R48, R49, R53."""
    async with host_meets_app(
        app_peer, capabilities=ALL_CAPABILITIES, context={"theme": "dark"}, connect=False
    ) as talk:
        talk.ours.notify_list_changed("tools")
        talk.ours.ping(talk.now, timeout=5.0)
        talk.ours.send_tool_input_partial({"city": "Os"})
        talk.ours.send_tool_input({"city": "Oslo"})
        talk.ours.send_tool_result({"content": [{"type": "text", "text": "rain"}]})
        talk.ours.update_context({"theme": "light"})
        await talk.run("connect")
        assert [report["event"] for report in await talk.reported(*LIFE)] == ["toolinput", "toolresult"]
        await talk.report("notifications/tools/list_changed")
        assert (await talk.event(ResponseReceived)).method == "ping"
        assert (await talk.run("state"))["context"]["theme"] == "light"
        assert_silent_before_initialized(talk)


def assert_silent_before_initialized(talk: Conversation[HostConnection]) -> None:
    """Until the view's `initialized` the host has sent answers only."""
    opened = next(
        index
        for index, (way, message) in enumerate(talk.log)
        if way == "received" and message.get("method") == "ui/notifications/initialized"
    )
    assert all("method" not in message for way, message in talk.log[:opened] if way == "sent")


async def test_streamed_arguments_come_before_the_complete_ones(app_peer: NodePeer) -> None:
    """Holds: R48, R49, R50."""
    async with host_meets_app(app_peer) as talk:
        for text in ("O", "Os", "Osl"):
            talk.ours.send_tool_input_partial({"city": text})
            assert (await talk.report("toolinputpartial"))["params"] == {"arguments": {"city": text}}
        talk.ours.send_tool_input({"city": "Oslo", "days": None})
        talk.ours.send_tool_result({"content": []})
        assert await talk.reported(*LIFE) == [
            {"event": "toolinput", "params": {"arguments": {"city": "Oslo", "days": None}}},
            {"event": "toolresult", "params": {"content": []}},
        ]


async def test_a_tool_without_arguments_gets_an_empty_object(app_peer: NodePeer) -> None:
    """Holds: R48."""
    async with host_meets_app(app_peer) as talk:
        talk.ours.send_tool_input()
        assert (await talk.report("toolinput"))["params"] == {"arguments": {}}


async def test_a_result_arrives_lossless(app_peer: NodePeer) -> None:
    """Holds: R53."""
    result = {
        "content": [
            {"type": "text", "text": "ø 🌧", "annotations": {"audience": ["user"], "priority": 0.5}},
            {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "file:///a", "text": "a"}},
            {"type": "resource_link", "uri": "file:///b", "name": "b"},
        ],
        "structuredContent": {"days": [1, 2.5, None], "deep": {"er": True}},
        "isError": False,
        "_meta": {"viewUUID": "u-1"},
        "x-of-the-server": "kept",
    }
    async with host_meets_app(app_peer) as talk:
        talk.ours.send_tool_input({})
        talk.ours.send_tool_result(result)
        assert (await talk.report("toolresult"))["params"] == result


@pytest.mark.parametrize(("reason", "params"), [("user action", {"reason": "user action"}), (None, {})])
async def test_a_cancelled_call_is_told_with_and_without_a_reason(
    app_peer: NodePeer, reason: str | None, params: dict[str, str]
) -> None:
    """Holds: R54."""
    async with host_meets_app(app_peer) as talk:
        talk.ours.send_tool_input({"city": "Oslo"})
        talk.ours.send_tool_cancelled(reason)
        assert (await talk.report("toolcancelled"))["params"] == params
        assert await talk.reported("toolresult") == []


async def test_a_context_change_carries_only_what_changed_and_merges_in_the_app(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, context=FULL_CONTEXT) as talk:
        talk.ours.update_context({"theme": "light", "locale": FULL_CONTEXT["locale"]})
        assert (await talk.report("hostcontextchanged"))["params"] == {"theme": "light"}
        styles = {"variables": {"--shadow-sm": "none"}}
        talk.ours.update_context({"styles": styles, "containerDimensions": {"height": 200, "width": 300}})
        changed = (await talk.report("hostcontextchanged"))["params"]
        assert changed == {"styles": styles, "containerDimensions": {"height": 200, "width": 300}}
        assert (await talk.run("state"))["context"] == talk.ours.context


async def test_a_context_update_that_changes_nothing_is_not_sent(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, context=FULL_CONTEXT) as talk:
        talk.ours.update_context({"theme": "dark"})
        talk.ours.update_context({"locale": None})
        assert await talk.reported("hostcontextchanged") == []
        assert "locale" not in talk.ours.context


async def test_a_granted_display_mode_is_answered_and_announced(app_peer: NodePeer) -> None:
    """Holds: R42."""
    modes = {"availableDisplayModes": ["inline", "fullscreen"]}
    async with host_meets_app(app_peer, context=FULL_CONTEXT, app={"capabilities": modes}) as talk:
        asked = talk.start("requestDisplayMode", {"mode": "fullscreen"})
        request = await talk.event(RequestReceived)
        assert (request.method, request.params["mode"]) == ("ui/request-display-mode", "fullscreen")
        talk.ours.answer(request.request_id, {"mode": "fullscreen"})
        assert (await talk.outcome(asked)).value == {"mode": "fullscreen"}
        assert (await talk.report("hostcontextchanged"))["params"] == {"displayMode": "fullscreen"}
        assert (await talk.run("state"))["context"]["displayMode"] == "fullscreen"


async def test_a_display_mode_the_host_declines_leaves_the_current_one(app_peer: NodePeer) -> None:
    """Holds: R42."""
    async with host_meets_app(app_peer, context=FULL_CONTEXT) as talk:
        asked = talk.start("requestDisplayMode", {"mode": "pip"})
        request = await talk.event(RequestReceived)
        talk.ours.answer(request.request_id, {"mode": "inline"})
        assert (await talk.outcome(asked)).value == {"mode": "inline"}
        assert await talk.reported("hostcontextchanged") == []


@pytest.mark.parametrize(
    ("declared", "offered", "wanted"),
    [
        (["inline", "fullscreen"], ["inline", "fullscreen", "pip"], "pip"),
        (["inline", "fullscreen"], ["inline"], "fullscreen"),
        (["inline", "fullscreen"], None, "fullscreen"),
    ],
    ids=["the app did not declare it", "the host does not offer it", "the host offers no list"],
)
async def test_an_unavailable_display_mode_is_answered_with_the_current_one(
    app_peer: NodePeer, declared: list[str], offered: list[str] | None, wanted: str
) -> None:
    """Holds: R41, R43."""
    context = {"displayMode": "inline", **({"availableDisplayModes": offered} if offered else {})}
    app = {"capabilities": {"availableDisplayModes": declared}}
    async with host_meets_app(app_peer, context=context, app=app, view_at_fault=True) as talk:
        assert await talk.run("requestDisplayMode", {"mode": wanted}) == {"mode": "inline"}
        assert await talk.reported("hostcontextchanged") == []
        assert not [event for event in talk.all_events if isinstance(event, RequestReceived)]


async def test_an_app_that_connects_again_gets_the_newest_context(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, context={"theme": "dark"}) as talk:
        talk.ours.update_context({"theme": "light"})
        await talk.report("hostcontextchanged")
        await talk.run("close")
        await talk.run("connect")
        assert (await talk.run("state"))["context"] == {"theme": "light"}
        assert [e.repeated for e in talk.all_events if isinstance(e, InitializeReceived)] == [False, True]
        talk.ours.send_tool_input({"city": "Oslo"})
        assert (await talk.report("toolinput"))["params"] == {"arguments": {"city": "Oslo"}}


async def test_a_reloaded_page_may_use_the_same_request_ids_again(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        await talk.run("create", {"info": {"name": "reloaded", "version": "8"}})
        await talk.run("connect")
        opened = talk.start("openLink", {"url": "https://example.com"})
        request = await talk.event(RequestReceived)
        talk.ours.answer(request.request_id, {})
        assert (await talk.outcome(opened)).ok
        ids = [message["id"] for way, message in talk.log if message.get("method") == "ui/initialize"]
        assert ids == [0, 0]
        assert talk.ours.app_info == {"name": "reloaded", "version": "8"}


async def test_an_app_that_gives_up_its_handshake_can_start_again(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, connect=False, view_at_fault=True) as talk:
        connecting = talk.start("connect")
        talk.abort(connecting, "too slow")
        assert not (await talk.outcome(connecting)).ok
        await talk.run("create", {"info": APP_INFO})
        await talk.run("connect")
        assert (await talk.run("state"))["host"] == HOST_INFO


async def test_a_teardown_waits_for_what_the_app_has_to_finish(app_peer: NodePeer) -> None:
    """Holds: R55, R56."""
    async with host_meets_app(app_peer) as talk:
        talk.ours.teardown(talk.now, timeout=5.0, reason="the user closed the tab")
        await talk.report("teardown")
        assert (await talk.event(TornDown)).clean


async def test_an_app_that_asks_to_go_is_torn_down_in_order(app_peer: NodePeer) -> None:
    """Holds: D09, R55."""
    async with host_meets_app(app_peer) as talk:
        await talk.run("requestTeardown")
        await talk.event(TeardownRequested)
        talk.ours.teardown(talk.now, timeout=5.0)
        await talk.report("teardown")
        assert (await talk.event(TornDown)).clean


async def test_an_app_without_a_teardown_handler_counts_as_ready(app_peer: NodePeer) -> None:
    """Holds: R56."""
    async with host_meets_app(app_peer, app={"teardown": "unhandled"}) as talk:
        talk.ours.teardown(talk.now, timeout=5.0)
        assert (await talk.event(TornDown)).clean


async def test_an_app_that_never_finishes_its_teardown_is_left_behind(app_peer: NodePeer) -> None:
    """Holds: R55, R56."""
    async with host_meets_app(app_peer, app={"teardown": "hang"}) as talk:
        talk.ours.teardown(talk.now, timeout=5.0)
        await talk.report("teardown")
        talk.pass_time(5.0)
        assert not (await talk.event(TornDown)).clean


async def test_the_judge_does_object_when_the_host_breaks_the_rules(app_peer: NodePeer) -> None:
    """The control: the official App drops a notification with a null, and says so."""
    async with host_meets_app(app_peer, host_at_fault=True) as talk:
        app_peer.write_line(
            {"jsonrpc": "2.0", "method": "ui/notifications/tool-cancelled", "params": {"reason": None}}
        )
        await talk.report("error")
        assert await talk.reported("toolcancelled") == []
