"""A store in this process's memory: bounded, and gone with the process."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from fanlight.wire.jsonrpc import JSONObject, JSONValue

from .base import StoredDocument

__all__ = ["MemoryStore"]


@dataclass(frozen=True)
class _Kept:
    record: JSONObject
    # The bytes of each member: one that stays (a large result) is not measured again at the next save.
    sizes: dict[str, int]
    sha256: str | None
    saved_at: float

    @property
    def size(self) -> int:
        return sum(self.sizes.values())


class MemoryStore:
    """Keeps records by reference: what a living view holds anyway costs nothing a second time."""

    def __init__(
        self,
        *,
        max_views: int = 1000,
        max_age: float = 24 * 3600.0,
        max_size: int = 256 << 20,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`max_age` is in seconds since a view was saved last; `max_size` in bytes of records and documents.

        The record that was saved last is kept whatever its size.
        """
        self._max_views = max_views
        self._max_age = max_age
        self._max_size = max_size
        self._size = 0
        self._clock = clock
        self._views: dict[str, _Kept] = {}  # the one saved longest ago first
        self._documents: dict[str, str] = {}
        self._references: Counter[str] = Counter()

    async def save(self, view_id: str, record: JSONObject, document: StoredDocument | None = None) -> None:
        earlier = self._views.pop(view_id, None)
        sha256 = None
        if document is not None:
            sha256 = document.sha256
            if sha256 not in self._documents:
                self._documents[sha256] = document.html
                self._size += sys.getsizeof(document.html)
            self._references[sha256] += 1
        kept = self._views[view_id] = _Kept(record, _sizes(record, earlier), sha256, self._clock())
        self._size += kept.size
        if earlier is not None:
            self._release(earlier)
        self._expire()

    async def load(self, view_id: str) -> JSONObject | None:
        self._expire()
        kept = self._views.get(view_id)
        return None if kept is None else kept.record

    async def load_document(self, sha256: str) -> str | None:
        self._expire()
        return self._documents.get(sha256)

    async def delete(self, view_id: str) -> bool:
        self._expire()
        kept = self._views.pop(view_id, None)
        if kept is not None:
            self._release(kept)
        return kept is not None

    async def view_ids(self) -> list[str]:
        self._expire()
        return list(reversed(self._views))

    async def aclose(self) -> None:
        """Nothing to let go: another host of this process may go on with the same store."""

    def _expire(self) -> None:
        oldest = self._clock() - self._max_age
        while self._views:
            view_id, kept = next(iter(self._views.items()))
            fits = len(self._views) <= self._max_views and (
                self._size <= self._max_size or len(self._views) == 1
            )
            if fits and kept.saved_at >= oldest:
                return
            del self._views[view_id]
            self._release(kept)

    def _release(self, kept: _Kept) -> None:
        self._size -= kept.size
        if kept.sha256 is None:
            return
        self._references[kept.sha256] -= 1
        if not self._references[kept.sha256]:
            del self._references[kept.sha256]
            self._size -= sys.getsizeof(self._documents.pop(kept.sha256))


def _sizes(record: JSONObject, earlier: _Kept | None) -> dict[str, int]:
    def size(key: str, value: JSONValue) -> int:
        if earlier is not None and key in earlier.record and earlier.record[key] is value:
            return earlier.sizes[key]
        return _size_of(value)

    return {key: size(key, value) for key, value in record.items()}


def _size_of(value: JSONValue) -> int:
    """About the bytes that a value takes in memory."""
    size, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        size += sys.getsizeof(item)
        if isinstance(item, dict):
            size += sum(map(sys.getsizeof, item))
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return size
