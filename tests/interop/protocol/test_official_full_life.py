"""One whole life in one conversation, with each role of ours, awake or asleep between any two steps."""

from __future__ import annotations

import pytest
from conversation import NodePeer, official
from scenes import ALL_CAPABILITIES, FULL_CONTEXT, host_meets_app

from fanlight.protocol.events import (
    LogMessage,
    ProgressReceived,
    RequestCancelled,
    RequestReceived,
    ResponseReceived,
    SizeChanged,
    TeardownRequested,
    TornDown,
    ViewToolsChanged,
)
from fanlight.wire.jsonrpc import JSONObject

pytestmark = pytest.mark.interop

app_peer = official("app_driver.mjs")

TEXT = {"type": "text", "text": "hi"}
FILE = {"type": "resource", "resource": {"uri": "file:///report.csv", "text": "a,b"}}
CHATTY_APP: JSONObject = {
    "capabilities": {"availableDisplayModes": ["inline", "fullscreen"]},
    "tools": [
        {"name": "move_pin"},
        {"name": "chatty", "does": "progress"},
        {"name": "never", "does": "hang"},
    ],
}


@pytest.mark.parametrize("sleepy", [False, True], ids=["awake", "asleep between any two steps"])
async def test_our_host_lives_a_whole_life_with_the_official_app(app_peer: NodePeer, sleepy: bool) -> None:
    """Holds: R32, R36, R42, R48, R49, R50, R53, R55, R56."""
    async with host_meets_app(
        app_peer, capabilities=ALL_CAPABILITIES, context=FULL_CONTEXT, app=CHATTY_APP, sleepy=sleepy
    ) as talk:
        # the tool call, streamed
        talk.ours.send_tool_input_partial({"city": "O"})
        await talk.report("toolinputpartial")
        talk.ours.send_tool_input({"city": "Oslo"})
        talk.ours.send_tool_result({"content": [TEXT], "structuredContent": {"rain": True}})
        assert (await talk.report("toolinput"))["params"] == {"arguments": {"city": "Oslo"}}
        assert (await talk.report("toolresult"))["params"]["structuredContent"] == {"rain": True}

        # what the view tells and asks
        await talk.run("sendSizeChanged", {"width": 300, "height": 200})
        await talk.event(SizeChanged)
        await talk.run("sendLog", {"level": "info", "data": "drawn"})
        await talk.event(LogMessage)
        for method, params, answer in (
            ("sendMessage", {"role": "user", "content": [TEXT]}, {}),
            ("updateModelContext", {"structuredContent": {"zoom": 3}}, {}),
            ("openLink", {"url": "https://example.com"}, {}),
            ("downloadFile", {"contents": [FILE]}, {}),
            ("readServerResource", {"uri": "data://a"}, {"contents": [{"uri": "data://a", "text": "a"}]}),
            ("requestDisplayMode", {"mode": "fullscreen"}, {"mode": "fullscreen"}),
            (
                "createSamplingMessage",
                {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 9},
                {"role": "assistant", "model": "m", "content": TEXT},
            ),
        ):
            asked = talk.start(method, params)
            request = await talk.event(RequestReceived)
            talk.ours.answer(request.request_id, answer)
            assert (await talk.outcome(asked)).value == answer
        assert (await talk.report("hostcontextchanged"))["params"] == {"displayMode": "fullscreen"}

        # a tool of the server: progress, then an answer; another one is cancelled
        slow = talk.start("callServerTool", {"name": "slow"})
        request = await talk.event(RequestReceived)
        talk.ours.send_progress(request.request_id, 1, 2)
        assert (await talk.report("progress"))["ref"] == slow
        talk.ours.answer(request.request_id, {"content": [TEXT]})
        assert (await talk.outcome(slow)).ok
        dropped = talk.start("callServerTool", {"name": "slow"})
        await talk.event(RequestReceived)
        talk.abort(dropped, "enough")
        assert (await talk.event(RequestCancelled)).reason == "enough"

        # the view's own tools: listed, called, with progress, cancelled, changed
        talk.ours.list_view_tools(talk.now, timeout=5.0)
        assert len((await talk.event(ResponseReceived)).result["tools"]) == 3
        talk.ours.call_view_tool("chatty", {"city": "Oslo"}, talk.now, timeout=5.0)
        assert (await talk.event(ProgressReceived)).message == "half way"
        await talk.event(ResponseReceived)
        hanging = talk.ours.call_view_tool("never", {"city": "Oslo"}, talk.now, timeout=5.0)
        talk.flush()
        talk.ours.cancel(hanging, "enough")
        assert "enough" in (await talk.report("toolaborted"))["reason"]
        await talk.run("changeTool", "move_pin", "remove")
        await talk.event(ViewToolsChanged)

        # the world changes, and the end
        talk.ours.update_context({"theme": "light"})
        talk.ours.notify_list_changed("tools")
        await talk.report("notifications/tools/list_changed")
        assert (await talk.run("state"))["context"] == talk.ours.context
        assert await talk.run("ping") == {}
        talk.ours.ping(talk.now, timeout=5.0)
        await talk.event(ResponseReceived)
        await talk.run("requestTeardown")
        await talk.event(TeardownRequested)
        talk.ours.teardown(talk.now, timeout=5.0, reason="the view asked")
        assert (await talk.event(TornDown)).clean
