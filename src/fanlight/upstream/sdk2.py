"""The door to the official `mcp` SDK, version 2.x: servers that we reach through its `Client`."""

from __future__ import annotations

import sys
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any

import httpx2
from mcp import StdioServerParameters
from mcp.client import Client, advertise
from mcp.client.stdio import get_default_environment, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import Implementation, jsonrpc_message_adapter

from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

from .base import ClientIdentity, HttpTarget, ObjectTarget, SseTarget, StdioTarget, Target
from .child import Codec, child_streams
from .failures import describe, explain
from .http_status import error_for_status
from .limits import MAX_MESSAGE_BYTES
from .link import Events, Link
from .sdk2_session import SessionLink, deliver
from .sdk2_sse import sse_streams
from .stderr import StderrTail
from .streams import HttpWatch, watched

__all__ = ["Sdk2Door"]

# Reading has no limit of its own: how long a server may be silent is decided for each request.
_HTTP_TIMEOUT = httpx2.Timeout(30.0, read=None)
_CODEC = Codec(
    encode=lambda item: item.message.model_dump_json(by_alias=True, exclude_unset=True).encode(),
    decode=lambda line: SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)),
)


class Sdk2Door:
    """The way to a target through `mcp.Client`. `mode` is the SDK's: `auto`, `legacy` or a revision."""

    def __init__(self, target: Target, identity: ClientIdentity, mode: str = "auto") -> None:
        self.starts_process = isinstance(target, StdioTarget)
        self._target = target
        self._identity = identity
        self._mode = mode

    def __str__(self) -> str:
        return describe(self._target)

    def explain(self, error: BaseException, stderr: list[str]) -> str:
        return explain(self._target, error, stderr)

    async def connect(self, stack: AsyncExitStack, events: Events, tail: StderrTail) -> Link:
        match self._target:
            case ObjectTarget(server):
                return await self._enter(stack, events, server, self._mode)
            case StdioTarget() as target:
                child = await _child(target, tail)
                return await self._enter(stack, events, self._watch(child, events), self._mode)
            case SseTarget() as target:
                return await self._over_sse(stack, events, target)
            case HttpTarget() as target:
                return await self._over_http(stack, events, target)

    async def _over_http(self, stack: AsyncExitStack, events: Events, target: HttpTarget) -> Link:
        watch = HttpWatch(events.broke)
        try:
            async with AsyncExitStack() as attempt:
                http = await attempt.enter_async_context(_http_client(target, watch))
                # The SDK kills the whole client at 1 MiB; app documents of several MiB are common.
                streams = streamable_http_client(
                    target.url, http_client=http, max_sse_event_size=MAX_MESSAGE_BYTES
                )
                link = await self._enter(attempt, events, self._watch(streams, events), self._mode)
                await stack.enter_async_context(attempt.pop_all())
                return link
        except Exception as refusal:
            if not watch.refused_streamable_http:
                raise
            try:
                return await self._over_sse(stack, events, target)
            except Exception:
                raise refusal from None  # the older transport was only a guess

    async def _over_sse(self, stack: AsyncExitStack, events: Events, target: HttpTarget) -> Link:
        http = await stack.enter_async_context(_http_client(target, HttpWatch(events.broke)))
        streams = sse_streams(http, target.url, max_event_size=MAX_MESSAGE_BYTES)
        # This transport is older than every revision that could be discovered.
        return await self._enter(stack, events, self._watch(streams, events), "legacy")

    def _watch(
        self, transport: AbstractAsyncContextManager[Any], events: Events
    ) -> AbstractAsyncContextManager[Any]:
        return watched(transport, lambda: events.broke(f"{self} ended the connection"))

    async def _enter(self, stack: AsyncExitStack, events: Events, source: Any, mode: str) -> Link:
        async def on_message(message: Any) -> None:
            deliver(message, events)

        client = Client(
            source,
            mode=mode,
            # R11, R12: negotiated in every era that the SDK speaks.
            extensions=[advertise(EXTENSION_ID, {"mimeTypes": [MIME_TYPE]})],
            client_info=Implementation(name=self._identity.name, version=self._identity.version),
            message_handler=on_message,
            cache=None,
        )
        await stack.enter_async_context(client)
        link = SessionLink(client.session, events)
        stack.push_async_callback(link.aclose)
        return await link.begin()


async def _child(target: StdioTarget, tail: StderrTail) -> AbstractAsyncContextManager[Any]:
    errors = await tail.open()
    if sys.platform != "win32":
        return child_streams(target, get_default_environment(), errors, _CODEC)
    parameters = StdioServerParameters(
        command=target.command, args=list(target.args), env=target.env, cwd=target.cwd
    )
    return stdio_client(parameters, errlog=errors)


class _StatusClient(httpx2.AsyncClient):
    """Says the status of a refused message, after authentication has had its say."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        response = await super().send(request, **options)
        error = await error_for_status(response)
        if error is None:
            return response
        await response.aclose()
        return httpx2.Response(
            response.status_code,
            headers={"content-type": "application/json"},
            content=error,
            request=response.request,
        )


def _http_client(target: HttpTarget, watch: HttpWatch) -> httpx2.AsyncClient:
    return _StatusClient(
        headers=target.headers,
        auth=target.auth,
        timeout=_HTTP_TIMEOUT,
        event_hooks={"response": [watch.on_response]},
    )
