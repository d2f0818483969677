"""The end of a view: it hears of it, may save its work, and never holds up the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from page_client import WAIT, PageClient, page, served
from two_servers import make_server

from fanlight.errors import UpstreamError
from fanlight.host import Call, Grant, Host, View
from fanlight.stores import MemoryStore

TEARDOWN = "ui/resource-teardown"


def view_of(call: Call) -> View:
    assert call.view is not None
    return call.view


async def asked_to_leave(client: PageClient) -> dict[str, Any]:
    """The teardown request, when it comes."""
    frame = await client.until(
        lambda frame: frame["op"] == "message" and frame["message"].get("method") == TEARDOWN
    )
    message: dict[str, Any] = frame["message"]
    return message


async def leaves(client: PageClient, request: dict[str, Any]) -> None:
    await client.says({"jsonrpc": "2.0", "id": request["id"], "result": {}})
    await client.verdict("closed")


def teardowns(client: PageClient) -> int:
    return sum(
        frame["op"] == "message" and frame["message"].get("method") == TEARDOWN for frame in client.frames
    )


@pytest.mark.parametrize("what", ["server", "host"])
async def test_closing_lets_every_view_save_first_all_at_the_same_time(what: str) -> None:
    """Holds: R55, R56."""
    host = Host(teardown_grace=30)
    async with served(host) as port:
        server = await host.connect("one", make_server("one"))
        views = [view_of(await server.call_tool("show")) for _ in range(3)]
        async with page(port, views[0]) as a, page(port, views[1]) as b, page(port, views[2]) as c:
            for client in (a, b, c):
                await client.comes_up()
            closing = asyncio.create_task(server.aclose() if what == "server" else host.aclose())
            requests = [await asked_to_leave(client) for client in (a, b, c)]
            for client in (a, b, c):
                saved = await client.asks("tools/call", {"name": "for_app", "arguments": {}})
                assert saved["result"]["content"][0]["text"] == "one for the app"
            assert not closing.done()
            for client, request in zip((a, b, c), requests, strict=True):
                await leaves(client, request)
            await asyncio.wait_for(closing, WAIT)
        assert host.servers == {}
        await host.aclose()


async def test_a_view_that_never_answers_is_ended_after_the_grace_time() -> None:
    """Holds: R56."""
    async with Host(teardown_grace=0.01) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            await asyncio.wait_for(server.aclose(), WAIT)
            await client.verdict("closed")
        assert view.session is None


async def test_a_view_that_asks_twice_is_torn_down_once() -> None:
    """Holds: R55, D09."""
    async with Host(teardown_grace=30) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            for _ in range(2):
                await client.notifies("ui/notifications/request-teardown")
            request = await asked_to_leave(client)
            closing = asyncio.create_task(host.close_view(view.id))
            assert (await client.asks("ping"))["result"] == {}
            await leaves(client, request)
            assert await asyncio.wait_for(closing, WAIT)
        assert teardowns(client) == 1


async def test_a_view_that_is_not_up_yet_is_ended_without_asking() -> None:
    """Holds: R32."""
    async with Host(teardown_grace=30) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.attach()
            await client.op("mount")
            assert await asyncio.wait_for(host.close_view(view.id), WAIT)
            await client.verdict("closed")
        assert teardowns(client) == 0


async def test_a_closed_server_can_be_connected_again_under_its_name() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        await server.aclose()
        with pytest.raises(UpstreamError, match="not connected"):
            await view.server.forward("tools/list", {})
        again = await host.connect("one", make_server("one"))
        assert view.server is again


async def test_a_closed_view_is_forgotten_even_if_its_call_goes_on() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        call = server.start_call("show")
        view = view_of(call)
        assert await host.close_view(view.id)
        await call.wait()
        assert host.view(view.id) is None
        assert await host.restore(view.id) is None
        assert not await host.close_view(view.id)


SAVE = {"name": "plain", "arguments": {}}


async def test_a_save_that_needs_a_yes_gets_one_after_the_grace_time_too() -> None:
    """While the person is asked, the end waits."""
    async with Host(teardown_grace=30) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            session = view.session
            assert session is not None
            client.person = None
            closing = asyncio.create_task(host.close_view(view.id))
            request = await asked_to_leave(client)
            saving = await client.starts("tools/call", SAVE)
            question = await client.op("ask")
            assert 40 < question["deadline"] <= 45
            session.ending._grace_over()  # what the clock does
            assert not session.closed
            await client.decides(question, "allow")
            assert (await client.answer_to(saving))["result"]["content"][0]["text"] == "one plain"
            await leaves(client, request)
            assert await asyncio.wait_for(closing, WAIT)


async def test_an_answer_that_never_comes_does_not_hold_up_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fanlight.host.ending._ASKING_SECONDS", 0.1)
    async with Host(teardown_grace=0.1) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            client.person = None
            closing = asyncio.create_task(host.close_view(view.id))
            await asked_to_leave(client)
            for _ in range(3):
                await client.starts("tools/call", SAVE)
            assert await asyncio.wait_for(closing, WAIT)


@pytest.mark.parametrize("remembered", [False, True])
async def test_nobody_is_asked_when_a_view_goes_to_rest(remembered: bool) -> None:
    """The person looks elsewhere: a dialog would be in the way. What was remembered is done."""
    async with Host(teardown_grace=30) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        if remembered:
            host.grants.remember(Grant(None, "one", "tool-call", "plain", True))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            await client.send("rest")
            request = await asked_to_leave(client)
            answer = await client.asks("tools/call", SAVE)
            assert ("result" in answer) is remembered
            if not remembered:
                assert "nobody is asked now" in answer["error"]["message"]
            await client.says({"jsonrpc": "2.0", "id": request["id"], "result": {}})
            assert (await client.op("end"))["resting"] is True
            assert [frame for frame in client.frames if frame["op"] == "ask"] == []


async def test_a_view_that_is_being_closed_is_not_revived() -> None:
    async with Host(teardown_grace=30) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client, page(port, view) as other:
            await client.comes_up()
            closing = asyncio.create_task(host.close_view(view.id))
            request = await asked_to_leave(client)
            assert await host.restore(view.id) is None
            await other.attach()
            assert "no longer available" in (await other.verdict("closed"))["reason"]
            await leaves(client, request)
            assert await asyncio.wait_for(closing, WAIT)
        assert host.view(view.id) is None
        assert await host.restore(view.id) is None


async def test_a_restore_that_is_under_way_when_the_view_is_closed_finds_nothing() -> None:
    class Slow(MemoryStore):
        def __init__(self) -> None:
            super().__init__()
            self.loading, self.go_on = asyncio.Event(), asyncio.Event()

        async def load_document(self, sha256: str) -> str | None:
            self.loading.set()
            await self.go_on.wait()
            return await super().load_document(sha256)

    store = Slow()
    async with Host(store=store) as host:
        server = await host.connect("one", make_server("one"))
        view_id = view_of(await server.call_tool("show")).id
    async with Host(store=store) as host:
        restoring = asyncio.create_task(host.restore(view_id))
        await asyncio.wait_for(store.loading.wait(), WAIT)
        assert await host.close_view(view_id)
        store.go_on.set()
        assert await asyncio.wait_for(restoring, WAIT) is None
        assert await store.view_ids() == []


async def test_only_its_user_closes_a_view_asleep_or_awake() -> None:
    store = MemoryStore()
    async with Host(store=store, user=lambda connection: "ann") as host:
        server = await host.connect("one", make_server("one"))
        awake, asleep = [view_of(await server.call_tool("show", user="ann")).id for _ in range(2)]
        assert host.view(awake, user="bob") is None
        assert host.view(awake, user="ann") is not None
        assert not await host.close_view(awake, user="bob")
        assert await host.close_view(awake, user="ann")
    async with Host(store=store, user=lambda connection: "ann") as host:
        assert not await host.close_view(asleep, user="bob")
        assert await host.close_view(asleep, user="ann")
    assert await store.view_ids() == []
