"""A store in this process's memory: bounded, and gone with the process."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from fanlight.wire.jsonrpc import JSONObject

from .base import StoredDocument

__all__ = ["MemoryStore"]


@dataclass(frozen=True)
class _Kept:
    record: JSONObject
    sha256: str | None
    saved_at: float


class MemoryStore:
    """Keeps records by reference: what a living view holds anyway costs nothing a second time."""

    def __init__(
        self,
        *,
        max_views: int = 1000,
        max_age: float = 24 * 3600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`max_age` is in seconds since a view was saved last."""
        self._max_views = max_views
        self._max_age = max_age
        self._clock = clock
        self._views: dict[str, _Kept] = {}  # the one saved longest ago first
        self._documents: dict[str, str] = {}
        self._references: Counter[str] = Counter()

    async def save(self, view_id: str, record: JSONObject, document: StoredDocument | None = None) -> None:
        earlier = self._views.pop(view_id, None)
        sha256 = None
        if document is not None:
            sha256 = document.sha256
            self._documents[sha256] = document.html
            self._references[sha256] += 1
        self._views[view_id] = _Kept(record, sha256, self._clock())
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
            if len(self._views) <= self._max_views and kept.saved_at >= oldest:
                return
            del self._views[view_id]
            self._release(kept)

    def _release(self, kept: _Kept) -> None:
        if kept.sha256 is None:
            return
        self._references[kept.sha256] -= 1
        if not self._references[kept.sha256]:
            del self._references[kept.sha256]
            del self._documents[kept.sha256]
