"""The raw path through a session of the 2.x SDK, whoever opened it.

The SDK's typed calls drop unknown fields, refuse unknown content blocks and validate output schemas on the
way; an app is owed what its server sent. Below them are the session's envelope stamp and its dispatcher,
which this file uses; tests/upstream pins that they are there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mcp import MCPError
from mcp.client.session import ClientSession
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    find_invalid_x_mcp_header,
    x_mcp_header_map,
)
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import CLIENT_CAPABILITIES_META_KEY, CONNECTION_CLOSED
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from fanlight.errors import RpcError
from fanlight.wire.jsonrpc import ErrorCode
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

from .base import JSONObject, ProgressHandler
from .failures import first_sentence
from .limits import MAX_NAME_BYTES
from .link import Events, LinkDown, ResponseLost
from .sdk2_changes import Changes
from .subscribing import Subscribing

__all__ = ["SessionLink", "deliver", "wire"]

# Those that repeat nothing of the params.
_OWN_HEADERS = (MCP_METHOD_HEADER, MCP_PROTOCOL_VERSION_HEADER)


def wire(model: Any) -> JSONObject:
    """A model of the SDK in wire form."""
    if model is None:
        return {}
    dumped: JSONObject = model.model_dump(by_alias=True, mode="json", exclude_none=True)
    return dumped


def deliver(message: Any, events: Events) -> None:
    """Hand on what an SDK's message handler was given, unless a subscription brings it too."""
    method = getattr(message, "method", None)
    if not isinstance(method, str):
        return
    params = wire(message).get("params") or {}
    if SUBSCRIPTION_ID_META_KEY not in (params.get("_meta") or {}):
        events.notify(method, params)


class SessionLink:
    """A negotiated `ClientSession`, in either era."""

    def __init__(self, session: ClientSession, events: Events) -> None:
        self._session = session
        self._events = events
        self._modern = session.protocol_version in MODERN_PROTOCOL_VERSIONS
        self.server_info = wire(session.server_info)
        self.capabilities = wire(session.server_capabilities)
        self.protocol_version = session.protocol_version or ""
        self._watched: frozenset[str] = frozenset()
        self._changes: Changes | None = None  # of the modern era
        self._subscribing = Subscribing(self.request)

    async def begin(self) -> SessionLink:
        """Learn what is not known yet, and listen; for a session in use."""
        if self._modern and not self.capabilities:
            # A client that was pinned to a revision has never asked.
            self.capabilities = (await self.request("server/discover", {}, None)).get("capabilities") or {}
        if self._modern:
            self._changes = Changes(self._session, self._events, self.capabilities)
            await self._changes.begin()
        return self

    async def request(
        self, method: str, params: JSONObject, on_progress: ProgressHandler | None
    ) -> JSONObject:
        # Copied as deep as the stamp writes.
        data: JSONObject = {"method": method, "params": {**params, "_meta": {**(params.get("_meta") or {})}}}
        options: dict[str, Any] = {} if on_progress is None else {"on_progress": on_progress}
        self._session._stamp(data, options)  # type: ignore[arg-type]
        self._check_headers(method, data["params"], options.get("headers") or {})
        self._advertise(data["params"]["_meta"])
        try:
            result = await self._session._dispatcher.send_raw_request(method, data["params"], options)  # type: ignore[arg-type]
        except MCPError as error:
            raise _translated(error) from error
        except Exception as error:
            raise LinkDown(first_sentence(error)) from error
        if self._modern and method == "tools/list":
            self._learn_headers(result)
        return result

    def _check_headers(self, method: str, params: JSONObject, headers: dict[str, str]) -> None:
        """Refuse what makes headers that servers hang up on: that breaks the connection of everybody.

        The modern revision repeats names, addresses and some arguments as headers. Asked of every transport
        alike, so that an app that works in process works over HTTP.
        """
        if sum(map(len, headers.values())) <= MAX_NAME_BYTES:
            return
        repeated = {name: value for name, value in headers.items() if name not in _OWN_HEADERS}
        if sum(map(len, repeated.values())) <= MAX_NAME_BYTES:
            return
        header, value = max(repeated.items(), key=lambda pair: len(pair[1]))
        field = self._field_of(header, method, params)
        sentence = (
            f"{field} makes an HTTP header of {len(value)} bytes; all of them may have {MAX_NAME_BYTES}"
        )
        raise RpcError(ErrorCode.INVALID_PARAMS, f"{method}: {sentence}")

    def _field_of(self, header: str, method: str, params: JSONObject) -> str:
        """Which field of the params this header repeats."""
        if header == MCP_NAME_HEADER:
            return NAME_BEARING_METHODS[method]
        asked = self._session._x_mcp_header_maps.get(str(params.get("name")), {})
        paths = (path for path, token in asked.items() if header.endswith(f"-{token}"))
        return ".".join(("arguments", *next(paths, ())))

    def _advertise(self, meta: JSONObject) -> None:
        """Modern capabilities travel with each request, also through a session that we did not open."""
        capabilities = meta.get(CLIENT_CAPABILITIES_META_KEY)
        if isinstance(capabilities, dict) and EXTENSION_ID not in (capabilities.get("extensions") or {}):
            extensions = {**(capabilities.get("extensions") or {}), EXTENSION_ID: {"mimeTypes": [MIME_TYPE]}}
            meta[CLIENT_CAPABILITIES_META_KEY] = {**capabilities, "extensions": extensions}

    def _learn_headers(self, result: JSONObject) -> None:
        """Which arguments a tool wants as HTTP headers; tools that ask for impossible ones are dropped.

        The modern revision demands both of clients, and the SDK does them only in its typed listing.
        """
        tools = result.get("tools")
        if not isinstance(tools, list):
            return
        usable = [tool for tool in tools if find_invalid_x_mcp_header(_schema(tool)) is None]
        for tool in usable:
            self._session._x_mcp_header_maps[str(tool.get("name"))] = x_mcp_header_map(_schema(tool))
        result["tools"] = usable

    # Changes

    async def watch(self, uris: Iterable[str]) -> None:
        wanted = frozenset(uris)
        if not (self.capabilities.get("resources") or {}).get("subscribe"):
            return
        if self._changes is None:
            await self._subscribing.to(wanted)
        elif wanted != self._watched:
            self._watched = wanted
            self._changes.watch(wanted)

    async def aclose(self) -> None:
        if self._changes is not None:
            await self._changes.aclose()


def _schema(tool: Any) -> JSONObject:
    schema = tool.get("inputSchema") if isinstance(tool, dict) else None
    return schema if isinstance(schema, dict) else {}


def _translated(error: MCPError) -> Exception:
    # The code alone does not tell: servers use it for errors of their own.
    message = error.error.message
    if error.error.code == CONNECTION_CLOSED and message == "Connection closed":
        return LinkDown("the server ended the connection")
    if error.error.code == CONNECTION_CLOSED and message.startswith("SSE stream"):
        return ResponseLost(f"the answer was cut off ({message})")
    return RpcError(error.error.code, message, error.error.data)
