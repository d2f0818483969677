"""A scripted server for tests, on the `Upstream` contract: answers from a table, remembers what was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from fanlight.errors import RpcError, UpstreamError
from fanlight.upstream.base import NotificationHandler, ProgressHandler, StateHandler, UpstreamState

__all__ = ["ScriptedUpstream"]

JSONObject = dict[str, Any]
Answer = JSONObject | Exception | Callable[[JSONObject], Awaitable[JSONObject]]


class ScriptedUpstream:
    """Answers each method with a dict, an exception, or what an async function of the params returns."""

    def __init__(self, answers: Mapping[str, Answer], capabilities: JSONObject | None = None) -> None:
        self.answers = dict(answers)
        self.asked: list[tuple[str, JSONObject]] = []
        self.server_info: JSONObject = {"name": "scripted", "version": "1"}
        self.capabilities: JSONObject = (
            {"tools": {}, "resources": {}} if capabilities is None else capabilities
        )
        self.protocol_version = "2025-11-25"
        self.closed = False
        self.state = UpstreamState.CONNECTED
        self.watched: tuple[str, ...] = ()
        self._notification_handlers: list[NotificationHandler] = []
        self._state_handlers: list[StateHandler] = []

    def on_notification(self, handler: NotificationHandler) -> None:
        self._notification_handlers.append(handler)

    def on_state(self, handler: StateHandler) -> None:
        self._state_handlers.append(handler)

    def notify(self, method: str, params: JSONObject | None = None) -> None:
        """The server says something unasked."""
        for handler in self._notification_handlers:
            handler(method, params or {})

    def enter(self, state: UpstreamState, reason: str | None = None) -> None:
        """The connection breaks, or is back."""
        self.state = state
        for handler in self._state_handlers:
            handler(state, reason)

    async def watch(self, uris: Iterable[str]) -> None:
        self.watched = tuple(sorted(uris))

    async def request(
        self,
        method: str,
        params: JSONObject | None = None,
        *,
        timeout: float | None = None,
        limit: float | None = None,
        on_progress: ProgressHandler | None = None,
    ) -> JSONObject:
        if self.closed:
            raise UpstreamError("scripted", "the connection is closed")
        given = params or {}
        self.asked.append((method, given))
        answer = self.answers.get(method)
        if answer is None:
            raise RpcError(-32601, f"Method not found: {method}")
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, dict):
            return answer
        return await asyncio.wait_for(answer(given), timeout)

    async def aclose(self, reason: str = "the connection was closed") -> None:
        self.closed = True
        self.state = UpstreamState.CLOSED
