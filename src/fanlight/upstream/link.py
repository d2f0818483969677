"""What a door must give: one live session of an SDK, and word of what happens to it. No policy, no retries.

`supervised.py` makes an `Upstream` of any door.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import Protocol

from .base import JSONObject, ProgressHandler
from .stderr import StderrTail

__all__ = ["Door", "Events", "Link", "LinkDown", "ResponseLost"]


class LinkDown(Exception):
    """The session is over; nothing more will be answered through it."""


class ResponseLost(LinkDown):
    """This one answer will never come; the session may still be alive."""


class Events(Protocol):
    """What a link tells while it lives. Neither method blocks or raises."""

    def notify(self, method: str, params: JSONObject) -> None:
        """The server sent a notification."""

    def broke(self, reason: str) -> None:
        """The session is over; only the first reason counts."""


class Link(Protocol):
    """One live session with a server."""

    @property
    def server_info(self) -> JSONObject: ...

    @property
    def capabilities(self) -> JSONObject: ...

    @property
    def protocol_version(self) -> str: ...

    async def request(
        self, method: str, params: JSONObject, on_progress: ProgressHandler | None
    ) -> JSONObject:
        """Send one request; cancelling it tells the server.

        Raises:
            RpcError: the server answered with an error.
            LinkDown: no answer will come.
        """

    async def watch(self, uris: Iterable[str]) -> None:
        """Ask for updates of exactly these resources, as far as the server offers them."""


class Door(Protocol):
    """The way to one server through one SDK; can be entered again after its link broke."""

    @property
    def starts_process(self) -> bool:
        """Does connecting start a program? Then a request, which may be a stranger's, never connects."""

    async def connect(self, stack: AsyncExitStack, events: Events, tail: StderrTail) -> Link:
        """Open a session whose end is on `stack`. Runs in the task that will also unwind the stack."""

    def explain(self, error: BaseException, stderr: list[str]) -> str:
        """One sentence for a person: why connecting failed, or why the session ended."""
