"""The life of a view: from the call to the screen, its verdicts, and what it may ask for."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from page_client import WAIT, PageClient, page, served
from two_servers import make_server

from fanlight.errors import CallCancelledError, ConfigError, RpcError, UnknownToolError, UpstreamError
from fanlight.host import Call, Host, TapRecord, Verdict, View, deny_all
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog


def view_of(call: Call) -> View:
    assert call.view is not None
    return call.view


async def scripted(host: Host, answers: dict[str, Any]) -> Any:
    """A server whose answers the test writes down."""
    from fanlight.host.server import Server

    tool = {"name": "show", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://a"}}}
    upstream = ScriptedUpstream(
        {
            "tools/list": {"tools": [tool]},
            "tools/call": {"content": [{"type": "text", "text": "words"}]},
            **answers,
        }
    )
    catalog = Catalog("scripted", upstream)
    await catalog.refresh()
    return Server(host, "scripted", upstream, catalog)


async def test_a_view_gets_its_input_and_result_after_the_handshake() -> None:
    """Holds: R32, R48, R49, R53."""
    async with Host("my-chat", "1.0") as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        call = await server.call_tool("show", {"city": "Bergen"})
        async with page(port, view_of(call)) as client:
            result = await client.comes_up()
            assert result["hostInfo"] == {"name": "my-chat", "version": "1.0"}
            assert result["hostContext"]["theme"] == "light"
            assert result["hostContext"]["toolInfo"]["tool"]["name"] == "show"
            methods = [frame["message"].get("method") for frame in client.frames if frame["op"] == "message"]
            seen = [method for method in methods if method]
            if "ui/notifications/tool-result" not in seen:
                await client.hears("ui/notifications/tool-result")
        tool_messages = [
            frame["message"]
            for frame in client.frames
            if frame["op"] == "message" and "method" in frame["message"]
        ]
        assert [message["method"] for message in tool_messages] == [
            "ui/notifications/tool-input",
            "ui/notifications/tool-result",
        ]
        assert tool_messages[0]["params"] == {"arguments": {"city": "Bergen"}}
        assert tool_messages[1]["params"]["content"] == [{"type": "text", "text": "one shows Bergen"}]
        names = [stage.name for stage in view_of(call).stages]
        assert names.index("initialized") < names.index("tool-input") < names.index("tool-result")


async def test_a_second_showing_gets_everything_again() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        call = await server.call_tool("show")
        for _ in range(2):
            async with page(port, view_of(call)) as client:
                await client.comes_up()
                await _seen(client, "ui/notifications/tool-result")


async def _seen(client: PageClient, method: str) -> None:
    if not any(
        frame["op"] == "message" and frame["message"].get("method") == method for frame in client.frames
    ):
        await client.hears(method)


@pytest.mark.parametrize("token", ["", "wrong", "é"])
async def test_a_wrong_token_and_an_unknown_view_get_the_same_answer(token: str) -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.attach(token=token)
            refused = await client.verdict("closed")
            await client.says({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            view.id = "unknown"
            await client.attach()
            unknown = await client.verdict("closed")
        assert {key: refused[key] for key in ("reason", "remedy")} == {
            key: unknown[key] for key in ("reason", "remedy")
        }
        assert view.session is None


async def test_garbage_on_the_socket_is_survived() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            for text in (
                "",
                "{",
                "[]",
                "null",
                '{"op": "attach"}',
                '{"view": 1}',
                '{"view": "x", "op": "message"}',
            ):
                await client._socket.send(text)
            await client.comes_up()
            garbage: list[Any] = [None, 1, "x", [], {}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "id": {}}]
            for message in garbage:
                await client.says(message)
            assert (await client.asks("ping"))["result"] == {}


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (RpcError(-32002, "no such resource"), "read-failed"),
        ({"contents": [{"uri": "ui://a", "mimeType": "text/plain", "text": "x"}]}, "bad-mime"),
    ],
)
async def test_a_document_that_cannot_be_shown_is_said_with_the_text(answer: Any, verdict: str) -> None:
    async with Host() as host, served(host) as port:
        server = await scripted(host, {"resources/read": answer})
        call = await server.call_tool("show")
        async with page(port, view_of(call)) as client:
            await client.attach()
            frame = await client.verdict(verdict)
        assert frame["text"] == "words"
        assert frame["reason"]
        assert frame["remedy"]


async def test_a_proxy_that_stays_silent_gets_a_verdict() -> None:
    async with Host(proxy_timeout=0.01) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.attach()
            assert "sandbox" in (await client.verdict("proxy-timeout"))["reason"]


async def test_an_app_that_never_shakes_hands_gets_a_verdict() -> None:
    async with Host(handshake_timeout=0.01) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.attach()
            await client.op("mount")
            await client.send("signal", name="proxy-ready")
            assert "ui/initialize" in (await client.verdict("handshake-timeout"))["reason"]


async def test_a_view_that_navigates_is_over() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            await client.send("signal", name="view-navigated")
            await client.verdict("navigated")
        assert view.session is None
        assert view.verdict is Verdict.NAVIGATED


async def test_a_view_calls_tools_of_its_own_server_only() -> None:
    """Holds: R19, R20."""
    async with Host() as host, served(host) as port:
        one = await host.connect("one", make_server("one"))
        await host.connect("two", make_server("two"))
        async with page(port, view_of(await one.call_tool("show"))) as client:
            await client.comes_up()
            answer = await client.asks("tools/call", {"name": "for_app", "arguments": {}})
            assert answer["result"]["content"][0]["text"] == "one for the app"
            refused = await client.asks("tools/call", {"name": "for_model", "arguments": {}})
            assert refused["error"]["code"] == -32000
            unknown = await client.asks("tools/call", {"name": "two/for_app", "arguments": {}})
            assert unknown["error"]["code"] == -32602
            listed = await client.asks("tools/list")
            assert "for_model" not in [tool["name"] for tool in listed["result"]["tools"]]
            read = await client.asks("resources/read", {"uri": "file://note"})
            assert read["result"]["contents"][0]["text"] == "note of one"


async def test_progress_reaches_the_view_under_its_own_token() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.comes_up()
            params = {"name": "slow", "arguments": {}, "_meta": {"progressToken": "mine"}}
            answer = await client.asks("tools/call", params)
            assert answer["result"]["content"][0]["text"] == "one slow"
        notes = [
            frame["message"]["params"]
            for frame in client.frames
            if frame["op"] == "message" and frame["message"].get("method") == "notifications/progress"
        ]
        assert notes == [{"progressToken": "mine", "progress": 1, "total": 2, "message": "half way"}]


async def test_policy_refuses_what_a_view_asks_and_says_so() -> None:
    async with Host(policy=deny_all) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.comes_up()
            answer = await client.asks("tools/call", {"name": "plain", "arguments": {}})
            assert answer["error"]["code"] == -32000
            assert "policy" in answer["error"]["message"]


async def test_links_are_opened_by_the_page_and_only_http() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.comes_up()
            assert (await client.asks("ui/open-link", {"url": "https://example.com/a"}))["result"] == {}
            assert [frame["url"] for frame in client.frames if frame["op"] == "open-link"] == [
                "https://example.com/a"
            ]
            for url in ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "  javascript:x"):
                assert "error" in await client.asks("ui/open-link", {"url": url}), url


async def test_messages_and_model_context_reach_the_program() -> None:
    """Holds: R46, R47, R71."""
    heard: list[tuple[str, list[dict[str, Any]]]] = []
    async with Host() as host, served(host) as port:

        @host.on_message
        async def on_message(view: View, content: list[dict[str, Any]]) -> None:
            heard.append((view.id, content))

        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            assert "message" in (await client.comes_up())["hostCapabilities"]
            block = {"type": "text", "text": "hi"}
            assert (await client.asks("ui/message", {"role": "user", "content": [block]}))["result"] == {}
            for number in (1, 2):
                params = {"structuredContent": {"n": number}}
                assert (await client.asks("ui/update-model-context", params))["result"] == {}
            (told,) = host.context_for_next_turn()
            said = {"server": "one", "tool": "show", "structuredContent": {"n": 2}}
            assert told == {"source": "view", "view": view.id, **said}
            await client.asks("ui/update-model-context", {"content": []})
            assert host.context_for_next_turn() == []
        assert heard == [(view.id, [block])]


async def test_a_message_is_refused_where_nobody_listens() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            assert "message" not in (await client.comes_up())["hostCapabilities"]
            answer = await client.asks(
                "ui/message", {"role": "user", "content": [{"type": "text", "text": "x"}]}
            )
            assert "error" in answer


async def test_a_failed_call_cancels_the_view_and_raises_in_the_program() -> None:
    """Holds: R54."""
    async with Host() as host, served(host) as port:
        document = {"contents": [{"uri": "ui://a", "mimeType": "text/html;profile=mcp-app", "text": "<p>x"}]}
        server = await scripted(
            host, {"tools/call": RpcError(-32000, "out of order"), "resources/read": document}
        )
        call = server.start_call("show")
        async with page(port, call.view) as client:
            await client.comes_up()
            await _seen(client, "ui/notifications/tool-cancelled")
        with pytest.raises(RpcError, match="out of order"):
            await call.wait()


async def test_a_view_that_asks_to_be_closed_is_torn_down_first() -> None:
    """Holds: R55, R56, D09."""
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.comes_up()
            await client.notifies("ui/notifications/request-teardown")
            frame = await client.until(
                lambda frame: (
                    frame["op"] == "message" and frame["message"].get("method") == "ui/resource-teardown"
                )
            )
            await client.says({"jsonrpc": "2.0", "id": frame["message"]["id"], "result": {}})
            await client.verdict("closed")


async def test_a_size_is_clamped_and_told_to_the_page() -> None:
    """Holds: R37."""
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.comes_up()
            for reported, applied in ((120.2, 121), (-5, 1), (10**9, 6000)):
                await client.notifies("ui/notifications/size-changed", {"width": 9999, "height": reported})
                frame = await client.op("size")
                assert frame["height"] == applied
                assert frame["width"] == 9999  # whether it counts is the page's business


async def test_the_theme_of_the_page_reaches_the_view_when_it_changes() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.comes_up()
            await client.send(
                "context", context={"theme": "dark", "locale": 5, "timeZone": "x" * 99, "width": True}
            )
            assert (await client.hears("ui/notifications/host-context-changed"))["theme"] == "dark"


async def test_a_plain_tool_has_no_view_and_visibility_is_applied_for_the_model() -> None:
    """Holds: R18, R70."""
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        call = await server.call_tool("plain")
        assert call.view is None
        assert call.result["content"][0]["text"] == "one plain"
        names = [tool["name"] for tool in server.tools_for_model()]
        assert "for_app" not in names
        assert "for_model" in names
        with pytest.raises(UnknownToolError, match="nothing"):
            server.start_call("nothing")


async def test_names_of_servers_are_unique_and_targets_are_checked() -> None:
    async with Host() as host:
        await host.connect("one", make_server("one"))
        with pytest.raises(ConfigError, match="already"):
            await host.connect("one", make_server("one"))


def test_the_embed_tag_escapes_what_the_server_wrote() -> None:
    class Named:
        name = 'x"><script>'

    from fanlight.upstream import Tool

    tool = Tool({"name": "t", "title": "<img src=x>"}, "ui://a")
    html = View(Named(), tool, "c1", "/apps").embed_html()  # type: ignore[arg-type]
    assert "<img" not in html
    assert html.count("<script") == 1


async def test_the_tap_sees_every_message_in_order() -> None:
    records: list[TapRecord] = []
    async with Host() as host, served(host) as port:
        stop = host.tap.listen(records.append)
        server = await host.connect("one", make_server("one"))
        async with page(port, view_of(await server.call_tool("show"))) as client:
            await client.comes_up()
        stop()
    kinds = [
        (record.direction, record.message.get("method", "answer"))
        for record in records
        if record.direction != "note"
    ]
    assert kinds[:3] == [
        ("from-view", "ui/initialize"),
        ("to-view", "answer"),
        ("from-view", "ui/notifications/initialized"),
    ]


async def test_cancelling_a_call_tells_server_and_view() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def hang() -> str:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()
        return "never"

    server: MCPServer[Any] = MCPServer("s")
    server.add_tool(hang)
    async with Host() as host:
        connected = await host.connect("s", server)
        call = connected.start_call("hang")
        await asyncio.wait_for(started.wait(), WAIT)
        call.cancel()
        with pytest.raises(CallCancelledError):
            await call.wait()
        await asyncio.wait_for(cancelled.wait(), WAIT)


async def test_closing_a_view_lets_it_save_through_a_tool_call_first() -> None:
    """Holds: R55, R56."""
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            closing = asyncio.create_task(host.close_view(view.id))
            frame = await client.until(
                lambda frame: (
                    frame["op"] == "message" and frame["message"].get("method") == "ui/resource-teardown"
                )
            )
            saved = await client.asks("tools/call", {"name": "for_app", "arguments": {}})
            assert saved["result"]["content"][0]["text"] == "one for the app"
            assert not closing.done()
            await client.says({"jsonrpc": "2.0", "id": frame["message"]["id"], "result": {}})
            await client.verdict("closed")
            assert await asyncio.wait_for(closing, WAIT)
        assert not await host.close_view(view.id)


async def test_of_two_connects_with_one_name_at_the_same_time_one_is_refused() -> None:
    """Otherwise the first would be overwritten and never closed."""
    async with Host() as host:
        both = await asyncio.gather(
            *(host.connect("one", make_server("one")) for _ in range(2)), return_exceptions=True
        )
        refused = [outcome for outcome in both if isinstance(outcome, ConfigError)]
        assert len(refused) == 1
        assert [host.servers["one"]] == [outcome for outcome in both if not isinstance(outcome, Exception)]


async def test_a_name_is_free_again_when_connecting_failed() -> None:
    async with Host() as host:
        with pytest.raises(UpstreamError):
            await host.connect("one", ["/nonexistent/program"])
        assert (await host.connect("one", make_server("one"))).name == "one"
