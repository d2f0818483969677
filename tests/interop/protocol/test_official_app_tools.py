"""What a host asks of a view: our HostConnection calls the published App's tools, pings and cancels."""

from __future__ import annotations

import pytest
from conversation import Conversation, NodePeer, official
from scenes import ALL_CAPABILITIES, host_meets_app

from fanlight.errors import LocalProtocolError
from fanlight.protocol import HostConnection
from fanlight.protocol.events import (
    ProgressReceived,
    RequestFailed,
    ResponseReceived,
    ViewToolsChanged,
)
from fanlight.wire.jsonrpc import ErrorCode, JSONObject, RequestId

pytestmark = pytest.mark.interop

app_peer = official("app_driver.mjs")

TOOLS: list[JSONObject] = [
    {"name": "move_pin", "title": "Move", "description": "moves", "annotations": {"readOnlyHint": False}},
    {"name": "never", "does": "hang"},
    {"name": "broken", "does": "fail"},
    {"name": "unwilling", "does": "refuse"},
    {"name": "chatty", "does": "progress"},
]


def call(talk: Conversation[HostConnection], name: str, arguments: JSONObject | None = None) -> RequestId:
    return talk.ours.call_view_tool(name, arguments or {"city": "Oslo"}, talk.now, timeout=30.0)


async def test_the_tools_of_the_app_are_listed(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        assert talk.ours.app_capabilities == {"tools": {"listChanged": True}}
        asked = talk.ours.list_view_tools(talk.now, timeout=5.0)
        answer = await talk.event(ResponseReceived)
        assert (answer.request_id, answer.method) == (asked, "tools/list")
        assert [tool["name"] for tool in answer.result["tools"]] == [tool["name"] for tool in TOOLS]
        first = answer.result["tools"][0]
        assert (first["title"], first["annotations"]) == ("Move", {"readOnlyHint": False})
        assert first["inputSchema"]["properties"] == {"city": {"type": "string"}}


async def test_a_tool_of_the_app_is_called_with_its_arguments(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        asked = call(talk, "move_pin", {"city": "Bergen ø"})
        assert await talk.report("toolcall") == {
            "event": "toolcall",
            "name": "move_pin",
            "params": {"city": "Bergen ø"},
        }
        answer = await talk.event(ResponseReceived)
        assert answer.request_id == asked
        assert answer.result["structuredContent"] == {"args": {"city": "Bergen ø"}}


async def test_a_tool_result_with_is_error_is_a_result(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        call(talk, "unwilling")
        assert (await talk.event(ResponseReceived)).result["isError"] is True


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("broken", {"city": "Oslo"}), ("move_pin", {"city": 7}), ("no_such_tool", {})],
    ids=["it throws", "wrong arguments", "unknown tool"],
)
async def test_a_failing_tool_of_the_app_becomes_a_failed_request(
    app_peer: NodePeer, name: str, arguments: JSONObject
) -> None:
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        asked = call(talk, name, arguments)
        failure = await talk.event(RequestFailed)
        assert (failure.request_id, failure.method, failure.timed_out) == (asked, "tools/call", False)
        assert failure.code == ErrorCode.INTERNAL_ERROR


async def test_the_host_learns_when_the_tools_of_the_app_change(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        await talk.run("addTool", {"name": "brand_new"})
        await talk.event(ViewToolsChanged)
        await talk.run("changeTool", "move_pin", "disable")
        await talk.event(ViewToolsChanged)
        await talk.run("sendToolListChanged")
        await talk.event(ViewToolsChanged)
        talk.ours.list_view_tools(talk.now, timeout=5.0)
        names = [tool["name"] for tool in (await talk.event(ResponseReceived)).result["tools"]]
        assert "brand_new" in names
        assert "move_pin" not in names


async def test_an_app_that_declared_no_tools_is_not_asked_for_them(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer) as talk:
        with pytest.raises(LocalProtocolError):
            call(talk, "move_pin")
        with pytest.raises(LocalProtocolError):
            talk.ours.list_view_tools(talk.now, timeout=5.0)


async def test_a_cancelled_call_aborts_the_tool_even_as_our_first_request(
    app_peer: NodePeer,
) -> None:
    """The official code ignores a cancellation of request id 0, so our ids must not begin there."""
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        asked = call(talk, "never")
        await talk.report("toolcall")
        talk.ours.cancel(asked, "the user changed his mind")
        assert "the user changed his mind" in (await talk.report("toolaborted"))["reason"]


async def test_a_call_that_takes_too_long_is_given_up_and_the_tool_is_told(app_peer: NodePeer) -> None:
    """Holds: D11."""
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        asked = call(talk, "never")
        await talk.report("toolcall")
        talk.pass_time(30.0)
        failure = await talk.event(RequestFailed)
        assert (failure.request_id, failure.timed_out) == (asked, True)
        assert (await talk.report("toolaborted"))["name"] == "never"


async def test_progress_of_a_tool_of_the_app_reaches_the_host(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, app={"tools": TOOLS}) as talk:
        asked = call(talk, "chatty")
        progress = await talk.event(ProgressReceived)
        assert (progress.request_id, progress.progress, progress.total) == (asked, 1, 2)
        assert progress.message == "half way"
        assert (await talk.event(ResponseReceived)).request_id == asked


async def test_both_sides_answer_a_ping(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer) as talk:
        assert await talk.run("ping") == {}
        asked = talk.ours.ping(talk.now, timeout=5.0)
        answer = await talk.event(ResponseReceived)
        assert (answer.request_id, answer.method, answer.result) == (asked, "ping", {})


@pytest.mark.parametrize("what", ["tools", "resources", "prompts"])
async def test_a_changed_list_of_the_server_is_relayed(app_peer: NodePeer, what: str) -> None:
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        talk.ours.notify_list_changed(what)  # type: ignore[arg-type]
        await talk.report(f"notifications/{what}/list_changed")
