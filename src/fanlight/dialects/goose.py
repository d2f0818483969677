"""Early goose (December 2025): the handshake of core MCP, a viewport, and tool messages that name the tool.

Its messages are supersets of the canonical ones or can be made so, so each goes out once and serves views
of either spelling. The handshake is also the one that the first drafts of the specification printed.
"""

from __future__ import annotations

from fanlight.wire.jsonrpc import JSONObject

from .base import (
    Dialect,
    Memory,
    Rule,
    Said,
    as_notification,
    object_in,
    params_of,
    renamed,
    viewport_of,
    with_params,
)

__all__ = ["DIALECT", "block_message", "canonical_opening"]

_CAPABILITIES = {"openLinks": "links", "message": "messages"}
_OPENING_NAMES = {"clientInfo": "appInfo", "capabilities": "appCapabilities"}


def _recognise(params: JSONObject) -> tuple[str, str] | None:
    if "appInfo" in params:
        return None
    return next((names for names in _OPENING_NAMES.items() if names[0] in params), None)


def canonical_opening(params: JSONObject) -> JSONObject:
    """``{clientInfo, capabilities}`` → ``{appInfo, appCapabilities}``; what is already canonical wins."""
    moved = {ours: params[theirs] for theirs, ours in _OPENING_NAMES.items() if theirs in params}
    rest = {key: value for key, value in params.items() if key not in _OPENING_NAMES}
    return {"appInfo": {"name": "unknown", "version": "0"}, "appCapabilities": {}, **moved, **rest}


def _welcome(memory: Memory, result: JSONObject) -> JSONObject:
    canonical = object_in(result, "hostCapabilities")
    extra = {theirs: True for ours, theirs in _CAPABILITIES.items() if ours in canonical}
    context = object_in(result, "hostContext")
    _learn_tool_name(memory, context)
    return {**result, "hostCapabilities": {**canonical, **extra}, "hostContext": viewport_of(context)}


def _learn_tool_name(memory: Memory, context: JSONObject) -> None:
    name = object_in(object_in(context, "toolInfo"), "tool").get("name")
    if isinstance(name, str):
        memory.tool_name = name


def _outbound(memory: Memory, message: JSONObject) -> list[JSONObject]:
    method, params = message["method"], params_of(message)
    named = {} if memory.tool_name is None else {"toolName": memory.tool_name}
    if method in ("ui/notifications/tool-input", "ui/notifications/tool-input-partial"):
        return [with_params(message, {**params, **named})]
    if method == "ui/notifications/tool-result":
        return [with_params(message, {**params, **named, "result": params})]
    if method == "ui/notifications/host-context-changed":
        _learn_tool_name(memory, params)
        return [with_params(message, viewport_of(params))]
    return [message]


def block_message(said: Said, block: JSONObject) -> list[JSONObject]:
    """``ui/message`` with one content block where the wire wants an array of them."""
    return [renamed(said, "ui/message", {**said.params, "content": [block]})]


def _sandbox_ready(memory: Memory, said: Said) -> list[JSONObject]:
    return as_notification(memory, said, "ui/notifications/sandbox-proxy-ready", {})


DIALECT = Dialect(
    name="goose",
    summary="Early goose: clientInfo and capabilities in the handshake, toolName in tool messages, viewport",
    remedy="Send appInfo and appCapabilities, and read tool-input and tool-result as MCP Apps defines them.",
    # The sandbox says this one, not the view: it must not decide how the view is spoken to.
    rules=(
        Rule(
            "ui/notifications/sandbox-ready",
            "ui/notifications/sandbox-proxy-ready",
            _sandbox_ready,
            adopts=False,
        ),
    ),
    recognise=_recognise,
    opening=canonical_opening,
    welcome=_welcome,
    outbound=_outbound,
)
