"""What a program without an event loop can do: what one with a loop can, and each wait has a bound."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from two_servers import make_server

from fanlight import Host
from fanlight.errors import CallCancelledError, ConfigError
from fanlight.host import Verdict
from fanlight.upstream import UpstreamState

WAIT = 30.0
SHORT = 0.05


def hanging_server() -> MCPServer[Any]:
    server: MCPServer[Any] = MCPServer("hanging")

    @server.tool()
    async def hang() -> str:
        await asyncio.Event().wait()
        return "never"

    return server


def test_arguments_can_be_given_whole_and_the_call_finished_without_a_block() -> None:
    with Host.sync(port=0) as host:
        server = host.connect("one", make_server("one"))
        call = server.begin_call("show")
        call.set_arguments({"city": "Bergen"})
        assert call.finish(WAIT) is call.finish(WAIT)
        assert call.result["content"][0]["text"] == "one shows Bergen"
        with server.begin_call("show") as other:
            with pytest.raises(ConfigError, match="decode"):
                other.feed_arguments(b"{}")  # type: ignore[arg-type]
            other.feed_arguments(None)
        assert other.result["content"][0]["text"] == "one shows Oslo"


def test_a_call_is_cancelled_with_a_reason_which_the_view_is_told() -> None:
    with Host.sync(port=0) as host:
        server = host.connect("one", make_server("one"))
        call = server.begin_call("show")
        call.cancel("the person pressed stop")
        assert call.view is not None
        view = host.host.view(call.view.id)
        assert view is not None
        assert view.cancelled == "the person pressed stop"


def test_leaving_the_block_and_finishing_take_a_time_and_cancel_the_call_then() -> None:
    with Host.sync(port=0) as host:
        server = host.connect("s", hanging_server())
        block = server.begin_call("hang", timeout=SHORT)
        with pytest.raises(TimeoutError, match="not done within"), block:
            pass
        call = server.begin_call("hang")
        with pytest.raises(TimeoutError, match="not done within"):
            call.finish(SHORT)
        for ended in (block, call):
            with pytest.raises(CallCancelledError):
                ended.wait(WAIT)


def test_a_view_tells_its_outcome_and_its_stages() -> None:
    with Host.sync(port=0) as host:
        view = host.connect("one", make_server("one")).call_tool("show", timeout=WAIT).view
        assert view is not None
        assert view.outcome.verdict is view.verdict is Verdict.PENDING
        assert "tool-finished" in [stage.name for stage in view.stages]
        view.stages.clear()
        assert view.stages


def test_a_server_tells_its_state_and_its_end_in_a_thread_that_may_use_the_host() -> None:
    told: list[tuple[UpstreamState, str | None, list[str]]] = []
    heard = threading.Event()
    with Host.sync(port=0) as host:
        server = host.connect("one", make_server("one"))
        assert server.state is UpstreamState.CONNECTED

        @server.on_state
        def changed(state: UpstreamState, reason: str | None) -> None:
            told.append((state, reason, [entry["view"] for entry in host.context_for_next_turn()]))
            heard.set()

        server.close(WAIT)
        assert heard.wait(WAIT)
        closed: object = server.state
        assert closed is UpstreamState.CLOSED
    assert told == [(UpstreamState.CLOSED, None, [])]


def test_closing_takes_a_time_and_goes_on_when_it_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    with Host.sync(port=0) as host:
        server = host.connect("one", make_server("one"))
        view = server.call_tool("show").view
        assert view is not None
        go_on = host.run(_event())
        slow: Any = host.host.let_go
        close_view: Any = host.host.close_view

        async def slowly(*args: Any) -> Any:
            await go_on.wait()
            return await slow(*args)

        async def slowly_closed(*args: Any) -> Any:
            await go_on.wait()
            return await close_view(*args)

        monkeypatch.setattr(host.host, "let_go", slowly)
        monkeypatch.setattr(host.host, "close_view", slowly_closed)
        with pytest.raises(TimeoutError):
            view.close(SHORT)
        with pytest.raises(TimeoutError):
            server.close(SHORT)
        host.call(go_on.set)
    assert server.state is UpstreamState.CLOSED
    assert host.host.view(view.id) is None


async def _event() -> asyncio.Event:
    return asyncio.Event()


def test_a_call_takes_terms_and_its_listener_runs_beside_the_loop() -> None:
    heard: list[tuple[float, int]] = []
    came = threading.Event()

    with Host.sync(port=0) as host:
        server = host.connect("one", make_server("one"))

        def progressed(done: float, total: float | None, message: str | None) -> None:
            server.call_tool("plain", timeout=WAIT)  # a listener may use the host and wait for it
            heard.append((done, threading.get_ident()))
            came.set()

        server.call_tool("slow", silence=30, limit=60, on_progress=progressed)
        assert came.wait(WAIT)
        with pytest.raises(ConfigError, match="silence is 0"):
            server.start_call("slow", silence=0)
    assert heard[0][0] == 1
    assert heard[0][1] != threading.get_ident()
