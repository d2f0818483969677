"""The methods that every dialect shares: how a view is recognised, and what its first messages mean.

These are standard names, so a view of the stable spelling passes here too and must come out unchanged:
each function returns None when there is nothing to translate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fanlight.wire.jsonrpc import JSONObject, is_request_id

from . import drafts, early_docs, frontmcp, goose, mcpui
from .base import STABLE, Dialect, Memory, Said, object_in, renamed

__all__ = ["DIALECTS", "STANDARD", "welcome"]

_STABLE = Dialect(
    name=STABLE,
    summary="MCP Apps 2026-01-26 as the official SDK speaks it",
    remedy="Nothing to change.",
)

#: Every dialect by name. The order is the order of recognition: what is surest first.
DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect
    for dialect in (
        _STABLE,
        frontmcp.DIALECT,
        goose.DIALECT,
        early_docs.DIALECT,
        drafts.DIALECT,
        mcpui.DIALECT,
    )
}


def _initialize(memory: Memory, said: Said) -> list[JSONObject] | None:
    for dialect in DIALECTS.values():
        sign = dialect.recognise(said.params)
        if sign is not None:
            memory.warn(dialect.name, *sign, dialect.remedy)
            break
    else:
        dialect = _STABLE
    _begin(memory, dialect)
    if memory.dialect == STABLE:
        return None
    memory.await_answer(said, "welcome")
    return [renamed(said, "ui/initialize", DIALECTS[memory.dialect].opening(said.params))]


def _core_initialize(memory: Memory, said: Said) -> list[JSONObject]:
    dialect = drafts.DIALECT
    memory.warn(dialect.name, "initialize", "ui/initialize", dialect.remedy)
    _begin(memory, dialect)
    memory.await_answer(said, "welcome")
    return [renamed(said, "ui/initialize", goose.canonical_opening(said.params))]


def _begin(memory: Memory, recognised: Dialect) -> None:
    if memory.dialect == mcpui.DIALECT.name:
        # A view for both worlds was ready in mcp-ui first. A handshake of its own is what it speaks.
        memory.missed = mcpui.missed_messages(memory)
        memory.dialect = STABLE
    memory.handshake = "view"
    memory.initialized_for_view = False
    memory.adopt(recognised.name)


def _initialized(memory: Memory, said: Said) -> list[JSONObject] | None:
    if memory.initialized_for_view:
        memory.initialized_for_view = False
        return []
    memory.to_view.extend(memory.missed)
    memory.missed = []
    return None


def _core_initialized(memory: Memory, said: Said) -> list[JSONObject]:
    dialect = drafts.DIALECT
    memory.warn(dialect.name, "notifications/initialized", "ui/notifications/initialized", dialect.remedy)
    unchanged = _initialized(memory, said)
    return [renamed(said, "ui/notifications/initialized")] if unchanged is None else unchanged


def _message(memory: Memory, said: Said) -> list[JSONObject] | None:
    content = said.params.get("content")
    remedy = "Send content as an array of content blocks."
    if isinstance(content, str):
        memory.warn(frontmcp.DIALECT.name, "ui/message content as a string", "an array of blocks", remedy)
        return frontmcp.text_message(memory, said, content)
    if isinstance(content, dict):
        memory.warn(goose.DIALECT.name, "ui/message content as one block", "an array of blocks", remedy)
        return goose.block_message(said, content)
    return None


def _cancelled(memory: Memory, said: Said) -> None:
    request_id: Any = said.params.get("requestId")
    if is_request_id(request_id):
        memory.awaited.pop(request_id, None)


def welcome(memory: Memory, entry: JSONObject, message: JSONObject) -> list[JSONObject]:
    """The answer to ``ui/initialize``, in the words of the view's dialect."""
    if "error" in message:
        return [message]
    result = DIALECTS[memory.dialect].welcome(memory, object_in(message, "result"))
    return [{**message, "result": result}]


STANDARD: Mapping[str, Callable[[Memory, Said], list[JSONObject] | None]] = {
    "ui/initialize": _initialize,
    "initialize": _core_initialize,
    "ui/notifications/initialized": _initialized,
    "notifications/initialized": _core_initialized,
    "ui/message": _message,
    "notifications/cancelled": _cancelled,
}
