"""An event loop in a thread of its own, for programs without one. Knows nothing of hosts and views."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from typing import Any, TypeVar
from weakref import WeakMethod

from fanlight.errors import LocalProtocolError

__all__ = ["BackgroundLoop", "close_at_exit"]

T = TypeVar("T")

# Ending views and children has deadlines of its own; beyond this something is stuck, and says so.
_END_TIMEOUT = 60.0


class BackgroundLoop:
    """Runs one coroutine for as long as it lives, and others on request from any thread."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop: asyncio.Event | None = None
        # Of several threads that start or stop it at once, one does and the others wait for that.
        self._one_at_a_time = threading.Lock()
        # What other threads wait for: a loop that has ended will never answer them.
        self._waited_for: set[Future[Any]] = set()

    @property
    def running(self) -> bool:
        return self._loop is not None

    def start(self, live: Callable[[Callable[[], None], asyncio.Event], Coroutine[Any, Any, None]]) -> bool:
        """Start the thread with `live(ready, stop)` and return once it called `ready()`.

        False if it runs already. Raises whatever `live` raised before that.
        """
        if self._is_own_thread():
            return False  # and must not wait for somebody who stops it
        with self._one_at_a_time:
            if self.running:
                return False
            self._start(live)
            return True

    def _start(self, live: Callable[[Callable[[], None], asyncio.Event], Coroutine[Any, Any, None]]) -> None:
        up: Future[None] = Future()

        async def main() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            await live(lambda: up.set_result(None), self._stop)

        def run() -> None:
            try:
                asyncio.run(main())
            except BaseException as error:
                if up.done():
                    raise
                up.set_exception(error)
            finally:
                self._loop = None
                for future in tuple(self._waited_for):
                    future.cancel()

        self._thread = threading.Thread(target=run, name=self._name, daemon=True)
        self._thread.start()
        up.result()

    def stop(self) -> None:
        """End what runs and wait for the thread; a second time is harmless.

        Raises:
            LocalProtocolError: called on the loop's own thread, or the thread does not end.
        """
        self._refuse_own_thread()
        with self._one_at_a_time:
            self._end()

    def _end(self) -> None:
        loop, thread, stop = self._loop, self._thread, self._stop
        if thread is None:
            return
        if loop is not None and stop is not None:
            loop.call_soon_threadsafe(stop.set)
        thread.join(_END_TIMEOUT)
        if thread.is_alive():
            raise LocalProtocolError(f"{self._name} did not end within {_END_TIMEOUT:.0f} s")
        self._thread = None

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Do this on the loop and wait for it here.

        Raises:
            LocalProtocolError: the loop is not running, or ends before this is done, or this is its own
                thread.
            TimeoutError: not done in time; it was cancelled.
        """
        loop = self._loop
        if loop is None:
            work.close()
            raise LocalProtocolError(f"{self._name} is not running: use it inside its `with` block")
        try:
            self._refuse_own_thread()
        except LocalProtocolError:
            work.close()
            raise
        try:
            future = asyncio.run_coroutine_threadsafe(work, loop)
        except RuntimeError as error:  # it ended just now
            work.close()
            raise self._ended() from error
        self._waited_for.add(future)
        try:
            if self._loop is not loop:
                future.cancel()
            return future.result(timeout)
        except TimeoutError:
            if future.done():
                raise
            raise TimeoutError(f"not done within {timeout} s") from None
        except CancelledError as error:
            if self._stop is not None and self._stop.is_set():
                raise self._ended() from error
            raise
        finally:
            self._waited_for.discard(future)
            future.cancel()  # Ctrl-C here, or too long a wait, ends it there; nothing if it is done

    def _ended(self) -> LocalProtocolError:
        return LocalProtocolError(f"{self._name} ended before this was done")

    def call(self, function: Callable[..., T], *args: Any, **named: Any) -> T:
        """Call a plain function on the loop's thread, where all state lives."""

        async def calling() -> T:
            return function(*args, **named)

        return self.run(calling())

    def _refuse_own_thread(self) -> None:
        if self._is_own_thread():
            raise LocalProtocolError(
                f"this is {self._name} itself, which must never wait: use the asynchronous Host here"
            )

    def _is_own_thread(self) -> bool:
        return threading.current_thread() is self._thread


def close_at_exit(close: Callable[[], None]) -> None:
    """Call this method when the program ends, if its object still lives by then.

    `atexit` alone is too late: thread pools, which closing needs, are shut down before it. The standard
    library's own pools register where this does.
    """
    method = WeakMethod(close)

    def closing() -> None:
        alive = method()
        if alive is not None:
            alive()

    register: Callable[[Callable[[], None]], object] = getattr(threading, "_register_atexit", atexit.register)
    register(closing)
