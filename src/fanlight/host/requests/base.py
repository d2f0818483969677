"""What every handler gets, and what it may raise: `RpcError` for a refusal, anything else is our fault."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fanlight.errors import RpcError
from fanlight.upstream import MAX_NAME_BYTES
from fanlight.wire.jsonrpc import ErrorCode

if TYPE_CHECKING:
    from fanlight.host.gate import Gate
    from fanlight.host.host import Host
    from fanlight.host.session import Session
    from fanlight.host.view import View

__all__ = ["Asked", "Handler", "Params"]

Params = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """One request of a view: who asks whom for what."""

    host: Host
    session: Session
    id: str | int
    params: Params

    @property
    def view(self) -> View:
        return self.session.view

    @property
    def gate(self) -> Gate:
        return self.session.gate

    def check_size(self, kind: str, subject: str, limit: int) -> None:
        """Refuse params that are longer than `limit` characters of JSON."""
        size = len(json.dumps(self.params, separators=(",", ":"), ensure_ascii=False))
        if size > limit:
            sentence = f"this {kind} has {size} characters; at most {limit} are taken"
            raise self.gate.refused("limit", sentence, kind, subject, data={"limit": limit, "size": size})

    def check_names(self) -> None:
        """Refuse a tool's name, an address or a cursor that no server means: some hang up on long ones.

        Raises:
            RpcError: one is too long; names it, its length and the limit.
        """
        for field in ("name", "uri", "cursor"):
            value = self.params.get(field)
            size = len(value.encode("utf-8", "surrogatepass")) if isinstance(value, str) else 0
            if size > MAX_NAME_BYTES:
                sentence = f"{field} has {size} bytes; at most {MAX_NAME_BYTES} are taken"
                raise RpcError(ErrorCode.INVALID_PARAMS, sentence, {"limit": MAX_NAME_BYTES, "size": size})

    async def hand_over(self, handler: Callable[..., Any], *arguments: Any) -> Any:
        """Give something to the program's own handler, plain or async, and wait for it, not for ever."""
        seconds = self.gate.limits.handler_seconds
        try:
            async with asyncio.timeout(seconds):
                outcome = handler(self.view, *arguments)
                return await outcome if inspect.isawaitable(outcome) else outcome
        except TimeoutError:
            sentence = f"the program behind this host did not finish within {seconds:g} s"
            raise RpcError(ErrorCode.INTERNAL_ERROR, sentence) from None


Handler = Callable[[Asked], Awaitable[Params]]
