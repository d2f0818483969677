"""The numbering of one link: frames of one session in order, each once, over sockets that come and go.

Pure: no socket, no clock, no task. `runtime/link.js` is the same rules for the page's side.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from enum import Enum, IntEnum

from fanlight.errors import ConfigError

__all__ = ["WINDOW", "Arrival", "Bounds", "Link", "LinkSettings", "Pressure", "text_size"]


class Arrival(Enum):
    """What a number says about a frame that came in."""

    NEW = "new"
    DUPLICATE = "duplicate"
    GAP = "gap"


class Pressure(IntEnum):
    """How much waits for the other side."""

    FREE = 0
    PAUSED = 1
    FULL = 2


@dataclass(frozen=True, slots=True)
class Bounds:
    """How many frames, and how many bytes of them, may wait until they are acknowledged.

    From a quarter on the link is `PAUSED`: nothing new should be begun. Beyond the whole it is `FULL`: over.
    One frame of any size is always taken.
    """

    frames: int = 10_000
    size: int = 64 << 20

    def __post_init__(self) -> None:
        if self.frames < 1 or self.size < 1:
            raise ConfigError(f"{self}: give numbers above 0")

    def pressure(self, frames: int, size: int, largest: int) -> Pressure:
        if frames <= 1:
            return Pressure.FREE
        rest = size - largest
        if frames > self.frames or rest > self.size:
            return Pressure.FULL
        if frames * 4 > self.frames or rest * 4 > self.size:
            return Pressure.PAUSED
        return Pressure.FREE


# What a page has under way for one view at most: `WINDOW` of `runtime/link.js`.
WINDOW = Bounds(frames=64, size=1 << 20)


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How patient a host is with its pages, and how much may wait for them.

    Attributes:
        leave_timeout: seconds that a session waits for a page that was left; a reload comes back in one.
        resume_timeout: seconds that it waits when the connection broke; a laptop may sleep.
        heartbeat: seconds of silence after which each side asks whether the other is there.
        sockets: pages that may be connected at once.
        sockets_per_user: the same for one user, where the program tells users apart.
        message_limit: bytes of the largest message taken from a view. Servers refuse larger frames than
            their own limit by breaking the connection (uvicorn: 16 MiB), so stay below it.
        bounds: what may wait for a page until the session is given up.
    """

    leave_timeout: float = 60.0
    resume_timeout: float = 3600.0
    heartbeat: float = 15.0
    sockets: int = 10_000
    sockets_per_user: int = 100
    message_limit: int = 16_000_000
    bounds: Bounds = Bounds()

    def __post_init__(self) -> None:
        for name in (
            "leave_timeout", "resume_timeout", "heartbeat", "sockets", "sockets_per_user", "message_limit",
        ):  # fmt: skip
            if not getattr(self, name) > 0:
                raise ConfigError(f"{name} is {getattr(self, name)!r}: give a number above 0")


def text_size(text: str) -> int:
    """The UTF-8 bytes of a text; the usual ASCII text is not encoded to learn it."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class Link:
    """One end of a link: what was said and not yet acknowledged, and how much was heard.

    A socket's shell takes frames with `take()` until None, hands each number that comes in to `accept()` and
    each acknowledgement to `acknowledge()`. After a lost socket, `resume()` with what the peer has makes
    `take()` begin there.
    """

    def __init__(self, session: str, bounds: Bounds | None = None) -> None:
        self.session = session
        # The highest number up to which everything was heard.
        self.got = 0
        # Bytes of all frames that are kept.
        self.size = 0
        self._bounds = bounds or Bounds()
        self._kept: deque[tuple[str, int]] = deque()
        self._acknowledged = 0
        self._taken = 0
        self._told = 0
        self._largest = 0
        self._head = f'{{"session":{json.dumps(session)},'

    # To the peer

    @property
    def kept(self) -> int:
        """Frames that the peer has not acknowledged."""
        return len(self._kept)

    @property
    def unsent(self) -> int:
        """Frames that the present socket was not given yet."""
        return self._acknowledged + len(self._kept) - self._taken

    @property
    def pressure(self) -> Pressure:
        return self._bounds.pressure(len(self._kept), self.size, self._largest)

    def push(self, body: str) -> None:
        """Number a frame, given as the text of a JSON object with at least one member, and keep it."""
        size = text_size(body)
        self._kept.append((body, size))
        self.size += size
        self._largest = max(self._largest, size)

    def take(self) -> str | None:
        """The next frame for the present socket, with its number and our acknowledgement, or None."""
        if not self.unsent:
            return None
        body, _ = self._kept[self._taken - self._acknowledged]
        self._taken += 1
        self._told = self.got
        return f'{self._head}"n":{self._taken},"got":{self.got},{body[1:]}'

    def acknowledge(self, got: int) -> bool:
        """The peer has everything up to `got`; False when that cannot be."""
        if got > self._taken:
            return False
        while self._acknowledged < got:
            _, size = self._kept.popleft()
            self._acknowledged += 1
            self.size -= size
        if not self._kept:
            self._largest = 0
        return True

    def resume(self, got: int) -> bool:
        """A new socket: the peer has everything up to `got`, so `take()` begins after it.

        False when that cannot be: it lacks what it had acknowledged, or has what was never said.
        """
        if not self._acknowledged <= got <= self._acknowledged + len(self._kept):
            return False
        self._taken = got
        return self.acknowledge(got)

    # From the peer

    @property
    def owed(self) -> int:
        """Frames that we have heard and not yet acknowledged."""
        return self.got - self._told

    def accept(self, number: int) -> Arrival:
        """Whether a frame of this number is to be used now."""
        if number <= self.got:
            return Arrival.DUPLICATE
        if number > self.got + 1:
            return Arrival.GAP
        self.got = number
        return Arrival.NEW

    def acknowledgement(self) -> str:
        """A frame that says only what we have heard."""
        self._told = self.got
        return f'{self._head}"op":"ack","got":{self.got}}}'
