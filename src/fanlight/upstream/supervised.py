"""An `Upstream` made of any door: keeps one connection alive, bounds every wait, fails clearly.

A session of an SDK is entered and left by the same task, so each connection has a holder task of its own
(`holder.py`); requests come from any task.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Coroutine, Iterable
from typing import Any

from fanlight.errors import RpcError, UpstreamError
from fanlight.wire.jsonrpc import ErrorCode
from fanlight.wire.plain import fault_in

from .base import (
    CLOSED,
    IDLE_TIMEOUT,
    REQUEST_LIMIT,
    JSONObject,
    NotificationHandler,
    ProgressHandler,
    StateHandler,
    UpstreamState,
)
from .deadlines import Deadlines
from .holder import Holder
from .link import Door, Link, LinkDown, ResponseLost
from .telling import tell_each

__all__ = ["SupervisedUpstream"]

_FIRST_DELAY = 0.1
_LONGEST_DELAY = 10.0
_ATTEMPTS = 8  # about half a minute; after that it has failed
_REST = 30.0  # between the attempts to reach one that has failed
_STEADY = 10.0  # a connection that lived this long starts the count anew; a server in a crash loop does not
_WAIT_FOR_LINK = 15.0
_PROBE_TIMEOUT = 5.0


class SupervisedUpstream:
    """One server behind one door, connected again whenever the connection breaks."""

    def __init__(self, name: str, door: Door) -> None:
        self._name = name
        self._door = door
        self._state = UpstreamState.RECONNECTING
        self._reason = "it was never opened"
        self._timeout = 0.0
        self._attempts = 0
        self._connected_at = 0.0
        self._holder: Holder | None = None
        self._link: Link | None = None
        self._known: tuple[JSONObject, JSONObject, str] = ({}, {}, "")
        self._supervisor: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._wanted = asyncio.Event()  # a request asks for another round of attempts
        self._settled = asyncio.Event()  # connected, failed or closed: waiting makes no sense any more
        self._deadlines = Deadlines()
        self._watched: tuple[str, ...] = ()
        self._notification_handlers: list[NotificationHandler] = []
        self._state_handlers: list[StateHandler] = []

    # What is known of the server; it stays readable while the connection is down.

    @property
    def server_info(self) -> JSONObject:
        return self._known[0]

    @property
    def capabilities(self) -> JSONObject:
        return self._known[1]

    @property
    def protocol_version(self) -> str:
        return self._known[2]

    @property
    def state(self) -> UpstreamState:
        return self._state

    def on_state(self, handler: StateHandler) -> None:
        self._state_handlers.append(handler)

    def on_notification(self, handler: NotificationHandler) -> None:
        self._notification_handlers.append(handler)

    # Connecting

    async def open(self, timeout: float) -> None:
        """Connect for the first time, or raise UpstreamError that says why it did not work."""
        self._timeout = timeout
        await self._connect()
        self._supervisor = asyncio.create_task(self._supervise(), name=f"fanlight-upstream-{self._name}")

    async def _connect(self) -> None:
        holder = Holder(self._name, self._door, self._deliver, self._lost)
        self._holder = holder
        link = await holder.open(self._timeout)
        self._known = (link.server_info, link.capabilities, link.protocol_version)
        self._link = link
        self._connected_at = asyncio.get_running_loop().time()
        self._enter(UpstreamState.CONNECTED, None)

    async def _supervise(self) -> None:
        while True:
            assert self._holder is not None
            await self._holder.over()
            await self._connect_again()
            if self._watched:
                self._start(self._watch())

    async def _connect_again(self) -> None:
        if asyncio.get_running_loop().time() - self._connected_at > _STEADY:
            self._attempts = 0
        while True:
            if self._attempts >= _ATTEMPTS:
                await self._rest()
            else:
                delay = min(_LONGEST_DELAY, _FIRST_DELAY * 2**self._attempts)
                # Jitter: many programs may have lost the same server at the same moment.
                await asyncio.sleep(delay * random.uniform(0.5, 1))
            self._attempts += 1
            try:
                await self._connect()
                return
            except UpstreamError as error:
                self._reason = error.message

    async def _rest(self) -> None:
        """Failed: one attempt now and then, or another round of them when a request asks for it."""
        self._wanted.clear()
        self._enter(UpstreamState.FAILED, self._reason)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_REST):
                await self._wanted.wait()
                self._attempts = 0

    def _lost(self, reason: str) -> None:
        """The holder says that its session is over."""
        if self._state is UpstreamState.CLOSED or self._link is None:
            return
        self._drop_link(reason)
        self._reason = reason
        self._enter(UpstreamState.RECONNECTING, reason)

    def _drop_link(self, reason: str) -> None:
        self._link = None
        self._deadlines.strike_all(reason)

    def _enter(self, state: UpstreamState, reason: str | None) -> None:
        """Be in another state and tell it. A caller does it last: those who hear it act on it at once."""
        if state is self._state:
            return
        self._state = state
        if state is UpstreamState.RECONNECTING:
            self._settled.clear()
        else:
            self._settled.set()
        tell_each("on_state()", self._state_handlers, state, reason)

    def _deliver(self, method: str, params: JSONObject) -> None:
        tell_each("on_notification()", self._notification_handlers, method, params)

    # Requests

    async def request(
        self,
        method: str,
        params: JSONObject | None = None,
        *,
        timeout: float | None = None,
        limit: float | None = None,
        on_progress: ProgressHandler | None = None,
    ) -> JSONObject:
        fault = fault_in(params, "params")
        if fault is not None:
            # The SDKs would break the connection over it, and with it what everybody else asked for.
            raise RpcError(ErrorCode.INVALID_PARAMS, f"{method}: {fault}")
        link = self._link or await self._next_link()
        clock = asyncio.get_running_loop().time
        idle = IDLE_TIMEOUT if timeout is None else timeout
        latest = clock() + (REQUEST_LIMIT if limit is None else limit)
        waiting = self._deadlines.begin(min(clock() + idle, latest))

        async def progressed(done: float, total: float | None, message: str | None) -> None:
            waiting.at = min(clock() + idle, latest)
            if on_progress is not None:
                await on_progress(done, total, message)

        # Servers send progress only to those who ask; a tool call always asks, to know that it is alive.
        progress = progressed if on_progress is not None or method == "tools/call" else None
        try:
            return await link.request(method, params or {}, progress)
        except asyncio.CancelledError as error:
            if not self._deadlines.end(waiting):
                raise
            if waiting.reason is not None:
                raise self._gone(waiting.reason) from error
            raise self._too_slow(method, idle, waiting.at >= latest) from error
        except LinkDown as error:
            self._deadlines.end(waiting)
            raise self._gone(waiting.reason or await self._blame(link, error)) from error
        finally:
            self._deadlines.end(waiting)

    async def _blame(self, link: Link, error: LinkDown) -> str:
        """An answer that will not come: say why, and find out whether the session still lives."""
        if isinstance(error, ResponseLost):
            if link is self._link:
                self._start(self._probe(link))
            return str(error)
        if link is self._link and self._holder is not None:
            return await self._holder.found_dead(str(error))
        return self._reason

    async def _probe(self, link: Link) -> None:
        """Any answer proves life; a dead session breaks by itself when it is used."""
        async with asyncio.timeout(_PROBE_TIMEOUT):
            await link.request("ping", {}, None)

    async def _next_link(self) -> Link:
        """The connection that is being made, or an error with what happened."""
        if self._state is UpstreamState.CLOSED:
            raise UpstreamError(self._name, "the connection is closed")
        if self._state is UpstreamState.FAILED:
            if self._door.starts_process:
                raise self._gone(f"{self._reason} (it is started again every {_REST:g} s)")
            self._enter(UpstreamState.RECONNECTING, self._reason)
            self._wanted.set()
        try:
            async with asyncio.timeout(_WAIT_FOR_LINK):
                await self._settled.wait()
        except TimeoutError:
            raise self._gone(self._reason) from None
        if self._link is None:
            raise self._gone(self._reason)
        return self._link

    def _gone(self, reason: str) -> UpstreamError:
        return UpstreamError(self._name, reason)

    def _too_slow(self, method: str, idle: float, at_limit: bool) -> UpstreamError:
        how = "did not end within its time limit" if at_limit else f"was silent for {idle:g} s"
        return UpstreamError(self._name, f"{method} {how} and was cancelled")

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background whose failure nobody needs to hear of."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled():
            task.exception()

    async def watch(self, uris: Iterable[str]) -> None:
        # What cannot be written is not asked for: it would break the connection, as in `request`.
        self._watched = tuple(sorted(uri for uri in set(uris) if fault_in(uri, "uri") is None))
        await self._watch()

    async def _watch(self) -> None:
        if self._link is not None:
            await self._link.watch(self._watched)

    # The end

    async def aclose(self, reason: str = CLOSED) -> None:
        if self._state is not UpstreamState.CLOSED:
            self._drop_link(reason)
            self._enter(UpstreamState.CLOSED, None)
        self._deadlines.aclose()
        tasks = [task for task in (self._supervisor, *self._background) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._holder is not None:
            await self._holder.aclose()
