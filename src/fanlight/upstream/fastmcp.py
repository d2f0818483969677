"""The door to FastMCP 4: a `fastmcp.FastMCP` server of this process, or a `fastmcp.Client` not yet open.

Its client runs on a session of the 2.x SDK, so the raw path is the same.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import fastmcp
from mcp.client import advertise
from mcp_types import Implementation

from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

from .base import ClientIdentity, ObjectTarget
from .existing import hear, is_alive, keep_looking
from .failures import describe, explain
from .link import Events, Link
from .sdk2_session import SessionLink
from .stderr import StderrTail

__all__ = ["FastMcpDoor"]


class FastMcpDoor:
    """The way to a server through `fastmcp.Client`; what we entered we leave, and nothing else."""

    def __init__(self, target: ObjectTarget, identity: ClientIdentity, mode: str = "auto") -> None:
        self._target = target
        given = target.server
        self.starts_process = isinstance(given, fastmcp.Client)  # its transport may, and does not tell
        self._client: fastmcp.Client[Any] = (
            given if isinstance(given, fastmcp.Client) else _client_for(given, identity, mode)
        )

    def __str__(self) -> str:
        return describe(self._target)

    def explain(self, error: BaseException, stderr: list[str]) -> str:
        return explain(self._target, error, stderr)

    async def connect(self, stack: AsyncExitStack, events: Events, tail: StderrTail) -> Link:
        client = self._client
        _advertise_in(client)
        await stack.enter_async_context(client)
        session = client.session
        stack.enter_context(hear(session, events))
        link = SessionLink(session, events)
        stack.push_async_callback(link.aclose)
        looking = asyncio.create_task(
            keep_looking(
                lambda: client.is_connected() and client.session is session and is_alive(session),
                events,
                f"{self} ended the connection",
            )
        )
        stack.callback(looking.cancel)
        return await link.begin()


def _client_for(server: Any, identity: ClientIdentity, mode: str) -> fastmcp.Client[Any]:
    return fastmcp.Client(
        server,
        mode=mode,
        client_info=Implementation(name=identity.name, version=identity.version),
        cache=False,
    )


def _advertise_in(client: fastmcp.Client[Any]) -> None:
    """A client opened for a host of apps says so (R11); the handshake is the only moment for it."""
    offered: Any = client._session_kwargs
    extension = advertise(EXTENSION_ID, {"mimeTypes": [MIME_TYPE]})
    offered["extensions"] = {EXTENSION_ID: extension.settings(), **(offered.get("extensions") or {})}
