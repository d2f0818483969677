"""`view.js` and the published `AppBridge`, 2.0.4 and 1.7.5: everything that passes between them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from conversation import NodePeer, official
from meeting import meeting
from scenes import ALL_CAPABILITIES, FULL_CONTEXT, HOST_INFO

from fanlight.wire.jsonrpc import JSONObject

bridge = official("bridge_driver.mjs")

TEXT: JSONObject = {"type": "text", "text": "hi"}
QUESTION: JSONObject = {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 50}
ANSWER: JSONObject = {"role": "assistant", "model": "m", "content": {"type": "text", "text": "42"}}


@pytest.fixture(scope="module")
async def view(node: str, peers: Path) -> AsyncIterator[NodePeer]:
    async with NodePeer.running(node, "view_driver.mjs", "shipped") as peer:
        yield peer


async def test_a_view_introduces_itself_and_knows_its_host(bridge: NodePeer, view: NodePeer) -> None:
    """Holds: R35, R38"""
    setup = {"info": {"name": "map", "version": "2"}, "modes": ["inline", "pip"]}
    async with meeting(bridge, view, setup=setup) as met:
        known = await met.view.run("state")
        assert known["host"] == HOST_INFO
        assert known["context"] == FULL_CONTEXT
        assert known["capabilities"] == ALL_CAPABILITIES
        assert await met.bridge.run("state") == {
            "app": {"name": "map", "version": "2"},
            "capabilities": {"availableDisplayModes": ["inline", "pip"]},
        }


async def test_a_view_that_says_nothing_of_itself_has_the_name_of_its_document(
    bridge: NodePeer, view: NodePeer
) -> None:
    async with meeting(bridge, view, title="Weather") as met:
        described = await met.bridge.run("state")
        assert described == {"app": {"name": "Weather", "version": "1.0.0"}, "capabilities": {}}


async def test_a_view_reports_its_height_after_the_handshake(bridge: NodePeer, view: NodePeer) -> None:
    """Holds: R57"""
    async with meeting(bridge, view) as met:
        assert (await met.bridge.report("sizechange"))["params"] == {"height": 124}
        await met.view.run("resize", 50, 60)
        assert (await met.bridge.report("sizechange"))["params"] == {"height": 50, "width": 60}


@pytest.mark.parametrize(
    ("send", "params", "event", "value"),
    [
        ("sendToolInputPartial", {"arguments": {"c": "O"}}, "partial", {"c": "O"}),
        ("sendToolInput", {"arguments": {"c": "Oslo"}}, "input", {"c": "Oslo"}),
        ("sendToolInput", {}, "input", {}),
        ("sendToolResult", {"content": [TEXT], "_meta": {}}, "result", {"content": [TEXT], "_meta": {}}),
        ("sendToolCancelled", {"reason": "stop"}, "cancelled", {"reason": "stop"}),
        ("sendToolCancelled", {}, "cancelled", {}),
        ("sendToolListChanged", {}, "notifications/tools/list_changed", {}),
    ],
)  # fmt: skip
async def test_each_notification_reaches_its_handler(
    send: str, params: JSONObject, event: str, value: Any, bridge: NodePeer, view: NodePeer
) -> None:
    async with meeting(bridge, view) as met:
        await met.bridge.run(send, params)
        assert (await met.view.report(event))["value"] == value


async def test_the_context_is_merged_and_told_whole(bridge: NodePeer, view: NodePeer) -> None:
    """Holds: R58"""
    async with meeting(bridge, view) as met:
        assert (await met.view.report("context"))["value"] == FULL_CONTEXT
        await met.bridge.run("sendHostContextChange", {"theme": "light", "styles": {}})
        changed = {**FULL_CONTEXT, "theme": "light", "styles": {}}
        assert (await met.view.report("context"))["value"] == changed
        assert (await met.view.run("state"))["context"] == changed


async def test_what_came_before_the_first_handler_is_handed_over_in_order(
    bridge: NodePeer, view: NodePeer
) -> None:
    async with meeting(bridge, view, events=[]) as met:
        for city in ("O", "Os"):
            await met.bridge.run("sendToolInputPartial", {"arguments": {"c": city}})
        await met.bridge.run("sendToolInput", {"arguments": {"c": "Oslo"}})
        await met.bridge.run("sendToolResult", {"content": [TEXT]})
        await met.view.run("sync")
        await met.view.run("listen", "result", "partial", "input")
        await met.view.report("result")
        # A preview is of no use once the input is there.
        assert [report["event"] for report in met.view.reports] == ["input"]
        await met.bridge.run("sendToolResult", {"content": []})
        assert (await met.view.report("result"))["value"] == {"content": []}


# what the view calls · the handler of AppBridge · the params it hears · its answer · what the view gets
REQUESTS: dict[str, tuple[str, list[Any], str, JSONObject, JSONObject, Any]] = {
    "a tool": (
        "callTool", ["refresh", {"n": 1, "deep": [None]}], "oncalltool",
        {"name": "refresh", "arguments": {"n": 1, "deep": [None]}},
        {"content": [TEXT], "structuredContent": {"n": 2}, "_meta": {"k": "v"}, "isError": True},
        {"content": [TEXT], "structuredContent": {"n": 2}, "_meta": {"k": "v"}, "isError": True},
    ),
    "a tool without arguments": (
        "callTool", ["refresh"], "oncalltool", {"name": "refresh"}, {"content": []}, {"content": []},
    ),
    "a resource": (
        "readResource", ["ui://a"], "onreadresource", {"uri": "ui://a"},
        {"contents": [{"uri": "ui://a", "text": "x"}]}, {"contents": [{"uri": "ui://a", "text": "x"}]},
    ),
    "the resources": (
        "listResources", [], "onlistresources", {}, {"resources": []}, {"resources": []},
    ),
    "more resources": (
        "listResources", ["next"], "onlistresources", {"cursor": "next"},
        {"resources": []}, {"resources": []},
    ),
    "a message as text": ("message", ["hi"], "onmessage", {"role": "user", "content": [TEXT]}, {}, None),
    "a message of blocks": (
        "message", [[TEXT, TEXT]], "onmessage", {"role": "user", "content": [TEXT, TEXT]}, {}, None,
    ),
    "the model's context": (
        "updateContext", ["hi", {"zoom": 3}], "onupdatemodelcontext",
        {"content": [TEXT], "structuredContent": {"zoom": 3}}, {}, None,
    ),
    "an empty context": ("updateContext", [], "onupdatemodelcontext", {}, {}, None),
    "a link": ("openLink", ["https://example.com"], "onopenlink", {"url": "https://example.com"}, {}, None),
    "a text file": (
        "download", ["a b.csv", "x,y"], "ondownloadfile",
        {"contents": [{"type": "resource", "resource": {
            "uri": "file:///a%20b.csv", "mimeType": "text/plain", "text": "x,y"}}]}, {"isError": False}, None,
    ),
    "a file of bytes": (
        "downloadBytes", ["a.bin", [0, 128, 255], "image/png"], "ondownloadfile",
        {"contents": [{"type": "resource", "resource": {
            "uri": "file:///a.bin", "mimeType": "image/png", "blob": "AID/"}}]}, {}, None,
    ),
    "a display mode": (
        "requestMode", ["fullscreen"], "onrequestdisplaymode",
        {"mode": "fullscreen"}, {"mode": "inline"}, "inline",
    ),
    "a question to the model": (
        "sample", ["hi"], "oncreatesamplingmessage",
        {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 1000}, ANSWER, ANSWER,
    ),
    "sampling in full": ("sample", [QUESTION], "oncreatesamplingmessage", QUESTION, ANSWER, ANSWER),
    "any method": ("request", ["prompts/list", {}], "onlistprompts", {}, {"prompts": []}, {"prompts": []}),
}  # fmt: skip


@pytest.mark.parametrize("asked", REQUESTS)
async def test_each_request_is_understood_and_answered(asked: str, bridge: NodePeer, view: NodePeer) -> None:
    command, args, handler, params, answer, value = REQUESTS[asked]
    async with meeting(bridge, view, answers={handler: {"result": answer}}) as met:
        assert await met.view.run(command, *args) == value
        heard = (await met.bridge.report(handler)).get("params") or {}
        heard.pop("_meta", None)
        assert heard == params


@pytest.mark.parametrize(
    ("command", "args", "handler"),
    [
        ("message", ["hi"], "onmessage"),
        ("openLink", ["https://example.com"], "onopenlink"),
        ("download", ["a.txt", "a"], "ondownloadfile"),
    ],
)
async def test_a_refusal_rejects_however_the_host_spells_it(
    command: str, args: list[Any], handler: str, bridge: NodePeer, view: NodePeer
) -> None:
    async with meeting(bridge, view, answers={handler: {"result": {"isError": True}}}) as met:
        assert "refused" in (await met.view.refused(command, *args))["message"]
    denied = {handler: {"error": {"code": -32000, "message": "not today"}}}
    async with meeting(bridge, view, answers=denied) as met:
        error = await met.view.refused(command, *args)
        assert (error["code"], error["message"].partition("not")[1:]) == (-32000, ("not", " today"))


async def test_a_mode_that_the_host_does_not_offer_is_not_asked_for(bridge: NodePeer, view: NodePeer) -> None:
    """Holds: R39, R40"""
    context = {"availableDisplayModes": ["inline"], "displayMode": "inline"}
    async with meeting(bridge, view, context=context) as met:
        assert await met.view.run("requestMode", "pip") == "inline"
        assert met.said("ui/request-display-mode") == []


@pytest.mark.parametrize(
    ("capabilities", "question"),
    [
        ({}, "hi"),
        ({"sampling": {}}, {**QUESTION, "tools": [{"name": "t", "inputSchema": {"type": "object"}}]}),
    ],
)
async def test_sampling_that_the_host_does_not_offer_is_not_asked_for(
    capabilities: JSONObject, question: Any, bridge: NodePeer, view: NodePeer
) -> None:
    async with meeting(bridge, view, capabilities=capabilities) as met:
        assert "does not offer" in (await met.view.refused("sample", question))["message"]
        assert met.said("sampling/createMessage") == []


async def test_progress_reaches_the_caller(bridge: NodePeer, view: NodePeer) -> None:
    answers = {"oncalltool": {"progress": {"progress": 1, "total": 2}, "result": {"content": []}}}
    async with meeting(bridge, view, answers=answers) as met:
        ref = met.view.start("callTool", "slow", {})
        told = await met.view.report("progress")
        assert told["ref"] == ref
        assert (told["params"]["progress"], told["params"]["total"]) == (1, 2)
        assert (await met.view.outcome(ref)).ok


async def test_an_aborted_call_is_cancelled_at_the_host(bridge: NodePeer, view: NodePeer) -> None:
    async with meeting(bridge, view, answers={"oncalltool": {"hang": True}}) as met:
        ref = met.view.start("callTool", "slow", {})
        await met.bridge.report("oncalltool")
        met.view.abort(ref, "enough")
        assert not (await met.view.outcome(ref)).ok
        assert (await met.bridge.report("aborted"))["reason"] == "enough"


async def test_a_call_that_is_not_answered_in_its_time_is_given_up(bridge: NodePeer, view: NodePeer) -> None:
    async with meeting(bridge, view, answers={"oncalltool": {"hang": True}}) as met:
        error = await met.view.refused("callTool", "slow", {}, {"timeout": 50})
        assert error["message"] == "The host did not answer tools/call."
        await met.bridge.report("aborted")


async def test_a_log_line_and_the_wish_to_close_are_heard(bridge: NodePeer, view: NodePeer) -> None:
    async with meeting(bridge, view) as met:
        await met.view.run("log", {"n": 1}, "warning", "map")
        heard = (await met.bridge.report("loggingmessage"))["params"]
        assert heard == {"level": "warning", "data": {"n": 1}, "logger": "map"}
        await met.view.run("log", "plain")
        assert (await met.bridge.report("loggingmessage"))["params"] == {"level": "info", "data": "plain"}
        await met.view.run("close")
        await met.bridge.report("requestteardown")


@pytest.mark.parametrize("teardown", ["answer", "fail", "unhandled"])
async def test_a_view_lets_itself_be_torn_down(teardown: str, bridge: NodePeer, view: NodePeer) -> None:
    async with meeting(bridge, view, teardown=teardown) as met:
        assert await met.bridge.run("teardownResource", {}) == {}
        assert bool([report for report in met.view.reports if report["event"] == "teardown"]) == (
            teardown != "unhandled"
        )


async def test_a_ping_is_answered_and_an_unknown_request_refused(bridge: NodePeer, view: NodePeer) -> None:
    async with meeting(bridge, view, bridge_at_fault=True) as met:
        assert await met.bridge.run("ping") == {}
        met.view.peer.write_line({"jsonrpc": "2.0", "id": "x", "method": "constructor", "params": {}})
        refused = await met.until(
            lambda: next((message for _, message in met.log if message.get("id") == "x"), None), "an answer"
        )
        assert refused["error"] == {"code": -32601, "message": "Method not found"}


CITY: JSONObject = {"type": "object", "properties": {"city": {"type": "string"}}}


async def test_tools_of_the_view_are_listed_called_and_changed(bridge: NodePeer, view: NodePeer) -> None:
    """Holds: D07"""
    tools = [
        {"name": "look", "description": "Look", "inputSchema": CITY},
        {"name": "all", "does": "whole"},
        {"name": "count", "does": "object"},
    ]
    async with meeting(bridge, view, tools=tools) as met:
        assert (await met.bridge.run("state"))["capabilities"] == {"tools": {"listChanged": True}}
        listed = (await met.bridge.run("listTools", {}))["tools"]
        assert [tool["name"] for tool in listed] == ["look", "all", "count"]
        assert listed[0]["inputSchema"] == CITY
        assert listed[0]["description"] == "Look"
        called = await met.bridge.run("callTool", {"name": "look", "arguments": {"city": "Oslo"}})
        assert called == {"content": [{"type": "text", "text": "the view of Oslo"}]}
        called = await met.bridge.run("callTool", {"name": "all"})
        assert called["structuredContent"] == {"n": 1}
        called = await met.bridge.run("callTool", {"name": "count", "arguments": {"a": 1}})
        assert called == {"content": [{"type": "text", "text": '{"args":{"a":1}}'}]}
        for change, left in (
            (("changeTool", "all", "disable"), ["look", "count"]),
            (("changeTool", "all", "enable"), ["look", "count", "all"]),
            (("changeTool", "look", "remove"), ["count", "all"]),
            (("addTool", {"name": "new"}), ["count", "all", "new"]),
            (("changeTool", "new", "update", {"title": "New"}), ["count", "all", "new"]),
        ):
            await met.view.run(*change)
            await met.bridge.report("toollistchanged")
            listed = (await met.bridge.run("listTools", {}))["tools"]
            assert [tool["name"] for tool in listed] == left
        assert listed[-1]["title"] == "New"


async def test_a_tool_of_the_view_that_fails_says_so_to_the_model(bridge: NodePeer, view: NodePeer) -> None:
    """Holds: D08"""
    async with meeting(bridge, view, tools=[{"name": "bad", "does": "fail"}]) as met:
        failed = await met.bridge.run("callTool", {"name": "bad"})
        assert failed == {"content": [{"type": "text", "text": "Error: the tool broke"}], "isError": True}
        unknown = await met.bridge.refused("callTool", {"name": "none"})
        assert (unknown["code"], "no tool none" in unknown["message"]) == (-32602, True)


async def test_a_tool_of_the_view_hears_that_it_was_cancelled(bridge: NodePeer, view: NodePeer) -> None:
    async with meeting(bridge, view, tools=[{"name": "long", "does": "hang"}], bridge_at_fault=True) as met:
        ref = met.bridge.start("callTool", {"name": "long"})
        await met.until(lambda: met.said("tools/call", "bridge") or None, "the call")
        met.bridge.abort(ref, "no longer needed")
        assert not (await met.bridge.outcome(ref)).ok
        assert "no longer needed" in (await met.view.report("toolaborted"))["reason"]


async def test_a_first_tool_that_comes_too_late_is_an_error(bridge: NodePeer, view: NodePeer) -> None:
    async with meeting(bridge, view) as met:
        refused = await met.view.refused("addTool", {"name": "late"})
        assert "before the view connects" in refused["message"]


async def test_a_view_connects_again_and_goes_on(bridge: NodePeer, view: NodePeer) -> None:
    """Its host was replaced: what was under way fails, handlers and tools stay, the size is told again."""
    tools = [{"name": "look"}]
    async with meeting(bridge, view, tools=tools, answers={"oncalltool": {"hang": True}}) as met:
        await met.bridge.report("sizechange")
        ref = met.view.start("callTool", "slow", {})
        await met.bridge.report("oncalltool")
        await met.bridge.run(
            "create", {"info": {"name": "new", "version": "2"}, "context": {"theme": "light"}}
        )
        assert await met.view.run("connect") == "the view"
        await met.bridge.report("initialized")
        assert "connects again" in (await met.view.outcome(ref)).error["message"]
        known = await met.view.run("state")
        assert known == {
            "host": {"name": "new", "version": "2"},
            "capabilities": {},
            "context": {"theme": "light"},
        }
        assert (await met.bridge.report("sizechange"))["params"] == {"height": 124}
        await met.bridge.run("sendToolInput", {"arguments": {"c": 1}})
        assert (await met.view.report("input"))["value"] == {"c": 1}
        assert [tool["name"] for tool in (await met.bridge.run("listTools", {}))["tools"]] == ["look"]
