"""The door to the official `mcp` SDK, version 1.x: servers that we reach through its `ClientSession`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

import anyio
import httpx
from mcp import StdioServerParameters
from mcp.client.session import ClientSession
from mcp.client.sse import sse_client
from mcp.client.stdio import get_default_environment, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_client_server_memory_streams
from mcp.shared.message import SessionMessage
from mcp.types import Implementation, InitializeRequest, JSONRPCMessage

from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

from .base import ClientIdentity, HttpTarget, ObjectTarget, SseTarget, StdioTarget, Target
from .child import Codec, child_streams
from .failures import describe, explain
from .http_status import error_for_status
from .link import Events, Link
from .sdk1_session import LostAnswers, SessionLink, deliver
from .stderr import StderrTail
from .streams import HttpWatch, watched

__all__ = ["Sdk1Door"]

# Reading has no limit of its own: how long a server may be silent is decided for each request.
_HTTP_TIMEOUT = httpx.Timeout(30.0, read=None)
_CODEC = Codec(
    encode=lambda item: item.message.model_dump_json(by_alias=True, exclude_none=True).encode(),
    decode=lambda line: SessionMessage(JSONRPCMessage.model_validate_json(line)),
)


class _AppsSession(ClientSession):
    """Advertises the extension (R11), for which this SDK has no argument."""

    async def send_request(self, request: Any, *args: Any, **options: Any) -> Any:
        inner = getattr(request, "root", None)
        if isinstance(inner, InitializeRequest):
            extensions = {EXTENSION_ID: {"mimeTypes": [MIME_TYPE]}}
            inner.params.capabilities = inner.params.capabilities.model_copy(
                update={"extensions": extensions}
            )
        return await super().send_request(request, *args, **options)


class Sdk1Door:
    """The way to a target through `mcp.ClientSession`."""

    def __init__(self, target: Target, identity: ClientIdentity) -> None:
        self.starts_process = isinstance(target, StdioTarget)
        self._target = target
        self._identity = identity

    def __str__(self) -> str:
        return describe(self._target)

    def explain(self, error: BaseException, stderr: list[str]) -> str:
        return explain(self._target, error, stderr)

    async def connect(self, stack: AsyncExitStack, events: Events, tail: StderrTail) -> Link:
        match self._target:
            case ObjectTarget(server):
                return await self._enter(stack, events, _in_process(server))
            case StdioTarget() as target:
                return await self._enter(stack, events, await _child(target, tail))
            case SseTarget() as target:
                return await self._over_sse(stack, events, target)
            case HttpTarget() as target:
                return await self._over_http(stack, events, target)

    async def _over_http(self, stack: AsyncExitStack, events: Events, target: HttpTarget) -> Link:
        watch, lost = HttpWatch(events.broke), LostAnswers()
        try:
            async with AsyncExitStack() as attempt:
                http = await attempt.enter_async_context(
                    _http_client(target.headers, target.auth, [watch.on_response, lost.on_response])
                )
                streams = streamable_http_client(target.url, http_client=http)
                link = await self._enter(attempt, events, streams)
                lost.session = link.session
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
        def factory(headers: Any = None, timeout: Any = None, auth: Any = None) -> httpx.AsyncClient:
            return _http_client(headers, auth, [HttpWatch(events.broke).on_response])

        streams = sse_client(
            target.url, headers=target.headers, auth=target.auth, httpx_client_factory=factory
        )
        return await self._enter(stack, events, streams)

    async def _enter(
        self, stack: AsyncExitStack, events: Events, transport: AbstractAsyncContextManager[Any]
    ) -> SessionLink:
        async def on_message(message: Any) -> None:
            deliver(message, events)

        over = watched(transport, lambda: events.broke(f"{self} ended the connection"))
        read, write = await stack.enter_async_context(over)
        identity = Implementation(name=self._identity.name, version=self._identity.version)
        session = _AppsSession(read, write, message_handler=on_message, client_info=identity)
        await stack.enter_async_context(session)
        return SessionLink(session, await session.initialize())


async def _child(target: StdioTarget, tail: StderrTail) -> AbstractAsyncContextManager[Any]:
    errors = await tail.open()
    if sys.platform != "win32":
        return child_streams(target, get_default_environment(), errors, _CODEC)
    parameters = StdioServerParameters(
        command=target.command, args=list(target.args), env=target.env, cwd=target.cwd
    )
    return stdio_client(parameters, errlog=errors)


@asynccontextmanager
async def _in_process(server: Any) -> AsyncIterator[Any]:
    """The client's streams to a server object: a FastMCP of this SDK, or a low-level Server."""
    lowlevel = getattr(server, "_mcp_server", server)
    async with (
        create_client_server_memory_streams() as (client, server_streams),
        anyio.create_task_group() as tasks,
    ):
        tasks.start_soon(lowlevel.run, *server_streams, lowlevel.create_initialization_options())
        yield client
        tasks.cancel_scope.cancel()


class _StatusClient(httpx.AsyncClient):
    """Says the status of a refused message, after authentication has had its say."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        response = await super().send(request, **options)
        error = await error_for_status(response)
        if error is None:
            return response
        await response.aclose()
        # As an answer: for any other status this SDK ends the session, and with it what everybody asked for.
        return httpx.Response(
            200, headers={"content-type": "application/json"}, content=error, request=response.request
        )


def _http_client(headers: Any, auth: Any, hooks: list[Any]) -> httpx.AsyncClient:
    return _StatusClient(headers=headers, auth=auth, timeout=_HTTP_TIMEOUT, event_hooks={"response": hooks})
