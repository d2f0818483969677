"""The task that enters one session of an SDK, holds it, and leaves it again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AsyncExitStack

from fanlight.errors import UpstreamError

from .base import JSONObject
from .failures import with_last_words
from .link import Door, Link
from .stderr import StderrTail

__all__ = ["Holder"]

_CLOSE_TIMEOUT = 10.0
# A transport that crashed unwinds before it says why; requests do not wait longer than this for the reason.
_UNWIND_TIME = 1.0


class Holder:
    """One connection from its opening to its end; not used twice. Is the `Events` of its link."""

    def __init__(
        self,
        name: str,
        door: Door,
        deliver: Callable[[str, JSONObject], None],
        lost: Callable[[str], None],
    ) -> None:
        self._name = name
        self._door = door
        self._deliver = deliver
        self._lost = lost
        self._tail = StderrTail()
        self._ending = asyncio.Event()
        self._told = asyncio.Event()
        self._open = False
        self._task: asyncio.Task[None] | None = None
        self.broken: str | None = None

    async def open(self, timeout: float) -> Link:
        """Open the session, or raise UpstreamError with the reason; nothing stays behind then."""
        ready: asyncio.Future[Link] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._hold(ready), name=f"fanlight-connection-{self._name}")
        try:
            async with asyncio.timeout(timeout):
                link = await asyncio.shield(ready)
        except TimeoutError:
            await self.aclose()
            raise UpstreamError(self._name, f"{self._door} did not answer within {timeout:g} s") from None
        except BaseException:
            await self.aclose()
            raise
        if self.broken is not None:
            await self.aclose()
            raise UpstreamError(self._name, self.broken)
        return link

    async def _hold(self, ready: asyncio.Future[Link]) -> None:
        try:
            async with AsyncExitStack() as stack:
                stack.push_async_callback(self._tail.aclose)
                try:
                    link = await self._door.connect(stack, self, self._tail)
                except Exception as error:
                    reason = self._door.explain(error, await self._tail.tail())
                    if not ready.done():
                        ready.set_exception(UpstreamError(self._name, reason))
                    return
                self._open = True
                if not ready.done():
                    ready.set_result(link)
                await self._wait()
        except Exception as error:
            self._broke(self._door.explain(error, self._tail.lines))
        finally:
            self._broke("the connection ended")
            if not ready.done():
                ready.set_exception(UpstreamError(self._name, "the connection was closed while it opened"))
                ready.exception()

    async def _wait(self) -> None:
        try:
            await self._ending.wait()
        except asyncio.CancelledError:
            # The SDK cancels this task when a transport crashes; the reason comes out of the stack.
            asyncio.get_running_loop().call_later(_UNWIND_TIME, self._broke, "the connection broke")
            raise

    def notify(self, method: str, params: JSONObject) -> None:
        if not self._ending.is_set():
            self._deliver(method, params)

    def broke(self, reason: str) -> None:
        """The link or a request found out that the session is over."""
        self._ending.set()
        self._broke(with_last_words(reason, self._tail.lines))

    async def found_dead(self, reason: str) -> str:
        """A request found the session over: give the real reason a moment to come out, then take this one."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_UNWIND_TIME):
                await self._told.wait()
        self.broke(reason)
        return self.broken or reason

    def _broke(self, reason: str) -> None:
        if self.broken is None:
            self.broken = reason
            self._told.set()
            self._lost(reason)

    async def over(self) -> None:
        """Wait until the session has ended, and its resources are gone or given up."""
        assert self._task is not None
        await self._ending_or_done(self._task)
        await self.aclose()

    async def _ending_or_done(self, task: asyncio.Task[None]) -> None:
        ending = asyncio.create_task(self._ending.wait())
        try:
            await asyncio.wait({task, ending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ending.cancel()

    async def aclose(self) -> None:
        """End the session; one that is still opening, or does not end by itself, is cancelled."""
        self._ending.set()
        task = self._task
        if task is None:
            return
        if not self._open:
            task.cancel()
        done, _ = await asyncio.wait({task}, timeout=_CLOSE_TIMEOUT)
        if not done:
            task.cancel()
            await asyncio.wait({task}, timeout=_CLOSE_TIMEOUT)
