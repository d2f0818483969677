"""How long requests may wait, with one timer for all of them.

`asyncio.timeout` sets a timer for each, which costs a twentieth of a call to a server in this process, and
almost none of them ever rings.
"""

from __future__ import annotations

import asyncio

__all__ = ["Deadline", "Deadlines"]


class Deadline:
    """One wait of the current task, which is cancelled when it strikes; `at` may be moved before that."""

    __slots__ = ("_cancelling", "_over", "_struck", "_task", "at", "reason")

    def __init__(self, at: float) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._task = task
        self._cancelling = task.cancelling()
        self._struck = self._over = False
        self.at = at
        self.reason: str | None = None  # why it struck, if not because of the time

    def strike(self, reason: str | None = None) -> None:
        if not (self._struck or self._over):
            self._struck = True
            self.reason = reason
            self._task.cancel()

    def settle(self) -> bool:
        """The wait has ended. The first time: was the task cancelled by this, and by nobody else?"""
        if self._over:
            return False
        self._over = True
        return self._struck and self._task.uncancel() <= self._cancelling


class Deadlines:
    """The waits of one connection."""

    def __init__(self) -> None:
        self._all: set[Deadline] = set()
        self._timer: asyncio.TimerHandle | None = None

    def begin(self, at: float) -> Deadline:
        deadline = Deadline(at)
        self._all.add(deadline)
        if self._timer is None or at < self._timer.when():
            self._ring_at(at)
        return deadline

    def end(self, deadline: Deadline) -> bool:
        """It strikes no more. True, the first time, if it did and that is why the task was cancelled."""
        self._all.discard(deadline)
        return deadline.settle()

    def strike_all(self, reason: str) -> None:
        for deadline in tuple(self._all):
            deadline.strike(reason)

    def _ring_at(self, at: float) -> None:
        self.aclose()
        self._timer = asyncio.get_running_loop().call_at(at, self._rang)

    def _rang(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        later = []
        for deadline in tuple(self._all):
            if deadline.at <= now:
                deadline.strike()
            else:
                later.append(deadline.at)
        if later:
            self._ring_at(min(later))

    def aclose(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
