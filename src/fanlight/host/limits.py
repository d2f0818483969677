"""How often and how much one view may want: a token bucket for each kind, and sizes with a sentence."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from fanlight.errors import ConfigError

__all__ = ["UNLIMITED", "Meter", "Rate", "ViewLimits"]


@dataclass(frozen=True)
class Rate:
    """`burst` at once, then one every 1/`per_second` seconds."""

    burst: float
    per_second: float

    def __post_init__(self) -> None:
        if not (self.burst >= 1 and self.per_second > 0):
            raise ConfigError(f"{self}: give a burst of at least 1 and a rate above 0")


@dataclass(frozen=True)
class ViewLimits:
    """What one showing of a view may want of the host. Beyond a rate the answer says when to try again.

    Sizes are characters of compact JSON, which for ASCII are bytes.
    """

    # An app that follows a slider calls a tool for each frame of a second or two; nobody does that for long.
    tool_calls: Rate = Rate(200, 50)
    # Reads, lists and display modes cost the server or the page little.
    reads: Rate = Rate(200, 50)
    display_modes: Rate = Rate(10, 1)
    # A person reads these.
    messages: Rate = Rate(5, 0.2)
    links: Rate = Rate(5, 0.5)
    downloads: Rate = Rate(5, 0.2)
    # Somebody pays for these (D03).
    sampling: Rate = Rate(5, 0.1)
    context_updates: Rate = Rate(100, 20)
    # Our views save the newest when the last was answered: as often as a screen is drawn, at most.
    state_updates: Rate = Rate(300, 150)
    # Notifications: a log line beyond it is counted and reported, a size beyond it waits.
    logs: Rate = Rate(200, 20)
    # What a hard rule or one of these rates refuses is written down as often as this, and beyond it counted.
    refusals: Rate = Rate(20, 1)
    sizes: Rate = Rate(60, 30)
    # Messages carry pictures; context goes to a model with every turn.
    message_size: int = 4 * 1024 * 1024
    context_size: int = 1024 * 1024
    # It is kept with the view and told to each of its documents.
    state_size: int = 64 * 1024
    sampling_size: int = 4 * 1024 * 1024
    # The connection takes messages of 16 MiB, base64 included.
    download_size: int = 10 * 1024 * 1024
    download_items: int = 20
    log_size: int = 2000
    # Questions that wait for a person, and for how long. A program's handler gets as long.
    pending_questions: int = 10
    question_seconds: float = 60.0
    policy_seconds: float = 120.0
    handler_seconds: float = 120.0

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if not isinstance(value, Rate) and not value > 0:
                raise ConfigError(f"limit {entry.name} is {value!r}: give a number above 0")


_ANY = Rate(math.inf, math.inf)
UNLIMITED = ViewLimits(
    tool_calls=_ANY,
    reads=_ANY,
    display_modes=_ANY,
    messages=_ANY,
    links=_ANY,
    downloads=_ANY,
    sampling=_ANY,
    context_updates=_ANY,
    state_updates=_ANY,
    logs=_ANY,
    refusals=_ANY,
    sizes=_ANY,
)


class Meter:
    """One token bucket. Time is an argument."""

    def __init__(self, rate: Rate, now: float) -> None:
        self._rate = rate
        self._tokens = rate.burst
        self._at = now

    def take(self, now: float) -> float:
        """Use one token and return 0, or return the seconds until there is one."""
        rate = self._rate
        if math.isinf(rate.burst):
            return 0.0
        self._tokens = min(rate.burst, self._tokens + (now - self._at) * rate.per_second)
        self._at = now
        if self._tokens >= 1:
            self._tokens -= 1
            return 0.0
        return (1 - self._tokens) / rate.per_second
