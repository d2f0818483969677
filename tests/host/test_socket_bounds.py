"""A page socket is bounded: how many, how idle, how stuck, how long its names, how deep its messages."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from page_client import HOST_NAME, WAIT, eventually, page, page_socket, served
from skipping_loop import in_skipped_time
from two_servers import make_server
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed, InvalidStatus

from fanlight.errors import ConfigError
from fanlight.host import Host, LinkSettings, View
from fanlight.stores import MemoryStore


async def shown(host: Host, user: str | None = None) -> View:
    server = host.servers.get("one") or await host.connect("one", make_server("one"))
    call = await server.call_tool("show", user=user)
    assert call.view is not None
    return call.view


async def until_closed(socket: ClientConnection) -> list[dict[str, Any]]:
    """Everything that was said until the server ended the socket."""
    heard = []
    async with asyncio.timeout(WAIT):
        try:
            while True:
                heard.append(json.loads(await socket.recv()))
        except ConnectionClosed:
            return heard


async def test_one_page_more_than_allowed_is_told_so_and_one_that_leaves_makes_room() -> None:
    async with Host(link=LinkSettings(sockets=2)) as host, served(host) as port:
        async with page_socket(port) as one, page_socket(port) as two:
            await one.recv()
            await two.recv()
            with pytest.raises(InvalidStatus) as caught:
                await page_socket(port)
            assert caught.value.response.status_code == 503
            assert b"Close some" in (caught.value.response.body or b"")
        async with asyncio.timeout(WAIT):  # until the server knows that they left
            while not await comes_in(page_socket(port)):
                pass


async def test_one_user_cannot_take_the_places_of_all_others() -> None:
    def user(connection: Any) -> str:
        return str(connection.query_params["user"])

    def named(port: int, name: str) -> Any:
        from websockets.asyncio.client import connect

        return connect(
            f"ws://{HOST_NAME}:{port}/apps/socket?user={name}",
            host="127.0.0.1",
            port=port,
            origin=f"http://{HOST_NAME}:{port}",  # type: ignore[arg-type]
            proxy=None,
        )

    link = LinkSettings(sockets_per_user=1)
    async with Host(link=link, user=user) as host, served(host) as port:
        async with named(port, "ann") as first:
            await first.recv()
            with pytest.raises(InvalidStatus):
                await named(port, "ann")
            async with named(port, "ben") as other:
                await other.recv()
        async with asyncio.timeout(WAIT):  # until the server knows that she left
            while not await comes_in(named(port, "ann")):
                pass


async def comes_in(opening: Any) -> bool:
    try:
        async with opening:
            return True
    except InvalidStatus:
        return False


@pytest.mark.parametrize("name", ["sockets", "sockets_per_user"])
def test_no_place_at_all_is_a_mistake(name: str) -> None:
    settings: Any = {name: 0}
    with pytest.raises(ConfigError, match=name):
        LinkSettings(**settings)


async def test_a_socket_that_shows_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.host.socket._INTRODUCE_SECONDS", 0.1)
    async with Host() as host, served(host) as port, page_socket(port) as socket:
        assert [frame["op"] for frame in await until_closed(socket)] == ["hello"]


def test_a_socket_that_shows_something_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.host.socket._INTRODUCE_SECONDS", 4.0)

    async def work() -> None:
        async with Host() as host, served(host) as port, page(port, await shown(host)) as client:
            await client.comes_up()
            for _ in range(3):
                await asyncio.sleep(4.0)
                assert "result" in await client.asks("ping")

    in_skipped_time(work)


async def test_who_guesses_tokens_is_let_go() -> None:
    async with Host() as host, served(host) as port:
        view = await shown(host)
        async with page_socket(port) as socket:
            for number in range(150):
                frame = {"op": "attach", "view": view.id, "token": f"guess-{number}", "session": "s" * 24}
                try:
                    await socket.send(json.dumps(frame))
                except ConnectionClosed:
                    break
            heard = await until_closed(socket)
        assert len([frame for frame in heard if frame["op"] == "refused"]) <= 100
        assert view.session is None


def test_who_speaks_and_never_reads_is_let_go() -> None:
    """Its heartbeats show that it lives; what waits for it is not kept for ever all the same."""
    heartbeat = 4.0

    async def work() -> None:
        async with Host(link=LinkSettings(heartbeat=heartbeat)) as host, served(host) as port:
            view = await shown(host)
            async with page_socket(port) as socket:
                socket.transport.pause_reading()
                frame = {"op": "attach", "view": view.id, "token": view.token, "session": "s" * 24}
                await socket.send(json.dumps(frame))
                await eventually(lambda: view.session is not None)
                session = view.session
                assert session is not None
                session.page.tell("x" * (32 << 20))  # more than the kernel takes
                async with asyncio.timeout(10 * heartbeat):
                    while session.page_there:
                        await asyncio.gather(socket.send('{"op":"beat"}'), return_exceptions=True)
                        await asyncio.sleep(heartbeat / 4)
                socket.transport.abort()  # a goodbye would wait for one that it does not read

    in_skipped_time(work)


async def test_long_names_are_not_repeated() -> None:
    async with Host() as host, served(host) as port:
        view = await shown(host)
        async with page_socket(port) as socket:
            await socket.recv()
            long = {"op": "attach", "view": "x" * 1_000_000, "token": "x", "session": "y"}
            other = {"op": "attach", "view": view.id, "token": "x", "session": "y" * 1_000_000}
            for frame in (long, other):
                await socket.send(json.dumps(frame))
            answer = str(await socket.recv())
    assert len(answer) < 1000
    assert view.id in answer


async def test_views_that_sleep_are_not_all_woken_at_once() -> None:
    async with Host() as host, served(host) as port, page_socket(port) as socket:
        await socket.recv()
        for number in range(99):
            frame = {"op": "attach", "view": f"unknown-{number}", "token": "x", "session": "s" * 24}
            await socket.send(json.dumps(frame))
        refused = {json.loads(await socket.recv())["view"] for _ in range(99)}
    assert len(refused) == 99


def deep(depth: int) -> str:
    """JSON text that Python's own writer refuses."""
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("depth", [200, 900, 10_000, 400_000])
async def test_a_message_that_is_nested_too_deeply_is_answered_and_nothing_else_suffers(depth: int) -> None:
    """The next frames of the same socket are heard: the number of the bad one was counted."""
    async with Host() as host, served(host) as port, page(port, await shown(host)) as client:
        await client.comes_up()
        params = f'{{"name":"plain","arguments":{{"x":{deep(depth)}}}}}'
        message = f'{{"method":"tools/call","params":{params},"jsonrpc":"2.0","id":77}}'
        client.link.push(f'{{"op":"message","view":"{client.view.id}","message":{message}}}')
        await client._pump()
        answer = await client.answer_to(77)
        assert "deeper than 150" in answer["error"]["message"]
        assert "result" in await client.asks("ping")


async def test_a_deep_message_too_long_to_be_looked_through_is_dropped_and_noted() -> None:
    notes: list[str] = []
    async with Host() as host, served(host) as port:
        host.tap.listen(lambda record: notes.append(str(record.message)))
        async with page(port, await shown(host)) as client:
            await client.comes_up()
            message = f'{{"id":1,"x":{deep(1_000_000)}}}'
            client.link.push(f'{{"op":"message","view":"{client.view.id}","message":{message}}}')
            await client._pump()
            assert "result" in await client.asks("ping")
    assert any("deeper than 150" in note for note in notes)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 100_000 + "]" * 100_000, '{"op":"attach","x":' + "[" * 9_999]
)
async def test_what_is_no_frame_at_all_is_ignored(text: str) -> None:
    async with Host() as host, served(host) as port, page(port, await shown(host)) as client:
        await client._socket.send(text)
        await client.comes_up()


async def test_half_a_surrogate_pair_from_a_view_comes_back_to_it() -> None:
    """UTF-8 cannot carry it; a socket that tried would break for every view of the page."""
    async with Host() as host, served(host) as port, page(port, await shown(host)) as client:
        await client.comes_up()
        await client.send("message", message={"jsonrpc": "2.0", "id": "\ud800", "method": "ping"})
        frame = await client.until(
            lambda frame: frame["op"] == "message" and frame["message"].get("id") == "\ud800"
        )
        assert "result" in frame["message"]


async def test_a_long_frame_of_a_page_that_shows_nothing_is_not_read() -> None:
    async with Host() as host, served(host) as port, page(port, await shown(host)) as client:
        padding = "x" * (2 << 20)
        facts = {"view": client.view.id, "token": client.view.token, "session": "s" * 24}
        await client._socket.send(json.dumps({"op": "attach", **facts, "x": padding}))
        await client._socket.send('{"op":"attach","x":' + "[" * (2 << 20))
        await client.comes_up()
        assert list(host.links._linked) == [client.link.session]
        assert "result" in await client.asks("ping", {"padding": padding})


async def test_a_long_message_that_an_older_page_left_is_read() -> None:
    """It comes before the page shows anything, from somebody who has the view's token."""
    heard: list[Any] = []
    async with Host() as host, served(host) as port:
        view = await shown(host)
        async with page(port, view) as old:
            await old.comes_up()
            host.tap.listen(lambda record: heard.append(record.message))
            async with page(port, view) as new:
                message = {"jsonrpc": "2.0", "method": "x", "params": {"padding": "x" * (2 << 20)}}
                for token in ("wrong", view.token):
                    left = {
                        "op": "left",
                        "view": view.id,
                        "token": token,
                        "session": old.link.session,
                        "frames": [[old.link._taken + 1, {"op": "message", "message": message}]],
                    }
                    await new._socket.send(json.dumps(left, separators=(",", ":")))
                await new.comes_up()
    assert heard.count(message) == 1


class StuckStore(MemoryStore):
    """Answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.go_on = asyncio.Event()

    async def load(self, view_id: str) -> dict[str, Any] | None:
        self.asked.append(view_id)
        await self.go_on.wait()
        return None


async def test_what_is_said_of_sleeping_views_is_not_kept_without_bounds() -> None:
    store = StuckStore()
    async with Host(store=store) as host, served(host) as port, page_socket(port) as socket:
        attach = {"op": "attach", "view": "sleeps", "token": "x", "session": "s" * 24, "x": "y" * 100_000}
        for _ in range(12):
            await socket.send(json.dumps(attach))
        assert [frame["op"] for frame in await until_closed(socket)] == ["hello"]
        assert "being looked for" in (socket.close_reason or "")
        assert store.asked == ["sleeps"]


async def test_what_was_left_for_a_sleeping_view_is_only_counted_and_may_be_long() -> None:
    store = StuckStore()
    async with Host(store=store) as host, served(host) as port, page_socket(port) as socket:
        await socket.recv()
        facts = {"view": "sleeps", "token": "x", "session": "s" * 24}
        entry = [1, {"op": "message", "message": "x" * 15_000}]
        for _ in range(5):
            await socket.send(json.dumps({"op": "left", **facts, "frames": [entry] * 64}))
        await socket.send(json.dumps({"op": "attach", **facts}))
        await eventually(lambda: store.asked == ["sleeps"])
        store.go_on.set()
        async with asyncio.timeout(WAIT):
            assert json.loads(await socket.recv())["op"] == "refused"
