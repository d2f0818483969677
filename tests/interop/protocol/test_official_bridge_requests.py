"""What our view asks of the official host: each request of ViewConnection, judged by AppBridge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from conversation import NodePeer, official
from scenes import ALL_CAPABILITIES, FULL_CONTEXT, PATIENT, view_meets_bridge

from fanlight.errors import LocalProtocolError
from fanlight.protocol import ViewConnection
from fanlight.protocol.events import ProgressReceived, RequestFailed, ResponseReceived
from fanlight.wire.jsonrpc import JSONObject, RequestId

pytestmark = pytest.mark.interop

bridge_peer = official("bridge_driver.mjs")

TEXT: JSONObject = {"type": "text", "text": "hi"}
FILE: JSONObject = {
    "type": "resource",
    "resource": {"uri": "file:///a.csv", "mimeType": "text/csv", "text": "a"},
}
LINK: JSONObject = {"type": "resource_link", "uri": "https://example.com/a.pdf", "name": "a.pdf"}
QUESTION: JSONObject = {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 50}
TOOL: JSONObject = {"name": "look_up", "inputSchema": {"type": "object"}}

Ask = Callable[[ViewConnection], RequestId]

# how our view asks · which handler of AppBridge hears it · the params it hears · what it answers
REQUESTS: dict[str, tuple[Ask, str, JSONObject, JSONObject]] = {
    "a tool": (
        lambda view: view.call_tool("refresh", {"n": 1, "deep": [None]}, 0.0, timeout=PATIENT),
        "oncalltool",
        {"name": "refresh", "arguments": {"n": 1, "deep": [None]}},
        {"content": [TEXT], "structuredContent": {"n": 2}, "_meta": {"k": "v"}},
    ),
    "a message as text": (
        lambda view: view.send_message("hi", 0.0, timeout=PATIENT),
        "onmessage",
        {"role": "user", "content": [TEXT]},
        {},
    ),
    "a message of blocks": (
        lambda view: view.send_message([TEXT, LINK], 0.0, timeout=PATIENT),
        "onmessage",
        {"role": "user", "content": [TEXT, LINK]},
        {"isError": True},
    ),
    "the model's context": (
        lambda view: view.update_model_context(
            0.0, timeout=PATIENT, content=[TEXT], structured_content={"zoom": 3}
        ),
        "onupdatemodelcontext",
        {"content": [TEXT], "structuredContent": {"zoom": 3}},
        {},
    ),
    "an empty context": (
        lambda view: view.update_model_context(0.0, timeout=PATIENT),
        "onupdatemodelcontext",
        {},
        {},
    ),
    "a link": (
        lambda view: view.open_link("https://example.com", 0.0, timeout=PATIENT),
        "onopenlink",
        {"url": "https://example.com"},
        {},
    ),
    "a download": (
        lambda view: view.download_file([FILE, LINK], 0.0, timeout=PATIENT),
        "ondownloadfile",
        {"contents": [FILE, LINK]},
        {"isError": False},
    ),
    "a display mode": (
        lambda view: view.request_display_mode("fullscreen", 0.0, timeout=PATIENT),
        "onrequestdisplaymode",
        {"mode": "fullscreen"},
        {"mode": "fullscreen"},
    ),
    "a completion": (
        lambda view: view.create_message(QUESTION, 0.0, timeout=PATIENT),
        "oncreatesamplingmessage",
        QUESTION,
        {"role": "assistant", "model": "m", "content": TEXT, "stopReason": "endTurn"},
    ),
    "a completion with tools": (
        lambda view: view.create_message({**QUESTION, "tools": [TOOL]}, 0.0, timeout=PATIENT),
        "oncreatesamplingmessage",
        {**QUESTION, "tools": [TOOL]},
        {
            "role": "assistant",
            "model": "m",
            "content": [{"type": "tool_use", "id": "1", "name": "look_up", "input": {}}],
            "stopReason": "toolUse",
        },
    ),
    "a resource": (
        lambda view: view.read_resource("data://a", 0.0, timeout=PATIENT),
        "onreadresource",
        {"uri": "data://a"},
        {"contents": [{"uri": "data://a", "text": "a"}]},
    ),
    "the resources": (
        lambda view: view.list_resources(0.0, timeout=PATIENT, cursor="2"),
        "onlistresources",
        {"cursor": "2"},
        {"resources": [{"uri": "data://a", "name": "a"}]},
    ),
    "the resource templates": (
        lambda view: view.list_resource_templates(0.0, timeout=PATIENT),
        "onlistresourcetemplates",
        {},
        {"resourceTemplates": [{"uriTemplate": "data://{a}", "name": "a"}]},
    ),
    "the prompts": (
        lambda view: view.list_prompts(0.0, timeout=PATIENT),
        "onlistprompts",
        {},
        {"prompts": [{"name": "p"}]},
    ),
}


def meet(bridge_peer: NodePeer, **answers: JSONObject) -> Any:
    return view_meets_bridge(
        bridge_peer, host_capabilities=ALL_CAPABILITIES, context=FULL_CONTEXT, answers=answers
    )


def without_token(params: JSONObject) -> JSONObject:
    """The params without the progress token that asks for progress on this link."""
    return {key: value for key, value in params.items() if key != "_meta"}


@pytest.mark.parametrize("name", REQUESTS)
async def test_the_bridge_hears_the_request_and_the_view_its_answer(bridge_peer: NodePeer, name: str) -> None:
    ask, handler, params, answer = REQUESTS[name]
    async with meet(bridge_peer, **{handler: {"result": answer}}) as talk:
        asked = ask(talk.ours)
        assert without_token((await talk.report(handler))["params"]) == params
        heard = await talk.event(ResponseReceived)
        assert (heard.request_id, heard.result) == (asked, answer)


@pytest.mark.parametrize("name", REQUESTS)
async def test_a_refusal_of_the_bridge_reaches_the_view_with_its_code(
    bridge_peer: NodePeer, name: str
) -> None:
    ask, handler, _, _ = REQUESTS[name]
    refusal = {"error": {"code": -32000, "message": "the user said no"}}
    async with meet(bridge_peer, **{handler: refusal}) as talk:
        asked = ask(talk.ours)
        failed = await talk.event(RequestFailed)
        assert (failed.request_id, failed.code, failed.timed_out) == (asked, -32000, False)
        assert "the user said no" in failed.message


async def test_the_first_request_can_be_cancelled(bridge_peer: NodePeer) -> None:
    """Before it there was only the handshake: an id 0 would be lost on the official code."""
    async with meet(bridge_peer, oncalltool={"hang": True}) as talk:
        asked = talk.ours.call_tool("slow", {}, talk.now, timeout=PATIENT)
        await talk.report("oncalltool")
        talk.ours.cancel(asked, "no longer needed")
        aborted = await talk.report("aborted")
        assert aborted["handler"] == "oncalltool"
        assert "no longer needed" in aborted["reason"]
        assert (await talk.event(RequestFailed)).request_id == asked


async def test_a_request_that_takes_too_long_is_given_up_and_the_host_is_told(bridge_peer: NodePeer) -> None:
    async with meet(bridge_peer, onreadresource={"hang": True}) as talk:
        talk.ours.read_resource("data://a", talk.now, timeout=3.0)
        await talk.report("onreadresource")
        talk.pass_time(3.0)
        assert (await talk.event(RequestFailed)).timed_out
        assert (await talk.report("aborted"))["handler"] == "onreadresource"


async def test_progress_of_the_host_reaches_the_view(bridge_peer: NodePeer) -> None:
    progress = {"progress": 0.5, "total": 1, "message": "half way"}
    async with meet(bridge_peer, oncalltool={"progress": progress}) as talk:
        asked = talk.ours.call_tool("slow", None, talk.now, timeout=PATIENT)
        heard = await talk.event(ProgressReceived)
        assert (heard.request_id, heard.progress, heard.total, heard.message) == (asked, 0.5, 1, "half way")
        assert (await talk.event(ResponseReceived)).request_id == asked


async def test_size_and_log_are_understood(bridge_peer: NodePeer) -> None:
    async with meet(bridge_peer) as talk:
        talk.ours.send_size(400, 123.5)
        assert (await talk.report("sizechange"))["params"] == {"width": 400, "height": 123.5}
        talk.ours.send_size(height=10)
        assert (await talk.report("sizechange"))["params"] == {"height": 10}
        talk.ours.send_log("warning", {"n": None}, "chart")
        logged = (await talk.report("loggingmessage"))["params"]
        assert logged == {"level": "warning", "data": {"n": None}, "logger": "chart"}


async def test_the_view_takes_the_mode_it_is_given(bridge_peer: NodePeer) -> None:
    """Holds: R40."""
    async with meet(bridge_peer, onrequestdisplaymode={"result": {"mode": "inline"}}) as talk:
        talk.ours.request_display_mode("fullscreen", talk.now, timeout=PATIENT)
        assert (await talk.event(ResponseReceived)).result == {"mode": "inline"}


async def test_the_view_does_not_ask_for_what_the_host_did_not_offer(bridge_peer: NodePeer) -> None:
    """Holds: D02, R39."""
    context = {"availableDisplayModes": ["inline"]}
    async with view_meets_bridge(bridge_peer, host_capabilities={"sampling": {}}, context=context) as talk:
        with pytest.raises(LocalProtocolError):
            talk.ours.request_display_mode("fullscreen", talk.now, timeout=PATIENT)
        with pytest.raises(LocalProtocolError):
            talk.ours.create_message({**QUESTION, "tools": [TOOL]}, talk.now, timeout=PATIENT)
        with pytest.raises(LocalProtocolError):
            talk.ours.call_tool("refresh", {}, talk.now, timeout=PATIENT)
        with pytest.raises(LocalProtocolError):
            talk.ours.download_file([FILE], talk.now, timeout=PATIENT)
        assert await talk.reported("onrequestdisplaymode", "oncreatesamplingmessage", "oncalltool") == []
