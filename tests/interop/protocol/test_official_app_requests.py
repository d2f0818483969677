"""What a view asks of its host: each method of the published App, answered by our HostConnection."""

from __future__ import annotations

from typing import Any

import pytest
from conversation import NodePeer, official
from scenes import ALL_CAPABILITIES, host_meets_app

from fanlight.protocol.events import (
    LogMessage,
    PeerFault,
    RequestCancelled,
    RequestReceived,
    SizeChanged,
)
from fanlight.wire.jsonrpc import ErrorCode, JSONObject

pytestmark = pytest.mark.interop

app_peer = official("app_driver.mjs")

TEXT = {"type": "text", "text": "hi"}
FILE = {"type": "resource", "resource": {"uri": "file:///report.csv", "mimeType": "text/csv", "text": "a,b"}}
LINK = {"type": "resource_link", "uri": "https://example.com/a.pdf", "name": "a.pdf"}
QUESTION: JSONObject = {"messages": [{"role": "user", "content": TEXT}], "maxTokens": 50}
ASKING_TOOL: JSONObject = {"name": "look_up", "inputSchema": {"type": "object"}}

# method of App · its params · method on the wire · the host's answer
CALLS: dict[str, tuple[str, JSONObject, str, JSONObject]] = {
    "a tool of the server": (
        "callServerTool",
        {"name": "refresh", "arguments": {"n": 1, "deep": [None, {"a": True}]}},
        "tools/call",
        {"content": [TEXT], "structuredContent": {"n": 2}, "isError": False, "_meta": {"k": "v"}},
    ),
    "a failed tool of the server": (
        "callServerTool",
        {"name": "refresh", "arguments": {}},
        "tools/call",
        {"content": [TEXT], "isError": True},
    ),
    "a message": ("sendMessage", {"role": "user", "content": [TEXT, LINK]}, "ui/message", {}),
    "a refused message": (
        "sendMessage",
        {"role": "user", "content": [TEXT]},
        "ui/message",
        {"isError": True},
    ),
    "the model's context": (
        "updateModelContext",
        {"content": [TEXT], "structuredContent": {"selected": 3}},
        "ui/update-model-context",
        {},
    ),
    "an empty context": ("updateModelContext", {}, "ui/update-model-context", {}),
    "a link": ("openLink", {"url": "https://example.com/?q=1"}, "ui/open-link", {}),
    "a refused link": ("openLink", {"url": "https://example.com"}, "ui/open-link", {"isError": True}),
    "a download": ("downloadFile", {"contents": [FILE, LINK]}, "ui/download-file", {}),
    "a resource": (
        "readServerResource",
        {"uri": "data://a"},
        "resources/read",
        {"contents": [{"uri": "data://a", "mimeType": "text/plain", "text": "a"}]},
    ),
    "the resources": (
        "listServerResources",
        {"cursor": "2"},
        "resources/list",
        {"resources": [{"uri": "data://a", "name": "a"}], "nextCursor": "3"},
    ),
    "a completion": (
        "createSamplingMessage",
        QUESTION,
        "sampling/createMessage",
        {"role": "assistant", "model": "m-1", "content": TEXT, "stopReason": "endTurn"},
    ),
    "a completion with tools": (
        "createSamplingMessage",
        {**QUESTION, "tools": [ASKING_TOOL], "toolChoice": {"mode": "auto"}},
        "sampling/createMessage",
        {
            "role": "assistant",
            "model": "m-1",
            "content": [{"type": "tool_use", "id": "1", "name": "look_up", "input": {}}],
            "stopReason": "toolUse",
        },
    ),
}


@pytest.mark.parametrize("name", CALLS)
async def test_the_app_asks_and_understands_the_answer(app_peer: NodePeer, name: str) -> None:
    method, params, wire_method, answer = CALLS[name]
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        asked = talk.start(method, params)
        request = await talk.event(RequestReceived)
        assert request.method == wire_method
        assert without_token(request.params) == params
        talk.ours.answer(request.request_id, answer)
        outcome = await talk.outcome(asked)
        assert outcome.ok, outcome.error
        assert outcome.value == answer


def without_token(params: JSONObject) -> JSONObject:
    """The params without the progress token that the App adds to every tool call."""
    return {key: value for key, value in params.items() if key != "_meta"}


async def test_a_list_without_params_reaches_the_host_with_an_empty_object(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        asked = talk.start("listServerResources")
        request = await talk.event(RequestReceived)
        assert (request.method, request.params) == ("resources/list", {})
        talk.ours.answer(request.request_id, {"resources": []})
        assert (await talk.outcome(asked)).value == {"resources": []}


@pytest.mark.parametrize("name", CALLS)
async def test_a_refusal_rejects_the_apps_promise_with_its_code(app_peer: NodePeer, name: str) -> None:
    method, params, _, _ = CALLS[name]
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        asked = talk.start(method, params)
        request = await talk.event(RequestReceived)
        talk.ours.refuse(request.request_id, ErrorCode.DENIED, "the user said no", {"by": "user"})
        outcome = await talk.outcome(asked)
        assert not outcome.ok
        assert outcome.error["code"] == ErrorCode.DENIED
        assert "the user said no" in outcome.error["message"]
        assert outcome.error["data"] == {"by": "user"}


@pytest.mark.parametrize("name", CALLS)
async def test_what_was_not_advertised_is_refused_before_the_host_is_asked(
    app_peer: NodePeer, name: str
) -> None:
    method, params, _, _ = CALLS[name]
    async with host_meets_app(app_peer, view_at_fault=True) as talk:
        outcome = await talk.outcome(talk.start(method, params))
        assert not outcome.ok
        assert isinstance(outcome.error["code"], int)
        await talk.event(PeerFault)
        assert not [event for event in talk.all_events if isinstance(event, RequestReceived)]


async def test_sampling_with_tools_needs_its_own_capability(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, capabilities={"sampling": {}}, view_at_fault=True) as talk:
        outcome = await talk.outcome(
            talk.start("createSamplingMessage", {**QUESTION, "tools": [ASKING_TOOL]})
        )
        assert not outcome.ok
        assert not [event for event in talk.all_events if isinstance(event, RequestReceived)]


async def test_calls_answered_in_another_order_find_their_promises(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        asked = [talk.start("callServerTool", {"name": "t", "arguments": {"n": n}}) for n in range(3)]
        requests = [await talk.event(RequestReceived) for _ in asked]
        for request in reversed(requests):
            content = [{"type": "text", "text": str(request.params["arguments"]["n"])}]
            talk.ours.answer(request.request_id, {"content": content})
        answers: list[Any] = [(await talk.outcome(ref)).value for ref in asked]
        assert [answer["content"][0]["text"] for answer in answers] == ["0", "1", "2"]


async def test_progress_reaches_the_call_it_belongs_to(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        asked = [talk.start("callServerTool", {"name": name}) for name in ("slow", "quick")]
        slow, quick = [await talk.event(RequestReceived) for _ in asked]
        talk.ours.send_progress(slow.request_id, 1, 4, "a quarter")
        talk.ours.send_progress(quick.request_id, 0.5)
        assert await talk.report("progress") == {
            "event": "progress",
            "ref": asked[0],
            "params": {"progress": 1, "total": 4, "message": "a quarter"},
        }
        assert await talk.report("progress") == {
            "event": "progress",
            "ref": asked[1],
            "params": {"progress": 0.5},
        }
        for request in (slow, quick):
            talk.ours.answer(request.request_id, {"content": []})
        assert all([(await talk.outcome(ref)).ok for ref in asked])


async def test_a_call_the_app_aborts_is_cancelled_and_its_answer_is_never_sent(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        asked = talk.start("callServerTool", {"name": "slow"})
        request = await talk.event(RequestReceived)
        talk.abort(asked, "no longer needed")
        cancelled = await talk.event(RequestCancelled)
        assert (cancelled.request_id, cancelled.reason) == (request.request_id, "no longer needed")
        assert not (await talk.outcome(asked)).ok
        talk.ours.answer(request.request_id, {"content": []})
        await talk.run("sync")
        assert not [message for _, message in talk.log if message.get("id") == request.request_id][1:]


async def test_log_messages_and_sizes_arrive(app_peer: NodePeer) -> None:
    async with host_meets_app(app_peer, capabilities=ALL_CAPABILITIES) as talk:
        await talk.run("sendLog", {"level": "warning", "data": {"n": 1}, "logger": "chart"})
        log = await talk.event(LogMessage)
        assert (log.level, log.data, log.logger) == ("warning", {"n": 1}, "chart")
        await talk.run("sendSizeChanged", {"width": 400, "height": 123.5})
        size = await talk.event(SizeChanged)
        assert (size.width, size.height) == (400, 123.5)
        await talk.run("sendSizeChanged", {"height": 10})
        size = await talk.event(SizeChanged)
        assert (size.width, size.height) == (None, 10)
