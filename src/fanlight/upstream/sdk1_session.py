"""The raw path through a session of the 1.x SDK, whoever opened it.

`send_request` is the SDK's own; only the models around it are taken away, so that nothing is dropped or
refused. What the SDK does not do is done here: telling the server of a cancelled request, and noticing that
the answer to one was cut off. Both need the session's own tables, which tests/upstream pins.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any

import httpx
from mcp.client.session import ClientSession
from mcp.shared.exceptions import McpError
from mcp.types import (
    CONNECTION_CLOSED,
    CancelledNotification,
    CancelledNotificationParams,
    ClientNotification,
    ErrorData,
    JSONRPCError,
)

from fanlight.errors import RpcError

from .base import JSONObject, ProgressHandler
from .failures import first_sentence
from .link import Events, LinkDown, ResponseLost
from .subscribing import Subscribing

__all__ = ["LostAnswers", "SessionLink", "deliver", "wire"]

_CANCEL_TIMEOUT = 5.0
_CUT_OFF = "the answer was cut off"


def wire(model: Any) -> JSONObject:
    """A model of the SDK in wire form."""
    if model is None:
        return {}
    dumped: JSONObject = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped


def deliver(message: Any, events: Events) -> None:
    """Hand on what an SDK's message handler was given, if it is a notification."""
    inner = getattr(message, "root", None)
    method = getattr(inner, "method", None)
    if isinstance(method, str):
        events.notify(method, wire(inner).get("params") or {})


class _RawRequest:
    """A request as `send_request` wants it: something that dumps to method and params."""

    def __init__(self, method: str, params: JSONObject) -> None:
        self._data = {"method": method, "params": {**params, "_meta": {**(params.get("_meta") or {})}}}
        if not self._data["params"]["_meta"]:  # type: ignore[index]
            del self._data["params"]["_meta"]  # type: ignore[attr-defined]

    def model_dump(self, **_: Any) -> JSONObject:
        return self._data


class _RawResult:
    """A result type that keeps the result as it came."""

    @staticmethod
    def model_validate(result: JSONObject) -> JSONObject:
        return result


class SessionLink:
    """An initialized `ClientSession`; `greeting` is its InitializeResult where somebody kept it."""

    def __init__(self, session: ClientSession, greeting: Any = None) -> None:
        self.session = session
        known = wire(greeting)
        self.server_info: JSONObject = known.get("serverInfo", {})
        self.capabilities: JSONObject = known.get("capabilities") or wire(session.get_server_capabilities())
        self.protocol_version: str = known.get("protocolVersion", "")
        self._subscribing = Subscribing(self.request)

    async def request(
        self, method: str, params: JSONObject, on_progress: ProgressHandler | None
    ) -> JSONObject:
        session: Any = self.session
        request_id: int | None = None

        async def ask() -> JSONObject:
            nonlocal request_id
            request_id = session._request_id  # the one that send_request takes, before it first waits
            result: JSONObject = await session.send_request(
                _RawRequest(method, params), _RawResult, progress_callback=on_progress
            )
            return result

        # A task of its own, since a request may not be cancelled at every moment.
        asking = asyncio.create_task(ask())
        try:
            await asyncio.wait({asking})
        except asyncio.CancelledError:
            await self._give_up(asking, request_id)
            raise
        try:
            return asking.result()
        except McpError as error:
            raise _translated(error) from error
        except Exception as error:
            raise LinkDown(first_sentence(error)) from error

    async def _give_up(self, asking: asyncio.Task[JSONObject], request_id: int | None) -> None:
        """Nobody waits for the answer any more.

        The session's own loop takes the stream of a request out of its table and hands it the answer a moment
        later. A request that is cancelled in between closes that stream, and over this the loop ends, and
        with it the session of everybody. So one whose answer is there is left to end by itself.
        """
        asking.add_done_callback(lambda done: done.cancelled() or done.exception())
        session: Any = self.session
        if request_id is None:
            asking.cancel()  # it has not begun
        elif session._response_streams.pop(request_id, None) is not None:
            asking.cancel()
            await self._cancel(request_id)

    async def _cancel(self, request_id: int) -> None:
        params = CancelledNotificationParams(requestId=request_id, reason="caller cancelled")
        notification = ClientNotification(
            CancelledNotification(method="notifications/cancelled", params=params)
        )
        with contextlib.suppress(Exception):
            async with asyncio.timeout(_CANCEL_TIMEOUT):
                await self.session.send_notification(notification)

    async def watch(self, uris: Iterable[str]) -> None:
        if (self.capabilities.get("resources") or {}).get("subscribe"):
            await self._subscribing.to(uris)


class LostAnswers:
    """Ends requests whose event stream ended without an answer, which this SDK would wait for for ever."""

    def __init__(self) -> None:
        self.session: Any = None

    async def on_response(self, response: httpx.Response) -> None:
        """A response hook of the HTTP client."""
        streaming = response.headers.get("content-type", "").startswith("text/event-stream")
        if response.request.method == "POST" and streaming:
            assert isinstance(response.stream, httpx.AsyncByteStream)
            response.stream = _WatchedBody(response.stream, self, response.request.content)

    def stream_ended(self, request: bytes) -> None:
        with contextlib.suppress(ValueError):
            asyncio.get_running_loop().call_soon(self._give_up, json.loads(request).get("id"))

    def _give_up(self, request_id: Any) -> None:
        waiting = None if self.session is None else self.session._response_streams.get(request_id)
        if waiting is not None:
            error = ErrorData(code=CONNECTION_CLOSED, message=_CUT_OFF)
            with contextlib.suppress(Exception):
                waiting.send_nowait(JSONRPCError(jsonrpc="2.0", id=request_id, error=error))


class _WatchedBody(httpx.AsyncByteStream):
    """A body that tells when it was read to its end and cannot be resumed."""

    def __init__(self, inner: httpx.AsyncByteStream, lost: LostAnswers, request: bytes) -> None:
        self._inner = inner
        self._lost = lost
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        resumable = False  # the SDK asks again by itself where the events have ids
        try:
            async for chunk in self._inner:
                resumable = resumable or b"id:" in chunk
                yield chunk
        except Exception:
            if not resumable:
                self._lost.stream_ended(self._request)
            raise
        if not resumable:
            self._lost.stream_ended(self._request)

    async def aclose(self) -> None:
        await self._inner.aclose()


def _translated(error: McpError) -> Exception:
    # The code alone does not tell: servers use it for errors of their own.
    known = error.error
    if known.code == CONNECTION_CLOSED and known.message == "Connection closed":
        return LinkDown("the server ended the connection")
    if known.code == CONNECTION_CLOSED and known.message == _CUT_OFF:
        return ResponseLost(_CUT_OFF)
    return RpcError(known.code, known.message, known.data)
