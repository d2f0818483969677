"""The tap: the one stream of everything that passes between views and the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from fanlight.upstream.telling import tell_each

__all__ = ["Direction", "Tap", "TapRecord"]

Direction = Literal["from-view", "to-view", "note"]


@dataclass(frozen=True)
class TapRecord:
    """One message as it passed (or a note about one), with the time in seconds of the host's clock."""

    at: float
    view: str
    direction: Direction
    message: Any


class Tap:
    """Hands every record to each listener, in order; what one of them raises is said in the log."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[TapRecord], None]] = []

    def listen(self, listener: Callable[[TapRecord], None]) -> Callable[[], None]:
        """Call `listener` for every record from now on; the returned function ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def put(self, record: TapRecord) -> None:
        tell_each("tap.listen()", self._listeners, record)
