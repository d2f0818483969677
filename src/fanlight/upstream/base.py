"""The one contract between Fanlight and an MCP SDK: wire-form dicts in, wire-form dicts out.

Everything above this room speaks these plain dicts, so no SDK type reaches host, protocol or policy,
and results keep every field that the server sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

__all__ = [
    "ClientIdentity",
    "HttpTarget",
    "NotificationHandler",
    "ObjectTarget",
    "ProgressHandler",
    "StdioTarget",
    "Target",
    "Upstream",
]

JSONObject = dict[str, Any]
ProgressHandler = Callable[[float, float | None, str | None], Awaitable[None]]
NotificationHandler = Callable[[str, JSONObject], None]


@dataclass(frozen=True)
class HttpTarget:
    """A server behind a Streamable HTTP endpoint."""

    url: str
    headers: dict[str, str] = field(default_factory=dict)


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
    """A server object that lives in this process."""

    server: object


Target = HttpTarget | StdioTarget | ObjectTarget


@dataclass(frozen=True)
class ClientIdentity:
    """How we introduce ourselves to servers, in the SDK's `clientInfo` terms."""

    name: str
    version: str


class Upstream(Protocol):
    """An open connection to one server.

    Every method may be called from any task; calls run in parallel.
    """

    @property
    def server_info(self) -> JSONObject:
        """`{name, version, title?}` as far as the server said."""

    @property
    def capabilities(self) -> JSONObject:
        """The server's capabilities in wire form."""

    @property
    def protocol_version(self) -> str:
        """The core MCP revision that was negotiated."""

    async def request(
        self,
        method: str,
        params: JSONObject | None = None,
        *,
        timeout: float | None = None,
        on_progress: ProgressHandler | None = None,
    ) -> JSONObject:
        """Send one request and return its result with every field kept.

        Cancelling the awaiting task cancels the request at the server.

        Raises:
            RpcError: the server answered with an error.
            UpstreamError: the connection is gone, or nothing came within `timeout` seconds.
        """

    async def aclose(self) -> None:
        """Close the connection and reap what was started for it. Safe to call twice."""
