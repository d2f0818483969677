"""Threads for the functions that a program without an event loop gave us to be told of something.

Such a function may wait for a person. So it has neither the loop's thread nor one of the loop's own pool,
which is small and is waited for at the end: daemon threads, each only as long as there is something to do.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import Any, TypeVar

__all__ = ["HandlerThreads"]

T = TypeVar("T")
Job = tuple["Future[Any]", Callable[[], Any]]
_log = logging.getLogger("fanlight.host")
# Far more than persons are asked by one program at a time; those beyond wait until a thread is free.
_MOST = 200


class HandlerThreads:
    """Runs functions: those of one key one after the other, as they came; those of different keys at once."""

    def __init__(self, name: str, most: int = _MOST) -> None:
        self._name = name
        self._most = most
        self._threads = 0
        self._lock = threading.Lock()
        # A key is here while one of its functions runs or waits, and in `_ready` while none of them runs.
        self._jobs: dict[Hashable, deque[Job]] = {}
        self._ready: deque[Hashable] = deque()

    async def run(self, key: Hashable, function: Callable[[], T]) -> T:
        """Run this when its turn comes, and return what it returned.

        If the waiting task is cancelled, a function that has not begun never does, and one that has goes on:
        what it raises is said in the log then.
        """
        future = self.begin(key, function)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(_say_in_log)
            raise

    def tell(self, key: Hashable, function: Callable[[], object]) -> None:
        """Run this when its turn comes; nobody waits for it, and what it raises is said in the log."""
        self.begin(key, function).add_done_callback(_say_in_log)

    def begin(self, key: Hashable, function: Callable[[], T]) -> Future[T]:
        """Put this into its queue, from any thread."""
        future: Future[T] = Future()
        with self._lock:
            if key in self._jobs:
                self._jobs[key].append((future, function))
                return future
            self._jobs[key] = deque([(future, function)])
            self._ready.append(key)
            if self._threads < self._most:
                self._threads += 1
                threading.Thread(target=self._work, name=self._name, daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._ready:
                    self._threads -= 1
                    return
                key = self._ready.popleft()
                job = self._jobs[key].popleft()
            _do(*job)
            del job  # a thread that looks for the next one holds no view of the last
            with self._lock:
                if self._jobs[key]:
                    self._ready.append(key)
                else:
                    del self._jobs[key]


def _do(future: Future[Any], function: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = function()
    except BaseException as error:
        future.set_exception(_for_a_task(error))
    else:
        future.set_result(result)


def _for_a_task(error: BaseException) -> Exception:
    """What a task can be given: `sys.exit()` in a function of the program must not end the host's loop."""
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    told = RuntimeError(f"a function of the program ended with {error!r}")
    told.__cause__ = error
    return told


def _say_in_log(future: Future[Any]) -> None:
    error = None if future.cancelled() else future.exception()
    if error is not None:
        _log.error("a function of the program failed after nobody waited for it any more", exc_info=error)
