"""A call that the program gave up: whoever waits for it is told why, and nobody's task ends by it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from page_client import WAIT
from two_servers import make_server

from fanlight import Host
from fanlight.errors import CallCancelledError, ConfigError, FanlightError, LocalProtocolError

STOP = "the person pressed stop"


def hanging_server() -> tuple[MCPServer[Any], asyncio.Event]:
    """A server whose tool never answers, and what is set once it was called."""
    started = asyncio.Event()
    server: MCPServer[Any] = MCPServer("hanging")

    @server.tool()
    async def hang() -> str:
        started.set()
        await asyncio.Event().wait()
        return "never"

    return server, started


async def test_who_waits_is_told_the_reason_and_is_not_cancelled() -> None:
    async with Host() as host:
        target, started = hanging_server()
        call = (await host.connect("s", target)).start_call("hang")
        waiting = asyncio.create_task(call.wait())
        await asyncio.wait_for(started.wait(), WAIT)
        call.cancel(STOP)
        async with asyncio.timeout(WAIT):
            with pytest.raises(CallCancelledError) as told:
                await waiting
        assert not waiting.cancelled()
        assert isinstance(told.value, FanlightError)
        assert (told.value.tool, told.value.reason) == ("hang", STOP)
        assert STOP in str(told.value)
        with pytest.raises(CallCancelledError, match=STOP):
            _ = call.result
        with pytest.raises(CallCancelledError, match=STOP):
            call.for_model()


async def test_the_first_reason_counts_and_a_finished_call_cannot_be_cancelled() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        call = server.start_call("show")
        call.cancel(STOP)
        call.cancel("something else")
        with pytest.raises(CallCancelledError, match=STOP):
            await asyncio.wait_for(call.wait(), WAIT)
        call.cancel("too late")
        assert call.view is not None
        assert call.view.cancelled == STOP
        with pytest.raises(CallCancelledError, match=STOP):
            _ = call.result
        done = await server.call_tool("show")
        done.cancel(STOP)
        assert done.result["content"][0]["text"] == "one shows Oslo"


async def test_a_waiting_task_that_is_cancelled_itself_ends_and_the_call_goes_on() -> None:
    async with Host() as host:
        target, started = hanging_server()
        call = (await host.connect("s", target)).start_call("hang")
        waiting = asyncio.create_task(call.wait())
        await asyncio.wait_for(started.wait(), WAIT)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(LocalProtocolError, match="no result yet"):
            _ = call.result
        call.cancel(STOP)
        with pytest.raises(CallCancelledError, match=STOP):
            await asyncio.wait_for(call.wait(), WAIT)


async def test_a_block_whose_tool_is_cancelled_while_it_is_left_ends_quietly() -> None:
    async with Host() as host:
        target, started = hanging_server()
        call = (await host.connect("s", target)).begin_call("hang")

        async def stream() -> str:
            async with call:
                pass
            return "after the block"

        streaming = asyncio.create_task(stream())
        await asyncio.wait_for(started.wait(), WAIT)
        call.cancel(STOP)
        assert await asyncio.wait_for(streaming, WAIT) == "after the block"
        for ask in (call.finish, call.wait):
            with pytest.raises(CallCancelledError, match=STOP):
                await ask()


async def test_a_block_that_was_cancelled_before_the_tool_was_called_ends_quietly() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        async with server.begin_call("show") as call:
            call.feed_arguments('{"city": "Os')
            call.cancel(STOP)
            with pytest.raises(LocalProtocolError, match=STOP):
                call.feed_arguments('lo"}')
        for ask in (call.finish, call.wait):
            with pytest.raises(CallCancelledError, match=STOP):
                await ask()
        with pytest.raises(CallCancelledError, match=STOP):
            _ = call.result


async def test_an_error_of_the_program_in_the_block_still_comes_out_of_it() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        with pytest.raises(KeyError):
            async with server.begin_call("show") as call:
                raise KeyError("mine")
        with pytest.raises(CallCancelledError, match="KeyError"):
            await call.wait()


@pytest.mark.parametrize("text", ['{"city": 1e999}', '{"city": -1e999}', '{"city": "\\ud800"}'])
async def test_text_that_cannot_be_sent_on_is_refused_where_it_is_complete(text: str) -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        call = server.begin_call("show")
        call.feed_arguments(text)
        with pytest.raises(ConfigError, match=r"arguments\.city"):
            await call.finish()
        assert call.view is not None
        assert "arguments.city" in str(call.view.cancelled)
        with pytest.raises(CallCancelledError, match=r"arguments\.city"):
            await call.wait()


async def test_pieces_that_are_no_text_are_refused_with_the_remedy_and_none_is_nothing() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        async with server.begin_call("show") as call:
            wrong: Any
            for wrong, remedy in ((b'{"c', "decode"), ({"city": "Oslo"}, "set_arguments"), (7, "give text")):
                with pytest.raises(ConfigError, match=remedy):
                    call.feed_arguments(wrong)
            for piece in (None, '{"city": ', None, '"Voss"}', None):
                call.feed_arguments(piece)
        assert call.result["content"][0]["text"] == "one shows Voss"


def test_a_program_without_a_loop_is_told_the_same() -> None:
    with Host.sync(port=0) as host:
        server = host.connect("s", hanging_server()[0])
        call = server.start_call("hang")
        call.cancel(STOP)
        with pytest.raises(CallCancelledError, match=STOP):
            call.wait(WAIT)
        with pytest.raises(CallCancelledError, match=STOP):
            _ = call.result
        with server.begin_call("hang") as streamed:
            streamed.cancel(STOP)
        with pytest.raises(CallCancelledError, match=STOP):
            streamed.finish(WAIT)
