"""What a page says of views that sleep, kept in order until they are awake.

Nobody has shown a token yet, and a store may be slow: so what is kept of each frame is little.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fanlight.stores import StoreError

from .link import WINDOW

if TYPE_CHECKING:
    from .host import Host
    from .view import View

__all__ = ["Waking"]

# A store is asked for so many views of one page at the same time; the others wait their turn.
_AT_ONCE = 50
# What one frame, and one number in it, costs in memory at least.
_FRAME_COST = 500
_NUMBER_COST = 100
_LONGEST_NAME = 64

Frame = dict[str, Any]
# The operation, the view if there is one, the frame; an error says that nobody knows whether there is one.
Welcome = Callable[[str, "View | StoreError | None", Frame], None]


class Waking:
    """The views that one page waits for.

    `welcome` gets each frame when its view is awake, or known not to be there; `fail` hears why the page
    cannot go on, such as when it says more of sleeping views than may wait.
    """

    def __init__(self, host: Host, welcome: Welcome, fail: Callable[[str], None]) -> None:
        self._host = host
        self._welcome = welcome
        self._fail = fail
        self._waiting: dict[str, list[tuple[str, Frame]]] = {}
        self._sizes: Counter[str] = Counter()
        self._tasks: set[asyncio.Task[None]] = set()
        self._turns = asyncio.Semaphore(_AT_ONCE)

    def __contains__(self, view_id: str) -> bool:
        """Whether this view is being woken."""
        return view_id in self._waiting

    def __len__(self) -> int:
        return len(self._waiting)

    def keep(self, view_id: str, op: str, frame: Frame, size: int) -> None:
        """Keep a frame (`size` characters) until the view is awake; the first one wakes it."""
        if op == "left":
            # The session that it belongs to is gone: nothing of it can be done, only counted.
            frame = _counted(frame)
            size = _NUMBER_COST * len(frame["frames"])
        self._sizes[view_id] += size + _FRAME_COST
        if self._sizes.total() > WINDOW.size:
            self._fail("more is said of apps that are being looked for than may wait")
            return
        if view_id not in self._waiting:
            self._waiting[view_id] = []
            task = asyncio.create_task(self._wake(view_id))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._waiting[view_id].append((op, frame))

    async def _wake(self, view_id: str) -> None:
        """The view may sleep in the store: the program was restarted, or nobody had shown it for long."""
        found: View | StoreError | None
        try:
            async with self._turns:
                found = await self._host.wake(view_id)
        except StoreError as error:
            found = error
        finally:
            waiting = self._waiting.pop(view_id)
            del self._sizes[view_id]
        for op, frame in waiting:
            self._welcome(op, found, frame)

    def close(self) -> None:
        """The page is gone."""
        for task in self._tasks:
            task.cancel()


def _counted(frame: Frame) -> Frame:
    """A `left` frame without what was left: only the numbers."""
    entries = frame.get("frames")
    numbers = [
        entry[:1] if isinstance(entry, list) and entry and isinstance(entry[0], int) else []
        for entry in (entries if isinstance(entries, list) else ())
    ]
    names = {key: frame.get(key) for key in ("view", "token", "session", "lost")}
    short = {key: name for key, name in names.items() if len(str(name)) <= _LONGEST_NAME}
    return {**short, "frames": numbers}
