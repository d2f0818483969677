"""A store in one SQLite file: outlives the process, and several processes may share it.

All work happens in one thread of the store's own, because a connection of `sqlite3` blocks and belongs to one
thread. Write-ahead logging lets processes read while one writes; only what changes something takes the lock.
"""

from __future__ import annotations

import asyncio
import json
import math
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from fanlight.wire.jsonrpc import JSONObject

from .base import StoredDocument, StoreError

__all__ = ["SqliteStore"]

_VERSION = 1
_BUSY_SECONDS = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS documents (
    sha256 TEXT PRIMARY KEY,
    html   BLOB NOT NULL
);
CREATE TABLE IF NOT EXISTS views (
    saves    INTEGER PRIMARY KEY AUTOINCREMENT,
    id       TEXT NOT NULL UNIQUE,
    record   TEXT NOT NULL,
    sha256   TEXT REFERENCES documents (sha256),
    saved_at REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS views_by_document ON views (sha256);
"""
_ORPHANS = "DELETE FROM documents WHERE sha256 NOT IN (SELECT sha256 FROM views WHERE sha256 IS NOT NULL)"
_DOCUMENT = """
SELECT html FROM documents WHERE sha256 = ?
AND EXISTS (SELECT 1 FROM views WHERE views.sha256 = documents.sha256 AND saved_at >= ?)
"""

Outcome = TypeVar("Outcome")


class SqliteStore:
    """Keeps views in the file `path`, which is made when it is first used."""

    def __init__(
        self,
        path: str | Path,
        *,
        max_views: int | None = None,
        max_age: float | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`max_age` is in seconds since a view was saved last; None keeps for ever.

        What is too old is never found; what is too old or too many is removed when something is written.
        """
        self._path = Path(path)
        self._max_views = max_views
        self._max_age = max_age
        self._clock = clock
        self._connection: sqlite3.Connection | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="fanlight-store")
        self._closed = False

    async def save(self, view_id: str, record: JSONObject, document: StoredDocument | None = None) -> None:
        await self._write("save", lambda connection: self._save(connection, view_id, record, document))

    async def load(self, view_id: str) -> JSONObject | None:
        return await self._work("load", lambda connection: self._load(connection, view_id))

    async def load_document(self, sha256: str) -> str | None:
        def find(connection: sqlite3.Connection) -> str | None:
            row = connection.execute(_DOCUMENT, (sha256, self._oldest())).fetchone()
            return None if row is None else bytes(row[0]).decode("utf-8", "surrogatepass")

        return await self._work("load a document", find)

    async def delete(self, view_id: str) -> bool:
        def forget(connection: sqlite3.Connection) -> bool:
            self._expire(connection)
            found = connection.execute("DELETE FROM views WHERE id = ?", (view_id,)).rowcount
            connection.execute(_ORPHANS)
            return found > 0

        return await self._write("delete", forget)

    async def view_ids(self) -> list[str]:
        def names(connection: sqlite3.Connection) -> list[str]:
            rows = connection.execute(
                "SELECT id FROM views WHERE saved_at >= ? ORDER BY saves DESC", (self._oldest(),)
            )
            return [row[0] for row in rows]

        return await self._work("list", names)

    async def aclose(self) -> None:
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    # In the thread

    async def _write(self, what: str, work: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        def whole(connection: sqlite3.Connection) -> Outcome:
            # The context commits or rolls back; IMMEDIATE, so that two processes wait for each other at the
            # beginning and not in the middle, where SQLite would give up at once.
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                return work(connection)

        return await self._work(what, whole)

    async def _work(self, what: str, work: Callable[[sqlite3.Connection], Outcome]) -> Outcome:
        if self._closed:
            raise StoreError(f"{self._path}: cannot {what}: the store is closed")

        def run() -> Outcome:
            try:
                return work(self._open())
            except (sqlite3.Error, OSError, ValueError) as error:
                raise StoreError(f"{self._path}: cannot {what}: {error}") from error

        return await asyncio.get_running_loop().run_in_executor(self._thread, run)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        connection.execute("PRAGMA journal_mode = WAL")
        # With WAL a power cut can lose the last moments but never harm the file.
        connection.execute("PRAGMA synchronous = NORMAL")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version not in (0, _VERSION):
            raise StoreError(
                f"{self._path}: is of version {version}, this program knows {_VERSION}: update it or use "
                "another file"
            )
        if version == 0:
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _save(
        self,
        connection: sqlite3.Connection,
        view_id: str,
        record: JSONObject,
        document: StoredDocument | None,
    ) -> None:
        try:
            text = json.dumps(record, separators=(",", ":"), allow_nan=False)
        except (TypeError, ValueError, RuntimeError) as error:
            raise StoreError(f"the record of view {view_id} is not plain JSON: {error}") from error
        sha256 = None if document is None else document.sha256
        if document is not None and not _known(connection, document.sha256):
            html = document.html.encode("utf-8", "surrogatepass")
            connection.execute("INSERT INTO documents VALUES (?, ?)", (sha256, html))
        # A new row, so that its number says how long ago it was saved.
        replaced = connection.execute("DELETE FROM views WHERE id = ?", (view_id,)).rowcount
        connection.execute(
            "INSERT INTO views (id, record, sha256, saved_at) VALUES (?, ?, ?, ?)",
            (view_id, text, sha256, self._clock()),
        )
        if not self._expire(connection) and replaced:
            connection.execute(_ORPHANS)

    def _load(self, connection: sqlite3.Connection, view_id: str) -> JSONObject | None:
        row = connection.execute(
            "SELECT record FROM views WHERE id = ? AND saved_at >= ?", (view_id, self._oldest())
        ).fetchone()
        if row is None:
            return None
        try:
            record = json.loads(row[0])
        except ValueError as error:
            raise StoreError(f"{self._path}: the record of view {view_id} is damaged: {error}") from error
        if not isinstance(record, dict):
            raise StoreError(f"{self._path}: what is stored of view {view_id} is no record")
        return record

    def _oldest(self) -> float:
        """When a view that is still found was saved at the earliest."""
        return -math.inf if self._max_age is None else self._clock() - self._max_age

    def _expire(self, connection: sqlite3.Connection) -> bool:
        """Drop what is too old or too many; whether something was dropped."""
        dropped = 0
        if self._max_age is not None:
            dropped += connection.execute("DELETE FROM views WHERE saved_at < ?", (self._oldest(),)).rowcount
        if self._max_views is not None:
            dropped += connection.execute(
                "DELETE FROM views WHERE saves <= "
                "(SELECT saves FROM views ORDER BY saves DESC LIMIT 1 OFFSET ?)",
                (self._max_views,),
            ).rowcount
        if dropped:
            connection.execute(_ORPHANS)
        return bool(dropped)


def _known(connection: sqlite3.Connection, sha256: str) -> bool:
    return connection.execute("SELECT 1 FROM documents WHERE sha256 = ?", (sha256,)).fetchone() is not None
