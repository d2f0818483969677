"""What holds for every door alike: when to try again, when to give up, what a caller is told meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from upstream_contract import PATIENCE, until

from fanlight.errors import RpcError, UpstreamError
from fanlight.upstream import UpstreamState, supervised
from fanlight.upstream.base import JSONObject, ProgressHandler
from fanlight.upstream.link import Events, LinkDown, ResponseLost
from fanlight.upstream.stderr import StderrTail
from fanlight.upstream.supervised import SupervisedUpstream

Answer = Callable[[str], Awaitable[JSONObject]]


class ScriptedDoor:
    """A door whose server is reachable or not, and answers as the test says."""

    def __init__(self) -> None:
        self.starts_process = False
        self.reachable = True
        self.attempts = 0
        self.left = 0
        self.asked: list[str] = []
        self.watched: list[tuple[str, ...]] = []
        self.events: Events | None = None
        self.answer: Answer = self._empty

    async def _empty(self, method: str) -> JSONObject:
        return {}

    def __str__(self) -> str:
        return "the scripted server"

    def explain(self, error: BaseException, stderr: list[str]) -> str:
        return str(error)

    async def connect(self, stack: AsyncExitStack, events: Events, tail: StderrTail) -> ScriptedLink:
        self.attempts += 1
        if not self.reachable:
            raise OSError("nobody is home")
        self.events = events
        stack.callback(self._leave)
        return ScriptedLink(self)

    def _leave(self) -> None:
        self.left += 1

    def break_down(self, reason: str = "the cable was cut") -> None:
        assert self.events is not None
        self.events.broke(reason)


class ScriptedLink:
    """A session with the scripted server."""

    def __init__(self, door: ScriptedDoor) -> None:
        self._door = door
        self.server_info: JSONObject = {"name": "scripted"}
        self.capabilities: JSONObject = {"tools": {}}
        self.protocol_version = "2025-11-25"

    async def request(
        self, method: str, params: JSONObject, on_progress: ProgressHandler | None
    ) -> JSONObject:
        self._door.asked.append(method)
        return await self._door.answer(method)

    async def watch(self, uris: Iterable[str]) -> None:
        self._door.watched.append(tuple(uris))


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervised, "_FIRST_DELAY", 0.001)
    monkeypatch.setattr(supervised, "_LONGEST_DELAY", 0.002)
    monkeypatch.setattr(supervised, "_ATTEMPTS", 3)


class Watched:
    """An upstream over a scripted door, and the states it went through."""

    def __init__(self, door: ScriptedDoor) -> None:
        self.upstream = SupervisedUpstream("s", door)
        self.states: list[tuple[UpstreamState, str | None]] = []
        self.upstream.on_state(self._note)
        self._changed = asyncio.Event()

    def _note(self, state: UpstreamState, reason: str | None) -> None:
        self.states.append((state, reason))
        self._changed.set()

    async def reaches(self, state: UpstreamState) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.upstream.state is not state:
                self._changed.clear()
                await self._changed.wait()

    async def __aenter__(self) -> Watched:
        await self.upstream.open(PATIENCE)
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.upstream.aclose()


async def test_a_first_connection_that_fails_is_not_tried_again() -> None:
    door = ScriptedDoor()
    door.reachable = False
    with pytest.raises(UpstreamError, match="nobody is home"):
        await SupervisedUpstream("s", door).open(PATIENCE)
    assert door.attempts == 1


async def test_a_broken_connection_is_made_again_and_what_was_watched_is_watched_again() -> None:
    door = ScriptedDoor()
    async with Watched(door) as case:
        await case.upstream.watch(["ui://b", "ui://a"])
        door.break_down()
        assert case.upstream.state is UpstreamState.RECONNECTING
        assert await case.upstream.request("tools/list") == {}
        assert case.upstream.capabilities == {"tools": {}}
        await until(lambda: len(door.watched) == 2)
    assert door.watched == [("ui://a", "ui://b")] * 2
    assert door.left == door.attempts == 2
    assert [state for state, _ in case.states] == ["connected", "reconnecting", "connected", "closed"]
    assert case.states[1][1] == "the cable was cut"


async def test_requests_under_way_fail_at_once_with_what_happened() -> None:
    door = ScriptedDoor()
    door.answer = lambda method: asyncio.Event().wait()  # type: ignore[assignment,return-value]
    async with Watched(door) as case:
        waiting = [asyncio.create_task(case.upstream.request("tools/call")) for _ in range(3)]
        await until(lambda: len(door.asked) == 3)
        door.reachable = False
        door.break_down()
        for request in waiting:
            with pytest.raises(UpstreamError, match="the cable was cut"):
                await request


async def test_after_some_attempts_it_rests_and_a_request_wakes_it() -> None:
    door = ScriptedDoor()
    async with Watched(door) as case:
        door.reachable = False
        door.break_down()
        await case.reaches(UpstreamState.FAILED)
        assert case.states[-1][1] == "nobody is home"
        assert door.attempts == 1 + 3
        with pytest.raises(UpstreamError, match="nobody is home"):
            await case.upstream.request("tools/list")
        door.reachable = True
        assert await case.upstream.request("tools/list") == {}
        assert case.upstream.state is UpstreamState.CONNECTED


async def test_one_that_rests_is_tried_again_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervised, "_REST", 0.01)
    door = ScriptedDoor()
    async with Watched(door) as case:
        door.reachable = False
        door.break_down()
        await until(lambda: door.attempts > 1 + 3 + 2)
        assert case.upstream.state is UpstreamState.FAILED
        door.reachable = True
        await case.reaches(UpstreamState.CONNECTED)
    assert [state for state, _ in case.states][1:] == ["reconnecting", "failed", "connected", "closed"]


async def test_no_request_starts_a_program_that_failed() -> None:
    door = ScriptedDoor()
    door.starts_process = True
    async with Watched(door) as case:
        door.reachable = False
        door.break_down()
        await case.reaches(UpstreamState.FAILED)
        door.reachable = True
        with pytest.raises(UpstreamError, match=r"nobody is home \(it is started again every 30 s\)"):
            await case.upstream.request("tools/list")
        assert case.upstream.state is UpstreamState.FAILED
    assert door.attempts == 1 + 3


async def test_a_server_in_a_crash_loop_is_not_started_without_a_pause() -> None:
    door = ScriptedDoor()
    async with Watched(door) as case:
        for _ in range(3):
            door.break_down()
            await case.reaches(UpstreamState.CONNECTED)
        door.break_down()
        await case.reaches(UpstreamState.FAILED)
    assert door.attempts == 1 + 3


async def test_a_request_waits_for_the_connection_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervised, "_WAIT_FOR_LINK", 0.05)
    monkeypatch.setattr(supervised, "_FIRST_DELAY", 60.0)
    monkeypatch.setattr(supervised, "_LONGEST_DELAY", 60.0)
    door = ScriptedDoor()
    async with Watched(door) as case:
        door.break_down()
        with pytest.raises(UpstreamError, match="the cable was cut"):
            await case.upstream.request("tools/list")


async def test_a_lost_answer_fails_one_request_and_asks_whether_the_server_lives() -> None:
    door = ScriptedDoor()

    async def lose(method: str) -> JSONObject:
        if method == "tools/call":
            raise ResponseLost("the answer was cut off")
        raise RpcError(-32601, "even a refusal is a sign of life")

    door.answer = lose
    async with Watched(door) as case:
        with pytest.raises(UpstreamError, match="cut off"):
            await case.upstream.request("tools/call")
        await until(lambda: "ping" in door.asked)
        assert case.upstream.state is UpstreamState.CONNECTED
    assert door.attempts == 1


async def test_a_session_that_a_request_finds_dead_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.upstream.holder._UNWIND_TIME", 0.01)
    door = ScriptedDoor()

    async def dead(method: str) -> JSONObject:
        door.answer = door._empty
        raise LinkDown("the session is over")

    door.answer = dead
    async with Watched(door) as case:
        with pytest.raises(UpstreamError, match="the session is over"):
            await case.upstream.request("tools/call")
        assert await case.upstream.request("tools/call") == {}
    assert door.attempts == 2


async def test_errors_of_the_server_pass_and_the_connection_stays() -> None:
    door = ScriptedDoor()

    async def refuse(method: str) -> JSONObject:
        raise RpcError(-32000, "Connection closed by the gatekeeper", {"a": 1})

    door.answer = refuse
    async with Watched(door) as case:
        with pytest.raises(RpcError) as caught:
            await case.upstream.request("tools/call")
        assert caught.value.data == {"a": 1}
        assert case.upstream.state is UpstreamState.CONNECTED


async def test_closing_while_it_reconnects_ends_the_attempts() -> None:
    door = ScriptedDoor()
    case = Watched(door)
    await case.upstream.open(PATIENCE)
    door.reachable = False
    door.break_down()
    waiting: Any = asyncio.create_task(case.upstream.request("tools/list"))
    await asyncio.sleep(0)
    await case.upstream.aclose()
    with pytest.raises(UpstreamError):
        await waiting
    attempts = door.attempts
    await asyncio.sleep(0.01)
    assert door.attempts == attempts


async def test_a_handler_that_fails_holds_up_nothing(caplog: pytest.LogCaptureFixture) -> None:
    door = ScriptedDoor()
    door.answer = lambda method: asyncio.Event().wait()  # type: ignore[assignment,return-value]

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a mistake of the program")

    async with Watched(door) as case:
        case.upstream.on_state(broken)
        case.upstream.on_notification(broken)
        heard: list[str] = []
        case.upstream.on_notification(lambda method, params: heard.append(method))
        assert door.events is not None
        door.events.notify("notifications/x", {})
        assert heard == ["notifications/x"]
        waiting = asyncio.create_task(case.upstream.request("tools/call"))
        await until(lambda: bool(door.asked))
        door.break_down()
        with pytest.raises(UpstreamError, match="the cable was cut"):
            await asyncio.wait_for(waiting, PATIENCE)
        await case.reaches(UpstreamState.CONNECTED)
    assert door.left == door.attempts == 2
    assert "a mistake of the program" in caplog.text
