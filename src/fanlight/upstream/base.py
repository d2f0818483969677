"""The one contract between Fanlight and an MCP SDK: wire-form dicts in, wire-form dicts out.

Everything above this room speaks these plain dicts, so no SDK type reaches host, protocol or policy,
and results keep every field that the server sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

__all__ = [
    "CLOSED",
    "IDLE_TIMEOUT",
    "REQUEST_LIMIT",
    "ClientIdentity",
    "HttpTarget",
    "NotificationHandler",
    "ObjectTarget",
    "ProgressHandler",
    "SseTarget",
    "StateHandler",
    "StdioTarget",
    "Target",
    "Upstream",
    "UpstreamState",
]

JSONObject = dict[str, Any]
ProgressHandler = Callable[[float, float | None, str | None], Awaitable[None]]
NotificationHandler = Callable[[str, JSONObject], None]

# Why what is under way fails when nobody says anything else.
CLOSED = "the connection was closed"
# A tool may work for minutes without a word, but nothing waits for ever (promise 2).
IDLE_TIMEOUT = 300.0
REQUEST_LIMIT = 3600.0


@dataclass(frozen=True)
class HttpTarget:
    """A server behind a Streamable HTTP endpoint.

    `auth` goes to the SDK's HTTP client as it is: the SDK's `OAuthClientProvider`, or any authentication of
    its HTTP library. A server that refuses Streamable HTTP is tried with the older HTTP+SSE transport.
    """

    url: str
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    auth: Any = field(default=None, repr=False)


@dataclass(frozen=True)
class SseTarget(HttpTarget):
    """A server behind the older HTTP+SSE transport; Streamable HTTP is not tried."""


@dataclass(frozen=True)
class StdioTarget:
    """A server that we start as a child process and speak to over its pipes."""

    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] | None = None
    cwd: str | None = None

    def __str__(self) -> str:
        return " ".join((self.command, *self.args))


@dataclass(frozen=True)
class ObjectTarget:
    """An object of this process: a server, a client to open, or a connection that the program has open.

    `source` is the file and the name that it was loaded from, if we loaded it.
    """

    server: object
    source: str | None = None


Target = HttpTarget | StdioTarget | ObjectTarget


@dataclass(frozen=True)
class ClientIdentity:
    """How we introduce ourselves to servers, in the SDK's `clientInfo` terms."""

    name: str
    version: str


class UpstreamState(StrEnum):
    """Where a connection stands. `failed` is tried again by the clock, or when a request asks for it.

    A server that is a program of ours is started by the clock alone.
    """

    CONNECTED = "connected"
    RECONNECTING = "reconnecting"
    FAILED = "failed"
    CLOSED = "closed"


StateHandler = Callable[[UpstreamState, str | None], None]


class Upstream(Protocol):
    """A connection to one server.

    Every method may be called from any task; calls run in parallel. When the connection breaks it is made
    again: requests under way fail at once, the next ones wait for the new connection or fail with the reason.
    """

    @property
    def server_info(self) -> JSONObject:
        """`{name, version, title?}` as far as the server said."""

    @property
    def capabilities(self) -> JSONObject:
        """The server's capabilities in wire form."""

    @property
    def protocol_version(self) -> str:
        """The core MCP revision that was negotiated; empty when a connection of the program does not tell."""

    @property
    def state(self) -> UpstreamState:
        """Where the connection stands now."""

    def on_state(self, handler: StateHandler) -> None:
        """Call `handler(state, reason)` whenever the state changes."""

    def on_notification(self, handler: NotificationHandler) -> None:
        """Call `handler(method, params)` for each notification of the server, whichever way it came."""

    async def watch(self, uris: Iterable[str]) -> None:
        """Ask for `notifications/resources/updated` of exactly these resources, where the server offers it.

        What the server refuses is not an error: it never promised to tell.
        """

    async def request(
        self,
        method: str,
        params: JSONObject | None = None,
        *,
        timeout: float | None = None,
        limit: float | None = None,
        on_progress: ProgressHandler | None = None,
    ) -> JSONObject:
        """Send one request and return its result with every field kept.

        `timeout` is how long the server may be silent (default `IDLE_TIMEOUT`): each progress of a tool call
        starts it anew. `limit` bounds the whole request (default `REQUEST_LIMIT`). Cancelling the awaiting
        task cancels the request at the server.

        Raises:
            RpcError: the server answered with an error; or `params` hold something that JSON, or the header
                that it becomes, cannot carry, and nothing was sent (`INVALID_PARAMS`, which names the place).
            UpstreamError: the connection is gone, or the time is over.
        """

    async def aclose(self, reason: str = CLOSED) -> None:
        """Close the connection and reap what was started for it. Safe to call twice.

        What is under way fails with `reason`.
        """
