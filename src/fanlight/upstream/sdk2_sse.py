"""The older HTTP+SSE transport for the 2.x SDK, whose own ends at events of 1 MiB with no way to say more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from fanlight.errors import ConfigError

__all__ = ["sse_streams"]

_HEADERS = {"Accept": "text/event-stream", "Cache-Control": "no-store"}


@asynccontextmanager
async def sse_streams(
    http: httpx2.AsyncClient, url: str, *, max_event_size: int
) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of a session over HTTP+SSE: events come by one GET, messages go by POSTs."""
    async with http.stream("GET", url, headers=_HEADERS) as response:
        response.raise_for_status()
        events = aiter(httpx2.EventSource(response, max_event_size=max_event_size))
        endpoint = await _endpoint(events, url)
        arriving, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        outgoing, leaving = anyio.create_memory_object_stream[SessionMessage](0)
        async with arriving, incoming, outgoing, leaving, anyio.create_task_group() as tasks:
            tasks.start_soon(_receive, events, arriving)
            tasks.start_soon(_send, http, endpoint, leaving)
            yield incoming, outgoing
            tasks.cancel_scope.cancel()


async def _endpoint(events: AsyncIterator[httpx2.ServerSentEvent], url: str) -> str:
    """Where messages go: the first event says so, and it must stay on the server's own origin."""
    async for event in events:
        if event.event == "endpoint":
            endpoint = urljoin(url, event.data)
            here, there = urlsplit(url), urlsplit(endpoint)
            if (here.scheme, here.netloc) != (there.scheme, there.netloc):
                raise ConfigError(f"{url} sends messages to another origin, {there.scheme}://{there.netloc}")
            return endpoint
    raise ConfigError(f"{url} ended before it named the address for messages")


async def _receive(
    events: AsyncIterator[httpx2.ServerSentEvent],
    arriving: MemoryObjectSendStream[SessionMessage | Exception],
) -> None:
    async with arriving:
        try:
            async for event in events:
                if event.event == "message" and event.data:
                    message = jsonrpc_message_adapter.validate_json(event.data, by_name=False)
                    await arriving.send(SessionMessage(message))
        except (httpx2.HTTPError, ValueError, anyio.BrokenResourceError):
            return  # the closed stream tells the session; a message that is no JSON-RPC ends the talk too


async def _send(
    http: httpx2.AsyncClient, endpoint: str, leaving: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    async with leaving:
        async for item in leaving:
            body = item.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
            (await http.post(endpoint, json=body)).raise_for_status()
