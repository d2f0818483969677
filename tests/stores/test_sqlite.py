"""The SQLite store keeps the contract, outlives its process, is shared by several, and says what is wrong."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from store_contract import PAGE, Clock, StoreContract

from fanlight.stores import SqliteStore, StoredDocument, StoreError, ViewStore

WRITER = """
import asyncio, sys
from fanlight.stores import SqliteStore, StoredDocument

async def main() -> None:
    store = SqliteStore(sys.argv[1])
    page = StoredDocument("c" * 64, "<p>shared")
    for number in range(25):
        await store.save(f"{sys.argv[2]}-{number}", {"n": number}, page)
    await store.aclose()

asyncio.run(main())
"""


class TestSqliteStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _where(self, tmp_path: Path) -> None:
        self.path = tmp_path / "deep" / "views.db"

    def make(self, *, max_views: int = 100, max_age: float = 1000.0, clock: Clock | None = None) -> ViewStore:
        return SqliteStore(self.path, max_views=max_views, max_age=max_age, clock=clock or Clock())


async def test_another_opening_of_the_file_finds_what_was_saved(tmp_path: Path) -> None:
    first = SqliteStore(tmp_path / "views.db")
    await first.save("v1", {"n": 1}, PAGE)
    await first.aclose()
    second = SqliteStore(tmp_path / "views.db")
    assert await second.load("v1") == {"n": 1}
    assert await second.load_document(PAGE.sha256) == PAGE.html
    await second.aclose()


async def test_several_processes_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    writers = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", WRITER, str(path), name, stderr=asyncio.subprocess.PIPE
        )
        for name in ("one", "two", "three")
    ]
    errors = await asyncio.wait_for(asyncio.gather(*(writer.communicate() for writer in writers)), 60)
    assert [error for _, error in errors] == [b"", b"", b""]
    store = SqliteStore(path)
    assert len(await store.view_ids()) == 75
    assert await store.load("two-24") == {"n": 24}
    assert await store.load_document("c" * 64) == "<p>shared"
    await store.aclose()


async def test_one_html_is_stored_once(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    store = SqliteStore(path)
    for number in range(10):
        await store.save(f"v{number}", {}, PAGE)
    await store.aclose()
    connection = sqlite3.connect(path)
    (documents,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    connection.close()
    assert documents == 1


async def test_a_closed_store_says_that_it_is_closed(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "views.db")
    await store.aclose()
    with pytest.raises(StoreError, match="closed"):
        await store.save("v1", {})


async def test_what_is_not_json_is_refused_and_nothing_is_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "views.db")
    for record in ({"x": object()}, {"x": float("nan")}):
        with pytest.raises(StoreError, match="not plain JSON"):
            await store.save("v1", record, PAGE)
    assert await store.view_ids() == []
    assert await store.load_document(PAGE.sha256) is None
    await store.aclose()


async def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    path.write_bytes(b"certainly not a database" * 100)
    store = SqliteStore(path)
    with pytest.raises(StoreError, match=r"views\.db"):
        await store.load("v1")
    await store.aclose()


async def test_a_file_of_a_later_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    store = SqliteStore(path)
    with pytest.raises(StoreError, match="version 99"):
        await store.load("v1")
    await store.aclose()


async def test_a_document_with_broken_characters_can_be_stored(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "views.db")
    await store.save("v1", {"text": "\ud800"}, StoredDocument("d" * 64, "a\ud800b"))
    assert await store.load_document("d" * 64) == "a\ud800b"
    assert await store.load("v1") == {"text": "\ud800"}
    await store.aclose()


async def test_reading_does_not_wait_for_another_process_that_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fanlight.stores.sqlite._BUSY_SECONDS", 100.0)
    path = tmp_path / "views.db"
    used = SqliteStore(path, max_views=10, max_age=1000)
    await used.save("v1", {"n": 1}, PAGE)
    fresh = SqliteStore(path, max_views=10, max_age=1000)
    writing = sqlite3.connect(path, isolation_level=None)
    try:
        writing.execute("BEGIN IMMEDIATE")
        for store in (used, fresh):
            async with asyncio.timeout(30):  # less than a writer waits for the lock
                assert await store.load("v1") == {"n": 1}
                assert await store.load_document(PAGE.sha256) == PAGE.html
                assert await store.view_ids() == ["v1"]
    finally:
        writing.close()
        for store in (used, fresh):
            await store.aclose()


async def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "views.db"
    store = SqliteStore(path)
    await store.save("v1", {"n": 1})
    await store.save("v2", {"n": 2})
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE views SET record = '{' WHERE id = 'v1'")
        connection.execute("UPDATE views SET record = '[]' WHERE id = 'v2'")
    for view_id in ("v1", "v2"):
        with pytest.raises(StoreError, match=view_id):
            await store.load(view_id)
    await store.aclose()
