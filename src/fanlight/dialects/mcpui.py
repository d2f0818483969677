"""Legacy mcp-ui: bare ``{type, payload, messageId}`` objects instead of JSON-RPC, and no handshake.

Every name was checked against the published @mcp-ui packages: client 5.6.2, 5.9.0, 5.17.3 and 6.0.0, server
5.16.3 and 6.1.0, and the ``ui-action-*`` replies of client 5.3.1 and server 5.2.0. Replies carry what each of
these looks for. The handshake is made up when the view first speaks; tool input, tool result and host
context become render data. A view that shook hands in JSON-RPC may still use single actions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from fanlight.wire.jsonrpc import ErrorCode, JSONObject, error, notification, request, response
from fanlight.wire.versions import LATEST

from .base import Dialect, Memory, object_in, params_of, size_in

__all__ = ["DIALECT", "inbound", "missed_messages"]

_RENDER_DATA = "ui-lifecycle-iframe-render-data"
_CONTEXT_NAMES = ("theme", "displayMode", "locale")
_VIEW_INFO = {"name": "mcp-ui view", "version": "0"}


def inbound(memory: Memory, message: JSONObject) -> list[JSONObject] | None:
    """Translate one legacy message; None when it is not one, or lacks what its type needs."""
    kind = message.get("type")
    entry = _TYPES.get(kind) if isinstance(kind, str) else None
    if entry is None:
        return None
    canonical, translate = entry
    said = translate(memory, message.get("messageId"), object_in(message, "payload"))
    if said is None:
        return None
    memory.warn(DIALECT.name, str(kind), canonical, DIALECT.remedy)
    asked_by = message.get("messageId") if translate is _request_render_data else None
    return [*_made_up_handshake(memory, asked_by), *said]


def missed_messages(memory: Memory) -> list[JSONObject]:
    """What a view that turns out to speak MCP Apps was told as render data only."""
    missed: list[JSONObject] = []
    if "toolInput" in memory.render_data:
        arguments = {"arguments": memory.render_data["toolInput"]}
        missed.append(notification("ui/notifications/tool-input", arguments))
    if "toolOutput" in memory.render_data:
        missed.append(notification("ui/notifications/tool-result", memory.render_data["toolOutput"]))
    return missed


def _made_up_handshake(memory: Memory, asked_by: Any) -> list[JSONObject]:
    """``asked_by`` is the message that asked for render data: the host's welcome is the first there is."""
    if memory.handshake != "none":
        return []
    memory.adopt(DIALECT.name)
    memory.handshake = "made-up"
    request_id = f"mcp-ui-{memory.take_number()}"
    memory.await_id(request_id, "mcp-ui-welcome", **_identified(asked_by))
    params = {"appInfo": _VIEW_INFO, "appCapabilities": {}, "protocolVersion": LATEST}
    return [
        request(request_id, "ui/initialize", params),
        notification("ui/notifications/initialized", {}),
    ]


# View → host. Each takes the message id (any JSON value) and the payload.


def _ready(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject]:
    return _request_render_data(memory, None, payload)


def _request_render_data(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject]:
    # Before the handshake there is none yet; a view that shook hands itself is told in MCP Apps.
    if memory.handshake == "made-up":
        memory.to_view.append(_render_data(memory, message_id))
    return []


def _size_change(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject] | None:
    size = size_in(payload)
    return [notification("ui/notifications/size-changed", size)] if size else None


def _tool(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject] | None:
    name = payload.get("toolName")
    if not isinstance(name, str):
        return None
    params = {"name": name, "arguments": object_in(payload, "params")}
    return [_request(memory, message_id, "tools/call", params)]


def _prompt(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject] | None:
    prompt = payload.get("prompt")
    return _user_message(memory, message_id, prompt) if isinstance(prompt, str) else None


def _intent(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject] | None:
    intent, params = payload.get("intent"), object_in(payload, "params")
    if not isinstance(intent, str):
        return None
    text = f"{intent}: {json.dumps(params, ensure_ascii=False)}" if params else intent
    return _user_message(memory, message_id, text)


def _user_message(memory: Memory, message_id: Any, text: str) -> list[JSONObject]:
    params = {"role": "user", "content": [{"type": "text", "text": text}]}
    return [_request(memory, message_id, "ui/message", params)]


def _link(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject] | None:
    url = payload.get("url")
    if not isinstance(url, str):
        return None
    return [_request(memory, message_id, "ui/open-link", {"url": url})]


def _notify(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject] | None:
    text = payload.get("message")
    if not isinstance(text, str):
        return None
    _acknowledge(memory, message_id)
    memory.to_view.extend(_reply(message_id, {"response": {}}))
    return [notification("notifications/message", {"level": "info", "logger": "mcp-ui", "data": text})]


def _request_data(memory: Memory, message_id: Any, payload: JSONObject) -> list[JSONObject]:
    _acknowledge(memory, message_id)
    reason = "Data requests have no equivalent in MCP Apps; call a tool instead"
    memory.to_view.extend(
        _reply(message_id, {"error": {"code": int(ErrorCode.NOT_SUPPORTED), "message": reason}})
    )
    return []


_TYPES: dict[str, tuple[str | None, Callable[[Memory, Any, JSONObject], list[JSONObject] | None]]] = {
    "ui-lifecycle-iframe-ready": ("ui/initialize", _ready),
    "ui-request-render-data": ("ui/notifications/tool-input", _request_render_data),
    "ui-request-data": (None, _request_data),
    "ui-size-change": ("ui/notifications/size-changed", _size_change),
    "tool": ("tools/call", _tool),
    "prompt": ("ui/message", _prompt),
    "intent": ("ui/message", _intent),
    "link": ("ui/open-link", _link),
    "notify": ("notifications/message", _notify),
}


def _request(memory: Memory, message_id: Any, method: str, params: JSONObject) -> JSONObject:
    _acknowledge(memory, message_id)
    request_id = f"mcp-ui-{memory.take_number()}"
    memory.await_id(request_id, "mcp-ui", method=method, **_identified(message_id))
    return request(request_id, method, params)


# Host → view.


def _outbound(memory: Memory, message: JSONObject) -> list[JSONObject]:
    method, params = message["method"], params_of(message)
    if "id" in message:
        return _stand_in(memory, message)
    if method in ("ui/notifications/tool-input", "ui/notifications/tool-input-partial"):
        memory.render_data["toolInput"] = object_in(params, "arguments")
    elif method == "ui/notifications/tool-result":
        memory.render_data["toolOutput"] = params
    elif method == "ui/notifications/host-context-changed":
        memory.render_data.update(_context(params))
    elif method == "ui/notifications/tool-cancelled":
        return [{"type": "ui-lifecycle-tool-cancelled", "payload": params}]
    else:
        return []
    return [_render_data(memory)]


def _stand_in(memory: Memory, message: JSONObject) -> list[JSONObject]:
    """A legacy view cannot answer a request: it is answered here, and teardown is announced to the view."""
    if message["method"] == "ui/resource-teardown":
        memory.to_host.append(response(message["id"], {}))
        return [{"type": "ui-lifecycle-teardown", "payload": params_of(message)}]
    reason = "Legacy mcp-ui views answer no requests"
    memory.to_host.append(error(message["id"], ErrorCode.METHOD_NOT_FOUND, reason))
    return []


def _context(context: JSONObject) -> JSONObject:
    known = {key: context[key] for key in _CONTEXT_NAMES if key in context}
    dimensions = object_in(context, "containerDimensions")
    for key in ("maxHeight", "height"):
        if key in dimensions:
            return {**known, "maxHeight": dimensions[key]}
    return known


def _welcome(memory: Memory, entry: JSONObject, message: JSONObject) -> list[JSONObject]:
    memory.render_data.update(_context(object_in(object_in(message, "result"), "hostContext")))
    return [_render_data(memory, entry.get("messageId"))]


def _answer(memory: Memory, entry: JSONObject, message: JSONObject) -> list[JSONObject]:
    result = object_in(message, "result")
    if "error" in message:
        outcome: JSONObject = {"error": message["error"]}
    elif result.get("isError") is True and entry["method"] != "tools/call":
        reason = f"The host declined {entry['method']}"
        outcome = {"error": {"code": int(ErrorCode.DENIED), "message": reason}}
    else:
        outcome = {"response": result}
    return _reply(entry.get("messageId"), outcome)


def _acknowledge(memory: Memory, message_id: Any) -> None:
    identified = _identified(message_id)
    memory.to_view.append({"type": "ui-message-received", **identified, "payload": identified})
    if identified:
        memory.to_view.append({"type": "ui-action-received", **identified})


def _reply(message_id: Any, outcome: JSONObject) -> list[JSONObject]:
    identified = _identified(message_id)
    replies = [{"type": "ui-message-response", **identified, "payload": {**identified, **outcome}}]
    if identified:
        old_type = "ui-action-error" if "error" in outcome else "ui-action-response"
        replies.append({"type": old_type, **identified, "payload": outcome})
    return replies


def _render_data(memory: Memory, message_id: Any = None) -> JSONObject:
    payload = {"renderData": dict(memory.render_data)}
    return {"type": _RENDER_DATA, **_identified(message_id), "payload": payload}


def _identified(message_id: Any) -> JSONObject:
    return {} if message_id is None else {"messageId": message_id}


DIALECT = Dialect(
    name="mcp-ui",
    summary="Legacy mcp-ui: {type, payload, messageId} objects, render data, no handshake",
    remedy="Move the view to MCP Apps, or serve it with the MCP Apps adapter of @mcp-ui/server.",
    answers={"mcp-ui": _answer, "mcp-ui-welcome": _welcome},
    outbound=_outbound,
)
