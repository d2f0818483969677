"""Named deadlines of one session: each name has at most one timer, and none outlives the session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

__all__ = ["Deadlines"]


class Deadlines:
    """Timers by name; setting a name again replaces its timer."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def within(self, name: str, seconds: float, expired: Callable[[], None]) -> None:
        """Call `expired` in so many seconds, unless the name is met before."""
        self.at(name, self._loop.time() + seconds, expired)

    def at(self, name: str, when: float, expired: Callable[[], None]) -> None:
        """The same at a time of the loop's clock."""
        self.met(name)
        self._timers[name] = self._loop.call_at(when, expired)

    def met(self, name: str) -> None:
        """What was waited for is there, or is waited for no longer."""
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    def close(self) -> None:
        """Nothing is waited for any more."""
        for name in tuple(self._timers):
            self.met(name)
