"""``ExtAppsHandler``: answers a widget's ``ui/*`` requests with callbacks, for programs without a connection.

It has the reach of FrontMCP's ``ExtAppsMessageHandler``: the same capability flags, the same order of checks,
the same error classes and codes. It differs where that one fails its own widgets: a method that returns
nothing is answered ``{}``, and the standard method names are understood beside the camelCase ones. It awaits
the callbacks it is given and nothing else; only ``handle_request``'s caller can cancel it.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from fanlight.errors import RpcError
from fanlight.wire.jsonrpc import ErrorCode, JSONObject, JSONValue, error, is_request_id, response

from .links import link_fault

__all__ = [
    "ExtAppsContext",
    "ExtAppsError",
    "ExtAppsHandler",
    "ExtAppsInvalidParamsError",
    "ExtAppsMethodNotFoundError",
    "ExtAppsNotSupportedError",
    "ExtAppsToolNotFoundError",
]

Callback: TypeAlias = Callable[..., Awaitable[Any] | Any]

_PROTOCOL_VERSION = "2024-11-05"
_DISPLAY_MODES = ("inline", "fullscreen", "pip")
_LOG_LEVELS = ("debug", "info", "warn", "error")
#: The levels of ``notifications/message`` that FrontMCP's four do not name.
_STANDARD_LEVELS = {
    "notice": "info",
    "warning": "warn",
    "critical": "error",
    "alert": "error",
    "emergency": "error",
}
#: Capability flag → the standard capability it stands for.
_STANDARD_CAPABILITIES = {
    "serverToolProxy": "serverTools",
    "openLink": "openLinks",
    "modelContextUpdate": "updateModelContext",
    "logging": "logging",
}


class ExtAppsError(RpcError):
    """Base of what an ext-apps callback may raise; on its own it is answered as an internal error."""

    code_of_class: ClassVar[ErrorCode] = ErrorCode.INTERNAL_ERROR

    def __init__(self, message: str, data: JSONValue = None) -> None:
        super().__init__(int(self.code_of_class), message, data)


class ExtAppsMethodNotFoundError(ExtAppsError):
    """The method does not exist."""

    code_of_class = ErrorCode.METHOD_NOT_FOUND


class ExtAppsInvalidParamsError(ExtAppsError):
    """The params are not what the method needs."""

    code_of_class = ErrorCode.INVALID_PARAMS


class ExtAppsNotSupportedError(ExtAppsError):
    """The host did not advertise this, or has no callback for it."""

    code_of_class = ErrorCode.NOT_SUPPORTED


class ExtAppsToolNotFoundError(ExtAppsError):
    """There is no tool of that name; for ``call_tool`` to raise."""

    code_of_class = ErrorCode.TOOL_NOT_FOUND


@dataclass(frozen=True, kw_only=True)
class ExtAppsContext:
    """What the handler may do, as callbacks, plain or ``async``; one that is None is not supported.

    ``call_tool(name, arguments)`` returns the result; ``update_model_context(context, merge)``,
    ``open_link(url)``, ``set_display_mode(mode)``, ``close(reason)``,
    ``register_tool(name, description, input_schema)``, ``unregister_tool(name)``, ``send_message(content)``
    and ``log(level, message, data)`` return nothing that is used. Without ``log`` messages are dropped.
    """

    session_id: str
    call_tool: Callback
    update_model_context: Callback | None = None
    open_link: Callback | None = None
    set_display_mode: Callback | None = None
    close: Callback | None = None
    register_tool: Callback | None = None
    unregister_tool: Callback | None = None
    send_message: Callback | None = None
    log: Callback | None = None


@dataclass(frozen=True, kw_only=True)
class ExtAppsHandler:
    """Route one widget's requests to the callbacks of ``context``.

    ``host_capabilities`` holds the flags ``serverToolProxy``, ``openLink``, ``modelContextUpdate``,
    ``widgetTools``, ``logging`` and the list ``displayModes`` (absent: all three).
    """

    context: ExtAppsContext
    host_capabilities: JSONObject = field(default_factory=dict)
    host_info: JSONObject = field(default_factory=lambda: {"name": "fanlight", "version": "1"})
    host_context: JSONObject = field(default_factory=dict)

    def get_host_capabilities(self) -> JSONObject:
        """A shallow copy of the flags."""
        return dict(self.host_capabilities)

    async def handle_request(self, request: object) -> JSONObject | None:
        """Answer one JSON-RPC request. Never raises for what it was given or for what a callback raised.

        None is returned where JSON-RPC has no answer: to a notification, and to what is no request at all.
        """
        if not isinstance(request, dict):
            return None
        request_id: Any = request.get("id")
        try:
            result = await self._route(request.get("method"), request.get("params", {}))
            answer = response(request_id, {} if result is None else result)
        except RpcError as refusal:
            answer = error(request_id, refusal.code, refusal.message, refusal.data)
        except Exception as fault:
            answer = error(request_id, ErrorCode.INTERNAL_ERROR, str(fault) or type(fault).__name__)
        return answer if is_request_id(request_id) else None

    async def _route(self, method: object, params: object) -> Any:
        # Params are judged first: an unknown method with unusable params is told about the params.
        if not isinstance(params, dict):
            raise ExtAppsInvalidParamsError("Invalid params: expected object")
        handle = _METHODS.get(method) if isinstance(method, str) else None
        if handle is None:
            raise ExtAppsMethodNotFoundError(f"Unknown ext-apps method: {method}")
        return await handle(self, params)

    async def _initialize(self, params: JSONObject) -> JSONObject:
        flags = self.host_capabilities
        standard: JSONObject = {
            ours: {} for theirs, ours in _STANDARD_CAPABILITIES.items() if flags.get(theirs)
        }
        return {
            "protocolVersion": params.get("protocolVersion") or _PROTOCOL_VERSION,
            "hostInfo": self.host_info,
            "hostCapabilities": {**flags, **standard},
            "hostContext": self.host_context,
        }

    async def _call_tool(self, params: JSONObject) -> Any:
        self._require("serverToolProxy", "Server tool proxy not supported by host")
        name = _text(params, "name", "Tool name is required")
        return await _settled(self.context.call_tool(name, params.get("arguments", {})))

    async def _update_model_context(self, params: JSONObject) -> None:
        await self._store_context(params.get("context"), params.get("merge", True))

    async def _replace_model_context(self, params: JSONObject) -> None:
        given = {key: params[key] for key in ("content", "structuredContent") if key in params}
        await self._store_context(given, False)

    async def _store_context(self, context: JSONValue, merge: JSONValue) -> None:
        self._require("modelContextUpdate", "Model context update not advertised by host")
        store = _given(self.context.update_model_context, "Model context update not supported by host")
        await _settled(store(context, merge))

    async def _open_link(self, params: JSONObject) -> None:
        self._require("openLink", "Open link not advertised by host")
        open_link = _given(self.context.open_link, "Open link not supported by host")
        url = _text(params, "url", "URL is required")
        fault = link_fault(url)
        if fault is not None:
            raise ExtAppsInvalidParamsError(fault)
        await _settled(open_link(url))

    async def _set_display_mode(self, params: JSONObject) -> None:
        mode = params.get("mode")
        if mode not in _DISPLAY_MODES:
            raise ExtAppsInvalidParamsError("Invalid display mode. Must be inline, fullscreen, or pip")
        offered = self.host_capabilities.get("displayModes")
        if offered is not None and mode not in offered:
            raise ExtAppsNotSupportedError(f"Display mode '{mode}' not advertised by host")
        change = _given(self.context.set_display_mode, "Display mode change not supported by host")
        await _settled(change(mode))

    async def _request_display_mode(self, params: JSONObject) -> JSONObject:
        await self._set_display_mode(params)
        return {"mode": params["mode"]}

    async def _close(self, params: JSONObject) -> None:
        close = _given(self.context.close, "Widget close not supported by host")
        await _settled(close(params.get("reason")))

    async def _log(self, params: JSONObject) -> None:
        self._require("logging", "Logging not supported by host")
        message = _text(params, "message", "Log message is required")
        level = params.get("level") or "info"
        if level not in _LOG_LEVELS:
            levels = ", ".join(_LOG_LEVELS)
            raise ExtAppsInvalidParamsError(f"Invalid log level '{level}'. Must be one of: {levels}")
        await self._write_log(level, message, params.get("data"))

    async def _standard_log(self, params: JSONObject) -> None:
        self._require("logging", "Logging not supported by host")
        level, data = params.get("level"), params.get("data")
        known = _STANDARD_LEVELS.get(level, level) if isinstance(level, str) else level
        if known not in _LOG_LEVELS:
            raise ExtAppsInvalidParamsError(f"Invalid log level '{level}'")
        text, rest = (data, None) if isinstance(data, str) else ("", data)
        await self._write_log(known, text, rest)

    async def _write_log(self, level: str, message: str, data: JSONValue) -> None:
        if self.context.log is not None:
            await _settled(self.context.log(level, message, data))

    async def _register_tool(self, params: JSONObject) -> None:
        self._require("widgetTools", "Widget tools not advertised by host")
        register = _given(self.context.register_tool, "Widget tool registration not supported by host")
        name = _text(params, "name", "Tool name is required")
        description = _text(params, "description", "Tool description is required")
        schema = params.get("inputSchema")
        if not isinstance(schema, dict):
            raise ExtAppsInvalidParamsError("Tool input schema must be a non-null object")
        await _settled(register(name, description, schema))

    async def _unregister_tool(self, params: JSONObject) -> None:
        self._require("widgetTools", "Widget tools not advertised by host")
        unregister = _given(self.context.unregister_tool, "Widget tool unregistration not supported by host")
        await _settled(unregister(_text(params, "name", "Tool name is required")))

    async def _message(self, params: JSONObject) -> None:
        send = _given(self.context.send_message, "Messages not supported by host")
        content = params.get("content")
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        blocks = [content] if isinstance(content, dict) else content
        if not isinstance(blocks, list):
            raise ExtAppsInvalidParamsError("Message content is required")
        await _settled(send(blocks))

    def _require(self, capability: str, otherwise: str) -> None:
        if not self.host_capabilities.get(capability):
            raise ExtAppsNotSupportedError(otherwise)


_METHODS: dict[str, Callable[[ExtAppsHandler, JSONObject], Awaitable[Any]]] = {
    "ui/initialize": ExtAppsHandler._initialize,
    "ui/callServerTool": ExtAppsHandler._call_tool,
    "tools/call": ExtAppsHandler._call_tool,
    "ui/updateModelContext": ExtAppsHandler._update_model_context,
    "ui/update-model-context": ExtAppsHandler._replace_model_context,
    "ui/openLink": ExtAppsHandler._open_link,
    "ui/open-link": ExtAppsHandler._open_link,
    "ui/setDisplayMode": ExtAppsHandler._set_display_mode,
    "ui/request-display-mode": ExtAppsHandler._request_display_mode,
    "ui/close": ExtAppsHandler._close,
    "ui/notifications/request-teardown": ExtAppsHandler._close,
    "ui/log": ExtAppsHandler._log,
    "notifications/message": ExtAppsHandler._standard_log,
    "ui/registerTool": ExtAppsHandler._register_tool,
    "ui/unregisterTool": ExtAppsHandler._unregister_tool,
    "ui/message": ExtAppsHandler._message,
}


async def _settled(outcome: Any) -> Any:
    return await outcome if inspect.isawaitable(outcome) else outcome


def _given(callback: Callback | None, otherwise: str) -> Callback:
    if callback is None:
        raise ExtAppsNotSupportedError(otherwise)
    return callback


def _text(params: JSONObject, key: str, otherwise: str) -> str:
    value = params.get(key)
    if not isinstance(value, str) or not value:
        raise ExtAppsInvalidParamsError(otherwise)
    return value
