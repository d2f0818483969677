"""Notice what an SDK keeps to itself: a stream ended, a session is forgotten, an answer is too large.

Both majors of the SDK have the same stream shape and the same HTTP hooks, so nothing here imports either.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from functools import partial
from typing import Any

import anyio

from .failures import TooLarge
from .limits import MAX_MESSAGE_BYTES

__all__ = ["HttpWatch", "watched"]

# The older transport is tried after these (MCP, "Backwards Compatibility" of transports).
_NO_STREAMABLE_HTTP = (400, 404, 405)
_SESSION_HEADER = "mcp-session-id"


@asynccontextmanager
async def watched(
    transport: AbstractAsyncContextManager[Any], over: Callable[[], None]
) -> AsyncIterator[tuple[Any, Any]]:
    """The transport's streams; `over` is called when the server's side ends."""
    async with transport as streams:
        yield _WatchedStream(streams[0], over), streams[1]


class _WatchedStream:
    """A receive stream that tells its end."""

    def __init__(self, inner: Any, over: Callable[[], None]) -> None:
        self._inner = inner
        self._over = over

    @property
    def last_context(self) -> Any:
        return getattr(self._inner, "last_context", None)

    async def receive(self) -> Any:
        try:
            return await self._inner.receive()
        except (anyio.EndOfStream, anyio.ClosedResourceError):
            self._over()
            raise

    def __aiter__(self) -> _WatchedStream:
        return self

    async def __anext__(self) -> Any:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> _WatchedStream:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


class HttpWatch:
    """The response hook of an SDK's HTTP client, which reads as much as the server sends."""

    def __init__(self, broke: Callable[[str], None]) -> None:
        self._broke = broke
        self._post_status: int | None = None

    @property
    def refused_streamable_http(self) -> bool:
        """Did the last message fail in the way of a server that only knows the older transport?"""
        return self._post_status in _NO_STREAMABLE_HTTP

    async def on_response(self, response: Any) -> None:
        if response.request.method == "POST":
            self._post_status = response.status_code
        # "When a client receives HTTP 404 in response to a request containing an Mcp-Session-Id, it MUST
        # start a new session": the SDK only fails the request.
        if response.status_code == 404 and _SESSION_HEADER in response.request.headers:
            self._broke("the server has forgotten this session; it was probably restarted")
        # Everything that both libraries read passes here, after its compression was taken away.
        response.aiter_bytes = partial(self._bounded, response, response.aiter_bytes)

    async def _bounded(
        self, response: Any, read: Callable[..., AsyncGenerator[bytes]], chunk_size: int | None = None
    ) -> AsyncGenerator[bytes]:
        """A body whose messages have an end: the body itself, or each event of a stream."""
        events = response.headers.get("content-type", "").startswith("text/event-stream")
        size, before = 0, b""
        async with aclosing(read(chunk_size)) as pieces:
            async for piece in pieces:
                size += len(piece)
                if events:
                    end = _end_of_events(before + piece)
                    size = size if end is None else end
                    before = piece[-3:]
                if size > MAX_MESSAGE_BYTES:
                    self._broke(f"{response.request.url} {TooLarge(MAX_MESSAGE_BYTES)}")
                    raise TooLarge(MAX_MESSAGE_BYTES)
                yield piece


def _end_of_events(text: bytes) -> int | None:
    """How many bytes follow the last blank line, which ends an event; None if there is none."""
    found = [(text.rfind(blank), blank) for blank in (b"\n\n", b"\r\r", b"\n\r\n")]
    at, blank = max(found)
    return None if at < 0 else len(text) - at - len(blank)
