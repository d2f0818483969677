"""The views that a host has in memory: all that are shown or referred to, and a bounded number of others."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from .view import View

__all__ = ["Registry"]


class Registry:
    """Finds views by their ids.

    A view that no page shows is let go when it has been idle for `idle_seconds`, or when more than
    `idle_views` are idle (the one idle longest first). Letting go means that the host no longer holds it:
    while the program or a running call does, it is still found.
    """

    def __init__(self, idle_views: int, idle_seconds: float) -> None:
        self._idle_views = idle_views
        self._idle_seconds = idle_seconds
        self._held: dict[str, View] = {}
        self._alive: WeakValueDictionary[str, View] = WeakValueDictionary()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, view: View) -> None:
        """Hold a view from now on."""
        self._held[view.id] = self._alive[view.id] = view
        self._sweep()

    def get(self, view_id: str) -> View | None:
        """The view of that id, if it is alive."""
        return self._alive.get(view_id)

    def pop(self, view_id: str) -> View | None:
        """Forget a view and return it."""
        self._held.pop(view_id, None)
        return self._alive.pop(view_id, None)

    def values(self) -> list[View]:
        """All that are alive, the oldest first."""
        return list(self._alive.values())

    def __iter__(self) -> Iterator[str]:
        return iter([view.id for view in self.values()])

    def __len__(self) -> int:
        return len(self.values())

    def close(self) -> None:
        """Stop looking for idle views."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _sweep(self) -> None:
        now = time.monotonic()
        idle = sorted(
            (view for view in self._held.values() if view.session is None), key=lambda view: view.idle_since
        )
        for place, view in enumerate(idle):
            if len(idle) - place > self._idle_views or now - view.idle_since >= self._idle_seconds:
                del self._held[view.id]
        if self._timer is None and self._held:
            self._timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._again)

    def _again(self) -> None:
        self._timer = None
        self._sweep()
