"""Connections that the program already has: used, never closed.

An entered `mcp.Client`, a `ClientSession` of either major, an entered `fastmcp.Client`. What was agreed when
they were opened stays: in the handshake era only the program can advertise the extension.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

from fanlight.errors import ConfigError

from .base import ObjectTarget
from .failures import describe, explain
from .link import Events, Link
from .stderr import StderrTail

__all__ = ["ExistingDoor", "hear", "is_alive", "keep_looking"]

_LOOK_EVERY = 0.5


class ExistingDoor:
    """The way through a session that somebody else holds."""

    starts_process = False

    def __init__(self, target: ObjectTarget) -> None:
        self._target = target

    def __str__(self) -> str:
        return describe(self._target)

    def explain(self, error: BaseException, stderr: list[str]) -> str:
        return explain(self._target, error, stderr)

    async def connect(self, stack: AsyncExitStack, events: Events, tail: StderrTail) -> Link:
        session = self._session()
        if session is None or not is_alive(session):
            raise ConfigError(f"{self} is not connected; open it before, and keep it open")
        stack.enter_context(hear(session, events))
        looking = asyncio.create_task(
            keep_looking(
                lambda: self._session() is session and is_alive(session),
                events,
                f"the program closed {self}",
            )
        )
        stack.callback(looking.cancel)
        if not hasattr(session, "_dispatcher"):
            from .sdk1_session import SessionLink as Sdk1Link

            return Sdk1Link(session)
        from .sdk2_session import SessionLink as Sdk2Link

        link = Sdk2Link(session, events)
        stack.push_async_callback(link.aclose)
        return await link.begin()

    def _session(self) -> Any:
        given: Any = self._target.server
        try:
            return getattr(given, "session", given)
        except RuntimeError:  # what a client says that is not entered
            return None


def is_alive(session: Any) -> bool:
    """Neither SDK tells in public whether a session still listens."""
    dispatcher = getattr(session, "_dispatcher", None)
    if dispatcher is not None:
        return bool(dispatcher._running) and not dispatcher._closed
    tasks = getattr(session, "_task_group", None)
    return tasks is not None and not tasks.cancel_scope.cancel_called and not session._read_stream._closed


@contextmanager
def hear(session: Any, events: Events) -> Iterator[None]:
    """Hear a session's notifications beside the handler that it has."""
    if hasattr(session, "_dispatcher"):
        from .sdk2_session import deliver
    else:
        from .sdk1_session import deliver

    theirs = session._message_handler

    async def both(message: Any) -> None:
        deliver(message, events)
        await theirs(message)

    session._message_handler = both
    try:
        yield
    finally:
        if session._message_handler is both:
            session._message_handler = theirs


async def keep_looking(alive: Callable[[], bool], events: Events, reason: str) -> None:
    """Tell `events` once the session is over; nobody else would before the next request."""
    while alive():  # noqa: ASYNC110 - neither SDK has an event for it
        await asyncio.sleep(_LOOK_EVERY)
    events.broke(reason)
