"""Names that only early documents about MCP Apps used, and that views were written from.

One guide called the host's messages ``ui/toolInput``, ``ui/toolResult`` and ``ui/teardown`` and the version
``2025-01-01``; the version is all such a view says of itself. A command-line host documented
``ui/notifications/teardown`` for a view that wants to end.
"""

from __future__ import annotations

from fanlight.wire.jsonrpc import JSONObject, notification
from fanlight.wire.versions import LATEST

from .base import Dialect, Memory, Rule, Said, as_notification, object_in, params_of

__all__ = ["DIALECT"]

_VERSION = "2025-01-01"
_CAPABILITIES = {"serverTools": "tools", "serverResources": "resources"}
_NOTIFICATIONS = {
    "ui/notifications/tool-input": "ui/toolInput",
    "ui/notifications/tool-result": "ui/toolResult",
}


def _recognise(params: JSONObject) -> tuple[str, str] | None:
    if params.get("protocolVersion") != _VERSION:
        return None
    return f"protocolVersion {_VERSION}", f"protocolVersion {LATEST}"


def _welcome(memory: Memory, result: JSONObject) -> JSONObject:
    canonical = object_in(result, "hostCapabilities")
    extra = {theirs: canonical[ours] for ours, theirs in _CAPABILITIES.items() if ours in canonical}
    return {**result, "hostCapabilities": {**canonical, **extra}}


def _outbound(memory: Memory, message: JSONObject) -> list[JSONObject]:
    method = message["method"]
    if method == "ui/resource-teardown":
        # A request can be sent once only: a second copy would be answered twice.
        return [{**message, "method": "ui/teardown"}]
    if method in _NOTIFICATIONS:
        return [message, notification(_NOTIFICATIONS[method], params_of(message))]
    return [message]


def _teardown(memory: Memory, said: Said) -> list[JSONObject]:
    return as_notification(memory, said, "ui/notifications/request-teardown", {})


DIALECT = Dialect(
    name="early-docs",
    summary="Names of early guides: ui/toolInput, ui/toolResult, ui/teardown, ui/notifications/teardown",
    remedy="Listen to ui/notifications/tool-input and tool-result, and answer ui/resource-teardown.",
    rules=(
        Rule(
            "ui/notifications/teardown",
            "ui/notifications/request-teardown",
            _teardown,
            adopts=False,
        ),
    ),
    recognise=_recognise,
    welcome=_welcome,
    outbound=_outbound,
)
