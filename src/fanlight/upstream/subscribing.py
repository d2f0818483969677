"""Updates of single resources in the handshake era: asked for one by one, whichever SDK asks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable

from fanlight.errors import RpcError

from .base import JSONObject

__all__ = ["Subscribing"]


class Subscribing:
    """The resources that a session is subscribed to; one wish after the other is fulfilled."""

    def __init__(self, request: Callable[[str, JSONObject, None], Awaitable[JSONObject]]) -> None:
        self._request = request
        self._held: set[str] = set()
        self._turn = asyncio.Lock()

    async def to(self, uris: Iterable[str]) -> None:
        """Be subscribed to exactly these, as far as the server lets us: it never promised to tell."""
        wanted = frozenset(uris)
        async with self._turn:
            for uri in sorted(wanted - self._held):
                self._held.add(uri)
                await self._ask("resources/subscribe", uri)
            for uri in sorted(self._held - wanted):
                self._held.discard(uri)
                await self._ask("resources/unsubscribe", uri)

    async def _ask(self, method: str, uri: str) -> None:
        with contextlib.suppress(RpcError):
            await self._request(method, {"uri": uri}, None)
