"""When a partial input is worth sending: often enough to draw, never more than grows with the stream.

Each partial carries all arguments written so far. Sending one for every delta would cost the square of the
text (8.7 GB for 1 MB in pieces of 64 bytes), so the pause after each grows with what it carried.
"""

from __future__ import annotations

__all__ = ["Pace", "structure"]

_INTERVAL = 0.05  # three frames of a screen: faster is not seen, and the view must draw in between
_CHARACTERS_PER_SECOND = 2 << 20
_DEPTH = 8


class Pace:
    """Decides; the clock and the sending are the caller's."""

    def __init__(
        self, interval: float = _INTERVAL, characters_per_second: float = _CHARACTERS_PER_SECOND
    ) -> None:
        self._interval = interval
        self._rate = characters_per_second
        self._may_at = self._must_at = float("-inf")
        self._structure: tuple[int, ...] = ()

    @property
    def due_at(self) -> float:
        """When a partial goes out even if it only has longer strings."""
        return self._must_at

    def is_due(self, now: float, value: object) -> bool:
        """Whether `value` should go now: the interval is over, or a key or an element is new."""
        return now >= self._must_at or (now >= self._may_at and structure(value) != self._structure)

    def sent(self, now: float, value: object, characters: int) -> None:
        """A partial went out that stands for this many characters of text."""
        pause = characters / self._rate
        self._may_at = now + pause
        self._must_at = now + max(self._interval, pause)
        self._structure = structure(value)


def structure(value: object) -> tuple[int, ...]:
    """How many members each container has that is still growing, from the outside in; not too deep."""
    sizes: list[int] = []
    while isinstance(value, dict | list) and len(sizes) < _DEPTH:
        sizes.append(len(value))
        if not value:
            break
        value = next(reversed(value.values())) if isinstance(value, dict) else value[-1]
    return tuple(sizes)
