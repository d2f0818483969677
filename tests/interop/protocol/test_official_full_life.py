"""One whole life in one conversation, with each role of ours, awake or asleep between any two steps."""

from __future__ import annotations

import pytest
from conversation import NodePeer, official
from scenes import ALL_CAPABILITIES, FULL_CONTEXT, PATIENT, host_meets_app, view_meets_bridge

from fanlight.protocol.events import (
    HostContextChanged,
    LogMessage,
    ProgressReceived,
    RequestCancelled,
    RequestFailed,
    RequestReceived,
    ResponseReceived,
    SizeChanged,
    TeardownReceived,
    TeardownRequested,
    ToolInput,
    ToolInputPartial,
    ToolResult,
    TornDown,
    ViewToolsChanged,
)
from fanlight.wire.jsonrpc import JSONObject

pytestmark = pytest.mark.interop

app_peer = official("app_driver.mjs")
bridge_peer = official("bridge_driver.mjs")

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


@pytest.mark.parametrize("sleepy", [False, True], ids=["awake", "asleep between any two steps"])
async def test_our_view_lives_a_whole_life_with_the_official_bridge(
    bridge_peer: NodePeer, sleepy: bool
) -> None:
    """Holds: R35, R38, R58."""
    answers: JSONObject = {
        "oncalltool": {"progress": {"progress": 1, "total": 2}, "result": {"content": [TEXT]}},
        "onreadresource": {"hang": True},
        "onrequestdisplaymode": {"result": {"mode": "fullscreen"}},
    }
    async with view_meets_bridge(
        bridge_peer,
        host_capabilities=ALL_CAPABILITIES,
        context=FULL_CONTEXT,
        capabilities={"tools": {"listChanged": True}, "availableDisplayModes": ["inline", "fullscreen"]},
        answers=answers,
        sleepy=sleepy,
    ) as talk:
        # the tool call, streamed
        await talk.run("sendToolInputPartial", {"arguments": {"city": "O"}})
        await talk.run("sendToolInput", {"arguments": {"city": "Oslo"}})
        await talk.run("sendToolResult", {"content": [TEXT]})
        assert (await talk.event(ToolInputPartial)).arguments == {"city": "O"}
        assert (await talk.event(ToolInput)).arguments == {"city": "Oslo"}
        assert (await talk.event(ToolResult)).result == {"content": [TEXT]}

        # what the view tells and asks
        talk.ours.send_size(300, 200)
        await talk.report("sizechange")
        talk.ours.send_log("info", "drawn")
        await talk.report("loggingmessage")
        talk.ours.call_tool("slow", {}, talk.now, timeout=PATIENT)
        assert (await talk.event(ProgressReceived)).total == 2
        assert (await talk.event(ResponseReceived)).result == {"content": [TEXT]}
        question: JSONObject = {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 9}
        talk.ours.send_message("hi", talk.now, timeout=PATIENT)
        talk.ours.update_model_context(talk.now, timeout=PATIENT, structured_content={"zoom": 3})
        talk.ours.open_link("https://example.com", talk.now, timeout=PATIENT)
        talk.ours.download_file([FILE], talk.now, timeout=PATIENT)
        talk.ours.create_message(question, talk.now, timeout=PATIENT)
        talk.ours.request_display_mode("fullscreen", talk.now, timeout=PATIENT)
        asked = (
            "onmessage",
            "onupdatemodelcontext",
            "onopenlink",
            "ondownloadfile",
            "oncreatesamplingmessage",
        )
        for handler in (*asked, "onrequestdisplaymode"):
            await talk.report(handler)
            await talk.event(ResponseReceived)

        # one request is taken back
        hanging = talk.ours.read_resource("data://a", talk.now, timeout=PATIENT)
        await talk.report("onreadresource")
        talk.ours.cancel(hanging, "enough")
        assert "enough" in (await talk.report("aborted"))["reason"]
        assert (await talk.event(RequestFailed)).request_id == hanging

        # the host asks: the view's tools, one call is cancelled
        listed = talk.start("listTools", {})
        request = await talk.event(RequestReceived)
        talk.ours.answer(request.request_id, {"tools": []})
        assert (await talk.outcome(listed)).value == {"tools": []}
        called = talk.start("callTool", {"name": "slow"})
        await talk.event(RequestReceived)
        talk.abort(called, "enough")
        assert (await talk.event(RequestCancelled)).reason == "enough"
        talk.ours.notify_tools_changed()
        await talk.report("toollistchanged")

        # the world changes, and the end
        await talk.run("setHostContext", {**FULL_CONTEXT, "theme": "light", "displayMode": "fullscreen"})
        await talk.event(HostContextChanged)
        assert talk.ours.host_context == {**FULL_CONTEXT, "theme": "light", "displayMode": "fullscreen"}
        assert await talk.run("ping") == {}
        talk.ours.ping(talk.now, timeout=PATIENT)
        await talk.event(ResponseReceived)
        talk.ours.request_teardown()
        await talk.report("requestteardown")
        torn = talk.start("teardownResource", {})
        leaving = await talk.event(TeardownReceived)
        talk.ours.answer(leaving.request_id, {})
        assert (await talk.outcome(torn)).ok
