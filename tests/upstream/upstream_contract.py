"""What every door must do, as one test body: each case opens a connection to a server with the same tools.

`UpstreamContract` holds for every server; `WireContract` needs a server that can say what an SDK's server
cannot; `ChildContract` and `HttpContract` need one that can die. The cases are where these are subclassed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from raw_http import RawHttp

from fanlight.errors import RpcError, UpstreamError
from fanlight.upstream import (
    AppReadError,
    Catalog,
    ClientIdentity,
    HttpTarget,
    SseTarget,
    Upstream,
    UpstreamState,
    open_upstream,
    supervised,
)
from fanlight.upstream.doors import Era
from fanlight.upstream.supervised import SupervisedUpstream
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

JSONObject = dict[str, Any]
ME = ClientIdentity("test-host", "9.9")
PATIENCE = 40.0
RAW_HTTP = Path(__file__).with_name("raw_http.py")


@dataclass(frozen=True)
class Case:
    """A way to a server: `open()` connects, and closes afterwards."""

    id: str
    open: Callable[[], AbstractAsyncContextManager[Upstream]]
    advertises: bool = True  # False: a handshake that somebody else has done already
    largest: int = 20 << 20  # an SDK's own pipes need the square of the size in time

    def __str__(self) -> str:
        return self.id


async def call(upstream: Upstream, name: str, **arguments: Any) -> JSONObject:
    return await upstream.request("tools/call", {"name": name, "arguments": arguments}, timeout=PATIENCE)


def said(result: JSONObject) -> str:
    text: str = result["content"][0]["text"]
    return text


async def until(happened: Callable[[], Awaitable[bool] | bool]) -> None:
    """Ask again and again; the other side has no way to tell."""
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = happened()
            if answer if isinstance(answer, bool) else await answer:
                return
            await asyncio.sleep(0.01)


async def seen(upstream: Upstream) -> JSONObject:
    report: JSONObject = json.loads(said(await call(upstream, "seen")))
    return report


async def hang(upstream: Upstream) -> asyncio.Task[JSONObject]:
    """A call that will not end by itself, begun at the server."""
    hanging = asyncio.create_task(call(upstream, "hang"))

    async def begun() -> bool:
        return bool((await seen(upstream))["hanging"])

    await until(begun)
    return hanging


class UpstreamContract:
    """For every door, every transport and every era."""

    async def test_a_server_is_known_listed_and_called(self, case: Case) -> None:
        async with case.open() as upstream:
            assert upstream.state is UpstreamState.CONNECTED
            assert upstream.capabilities["tools"] is not None
            names = [tool["name"] for tool in (await upstream.request("tools/list"))["tools"]]
            assert {"echo", "steps", "meet"} <= set(names)
            assert json.loads(said(await call(upstream, "echo", text="hæ"))) == {"text": "hæ"}

    async def test_the_extension_is_advertised(self, case: Case) -> None:
        """Holds: R11, R12."""
        async with case.open() as upstream:
            extensions = (await seen(upstream))["capabilities"].get("extensions") or {}
        assert extensions.get(EXTENSION_ID) == ({"mimeTypes": [MIME_TYPE]} if case.advertises else None)

    async def test_null_and_nesting_reach_the_tool_as_they_are(self, case: Case) -> None:
        arguments = {"a": None, "b": [1, None, {"c": ""}], "d": False}
        async with case.open() as upstream:
            assert json.loads(said(await call(upstream, "echo", **arguments))) == arguments

    async def test_progress_arrives_in_order_while_the_call_runs(self, case: Case) -> None:
        heard: list[tuple[float, float | None, str | None]] = []

        async def on_progress(done: float, total: float | None, message: str | None) -> None:
            heard.append((done, total, message))

        async with case.open() as upstream:
            params = {"name": "steps", "arguments": {"count": 3}}
            await upstream.request("tools/call", params, on_progress=on_progress)
            await until(lambda: len(heard) == 3)
        assert heard == [(step, 100, f"step {step}") for step in (1, 2, 3)]

    async def test_progress_extends_the_wait_and_silence_ends_it(self, case: Case) -> None:
        async with case.open() as upstream:
            assert isinstance(upstream, SupervisedUpstream)
            deadlines, moved = upstream._deadlines, list[float]()

            async def most_of_the_time_passes(*_: object) -> None:
                for deadline in deadlines._all:
                    moved.append(deadline.at)
                    deadline.at -= 0.6 * PATIENCE
                deadlines._rang()  # what the clock does

            steps = {"name": "steps", "arguments": {"count": 4, "pause": 0.1}}
            done = await upstream.request(
                "tools/call", steps, timeout=PATIENCE, on_progress=most_of_the_time_passes
            )
            assert said(done) == "done"
            assert len(moved) >= 2, "twice most of the time: without progress that would have been the end"
            assert moved == sorted(set(moved))
            with pytest.raises(UpstreamError, match=r"silent for 0\.2 s"):
                await upstream.request("tools/call", {"name": "hang", "arguments": {}}, timeout=0.2)

    async def test_progress_does_not_extend_the_wait_beyond_the_limit(self, case: Case) -> None:
        async with case.open() as upstream:
            steps = {"name": "steps", "arguments": {"count": 100_000, "pause": 0.02}}
            with pytest.raises(UpstreamError, match="time limit"):
                await upstream.request("tools/call", steps, timeout=PATIENCE, limit=0.3)

    async def test_cancelling_the_task_cancels_the_tool(self, case: Case) -> None:
        async with case.open() as upstream:
            hanging = await hang(upstream)
            hanging.cancel()
            with pytest.raises(asyncio.CancelledError):
                await hanging

            async def told() -> bool:
                return bool((await seen(upstream))["cancelled"])

            await until(told)

    async def test_calls_run_at_the_same_time(self, case: Case) -> None:
        async with case.open() as upstream:
            together = await asyncio.gather(*(call(upstream, "meet", count=10) for _ in range(10)))
        assert [said(result) for result in together] == ["10"] * 10

    async def test_an_error_answer_keeps_its_code(self, case: Case) -> None:
        async with case.open() as upstream:
            with pytest.raises(RpcError) as caught:
                await upstream.request("no/such-method")
        assert caught.value.code in (
            -32601,
            -32602,
        )  # an SDK's 1.x server cannot parse it, so "invalid params"

    async def test_a_changed_list_is_told_even_while_a_call_hangs(self, case: Case) -> None:
        heard: list[str] = []
        async with case.open() as upstream:
            upstream.on_notification(lambda method, params: heard.append(method))
            hanging = await hang(upstream)
            async with asyncio.timeout(PATIENCE):
                # A subscription may take a moment; each call says it again.
                while "notifications/tools/list_changed" not in heard:
                    await call(upstream, "grow")
                    await asyncio.sleep(0.02)
            assert not hanging.done()
            hanging.cancel()
            await asyncio.gather(hanging, return_exceptions=True)

    async def test_after_close_every_request_fails_at_once(self, case: Case) -> None:
        async with case.open() as upstream:
            hanging = await hang(upstream)
            await upstream.aclose()
            await upstream.aclose()
            with pytest.raises(UpstreamError, match="closed"):
                await hanging
            with pytest.raises(UpstreamError, match="closed"):
                await upstream.request("tools/list")
            assert upstream.state is UpstreamState.CLOSED


class WireContract:
    """For servers that are not made by an SDK: everything passes unchanged."""

    async def test_unknown_fields_and_blocks_pass_and_no_schema_is_enforced(self, case: Case) -> None:
        async with case.open() as upstream:
            listed = await upstream.request("tools/list")
            result = await call(upstream, "odd")
        assert listed["x-page"] == 1
        assert [tool.get("x-kept") for tool in listed["tools"]] == [tool["name"] for tool in listed["tools"]]
        for stamp in ("resultType", "ttlMs", "cacheScope"):  # of the modern era
            result.pop(stamp, None)
        assert result == {
            "content": [
                {"type": "hologram", "depth": 3, "nested": {"a": [None]}},
                {"type": "text", "text": "t", "x": 1},
            ],
            "structuredContent": {"not": "what the schema says"},
            "x-unknown": {"kept": True},
            "_meta": {"private": {"b": 2}},
        }

    async def test_an_error_keeps_its_data(self, case: Case) -> None:
        async with case.open() as upstream:
            with pytest.raises(RpcError, match="no luck") as caught:
                await call(upstream, "fail")
        assert (caught.value.code, caught.value.data) == (-32050, {"why": ["x"]})

    async def test_a_result_of_20_megabytes_arrives_and_nothing_waits_behind_it(self, case: Case) -> None:
        async with case.open() as upstream:
            big, small = await asyncio.gather(
                call(upstream, "big", size=case.largest), call(upstream, "echo", a=1)
            )
            assert len(said(big)) == case.largest
            assert json.loads(said(small)) == {"a": 1}

    async def test_watched_resources_tell_of_their_updates(self, case: Case) -> None:
        heard: list[JSONObject] = []
        async with case.open() as upstream:
            upstream.on_notification(
                lambda method, params: heard.append(params) if method.endswith("resources/updated") else None
            )
            await upstream.watch(["ui://a"])
            async with asyncio.timeout(PATIENCE):
                while not heard:
                    await call(upstream, "touch", uri="ui://a")
                    await asyncio.sleep(0.02)
        assert heard[0]["uri"] == "ui://a"

    async def test_the_server_is_introduced_with_all_it_says(self, case: Case) -> None:
        async with case.open() as upstream:
            if upstream.server_info:  # a 1.x session that somebody else opened does not remember
                assert (upstream.server_info["name"], upstream.server_info["version"]) == ("raw", "7")
            assert upstream.capabilities["resources"]["subscribe"] is True

    async def test_the_catalog_follows_the_server(self, case: Case) -> None:
        async with case.open() as upstream:
            catalog = Catalog("raw", upstream)
            await catalog.refresh()
            before = len(catalog.tools)
            changes: list[str] = []
            catalog.on_change(lambda change: changes.append(change.kind))
            async with asyncio.timeout(PATIENCE):
                while len(catalog.tools) == before:
                    await call(upstream, "grow")
                    await asyncio.sleep(0.05)
            assert "tools" in changes
            with pytest.raises(AppReadError):
                await catalog.document(catalog.tool("echo"))
            await catalog.aclose()


class ChildContract:
    """For a server that is a child process of ours."""

    async def test_a_dead_child_fails_what_runs_is_started_again_and_leaves_no_zombie(
        self, case: Case
    ) -> None:
        states: list[tuple[UpstreamState, str | None]] = []
        async with case.open() as upstream:
            upstream.on_state(lambda state, reason: states.append((state, reason)))
            first = int(said(await call(upstream, "pid")))
            hanging = await hang(upstream)
            with pytest.raises(UpstreamError, match="ended"):
                await call(upstream, "die")
            with pytest.raises(UpstreamError, match="ended"):
                await hanging
            second = int(said(await call(upstream, "pid")))
            assert second != first
            gone(first)
        assert [state for state, _ in states] == [
            UpstreamState.RECONNECTING,
            UpstreamState.CONNECTED,
            UpstreamState.CLOSED,
        ]
        gone(second)

    async def test_a_killed_child_is_noticed_without_a_request(self, case: Case) -> None:
        async with case.open() as upstream:
            catalog = Catalog("raw", upstream)
            await catalog.refresh()
            states: list[UpstreamState] = []
            upstream.on_state(lambda state, reason: states.append(state))
            os.kill(int(said(await call(upstream, "pid"))), 9)
            await until(lambda: states[-1:] == [UpstreamState.CONNECTED])
            assert states[0] is UpstreamState.RECONNECTING
            await catalog.aclose()


def gone(process: int) -> None:
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)


class HttpContract:
    """For servers behind HTTP; `era` is a fixture."""

    async def test_headers_and_authentication_go_with_each_request(self, era: str, auth: Any) -> None:
        http = RawHttp(era)
        async with http.served() as origin, opened(HttpTarget(f"{origin}/mcp", {"X-Key": "1"}, auth)) as up:
            headers = (await seen(up))["headers"]
        assert headers["x-key"] == "1"
        assert headers["authorization"] == "Bearer t0ken"

    async def test_a_restarted_server_is_found_again(self, era: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(supervised, "_WAIT_FOR_LINK", 1.0)
        states: list[UpstreamState] = []
        async with RawHttp(era).served() as origin:
            port = int(origin.rpartition(":")[2])
            upstream = await open_upstream("raw", HttpTarget(f"{origin}/mcp"), ME, timeout=PATIENCE)
            upstream.on_state(lambda state, reason: states.append(state))
            hanging = await hang(upstream)
        with pytest.raises(UpstreamError):
            await hanging

        async def refused() -> bool:
            with pytest.raises(UpstreamError) as caught:
                await call(upstream, "echo")
            return "refused the connection" in caught.value.message

        await until(refused)
        monkeypatch.undo()
        async with RawHttp(era).served(port):
            assert json.loads(said(await call(upstream, "echo", a="back"))) == {"a": "back"}
            assert upstream.state is UpstreamState.CONNECTED
            await upstream.aclose()
        assert states[0] is UpstreamState.RECONNECTING

    @pytest.mark.parametrize("path", ["mcp", "sse"])
    async def test_a_killed_server_fails_what_runs_at_once(self, era: str, path: str) -> None:
        if path == "sse":
            era = "handshake"  # the older transport knows no other
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(RAW_HTTP), era, stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        origin = (await process.stdout.readline()).decode().strip()
        target = SseTarget(f"{origin}/sse") if path == "sse" else HttpTarget(f"{origin}/mcp")
        async with opened(target) as upstream:
            hanging = await hang(upstream)
            process.kill()
            await process.wait()
            with pytest.raises(UpstreamError):
                await asyncio.wait_for(hanging, PATIENCE)
            await until(lambda: upstream.state is not UpstreamState.CONNECTED)

    @pytest.mark.parametrize("way", ["events", "json", "gzip", "sse"])
    async def test_an_answer_that_is_too_large_ends_the_connection(
        self, era: str, way: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("fanlight.upstream.streams.MAX_MESSAGE_BYTES", 1 << 20)
        http = RawHttp("handshake" if way == "sse" else era)
        http.answers_as = "events" if way == "sse" else way
        async with http.served() as origin:
            target = SseTarget(f"{origin}/sse") if way == "sse" else HttpTarget(f"{origin}/mcp")
            async with opened(target) as upstream:
                for _ in range(4):  # each is bounded, not all together
                    assert len(said(await call(upstream, "big", size=400_000))) == 400_000
                with pytest.raises(UpstreamError, match="a message of more than 1 MiB"):
                    await call(upstream, "big", size=3 << 20)
                assert json.loads(said(await call(upstream, "echo", a=1))) == {"a": 1}

    async def test_a_server_that_forgot_the_session_gets_a_new_one(self, era: str) -> None:
        if era == "modern":
            return  # has no sessions to forget
        http = RawHttp(era)
        async with http.served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
            http.sessions.clear()
            with pytest.raises(UpstreamError, match="forgotten this session"):
                await call(upstream, "echo")
            assert json.loads(said(await call(upstream, "echo", a=1))) == {"a": 1}

    @pytest.mark.parametrize("status", [400, 404, 405])
    async def test_a_server_that_refuses_streamable_http_is_tried_with_sse(self, status: int) -> None:
        http = RawHttp()
        http.refuse_with = status
        # Such a server has one address for both: the GET of the older transport.
        http.app.router.routes.insert(0, _get_route(http))
        async with http.served() as origin, opened(HttpTarget(f"{origin}/mcp")) as upstream:
            assert json.loads(said(await call(upstream, "echo", a=1))) == {"a": 1}

    @pytest.mark.parametrize("status", [401, 403, 500])
    async def test_other_refusals_are_told_as_they_are(self, status: int) -> None:
        http = RawHttp()
        http.refuse_with = status
        http.app.router.routes.insert(0, _get_route(http))
        async with http.served() as origin:
            with pytest.raises(UpstreamError, match="did not answer as an MCP server"):
                await open_upstream("raw", HttpTarget(f"{origin}/mcp"), ME, timeout=PATIENCE)

    async def test_an_address_of_neither_transport_is_refused_with_its_name(self) -> None:
        async with RawHttp().served() as origin:
            for target in (HttpTarget(f"{origin}/nothing"), SseTarget(f"{origin}/nothing")):
                with pytest.raises(UpstreamError, match="/nothing did not answer"):
                    await open_upstream("raw", target, ME, timeout=PATIENCE)


def _get_route(http: RawHttp) -> Any:
    from starlette.routing import Route

    return Route("/mcp", http._sse, methods=["GET"])


class opened:
    """An open connection for the length of a `with` block."""

    def __init__(self, target: Any, era: Era = "auto", name: str = "raw") -> None:
        self._arguments = (name, target, ME)
        self._era = era
        self._upstream: Upstream | None = None

    async def __aenter__(self) -> Upstream:
        self._upstream = await open_upstream(*self._arguments, timeout=PATIENCE, era=self._era)
        return self._upstream

    async def __aexit__(self, *exc: object) -> None:
        assert self._upstream is not None
        await self._upstream.aclose()
