"""The door to the official `mcp` SDK, version 2.x: the only file of this room that imports it.

A client of the SDK must be entered and left by the same task, so each connection has one owner task
that lives until `aclose()`; requests come from any task.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from mcp import MCPError, StdioServerParameters
from mcp.client import Client, advertise
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.server.mcpserver import MCPServer
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp_types import Implementation

from fanlight.errors import ConfigError, RpcError, UpstreamError
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

from .base import (
    ClientIdentity,
    HttpTarget,
    JSONObject,
    NotificationHandler,
    ObjectTarget,
    ProgressHandler,
    StdioTarget,
    Target,
)
from .stderr import StderrTail

__all__ = ["Sdk2Upstream", "is_server_object"]

# The SDK kills the whole client at 1 MiB per event; app documents of several MiB are common.
_MAX_EVENT_BYTES = 64 << 20
_CLOSE_TIMEOUT = 10.0


def is_server_object(value: object) -> bool:
    """Can this object be served in process by the SDK?"""
    return isinstance(value, MCPServer | Server)


class Sdk2Upstream:
    """One server, reached through `mcp.client.Client` of SDK 2.x."""

    def __init__(self, name: str, target: Target, identity: ClientIdentity) -> None:
        self._name = name
        self._target = target
        self._identity = identity
        self._client: Client | None = None
        self._stop = asyncio.Event()
        self._owner: asyncio.Task[None] | None = None
        self._handlers: list[NotificationHandler] = []

    @property
    def server_info(self) -> JSONObject:
        info = self._connected().server_info
        return {} if info is None else _wire(info)

    @property
    def capabilities(self) -> JSONObject:
        return _wire(self._connected().server_capabilities)

    @property
    def protocol_version(self) -> str:
        return self._connected().protocol_version

    def on_notification(self, handler: NotificationHandler) -> None:
        """Call `handler(method, params)` for each notification of the server."""
        self._handlers.append(handler)

    async def open(self, timeout: float) -> None:
        """Connect, or raise UpstreamError with a sentence that says why it did not work."""
        ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._owner = asyncio.create_task(self._own(ready), name=f"fanlight-upstream-{self._name}")
        try:
            await asyncio.wait_for(asyncio.shield(ready), timeout)
        except TimeoutError:
            await self.aclose()
            message = f"{_describe(self._target)} did not answer within {timeout:g} s"
            raise UpstreamError(self._name, message) from None
        except BaseException:
            await self.aclose()
            raise

    async def _own(self, ready: asyncio.Future[None]) -> None:
        tail = StderrTail()
        try:
            async with AsyncExitStack() as stack:
                stack.push_async_callback(tail.aclose)
                try:
                    source = await self._source(stack, tail)
                    self._client = await stack.enter_async_context(self._make_client(source))
                except Exception as error:
                    message = _connect_failure(self._target, error, await tail.tail())
                    if not ready.done():
                        ready.set_exception(UpstreamError(self._name, message))
                    return
                ready.set_result(None)
                await self._stop.wait()
        except Exception as error:  # the transport broke while it was ours; requests have failed already
            if not ready.done():
                ready.set_exception(UpstreamError(self._name, _first_sentence(error)))
        finally:
            self._client = None
            if not ready.done():
                ready.set_exception(UpstreamError(self._name, "the connection was closed while it opened"))
                ready.exception()

    async def _source(self, stack: AsyncExitStack, tail: StderrTail) -> Any:
        match self._target:
            case ObjectTarget(server):
                if not is_server_object(server):
                    raise ConfigError(
                        f"{type(server).__name__} is not an MCP server of the installed mcp package; "
                        "give an mcp.server.MCPServer or mcp.server.Server object"
                    )
                return server
            case StdioTarget(command, args, env, cwd):
                parameters = StdioServerParameters(command=command, args=list(args), env=env, cwd=cwd)
                return stdio_client(parameters, errlog=await tail.open())
            case HttpTarget(url, headers):
                http = (
                    await stack.enter_async_context(create_mcp_http_client(headers=headers))
                    if headers
                    else None
                )
                return streamable_http_client(url, http_client=http, max_sse_event_size=_MAX_EVENT_BYTES)

    def _make_client(self, source: Any) -> Client:
        return Client(
            source,
            # R11, R12: negotiated in every era that the SDK speaks.
            extensions=[advertise(EXTENSION_ID, {"mimeTypes": [MIME_TYPE]})],
            client_info=Implementation(name=self._identity.name, version=self._identity.version),
            message_handler=self._on_message,
            cache=None,
        )

    async def _on_message(self, message: Any) -> None:
        method = getattr(message, "method", None)
        if not isinstance(method, str):
            return
        data = _wire(message)
        for handler in self._handlers:
            handler(method, data.get("params") or {})

    async def request(
        self,
        method: str,
        params: JSONObject | None = None,
        *,
        timeout: float | None = None,
        on_progress: ProgressHandler | None = None,
    ) -> JSONObject:
        session = self._connected().session
        data: dict[str, Any] = {"method": method, "params": dict(params or {})}
        options: dict[str, Any] = {}
        # The SDK's typed calls drop unknown fields, refuse unknown content blocks and validate output
        # schemas on the way; an app is owed what its server sent. The session's own envelope stamp and
        # dispatcher are the raw path underneath (pinned by tests/upstream/test_sdk2.py).
        session._stamp(data, options)  # type: ignore[arg-type]
        if timeout is not None:
            options["timeout"] = timeout
        if on_progress is not None:
            options["on_progress"] = on_progress
        try:
            return await session._dispatcher.send_raw_request(method, data.get("params"), options)  # type: ignore[arg-type]
        except MCPError as error:
            raise RpcError(error.error.code, error.error.message, error.error.data) from error
        except Exception as error:
            raise UpstreamError(self._name, _first_sentence(error)) from error

    async def aclose(self) -> None:
        self._stop.set()
        owner, self._owner = self._owner, None
        if owner is None:
            return
        done, _ = await asyncio.wait({owner}, timeout=_CLOSE_TIMEOUT)
        if not done:
            owner.cancel()
            await asyncio.gather(owner, return_exceptions=True)

    def _connected(self) -> Client:
        if self._client is None:
            raise UpstreamError(self._name, "the connection is closed")
        return self._client


def _wire(model: Any) -> JSONObject:
    dumped: JSONObject = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped


def _describe(target: Target) -> str:
    match target:
        case HttpTarget(url, _):
            return url
        case StdioTarget():
            return f"command `{target}`"
        case ObjectTarget(server):
            return f"the {type(server).__name__} object"


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _first_sentence(error: BaseException) -> str:
    leaf = _leaf(error)
    text = str(leaf).strip().splitlines()
    return text[0] if text else type(leaf).__name__


def _connect_failure(target: Target, error: BaseException, stderr: list[str]) -> str:
    leaf = _leaf(error)
    where = _describe(target)
    if isinstance(leaf, ConfigError):
        return str(leaf)
    if isinstance(leaf, FileNotFoundError) and isinstance(target, StdioTarget):
        return f"there is no command {target.command!r}; is it installed and on PATH?"
    if isinstance(leaf, PermissionError) and isinstance(target, StdioTarget):
        return f"{target.command!r} may not be executed: {leaf.strerror}"
    if type(leaf).__name__ == "ConnectError":
        return f"{where} refused the connection; is the server running there?"
    if isinstance(target, StdioTarget):
        said = f"; it said: {' | '.join(stderr[-3:])}" if stderr else " and wrote nothing to standard error"
        return f"{where} ended or did not speak MCP ({_first_sentence(error)}){said}"
    return f"{where} did not answer as an MCP server: {_first_sentence(error)}"
