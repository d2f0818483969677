"""Streaming: a view is shown before its arguments are complete, sees them grow, and ends as it should."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from page_client import WAIT, PageClient, page, served
from two_servers import make_server

from fanlight.errors import CallCancelledError, ConfigError, LocalProtocolError, RpcError, UnknownToolError
from fanlight.host import Host, Server, StreamedCall, View
from fanlight.host.link import Bounds, LinkSettings
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog

PARTIAL = "ui/notifications/tool-input-partial"
INPUT = "ui/notifications/tool-input"
RESULT = "ui/notifications/tool-result"
CANCELLED = "ui/notifications/tool-cancelled"


def view_of(call: Any) -> View:
    assert isinstance(call.view, View)
    return call.view


def told(client: PageClient) -> list[tuple[str, dict[str, Any]]]:
    """What the view was told of its tool call, in order."""
    return [
        (frame["message"]["method"].rpartition("/")[2], frame["message"]["params"])
        for frame in client.frames
        if frame["op"] == "message" and "/tool-" in frame["message"].get("method", "")
    ]


async def heard(client: PageClient, method: str) -> dict[str, Any]:
    """What was said under this method, now or soon."""
    for name, params in told(client):
        if name == method.rpartition("/")[2]:
            return params
    return await client.hears(method)


@asynccontextmanager
async def one_server(**options: Any) -> AsyncIterator[tuple[Server, int]]:
    async with Host(**options) as host, served(host) as port:
        yield await host.connect("one", make_server("one")), port


async def scripted(host: Host, **answers: Any) -> tuple[Server, ScriptedUpstream]:
    """A server whose answers the test writes down; `tools__call` for `tools/call`."""
    tool = {"name": "show", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://a"}}}
    document = {"contents": [{"uri": "ui://a", "mimeType": "text/html;profile=mcp-app", "text": "<p>x"}]}
    upstream = ScriptedUpstream(
        {
            "tools/list": {"tools": [tool, {"name": "plain", "inputSchema": {"type": "object"}}]},
            "resources/read": document,
            "tools/call": {"content": [{"type": "text", "text": "words"}]},
            **{name.replace("__", "/"): answer for name, answer in answers.items()},
        }
    )
    catalog = Catalog("scripted", upstream)
    await catalog.refresh()
    return Server(host, "scripted", upstream, catalog), upstream


def called_with(upstream: ScriptedUpstream) -> list[Any]:
    return [params["arguments"] for method, params in upstream.asked if method == "tools/call"]


async def test_the_view_is_ready_and_sees_the_arguments_before_they_are_complete() -> None:
    """Holds: R48, R49, R50, R53."""
    async with one_server() as (server, port):
        async with server.begin_call("show") as call:
            assert isinstance(call, StreamedCall)
            async with page(port, view_of(call)) as client:
                await client.comes_up()
                call.feed_arguments('{"city": "Ber')
                assert await client.hears(PARTIAL) == {"arguments": {"city": "Ber"}}
                call.feed_arguments('gen"}')
                assert await call.finish() == call.result
                await heard(client, RESULT)
        names = [name for name, _ in told(client)]
        assert [name for name in names if name != "tool-input-partial"] == ["tool-input", "tool-result"]
        assert "tool-input-partial" not in names[names.index("tool-input") :]
        assert dict(told(client))["tool-input"] == {"arguments": {"city": "Bergen"}}
        assert call.result["content"][0]["text"] == "one shows Bergen"
        assert call.arguments == {"city": "Bergen"}


async def test_leaving_the_block_calls_the_tool() -> None:
    async with one_server() as (server, _):
        async with server.begin_call("show") as call:
            for character in '{"city": "Bodø"}':
                call.feed_arguments(character)
        assert call.result["content"][0]["text"] == "one shows Bodø"
        assert view_of(call).result == call.result


async def test_a_page_that_comes_in_the_middle_gets_what_is_written_by_then() -> None:
    async with one_server() as (server, port):
        call = server.begin_call("show")
        call.feed_arguments('{"city": "Os')
        async with page(port, view_of(call)) as client:
            await client.comes_up()
            assert await heard(client, PARTIAL) == {"arguments": {"city": "Os"}}
        call.cancel()


async def test_partials_are_healed_throttled_and_the_newest_is_shown_in_the_end() -> None:
    text = json.dumps({"city": "x" * 20_000})
    async with one_server() as (server, port):
        call = server.begin_call("show")
        async with page(port, view_of(call)) as client:
            await client.comes_up()
            for start in range(0, len(text) - 2, 10):
                call.feed_arguments(text[start : start + 10])
            written = len("".join(text[: start + 10])) - len('{"city": "')
            await client.until(
                lambda frame: (
                    frame["op"] == "message"
                    and frame["message"].get("method") == PARTIAL
                    and len(frame["message"]["params"]["arguments"]["city"]) >= min(written, 20_000)
                )
            )
            partials = [params for name, params in told(client) if name == "tool-input-partial"]
            assert len(partials) < 100, "one for every piece would be 2,000"
        call.cancel()


async def test_a_page_that_does_not_read_is_not_buried_under_partials() -> None:
    async with one_server(link=LinkSettings(bounds=Bounds(frames=40))) as (server, port):
        call = server.begin_call("show")
        async with page(port, view_of(call)) as client:
            await client.comes_up()
            for number in range(200):  # each a new key, so each would go at once
                call.feed_arguments(f'{"{" if number == 0 else ","}"k{number}": 1')
                await asyncio.sleep(0)
            assert view_of(call).verdict == "ok"
            call.set_arguments({"city": "Oslo"})
            await call.finish()
            assert await heard(client, INPUT) == {"arguments": {"city": "Oslo"}}
        assert sum(name == "tool-input-partial" for name, _ in told(client)) <= 10


async def test_no_text_at_all_is_a_tool_without_arguments() -> None:
    """Holds: R48."""
    async with Host() as host:
        server, upstream = await scripted(host)
        async with server.begin_call("show"):
            pass
        async with server.begin_call("show") as call:
            call.feed_arguments("  \n")
        assert called_with(upstream) == [{}, {}]
        assert view_of(call).arguments == {}


async def test_whole_arguments_may_be_given_late_and_count_instead_of_the_text() -> None:
    async with Host() as host:
        server, upstream = await scripted(host)
        async with server.begin_call("show") as call:
            call.feed_arguments('{"half": ')
            call.set_arguments({"whole": 1})
        with pytest.raises(ConfigError, match="give a dict"):
            server.begin_call("show").set_arguments([1])  # type: ignore[arg-type]
        assert called_with(upstream) == [{"whole": 1}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1,}', r"offset 8"),
        ('{"a": ', r"offset 6"),
        ("  [1, 2]", r"an array \(offset 2\)"),
        ('"text"', r"a string \(offset 0\)"),
        ("null", r"null \(offset 0\)"),
        ("12", r"a number \(offset 0\)"),
        ('{"a": NaN}', r"offset 6"),
        ("{} {}", r"offset 3"),
    ],
)
async def test_arguments_that_are_no_object_are_an_error_with_the_place_and_cancel_the_view(
    text: str, said: str
) -> None:
    """Holds: R54."""
    async with Host() as host:
        server, upstream = await scripted(host)
        call = server.begin_call("show")
        for character in text:
            call.feed_arguments(character)
        with pytest.raises(ConfigError, match=said):
            await call.finish()
        assert called_with(upstream) == []
        assert view_of(call).cancelled is not None
        assert "show" in str(view_of(call).cancelled)
        assert view_of(call).arguments is None


async def test_leaving_by_an_exception_cancels_and_tells_only_its_kind() -> None:
    """Holds: R54."""
    async with one_server() as (server, port):
        call = server.begin_call("show")
        async with page(port, view_of(call)) as client:
            await client.comes_up()

            async def write() -> None:
                async with call:
                    call.feed_arguments('{"city": "O')
                    raise ValueError("secret of the program")

            with pytest.raises(ValueError, match="secret"):
                await write()
            reason = (await heard(client, CANCELLED))["reason"]
        assert "ValueError" in reason
        assert "secret" not in reason
        assert "tool-input" not in [name for name, _ in told(client)]


async def test_cancelling_while_the_arguments_are_written_is_the_end() -> None:
    async with Host() as host:
        server, upstream = await scripted(host)
        async with server.begin_call("show") as call:
            call.feed_arguments("{")
            call.cancel("the model changed its mind")
            with pytest.raises(LocalProtocolError, match="changed its mind"):
                call.feed_arguments("}")
        assert view_of(call).cancelled == "the model changed its mind"
        assert called_with(upstream) == []
        with pytest.raises(CallCancelledError, match="changed its mind"):
            _ = call.result
        with pytest.raises(CallCancelledError, match="changed its mind"):
            await call.finish()


async def test_a_task_that_is_cancelled_in_the_block_cancels_the_call() -> None:
    async with Host() as host:
        server, _ = await scripted(host)
        call = server.begin_call("show")

        async def write() -> None:
            async with call:
                await asyncio.Event().wait()

        writing = asyncio.create_task(write())
        await asyncio.sleep(0)
        writing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert view_of(call).cancelled == "the call was cancelled"


async def test_a_task_that_is_cancelled_while_the_tool_works_cancels_the_tool() -> None:
    started, stopped = asyncio.Event(), asyncio.Event()

    async def hang(params: Any) -> dict[str, Any]:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return {}

    async with Host() as host:
        server, _ = await scripted(host, tools__call=hang)
        for begin in (server.call_tool("show"), server.begin_call("show").finish()):
            started.clear()
            stopped.clear()
            calling = asyncio.create_task(begin)
            await asyncio.wait_for(started.wait(), WAIT)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            await asyncio.wait_for(stopped.wait(), WAIT)


async def test_finishing_twice_calls_the_tool_once() -> None:
    async with Host() as host:
        server, upstream = await scripted(host)
        async with server.begin_call("show") as call:
            first = await call.finish()
            assert await call.finish() is first
            with pytest.raises(LocalProtocolError, match="complete already"):
                call.feed_arguments("{}")
        assert called_with(upstream) == [{}]


async def test_a_tool_that_fails_raises_out_of_the_block() -> None:
    async with Host() as host:
        server, _ = await scripted(host, tools__call=RpcError(-32000, "out of order"))
        call = server.begin_call("show")
        with pytest.raises(RpcError, match="out of order"):
            async with call:
                pass
        assert "out of order" in str(view_of(call).cancelled)
        with pytest.raises(RpcError, match="out of order"):
            _ = call.result


async def test_a_plain_tool_streams_too_and_an_unknown_one_is_refused_at_once() -> None:
    async with Host() as host:
        server, upstream = await scripted(host)
        async with server.begin_call("plain") as call:
            call.feed_arguments('{"n": 1}')
        assert call.view is None
        assert called_with(upstream) == [{"n": 1}]
        with pytest.raises(UnknownToolError):
            server.begin_call("nothing")


async def test_a_call_cancelled_before_it_ran_still_tells_its_view() -> None:
    """Holds: R54."""
    async with Host() as host:
        server, upstream = await scripted(host)
        call = server.start_call("show")
        call.cancel("never mind")
        with pytest.raises(CallCancelledError):
            await call.wait()
        assert view_of(call).cancelled == "never mind"
        assert called_with(upstream) == []


async def test_an_error_result_is_a_result_for_program_and_view() -> None:
    failed = {"content": [{"type": "text", "text": "no such city"}], "isError": True, "_meta": {"x": 1}}
    async with Host() as host, served(host) as port:
        server, _ = await scripted(host, tools__call=failed)
        call = await server.call_tool("show")
        assert call.result == failed
        async with page(port, view_of(call)) as client:
            await client.comes_up()
            assert await heard(client, RESULT) == failed
            assert (await heard(client, INPUT)) == {"arguments": {}}


async def test_a_result_that_no_view_can_take_is_still_the_programs() -> None:
    async with Host() as host, served(host) as port:
        server, _ = await scripted(host, tools__call={"content": "not a list"})
        call = await server.call_tool("show")
        assert call.result == {"content": "not a list"}
        async with page(port, view_of(call)) as client:
            await client.comes_up()
            assert "array" in (await heard(client, CANCELLED))["reason"]


async def test_views_of_one_app_side_by_side_keep_their_own_results() -> None:
    async with one_server() as (server, port):
        first = await server.call_tool("show", {"city": "Oslo"})
        async with page(port, view_of(first)) as one:
            await one.comes_up()
            second = await server.call_tool("show", {"city": "Rome"})
            async with page(port, view_of(second)) as two:
                await two.comes_up()
                assert (await heard(two, RESULT))["content"][0]["text"] == "one shows Rome"
            answer = await one.asks("tools/call", {"name": "for_app", "arguments": {}})
            assert answer["result"]["content"][0]["text"] == "one for the app"
        results = [params for name, params in told(one) if name == "tool-result"]
        assert [result["content"][0]["text"] for result in results] == ["one shows Oslo"]
        with pytest.raises(LocalProtocolError, match="another view"):
            view_of(first).finish(second.result)
        assert view_of(first).id != view_of(second).id


async def test_a_view_that_never_comes_up_leaves_result_and_text() -> None:
    async with Host() as host, served(host) as port:
        server, _ = await scripted(host, resources__read=RpcError(-32002, "no such resource"))
        call = await server.call_tool("show")
        outcome = await view_of(call).until_ready(5)
        assert outcome.verdict == "read-failed"
        assert call.result["content"][0]["text"] == "words"
        async with page(port, view_of(call)) as client:
            await client.attach()
            assert (await client.verdict("read-failed"))["text"] == "words"


async def test_waiting_for_a_view_ends_with_its_outcome_or_says_how_far_it_came() -> None:
    async with one_server() as (server, port):
        view = view_of(await server.call_tool("show"))
        nobody = await view.until_ready(0.01)
        assert nobody.verdict == "pending"
        assert "No page" in str(nobody.reason)
        assert "embed_html" in str(nobody.remedy)
        async with page(port, view) as client:
            await client.attach()
            await client.op("mount")
            halfway = await view.until_ready(0.01)
            assert "mounted" in str(halfway.reason)
            await client.send("detach")
        async with page(port, view) as client:
            waiting = asyncio.create_task(view.until_ready(5))
            await client.comes_up()
            assert (await waiting).verdict == "ok"
            assert [stage.name for stage in view.stages][-1] != "pending"


async def test_a_server_object_hears_the_streamed_arguments_exactly() -> None:
    seen: list[Any] = []
    server: MCPServer[Any] = MCPServer("s")

    @server.tool()
    def take(rows: list[dict[str, Any]], note: str) -> str:
        seen.append((rows, note))
        return "ok"

    arguments = {"rows": [{"n": n, "t": "é\U0001f600\n"} for n in range(50)], "note": '"\\'}
    text = json.dumps(arguments)
    async with Host() as host:
        connected = await host.connect("s", server)
        for size in (1, 7, 10_000):
            async with connected.begin_call("take") as call:
                for start in range(0, len(text), size):
                    call.feed_arguments(text[start : start + size])
    assert seen == [(arguments["rows"], arguments["note"])] * 3
