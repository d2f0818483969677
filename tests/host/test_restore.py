"""Nothing lost over a restart: a view sleeps in a store and wakes as it was, with or without its server."""

from __future__ import annotations

import asyncio
import gc
import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from page_client import WAIT, PageClient, eventually, page, served
from two_servers import HTML, make_server

from fanlight.errors import ConfigError
from fanlight.host import Call, Host, View
from fanlight.stores import MemoryStore, SqliteStore, StoredDocument, StoreError, ViewStore


def view_of(call: Call) -> View:
    assert call.view is not None
    return call.view


def told(client: PageClient) -> list[tuple[str, dict[str, Any]]]:
    return [
        (frame["message"]["method"].rpartition("/")[2], frame["message"]["params"])
        for frame in client.frames
        if frame["op"] == "message" and "/tool-" in frame["message"].get("method", "")
    ]


async def told_all(client: PageClient) -> list[tuple[str, dict[str, Any]]]:
    """Everything of the tool call; a ping behind it proves that no more is coming."""
    assert (await client.asks("ping"))["result"] == {}
    return told(client)


@pytest.fixture(params=["memory", "sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], ViewStore]:
    """Opens the same store again and again, as a restarted program does."""
    if request.param == "sqlite":
        return lambda: SqliteStore(tmp_path / "views.db")
    memory = MemoryStore()
    return lambda: memory


async def slept(open_store: Callable[[], ViewStore], **arguments: Any) -> tuple[str, str, dict[str, Any]]:
    """A view that a first process made: its id, its token, its result."""
    async with Host(store=open_store()) as host:
        server = await host.connect("one", make_server("one"))
        call = await server.call_tool("show", arguments)
        view = view_of(call)
        await eventually(lambda: view.document is not None)
        return view.id, view.token, call.result


async def test_a_restarted_program_shows_the_same_view_without_its_server(
    open_store: Callable[[], ViewStore],
) -> None:
    view_id, _, result = await slept(open_store, city="Bergen")
    async with Host(store=open_store()) as host, served(host) as port:
        view = await host.restore(view_id)
        assert view is not None
        assert view.document is not None
        assert view.document.html == HTML
        async with page(port, view) as client:
            initialized = await client.comes_up()
            assert not {"serverTools", "serverResources"} & initialized["hostCapabilities"].keys()
            assert await told_all(client) == [
                ("tool-input", {"arguments": {"city": "Bergen"}}),
                ("tool-result", result),
            ]
            for method, params in (
                ("tools/call", {"name": "for_app", "arguments": {}}),
                ("resources/read", {"uri": "file://note"}),
            ):
                refused = await client.asks(method, params)
                assert "'one' is not connected" in refused["error"]["message"]
            await host.connect("one", make_server("one"))
            again = await client.asks("tools/call", {"name": "for_app", "arguments": {}})
            assert again["result"]["content"][0]["text"] == "one for the app"
        async with page(port, view) as client:
            assert "serverTools" in (await client.comes_up())["hostCapabilities"]


async def test_the_page_that_stayed_open_keeps_its_token_and_a_new_page_gets_a_new_one(
    open_store: Callable[[], ViewStore],
) -> None:
    view_id, token, _ = await slept(open_store)
    async with Host(store=open_store()) as host, served(host) as port:
        view = await host.restore(view_id)
        assert view is not None
        assert view.token != token
        for known in (token, view.token):
            async with page(port, view) as client:
                await client.attach(token=known)
                await client.op("mount")
        assert view.renew_token() == view.token
        assert not view.accepts(token)
        assert view.accepts(view.token)


async def test_a_token_never_reaches_the_store(tmp_path: Path) -> None:
    _, token, _ = await slept(lambda: SqliteStore(tmp_path / "views.db"))
    written = await asyncio.to_thread(lambda: b"".join(file.read_bytes() for file in tmp_path.iterdir()))
    assert b"one shows Oslo" in written
    assert token.encode() not in written


async def test_what_the_view_told_the_model_is_restored(open_store: Callable[[], ViewStore]) -> None:
    async with Host(store=open_store()) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        async with page(port, view) as client:
            await client.comes_up()
            await client.asks("ui/update-model-context", {"structuredContent": {"n": 2}})
    async with Host(store=open_store()) as host:
        await host.restore(view.id)
        (entry,) = host.context_for_next_turn()
        assert entry["view"] == view.id
        assert entry["structuredContent"] == {"n": 2}


async def test_a_call_that_was_cut_off_is_cancelled_when_its_view_wakes(
    open_store: Callable[[], ViewStore],
) -> None:
    """Holds: R54."""
    first = Host(store=open_store())
    server = await first.connect("one", make_server("one"))
    call = server.begin_call("show")
    call.feed_arguments('{"city": "Os')
    view_id = view_of(call).id
    await first._keeper.flush()
    async with Host(store=open_store()) as host, served(host) as port:
        view = await host.restore(view_id)
        assert view is not None
        async with page(port, view) as client:
            await client.comes_up()
            ((name, params),) = await told_all(client)
            assert name == "tool-cancelled"
            assert "ended before" in params["reason"]
    call.cancel()
    await first.aclose()


async def test_with_its_server_the_view_shows_the_document_of_today() -> None:
    store = MemoryStore()
    view_id, _, _ = await slept(lambda: store)
    record = await store.load(view_id)
    assert record is not None
    stale = StoredDocument("0" * 64, "<p>yesterday")
    await store.save(view_id, {**record, "document": {**record["document"], "sha256": "0" * 64}}, stale)
    async with Host(store=store) as host:
        await host.connect("one", make_server("one"))
        view = await host.restore(view_id)
        assert view is not None
        read = asyncio.Event()
        view.watch(read.set)
        if view.document is None:
            await asyncio.wait_for(read.wait(), WAIT)
        assert view.document is not None
        assert view.document.html == HTML


async def test_without_a_stored_document_the_view_says_that_it_is_unavailable_until_the_server_is_back() -> (
    None
):
    store = MemoryStore()
    view_id, _, _ = await slept(lambda: store)
    record = await store.load(view_id)
    assert record is not None
    await store.save(view_id, {key: value for key, value in record.items() if key != "document"})
    async with Host(store=store) as host, served(host) as port:
        view = await host.restore(view_id)
        assert view is not None
        async with page(port, view) as client:
            await client.attach()
            frame = await client.verdict("unavailable")
            assert "'one' is not connected" in frame["reason"]
            assert frame["text"] == "one shows Oslo"
        await host.connect("one", make_server("one"))
        async with page(port, view) as client:
            await client.comes_up()


async def test_where_nothing_is_stored_the_page_says_so() -> None:
    async with Host() as host, served(host) as port:
        assert await host.restore("unknown") is None
        tag = await host.embed_html("unknown")
        assert 'view-id="unknown"' in tag
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        assert await host.embed_html(view.id) == view.embed_html()
        async with page(port, view) as client:
            client.view.id = "unknown"
            await client.attach(token="")
            frame = await client.until(lambda frame: "no longer available" in str(frame.get("reason")))
            assert frame["remedy"]


async def test_a_page_wakes_a_view_that_sleeps(open_store: Callable[[], ViewStore]) -> None:
    view_id, token, result = await slept(open_store)
    async with Host(store=open_store()) as host, served(host) as port:
        elsewhere = View(None, None, "c", "/apps", view_id=view_id)  # type: ignore[arg-type]
        async with page(port, elsewhere) as client:
            await client.attach(token="wrong")
            await client.until(lambda frame: "no longer available" in str(frame.get("reason")))
        async with page(port, elsewhere) as client:
            await client.attach(token=token)
            await client.op("mount")
        woken = host.view(view_id)
        assert woken is not None
        assert woken.result == result


async def test_another_user_restores_nothing() -> None:
    store = MemoryStore()
    async with Host(store=store, user=lambda connection: "ann") as host:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show", user="ann"))
    async with Host(store=store, user=lambda connection: "ann") as host:
        with pytest.raises(ConfigError, match="user="):
            await host.restore(view.id)
        assert await host.restore(view.id, user="bob") is None
        restored = await host.restore(view.id, user="ann")
        assert restored is not None
        assert restored.user == "ann"


async def test_restoring_twice_at_once_gives_one_view(open_store: Callable[[], ViewStore]) -> None:
    view_id, _, _ = await slept(open_store)
    async with Host(store=open_store()) as host:
        one, two = await asyncio.gather(host.restore(view_id), host.restore(view_id))
        assert one is two is not None


@pytest.mark.parametrize("record", [{"version": 99}, {"version": 1}, {}])
async def test_a_record_of_something_else_is_an_error_that_says_so(record: dict[str, Any]) -> None:
    store = MemoryStore()
    await store.save("v1", record)
    async with Host(store=store) as host:
        with pytest.raises(StoreError, match="stored"):
            await host.restore("v1")


async def test_a_store_that_fails_never_fails_a_call(caplog: pytest.LogCaptureFixture) -> None:
    class FullDisk(MemoryStore):
        async def save(self, *_: Any) -> None:
            raise StoreError("the disk is full")

        async def delete(self, view_id: str) -> bool:
            raise StoreError("the disk is full")

    with caplog.at_level(logging.ERROR):
        async with Host(store=FullDisk()) as host:
            server = await host.connect("one", make_server("one"))
            call = await server.call_tool("show")
            assert call.result["content"][0]["text"] == "one shows Oslo"
            assert await host.close_view(view_of(call).id)
    assert "the disk is full" in caplog.text


class BrokenStore(MemoryStore):
    """A store of the program that does what no store should."""

    async def load(self, view_id: str) -> dict[str, Any] | None:
        raise ZeroDivisionError("a mistake of the store")

    async def save(self, *_: Any) -> None:
        raise ZeroDivisionError("a mistake of the store")


class SilentStore(MemoryStore):
    async def load(self, view_id: str) -> dict[str, Any] | None:
        await asyncio.Event().wait()
        return None

    async def save(self, *_: Any) -> None:
        await asyncio.Event().wait()


@pytest.mark.parametrize("kind", [BrokenStore, SilentStore])
async def test_a_page_is_told_that_the_store_fails(
    kind: type[MemoryStore], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fanlight.host.keeping._WAKE_SECONDS", 0.05)
    asleep = View(None, None, "c", "/apps", view_id="v1")  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR):
        async with Host(store=kind()) as host, served(host) as port, page(port, asleep) as client:
            await client.attach(token="any")
            frame = await client.verdict("unavailable")
    assert "could not be looked for" in frame["reason"]
    assert "log" in frame["remedy"]
    assert "v1 was not restored: the store" in caplog.text


@pytest.mark.parametrize("kind", [BrokenStore, SilentStore])
async def test_a_store_that_breaks_or_hangs_while_it_saves_stops_neither_the_host_nor_its_end(
    kind: type[MemoryStore], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fanlight.host.keeping._WRITE_SECONDS", 0.05)
    with caplog.at_level(logging.ERROR):
        async with asyncio.timeout(30), Host(store=kind()) as host:
            server = await host.connect("one", make_server("one"))
            views = [view_of(await server.call_tool("show")) for _ in range(2)]
    for view in views:
        assert f"view {view.id} was not saved: the store" in caplog.text


async def test_a_damaged_file_is_told_to_the_page(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def open_store() -> SqliteStore:
        return SqliteStore(tmp_path / "views.db")

    view_id, token, _ = await slept(open_store)
    with closing(sqlite3.connect(tmp_path / "views.db")) as connection, connection:
        connection.execute("UPDATE views SET record = substr(record, 1, 40)")
    asleep = View(None, None, "c", "/apps", view_id=view_id)  # type: ignore[arg-type]
    async with Host(store=open_store()) as host, served(host) as port, page(port, asleep) as client:
        with pytest.raises(StoreError, match="is damaged"):
            await host.restore(view_id)
        await client.attach(token=token)
        await client.verdict("unavailable")


async def test_changes_that_come_together_are_saved_together() -> None:
    class Counting(MemoryStore):
        saves = 0

        async def save(
            self, view_id: str, record: dict[str, Any], document: StoredDocument | None = None
        ) -> None:
            self.saves += 1
            await super().save(view_id, record, document)

    store = Counting()
    async with Host(store=store) as host:
        server = await host.connect("one", make_server("one"))
        view = view_of(await server.call_tool("show"))
        await host._keeper.flush()
        before = store.saves
        for number in range(100):
            view.model_context = {"structuredContent": {"n": number}}
        await host._keeper.flush()
        assert store.saves == before + 1
        record = await store.load(view.id)
        assert record is not None
        assert record["modelContext"] == {"structuredContent": {"n": 99}}


# Bounded memory


async def test_idle_views_beyond_the_number_are_let_go_and_the_store_keeps_them() -> None:
    async with Host(idle_views=3) as host:
        server = await host.connect("one", make_server("one"))
        ids = [view_of(await server.call_tool("show")).id for _ in range(6)]
        await host._keeper.flush()

        def alive() -> list[str]:
            gc.collect()  # what worked for a call may hold its view a little longer
            return [view_id for view_id in ids if host.view(view_id) is not None]

        await eventually(lambda: alive() == ids[3:])
        back = await host.restore(ids[0])
        assert back is not None
        assert back.id == ids[0]


async def test_a_view_that_is_shown_or_referred_to_is_never_let_go() -> None:
    async with Host(idle_views=0) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        shown = view_of(await server.call_tool("show")).id
        held = view_of(await server.call_tool("show"))
        await server.call_tool("show")
        view = await host.restore(shown)
        assert view is not None
        async with page(port, view) as client:
            await client.comes_up()
            del view
            client.view = held  # the page client must not be what keeps it
            for _ in range(3):
                await server.call_tool("show")
            await host._keeper.flush()
            gc.collect()
            assert host.view(shown) is not None
            assert host.view(held.id) is held


async def test_idle_views_are_let_go_after_their_time() -> None:
    async with Host(idle_seconds=0.01) as host:
        server = await host.connect("one", make_server("one"))
        view_id = view_of(await server.call_tool("show")).id

        def gone() -> bool:
            gc.collect()
            return host.view(view_id) is None

        await eventually(gone)
        assert await host.restore(view_id) is not None
