"""What a view tells the program: messages, model context, and what it asks of the program's model."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from page_client import page, served
from two_servers import make_server
from wishes import scene

from fanlight.host import Host, ViewLimits, allow_all
from fanlight.host.contents import readable

PIXEL = "iVBORw0KGgo="
BLOCKS: list[dict[str, Any]] = [
    {"type": "text", "text": "words", "annotations": {"audience": ["user"]}},
    {"type": "image", "data": PIXEL, "mimeType": "image/png"},
    {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "x://a", "text": "t"}},
    {"type": "resource", "resource": {"uri": "x://b", "blob": "AAAA", "_meta": {"own": 1}}},
    {"type": "resource_link", "uri": "https://example.com", "name": "n"},
]
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"type": "text"}, "needs 'text'"),
    ({"type": "image", "data": "%%%", "mimeType": "image/png"}, "base64"),
    ({"type": "image", "data": PIXEL}, "needs 'mimeType'"),
    ({"type": "resource", "resource": {"text": "x"}}, "uri"),
    ({"type": "resource", "resource": {"uri": "x"}}, "blob"),
    ({"type": "resource_link", "uri": "https://example.com"}, "needs 'name'"),
    ({"type": "hologram"}, "hologram"),
]


async def test_every_kind_of_content_reaches_the_program_unchanged() -> None:
    """Holds: R45, R46."""
    async with scene() as shown:
        assert (await shown.client.asks("ui/message", {"role": "user", "content": BLOCKS}))["result"] == {}
        assert shown.heard == [BLOCKS]
        params = {"content": BLOCKS, "structuredContent": {"a": [1]}}
        assert (await shown.client.asks("ui/update-model-context", params))["result"] == {}
        (told,) = shown.host.context_for_next_turn()
        assert told == {"source": "view", "view": shown.view.id, "server": "one", "tool": "show", **params}


async def test_what_is_advertised_is_what_is_accepted() -> None:
    """Promise 4, for the kinds of content."""
    async with scene() as shown:
        async with page(shown.port, shown.view) as client:
            offered = (await client.comes_up())["hostCapabilities"]
        kinds = {"text", "image", "audio", "resource", "resourceLink"}
        assert set(offered["message"]) == kinds
        assert set(offered["updateModelContext"]) == kinds | {"structuredContent"}
        assert offered["downloadFile"] == {}
        assert offered["sampling"] == {}


@pytest.mark.parametrize(("block", "why"), BROKEN)
@pytest.mark.parametrize("method", ["ui/message", "ui/update-model-context"])
async def test_a_block_that_is_not_whole_is_named(method: str, block: dict[str, Any], why: str) -> None:
    async with scene() as shown:
        content = [{"type": "text", "text": "fine"}, block]
        answer = await shown.client.asks(method, {"role": "user", "content": content})
        assert answer["error"]["code"] == -32602
        assert why in answer["error"]["message"]
        assert shown.heard == []


async def test_an_empty_message_is_refused() -> None:
    async with scene() as shown:
        answer = await shown.client.asks("ui/message", {"role": "user", "content": []})
        assert "at least one" in answer["error"]["message"]


async def test_the_program_can_turn_a_message_down_and_fail_without_the_view_waiting() -> None:
    async with scene(limits=ViewLimits(handler_seconds=0.05)) as shown:
        params = {"role": "user", "content": BLOCKS[:1]}
        shown.host.on_message(lambda view, content: False)
        assert (await shown.client.asks("ui/message", params))["result"] == {"isError": True}

        @shown.host.on_message
        async def broken(view: Any, content: Any) -> None:
            raise KeyError("secret detail")

        answer = await shown.client.asks("ui/message", params)
        assert answer["error"]["code"] == -32603
        assert "secret" not in answer["error"]["message"]

        @shown.host.on_message
        async def slow(view: Any, content: Any) -> None:
            await asyncio.Event().wait()

        assert "within 0.05 s" in (await shown.client.asks("ui/message", params))["error"]["message"]


async def test_the_last_update_wins_each_view_has_its_own_and_closing_clears_it() -> None:
    """Holds: R47."""
    async with scene() as shown:
        server = shown.host.servers["one"]
        other = (await server.call_tool("show")).view
        assert other is not None
        async with page(shown.port, other) as client:
            await client.comes_up()
            await client.asks("ui/update-model-context", {"structuredContent": {"n": "other"}})
            for number in range(3):
                await shown.client.asks("ui/update-model-context", {"structuredContent": {"n": number}})
            told = {
                entry["view"]: entry["structuredContent"]["n"] for entry in shown.host.context_for_next_turn()
            }
            assert told == {shown.view.id: 2, other.id: "other"}
            refused = await shown.client.asks("ui/update-model-context", {"structuredContent": [1]})
            assert "error" in refused
            await client.notifies("ui/notifications/request-teardown")
            await client.verdict("closed")
            assert [entry["view"] for entry in shown.host.context_for_next_turn()] == [shown.view.id]


async def test_sampling_is_offered_only_where_the_program_answers_it() -> None:
    """Holds: D02."""
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = (await server.call_tool("show")).view
        assert view is not None
        async with page(port, view) as client:
            assert "sampling" not in (await client.comes_up())["hostCapabilities"]
            params = {"messages": [], "maxTokens": 1}
            assert (await client.asks("sampling/createMessage", params))["error"]["code"] == -32601


async def test_the_programs_model_answers_after_the_person_agreed() -> None:
    """Holds: D02, D03."""
    async with scene() as shown:

        @shown.host.on_sampling(tools=True)
        async def answer(view: Any, params: dict[str, Any]) -> dict[str, Any]:
            text = f"{view.tool.name} asked {len(params['messages'])}"
            return {"role": "assistant", "model": "m", "content": {"type": "text", "text": text}}

        params = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 9}
        tools = {"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}
        # What was advertised when the view came up holds for it.
        assert (await shown.client.asks("sampling/createMessage", {**params, **tools}))["error"][
            "code"
        ] == -32602
        got = await shown.client.asks("sampling/createMessage", params)
        assert got["result"]["content"]["text"] == "show asked 1"
        (question,) = [frame for frame in shown.client.frames if frame["op"] == "ask"]
        assert '"maxTokens": 9' in question["detail"]
        async with page(shown.port, shown.view) as client:
            assert (await client.comes_up())["hostCapabilities"]["sampling"] == {"tools": {}}
            assert "result" in await client.asks("sampling/createMessage", {**params, **tools})


@pytest.mark.parametrize("result", [None, {}, {"role": "assistant", "content": []}])
async def test_a_sampling_handler_that_returns_nonsense_is_our_fault(result: Any) -> None:
    async with scene(policy=allow_all) as shown:
        shown.host.on_sampling(lambda view, params: result)
        answer = await shown.client.asks("sampling/createMessage", {"messages": [], "maxTokens": 1})
        assert answer["error"]["code"] == -32603


def test_blocks_are_readable_for_a_person() -> None:
    text = readable([*BLOCKS, {"type": "hologram"}])
    assert text.splitlines()[0] == "words"
    for part in ("[image, image/png, 12 characters]", "[resource x://a]\nt", "[link n https://example.com]"):
        assert part in text


async def test_a_function_of_the_program_that_fails_harms_neither_the_call_nor_the_page(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError("a mistake of the program")

    heard: list[Any] = []
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        call = server.start_call("show")
        assert call.view is not None
        for listen in (call.view.watch, host.tap.listen, call.view.on_tools_changed):
            listen(broken)
        host.tap.listen(heard.append)
        assert (await call.wait())["content"]
        async with page(port, call.view) as client:
            await client.comes_up({"tools": {"listChanged": True}})
            await client.notifies("notifications/tools/list_changed")
            assert "result" in await client.asks("ping")
    assert heard
    for door in ("view.watch()", "tap.listen()", "view.on_tools_changed()"):
        assert f"a function given to {door} failed" in caplog.text
