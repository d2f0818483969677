"""An event loop whose clock skips the time in which nothing happens, so that 90 seconds take none."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["in_skipped_time"]

# Real seconds that threads and the kernel are given before nothing counts as happening: fewer where little is
# skipped, as by a server that looks ten times a second whether it should stop.
_GRACE = 0.01
_SHARE = 0.01
Result = TypeVar("Result")


class _SkippingSelector(selectors.DefaultSelector):
    def __init__(self) -> None:
        super().__init__()
        self.skipped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= 0:
            return super().select(timeout)
        grace = min(_GRACE, timeout * _SHARE)
        ready = super().select(grace)
        if not ready:
            self.skipped += timeout - grace
        return ready


class _SkippingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._clock = _SkippingSelector()
        super().__init__(self._clock)

    def time(self) -> float:
        return super().time() + self._clock.skipped


def in_skipped_time(work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run `work()` on such a loop."""
    with asyncio.Runner(loop_factory=_SkippingLoop) as runner:
        return runner.run(work())
