"""A scripted server for tests, on the `Upstream` contract: answers from a table, remembers what was asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fanlight.errors import RpcError, UpstreamError
from fanlight.upstream.base import ProgressHandler

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

    async def request(
        self,
        method: str,
        params: JSONObject | None = None,
        *,
        timeout: float | None = None,
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

    async def aclose(self) -> None:
        self.closed = True
