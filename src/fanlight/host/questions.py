"""What the program asks a view: each request waits for its answer, and every wait ends."""

from __future__ import annotations

import asyncio
from typing import Any

from fanlight.errors import RpcError

__all__ = ["Questions"]


class Questions:
    """The requests to one view that have no answer yet, by their id."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._open: dict[str | int, asyncio.Future[dict[str, Any]]] = {}

    def put(self, request_id: str | int) -> asyncio.Future[dict[str, Any]]:
        """A request was sent: the future of its answer."""
        answer: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._open[request_id] = answer
        answer.add_done_callback(lambda _: self._open.pop(request_id, None))
        return answer

    def settle(self, request_id: str | int, outcome: dict[str, Any] | RpcError) -> None:
        """The view answered, refused or was too slow."""
        answer = self._open.get(request_id)
        if answer is None or answer.done():
            return
        if isinstance(outcome, RpcError):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def fail_all(self, why: RpcError) -> None:
        """The view is over: nobody answers any more."""
        for request_id in tuple(self._open):
            self.settle(request_id, why)
