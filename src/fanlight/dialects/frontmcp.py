"""FrontMCP widgets: camelCase methods, boolean capabilities, and a view that answers nothing it is asked.

Both generations are covered: the seed-era adapter (``ui/callServerTool``, no ``initialized``) and the
generated bridge of 2026 (``tools/call``, the rest camelCase). FrontMCP rejects a call whose answer has no
``result`` and treats every other answer as success, so void calls are answered ``{}`` and a refusal in the
form of a result becomes an error.
"""

from __future__ import annotations

import json

from fanlight.wire.jsonrpc import ErrorCode, JSONObject, Request, error, notification, response
from fanlight.wire.versions import LATEST

from .base import (
    Dialect,
    Memory,
    Rule,
    Said,
    as_notification,
    object_in,
    params_of,
    renamed,
    size_changed,
    viewport_of,
    with_params,
)

__all__ = ["DIALECT", "MAX_TOOLS", "text_message"]

#: Draft of the Apps specification, app-provided tools: at most 50 for each view.
MAX_TOOLS = 50

_PROTOCOL_VERSION = "2024-11-05"
_TOOLS = {"listChanged": False}
_CAPABILITIES = {
    "openLinks": "openLink",
    "serverTools": "serverToolProxy",
    "updateModelContext": "modelContextUpdate",
}
_CONTEXT_NAMES = {"timeZone": "timezone", "safeAreaInsets": "safeArea"}
_LEVELS = {"debug": "debug", "info": "info", "warn": "warning", "error": "error"}


def _recognise(params: JSONObject) -> tuple[str, str] | None:
    name = object_in(params, "appInfo").get("name")
    capabilities = object_in(params, "appCapabilities")
    if isinstance(name, str) and name.startswith("FrontMCP"):
        return "appInfo.name FrontMCP", "the methods of MCP Apps"
    if "supportsPartialInput" in capabilities:
        return "appCapabilities.supportsPartialInput", "ui/notifications/tool-input-partial for every view"
    # The version alone is a core MCP revision that anybody may copy; with this capability it is theirs.
    if params.get("protocolVersion") == _PROTOCOL_VERSION and capabilities.get("tools") == _TOOLS:
        return f"protocolVersion {_PROTOCOL_VERSION}", f"protocolVersion {LATEST}"
    return None


def _opening(params: JSONObject) -> JSONObject:
    # It says listChanged false and registers tools all the same; the translator announces them.
    capabilities = {**object_in(params, "appCapabilities"), "tools": {"listChanged": True}}
    defaults = {"appInfo": {"name": "FrontMCP Widget", "version": "0"}, "protocolVersion": _PROTOCOL_VERSION}
    return {**defaults, **params, "appCapabilities": capabilities}


def _welcome(memory: Memory, result: JSONObject) -> JSONObject:
    # Its TypeScript adapter never says `initialized`; it listens before it shakes hands, so it is ready now.
    memory.initialized_for_view = True
    memory.to_host.append(notification("ui/notifications/initialized", {}))
    canonical = object_in(result, "hostCapabilities")
    capabilities: JSONObject = {**canonical, "widgetTools": True}
    capabilities.update({theirs: True for ours, theirs in _CAPABILITIES.items() if ours in canonical})
    context = object_in(result, "hostContext")
    if "availableDisplayModes" in context:
        capabilities["displayModes"] = context["availableDisplayModes"]
    return {**result, "hostCapabilities": capabilities, "hostContext": _context(context)}


def _context(context: JSONObject) -> JSONObject:
    extra = {theirs: context[ours] for ours, theirs in _CONTEXT_NAMES.items() if ours in context}
    return {**viewport_of(context), **extra}


def _outbound(memory: Memory, message: JSONObject) -> list[JSONObject]:
    if "id" in message:
        memory.to_host.append(_answer_for_view(memory, message))
        return []
    params = params_of(message)
    if message["method"] == "ui/notifications/tool-cancelled":
        return [message, notification("ui/notifications/cancelled", params)]
    if message["method"] == "ui/notifications/host-context-changed":
        return [with_params(message, _context(params))]
    return [message]


def _answer_for_view(memory: Memory, message: JSONObject) -> JSONObject:
    """FrontMCP widgets drop every request: it is answered here at once instead of running into a deadline."""
    request_id = message["id"]
    if message["method"] == "ui/resource-teardown":
        return response(request_id, {})
    if message["method"] == "tools/list":
        return response(request_id, {"tools": list(memory.tools.values())})
    if message["method"] == "tools/call":
        name = params_of(message).get("name")
        if isinstance(name, str) and name in memory.tools:
            reason = "FrontMCP widgets register tools but have no way to run them"
            return error(request_id, ErrorCode.NOT_SUPPORTED, reason)
        return error(request_id, ErrorCode.TOOL_NOT_FOUND, "The widget registered no tool of that name")
    return error(request_id, ErrorCode.METHOD_NOT_FOUND, "FrontMCP widgets answer no requests")


def text_message(memory: Memory, said: Said, text: str) -> list[JSONObject]:
    """``ui/message {content: "…"}`` with the role and the content block that it lacks."""
    memory.await_answer(said, "void", method="ui/message")
    params = {"role": "user", **said.params, "content": [{"type": "text", "text": text}]}
    return [renamed(said, "ui/message", params)]


def _call_server_tool(memory: Memory, said: Said) -> list[JSONObject]:
    return [renamed(said, "tools/call", {"arguments": {}, **said.params})]


def _open_link(memory: Memory, said: Said) -> list[JSONObject]:
    memory.await_answer(said, "void", method="ui/open-link")
    return [renamed(said, "ui/open-link")]


def _set_display_mode(memory: Memory, said: Said) -> list[JSONObject]:
    memory.await_answer(said, "mode", mode=said.params.get("mode"))
    return [renamed(said, "ui/request-display-mode")]


def _update_model_context(memory: Memory, said: Said) -> list[JSONObject]:
    """The canonical update replaces, FrontMCP's merges shallowly: the translator keeps what was accepted."""
    given = said.params.get("context")
    if not isinstance(given, dict):
        text = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
        memory.await_answer(said, "context", context={}, number=memory.take_number())
        return [renamed(said, "ui/update-model-context", {"content": [{"type": "text", "text": text}]})]
    merged = {**_latest_context(memory), **given} if said.params.get("merge", True) else given
    memory.await_answer(said, "context", context=merged, number=memory.take_number())
    return [renamed(said, "ui/update-model-context", {"structuredContent": merged})]


def _latest_context(memory: Memory) -> JSONObject:
    """What the newest update carried: one still under way if there is one, else the one accepted last."""
    for entry in reversed(memory.awaited.values()):
        if entry["as"] == "context":
            under_way: JSONObject = entry["context"]
            return under_way
    return memory.model_context or {}


def _close(memory: Memory, said: Said) -> list[JSONObject]:
    return as_notification(memory, said, "ui/notifications/request-teardown", {})


def _log(memory: Memory, said: Said) -> list[JSONObject]:
    text, data = said.params.get("message"), said.params.get("data")
    if not isinstance(text, str) or not text:
        return _refuse(memory, said, "Log message is required")
    level = said.params.get("level")
    params: JSONObject = {
        "level": _LEVELS.get(level, "info") if isinstance(level, str) else "info",
        "logger": "FrontMCP",
        "data": text if data is None else {"message": text, "data": data},
    }
    return as_notification(memory, said, "notifications/message", params)


def _register_tool(memory: Memory, said: Said) -> list[JSONObject]:
    name, description, schema = (said.params.get(key) for key in ("name", "description", "inputSchema"))
    if not isinstance(name, str) or not name:
        return _refuse(memory, said, "Tool name is required")
    if not isinstance(description, str) or not description:
        return _refuse(memory, said, "Tool description is required")
    if not isinstance(schema, dict):
        return _refuse(memory, said, "Tool input schema must be a non-null object")
    if name not in memory.tools and len(memory.tools) >= MAX_TOOLS:
        return _refuse(
            memory, said, f"A view may register at most {MAX_TOOLS} tools", ErrorCode.NOT_SUPPORTED
        )
    memory.tools[name] = {"name": name, "description": description, "inputSchema": schema}
    return as_notification(memory, said, "notifications/tools/list_changed", {})


def _unregister_tool(memory: Memory, said: Said) -> list[JSONObject]:
    name = said.params.get("name")
    if not isinstance(name, str) or not name:
        return _refuse(memory, said, "Tool name is required")
    known = memory.tools.pop(name, None) is not None
    sent = as_notification(memory, said, "notifications/tools/list_changed", {})
    return sent if known else []


def _refuse(
    memory: Memory, said: Said, reason: str, code: ErrorCode = ErrorCode.INVALID_PARAMS
) -> list[JSONObject]:
    if isinstance(said, Request):
        memory.to_view.append(error(said.id, code, reason))
    return []


def _void_answer(memory: Memory, entry: JSONObject, message: JSONObject) -> list[JSONObject]:
    if "error" in message:
        return [message]
    if object_in(message, "result").get("isError") is True:
        return [error(message["id"], ErrorCode.DENIED, f"The host declined {entry['method']}")]
    return [response(message["id"], {})]


def _mode_answer(memory: Memory, entry: JSONObject, message: JSONObject) -> list[JSONObject]:
    granted = object_in(message, "result").get("mode")
    if "error" in message or granted == entry["mode"]:
        return [message if "error" in message else response(message["id"], {})]
    # The widget believes in the mode it asked for unless the call fails.
    return [error(message["id"], ErrorCode.NOT_SUPPORTED, "The host did not grant that display mode")]


def _context_answer(memory: Memory, entry: JSONObject, message: JSONObject) -> list[JSONObject]:
    if "error" in message:
        return [message]
    if entry["number"] > memory.model_context_number:
        memory.model_context, memory.model_context_number = entry["context"], entry["number"]
    return [response(message["id"], {})]


DIALECT = Dialect(
    name="frontmcp",
    summary="FrontMCP widgets: ui/callServerTool, ui/openLink, ui/setSize … and boolean capabilities",
    remedy="Use the MCP Apps method names, which every host understands.",
    rules=(
        Rule("ui/callServerTool", "tools/call", _call_server_tool),
        Rule("ui/updateModelContext", "ui/update-model-context", _update_model_context),
        Rule("ui/openLink", "ui/open-link", _open_link),
        Rule("ui/setDisplayMode", "ui/request-display-mode", _set_display_mode),
        Rule("ui/setSize", "ui/notifications/size-changed", size_changed),
        Rule("ui/close", "ui/notifications/request-teardown", _close),
        Rule("ui/log", "notifications/message", _log),
        Rule("ui/registerTool", "notifications/tools/list_changed", _register_tool),
        Rule("ui/unregisterTool", "notifications/tools/list_changed", _unregister_tool),
    ),
    answers={"void": _void_answer, "mode": _mode_answer, "context": _context_answer},
    recognise=_recognise,
    opening=_opening,
    welcome=_welcome,
    outbound=_outbound,
)
