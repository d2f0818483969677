"""On what terms a tool is called: how long it may take, and who hears of its progress."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass

from fanlight.errors import ConfigError
from fanlight.upstream.base import IDLE_TIMEOUT, REQUEST_LIMIT

__all__ = ["CallTerms", "ProgressListener"]

# Plain or async: `(done, total, message)`.
ProgressListener = Callable[[float, float | None, str | None], object]

_log = logging.getLogger("fanlight.host")


@dataclass(frozen=True)
class CallTerms:
    """How long a call may take, and who hears of its progress.

    Attributes:
        silence: seconds that the server may be silent; each progress starts them anew. Five minutes.
        limit: seconds for the whole call, whatever the server says. An hour, or `silence` if that is longer.
        on_progress: called with `(done, total, message)`; plain or async. What it raises is said in the log.

    Raises:
        ConfigError: a time is not above 0.
    """

    silence: float | None = None
    limit: float | None = None
    on_progress: ProgressListener | None = None

    def __post_init__(self) -> None:
        for name, usual in (("silence", IDLE_TIMEOUT), ("limit", REQUEST_LIMIT)):
            value = getattr(self, name)
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise ConfigError(f"{name} is {value!r}: give seconds above 0, or None for {usual:g}")

    @property
    def whole(self) -> float:
        """Seconds for the whole call: who allows two hours of silence wants no end after one."""
        return max(REQUEST_LIMIT, self.silence or 0) if self.limit is None else self.limit

    async def progressed(self, done: float, total: float | None, message: str | None) -> None:
        """Tell the program. It is called from the middle of the connection's work, which must go on."""
        if self.on_progress is None:
            return
        try:
            outcome = self.on_progress(done, total, message)
            if inspect.isawaitable(outcome):
                await outcome
        except Exception:
            _log.exception("a function given to on_progress failed: %r", self.on_progress)
