"""Sessions over sockets that break: nothing missing, nothing twice, and a clear end where there is one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from page_client import WAIT, PageClient, eventually, page, page_socket, served
from skipping_loop import in_skipped_time
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from fanlight.host import Host, Verdict, View
from fanlight.host.limits import UNLIMITED
from fanlight.host.link import Bounds, LinkSettings
from fanlight.host.linked import Linked

HTML = "<!doctype html><title>t</title>"


class Recorder:
    """A server that writes down every `save` it is asked for, in order."""

    def __init__(self) -> None:
        self.saved: list[int] = []
        self.gate = asyncio.Event()
        self.gate.set()

    def server(self) -> MCPServer[Any]:
        apps = Apps()
        apps.add_html_resource("ui://app/view.html", HTML)

        @apps.tool(resource_uri="ui://app/view.html")
        def show() -> str:
            return "shown"

        server: MCPServer[Any] = MCPServer("recorder", version="1", extensions=[apps])

        @server.tool()
        async def save(n: int) -> str:
            await self.gate.wait()
            self.saved.append(n)
            return f"saved {n}"

        @server.tool()
        def big(size: int) -> str:
            return "x" * size

        return server

    async def has(self, *numbers: int) -> None:
        await eventually(lambda: len(self.saved) >= len(numbers))
        assert self.saved == list(numbers)


@asynccontextmanager
async def shown(**settings: Any) -> AsyncIterator[tuple[Host, int, View, Recorder]]:
    """A host that allows everything, one view, and who records what it asks for."""
    recorder = Recorder()
    async with (
        Host(ask="allow", limits=UNLIMITED, teardown_grace=0.2, link=LinkSettings(**settings)) as host,
        served(host) as port,
    ):
        server = await host.connect("one", recorder.server())
        call = await server.call_tool("show")
        assert call.view is not None
        yield host, port, call.view, recorder


def save(number: int) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": f"save-{number}",
        "method": "tools/call",
        "params": {"name": "save", "arguments": {"n": number}},
    }


def answered(client: PageClient) -> list[str]:
    """The ids of the saves that were answered, in the order of the answers."""
    messages = [frame["message"] for frame in client.frames if frame["op"] == "message"]
    return [message["id"] for message in messages if str(message.get("id", "")).startswith("save-")]


async def gone_away(view: View, host: Host) -> None:
    """Wait until Python noticed that no socket carries the view's session."""
    await eventually(lambda: all(linked.carrier is None for linked in host.links._linked.values()))


async def test_a_session_does_not_notice_that_its_socket_was_replaced() -> None:
    async with shown() as (_, port, view, recorder):
        async with page(port, view) as client:
            await client.comes_up()
            session = view.session
            await client._socket.close(4999)
            async with page_socket(port) as second:
                await client.moves_to(second)
                await client.says(save(1))
                await client.until(lambda frame: answered(client) == ["save-1"])
                assert view.session is session
                assert view.verdict is Verdict.OK
        await recorder.has(1)


async def test_what_was_answered_while_no_socket_was_there_is_delivered_after_the_resume() -> None:
    async with shown() as (host, port, view, recorder):
        async with page(port, view) as client:
            await client.comes_up()
            recorder.gate.clear()
            for number in range(3):
                await client.says(save(number))
            await _handed_over(host, client)
            client._socket.transport.abort()
            await gone_away(view, host)
            recorder.gate.set()
            await recorder.has(0, 1, 2)
            async with page_socket(port) as second:
                await client.moves_to(second)
                await client.until(lambda frame: len(answered(client)) == 3)
        assert sorted(answered(client)) == ["save-0", "save-1", "save-2"]


async def _handed_over(host: Host, client: PageClient) -> None:
    (linked,) = host.links._linked.values()
    await eventually(lambda: linked.link.got >= client.link._taken)


async def test_what_the_page_repeats_is_handled_once() -> None:
    async with shown() as (_, port, view, recorder):
        async with page(port, view) as client:
            await client.comes_up()
            client.link.push(json.dumps({"op": "message", "view": view.id, "message": save(1)}))
            text = client.link.take()
            assert text is not None
            for _ in range(3):
                await client._socket.send(text)
            await client.says(save(2))
            await client.until(lambda frame: len(answered(client)) == 2)
        await recorder.has(1, 2)


async def test_a_missing_number_breaks_the_socket_and_not_the_session() -> None:
    async with shown() as (_, port, view, recorder):
        async with page(port, view) as client:
            await client.comes_up()
            client.link.push(json.dumps({"op": "message", "view": view.id, "message": save(1)}))
            client.link.take()  # lost on the way
            await client.says(save(2))
            async with asyncio.timeout(WAIT):
                await client._socket.wait_closed()
            assert client._socket.close_code == 4000
            async with page_socket(port) as second:
                await client.moves_to(second)
                await client.until(lambda frame: len(answered(client)) == 2)
        await recorder.has(1, 2)


@pytest.mark.parametrize(
    "nonsense", [{}, {"n": "1"}, {"n": True}, {"n": 1.5}, {"n": 5, "got": 99}, {"n": -1}]
)
async def test_a_frame_with_nonsense_for_numbers_breaks_the_socket(nonsense: dict[str, Any]) -> None:
    async with shown() as (_, port, view, _), page(port, view) as client:
        await client.comes_up()
        frame = {"op": "message", "session": client.link.session, "view": view.id, **nonsense}
        await client._socket.send(json.dumps(frame))
        async with asyncio.timeout(WAIT):
            await client._socket.wait_closed()
        assert client._socket.close_code == 4000
        assert view.session is not None


async def test_an_attach_that_was_asked_for_twice_makes_one_session() -> None:
    async with shown() as (_, port, view, _), page(port, view) as client:
        await client.attach()
        await eventually(lambda: view.session is not None)
        session = view.session
        async with page_socket(port) as second:
            client._socket = second
            await client.control("attach", token=view.token, context={})
            await client.op("attached")
            await client.op("mount")
            assert view.session is session


async def test_a_page_that_does_not_come_back_is_given_up_and_may_begin_again() -> None:
    async with shown(resume_timeout=0.02, leave_timeout=0.02) as (host, port, view, _):
        async with page(port, view) as client:
            await client.comes_up()
            client._socket.transport.abort()
            await eventually(lambda: view.session is None)
            async with page_socket(port) as second:
                client._socket = second
                await client.control("resume", token=view.token, got=client.link.got)
                assert (await client.op("refused"))["again"] is True
                await client.comes_up()
        assert host.links._linked == {} or view.session is not None


@pytest.mark.parametrize("goodbye", [1000, 1001])
async def test_a_page_that_said_goodbye_is_not_waited_for_as_long(goodbye: int) -> None:
    patience = {"resume_timeout": 1000, "leave_timeout": 0.02}
    async with shown(**patience) as (_, port, view, _), page(port, view) as client:
        await client.comes_up()
        await client._socket.close(goodbye)
        await eventually(lambda: view.session is None)


async def test_a_second_page_wins_and_the_first_saves_its_work_and_is_told() -> None:
    async with (
        shown() as (host, port, view, recorder),
        page(port, view) as first,
        page(port, view) as second,
    ):
        host.teardown_grace = 30
        await first.comes_up()
        await second.attach()
        request = (
            await first.until(
                lambda frame: (
                    frame["op"] == "message" and frame["message"].get("method") == "ui/resource-teardown"
                )
            )
        )["message"]
        await first.says(save(1))
        await first.until(lambda frame: answered(first) == ["save-1"])
        await first.says({"jsonrpc": "2.0", "id": request["id"], "result": {}})
        end = await first.op("end")
        assert end["elsewhere"] is True
        assert "another place" in end["reason"]
        assert end["text"] == "shown"
        await recorder.has(1)
        # The view goes on in the newer page, and its verdict is its own.
        await second.op("mount")
        assert view.session is not None
        assert view.verdict is Verdict.PENDING


@pytest.mark.parametrize("how", ["signal", "overflow", "full"])
async def test_what_goes_wrong_in_the_older_page_is_not_the_fault_of_the_newer(how: str) -> None:
    settings: dict[str, Any] = {"bounds": Bounds(frames=60)}
    async with shown(**settings) as (host, port, view, _):
        host.teardown_grace = 30
        async with page(port, view) as first, page(port, view) as second:
            await first.comes_up()
            old = view.session
            assert old is not None
            await second.comes_up()
            assert not old.closed
            match how:
                case "signal":
                    await first.send("signal", name="view-navigated")
                case "overflow":
                    await first.send("overflow", frames=10_001, size=5)
                case "full":
                    for number in range(100):
                        old.page.tell(f"news {number}")
            assert (await first.op("end"))["elsewhere"] is True
            assert old.closed
            assert view.verdict is Verdict.OK
            assert "result" in await second.asks("ping")


async def test_the_older_page_cannot_resume_what_a_newer_one_shows() -> None:
    async with shown() as (host, port, view, _), page(port, view) as first:
        await first.comes_up()
        first._socket.transport.abort()
        await gone_away(view, host)
        async with page(port, view) as second, page_socket(port) as third:
            await second.comes_up()
            session = view.session
            old = host.links._linked[first.link.session].session
            assert old is not None
            await eventually(lambda: old.closed)
            first._socket = third
            await first.control("resume", token=view.token, got=first.link.got)
            frame = await first.until(lambda frame: frame["op"] in ("verdict", "end"))
            assert frame["elsewhere"] is True
            assert view.session is session


async def test_a_reloaded_page_hands_over_what_the_old_document_could_not() -> None:
    async with shown() as (host, port, view, recorder):
        async with page(port, view) as old:
            await old.comes_up()
            await old.says(save(1))
            await old.until(lambda frame: answered(old) == ["save-1"])
            number = old.link._taken
            left = [
                [number, {"op": "message", "view": view.id, "message": save(1)}],  # it was heard after all
                [number + 1, {"op": "message", "view": view.id, "message": save(2)}],
                [number + 2, {"op": "message", "view": view.id, "message": save(3)}],
            ]
        async with page(port, view) as new:
            left_frame = {"op": "left", "view": view.id, "token": view.token, "session": old.link.session}
            for _ in range(2):
                await new._socket.send(json.dumps({**left_frame, "frames": left}))
            await new.attach(before=[old.link.session])
            await new.op("mount")
            await new._socket.send(json.dumps({**left_frame, "frames": left}))
            await recorder.has(1, 2, 3)
            # Nothing of the dead document's conversation reaches the new one.
            await new.send("signal", name="proxy-ready")
            assert [frame for frame in new.frames if frame["op"] in ("message", "notice")] == []
            assert list(host.links._linked) == [new.link.session]


async def test_what_comes_too_late_is_said_aloud() -> None:
    async with shown() as (_, port, view, recorder), page(port, view) as new:
        entry = [1, {"op": "message", "view": view.id, "message": save(1)}]
        left = {"op": "left", "view": view.id, "token": view.token, "session": "0123456789ab"}
        await new._socket.send(json.dumps({**left, "frames": [entry], "lost": 2}))
        await new.attach()
        assert "3 messages" in (await new.op("notice"))["text"]
        assert recorder.saved == []


async def test_a_stranger_hands_over_nothing() -> None:
    async with shown() as (_, port, view, recorder), page(port, view) as old, page(port, view) as other:
        await old.comes_up()
        entry = [old.link._taken + 1, {"op": "message", "view": view.id, "message": save(1)}]
        left = {"op": "left", "view": view.id, "token": "wrong", "session": old.link.session}
        await other._socket.send(json.dumps({**left, "frames": [entry]}))
        await other.control("resume", token="wrong", got=0)
        assert (await other.verdict("closed"))["reason"] == "This app is no longer available."
        await old.says(save(2))
        await old.until(lambda frame: answered(old) == ["save-2"])
        await recorder.has(2)


async def test_what_a_page_had_handed_over_is_done_although_the_page_let_the_view_go() -> None:
    async with shown() as (host, port, view, recorder), page(port, view) as client:
        await client.comes_up()
        recorder.gate.clear()
        await client.says(save(1))
        await client.send("detach")
        async with asyncio.timeout(WAIT):
            while client.link.kept:  # the page forgets the view when this was heard, not before
                await client._is_news(json.loads(await client._socket.recv()))
        assert view.session is None
        recorder.gate.set()
        await recorder.has(1)
        assert host.links._linked == {}


async def test_a_page_that_is_away_is_not_blamed_for_silence() -> None:
    recorder = Recorder()
    async with Host(proxy_timeout=30) as host, served(host) as port:
        call = await (await host.connect("one", recorder.server())).call_tool("show")
        view = call.view
        assert view is not None
        async with page(port, view) as client:
            await client.attach()
            await eventually(lambda: view.session is not None)
            client._socket.transport.abort()
            await eventually(lambda: view.session is not None and not view.session.page_there)
            session = view.session
            assert session is not None
            host.proxy_timeout = 0.01
            session.appearing._proxy_timed_out()  # what the clock does
            assert view.verdict is Verdict.PENDING
            async with page_socket(port) as second:
                client._socket = second
                await client.control("attach", token=view.token, context={})
                await client.verdict("proxy-timeout")


async def paused(host: Host, view: View, client: PageClient, news: int = 15) -> Linked:
    """The page reads no more, the program goes on talking, and the view asks for three more things."""
    (linked,) = host.links._linked.values()
    assert linked.session is not None
    for number in range(news):
        linked.session.page.tell(f"news {number}")
    for number in range(3):
        await client.says(save(number))
    await eventually(lambda: len(linked._held) == 3)
    return linked


async def test_a_page_that_stops_reading_pauses_its_view_and_then_ends_it_with_a_reason() -> None:
    async with shown(bounds=Bounds(frames=40)) as (host, port, view, recorder), page(port, view) as client:
        await client.comes_up()
        linked = await paused(host, view, client)
        session = linked.session
        assert session is not None
        assert not session.closed
        assert recorder.saved == []
        # What the program goes on to say is kept, up to the bound.
        for number in range(15, 60):
            session.page.tell(f"news {number}")
        assert session.closed
        assert view.verdict is Verdict.CLOSED
        assert "stopped reading" in (view.outcome.reason or "")
        # And all of it is there for a page that wakes up, in order, with the end last.
        await client.op("end")
        told = [frame["text"] for frame in client.frames if frame["op"] == "notice"]
        assert told == [f"news {number}" for number in range(len(told))]
        assert len(told) > 30


async def test_a_paused_view_goes_on_when_the_page_reads_again() -> None:
    async with shown(bounds=Bounds(frames=40)) as (host, port, view, recorder), page(port, view) as client:
        await client.comes_up()
        await paused(host, view, client)
        await client.until(lambda frame: len(answered(client)) == 3)
        await recorder.has(0, 1, 2)


async def test_what_a_paused_view_had_said_is_handled_when_its_page_leaves() -> None:
    async with shown(bounds=Bounds(frames=40)) as (host, port, view, recorder), page(port, view) as client:
        await client.comes_up()
        linked = await paused(host, view, client)
        linked.leave("the page is gone")
        await recorder.has(0, 1, 2)
        assert view.session is None


async def loses_its_socket(client: PageClient) -> str:
    """Say everything at once, whatever the window is; why Python then ended the socket."""
    try:
        async with asyncio.timeout(WAIT):
            while (text := client.link.take()) is not None:
                await client._socket.send(text)
            while True:
                await client._socket.recv()
    except ConnectionClosed as end:
        return "" if end.rcvd is None else end.rcvd.reason


async def test_a_page_that_says_more_than_its_window_while_it_does_not_read_loses_its_socket() -> None:
    """What is held back is neither acknowledged nor used: it must not become the host's memory."""
    async with shown(bounds=Bounds(frames=400)) as (host, port, view, recorder), page(port, view) as client:
        await client.comes_up()
        linked = await paused(host, view, client, news=120)
        for number in range(3, 100):
            client.link.push(json.dumps({"op": "message", "view": view.id, "message": save(number)}))
        assert "window" in await loses_its_socket(client)
        assert len(linked._held) <= 64
        assert linked.session is not None
        assert not linked.session.closed
        async with page_socket(port) as second:
            await client.moves_to(second)
            await client.until(lambda frame: len(answered(client)) == 100)
        await recorder.has(*range(100))


async def test_large_frames_are_held_up_to_the_window_too() -> None:
    async with shown(bounds=Bounds(frames=40)) as (host, port, view, _), page(port, view) as client:
        await client.comes_up()
        linked = await paused(host, view, client)
        message = {"jsonrpc": "2.0", "method": "x", "params": {"x": "y" * 700_000}}
        for _ in range(4):
            client.link.push(json.dumps({"op": "message", "view": view.id, "message": message}))
        assert "window" in await loses_its_socket(client)
        assert linked._held_size < 2_000_000


async def test_the_page_that_is_away_longest_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.host.link_registry._MAX_AWAY", 1)
    async with shown() as (host, port, view, _):
        second = (await host.servers["one"].call_tool("show")).view
        assert second is not None
        for each in (view, second):
            async with page(port, each) as client:
                await client.comes_up()
            await gone_away(each, host)
        await eventually(lambda: view.session is None)
        assert second.session is not None


async def test_an_oversized_message_is_answered_with_its_size_and_the_limit() -> None:
    async with shown(message_limit=1000) as (_, port, view, _), page(port, view) as client:
        await client.comes_up()
        # What the page sends in the place of a message that is too big, see runtime/carried.js.
        message = {**save(1), "params": {}}
        await client.send("oversized", message=message, size=5000)
        frame = await client.until(lambda frame: answered(client) == ["save-1"])
        error = frame["message"]["error"]
        assert "5000" in error["message"]
        assert "1000" in error["message"]
        assert (await client.asks("ping"))["result"] == {}


async def test_a_page_learns_the_limits_first() -> None:
    async with shown(message_limit=1234, heartbeat=7.0) as (_, port, view, _), page(port, view) as client:
        await client.attach()
        await client.op("attached")
        hello = client.frames[0]
        assert hello == {"op": "hello", "heartbeat": 7.0, "limit": 1234}


async def test_twenty_megabytes_reach_the_page_in_one_piece() -> None:
    size = 20_000_000
    async with shown() as (_, port, view, _), page(port, view) as client:
        await client.comes_up()
        client.patience = 10 * WAIT
        answer = await client.asks("tools/call", {"name": "big", "arguments": {"size": size}})
        assert len(answer["result"]["content"][0]["text"]) == size


async def closing(socket: ClientConnection) -> AsyncIterator[str | bytes]:
    """Everything that comes until the socket ends, however it ends."""
    try:
        while True:
            yield await socket.recv()
    except ConnectionClosed:
        return


# Both on a clock that skips the waiting: a machine that stands still for a moment is not a silent page.
HEARTBEAT = 4.0


def test_a_silent_page_is_asked_and_then_taken_for_dead() -> None:
    async def work() -> None:
        async with shown(heartbeat=HEARTBEAT) as (host, port, view, _), page_socket(port) as socket:
            client = PageClient(socket, view)
            await client.attach()
            await client.op("mount")
            beats = 0
            async with asyncio.timeout(10 * HEARTBEAT):
                async for text in closing(socket):
                    beats += json.loads(text)["op"] == "beat"
            assert beats >= 1
            await gone_away(view, host)
            assert view.session is not None

    in_skipped_time(work)


def test_a_page_that_answers_the_heartbeat_lives() -> None:
    async def work() -> None:
        async with shown(heartbeat=HEARTBEAT) as (_, port, view, _), page(port, view) as client:
            await client.attach()
            for _ in range(4):  # a silent one would be dead after two and a half
                await client.op("beat")
            await client.send("signal", name="proxy-ready")
            await client.until(lambda frame: frame.get("name") == "proxy-ready")

    in_skipped_time(work)


async def test_a_view_that_floods_does_not_delay_another_view_nor_the_loop() -> None:
    async with shown() as (host, port, view, _):
        other_call = await host.servers["one"].call_tool("show")
        assert other_call.view is not None
        async with page(port, view) as flood, page(port, other_call.view) as other:
            await flood.comes_up()
            await other.comes_up()
            for number in range(3000):
                flood.link.push(
                    json.dumps({"op": "message", "view": view.id, "message": {**ping(), "id": number}})
                )
            pump = asyncio.create_task(flood._pump())
            turns = 0
            while turns < 5:
                assert (await other.asks("ping"))["result"] == {}
                turns += 1
            last = await flood.until(
                lambda frame: frame["op"] == "message" and frame["message"].get("id") == 2999
            )
            await pump
            assert last["message"]["result"] == {}
            ids = [frame["message"]["id"] for frame in flood.frames if _is_ping_answer(frame)]
            assert ids[-3000:] == list(range(3000))


def ping() -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "ping", "params": {}}


def _is_ping_answer(frame: dict[str, Any]) -> bool:
    return bool(frame["op"] == "message" and frame["message"].get("result") == {})


async def test_a_view_that_says_more_than_may_wait_is_ended_with_a_reason() -> None:
    async with shown() as (_, port, view, _), page(port, view) as client:
        await client.comes_up()
        await client.send("overflow", frames=10_001, size=5)
        frame = await client.verdict("crashed")
        assert "10001 messages" in frame["reason"]
        await client.op("end")
        assert view.session is None
