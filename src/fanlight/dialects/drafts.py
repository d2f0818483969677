"""The drafts of November 2025 and SDK 0.x: shorter method names, core ``initialize``, and ``viewport``.

Notifications go out under both names: a view ignores the one it does not know, and SDK 0.x views, which
share the protocol version with the drafts, only know the present names. Core ``initialize`` and
``notifications/initialized`` are part of the handshake and live in ``handshake``.
"""

from __future__ import annotations

from fanlight.wire.jsonrpc import JSONObject, notification
from fanlight.wire.versions import LATEST

from .base import Dialect, Memory, Rule, object_in, params_of, size_changed, viewport_of, with_params
from .goose import canonical_opening

__all__ = ["DIALECT"]

#: SDK 0.x said 2025-11-21; the drafts printed the core revision 2025-06-18 in their examples.
_VERSIONS = ("2025-11-21", "2025-06-18")
_OLD_NAMES = {
    "ui/notifications/tool-cancelled": "ui/tool-cancelled",
    "ui/notifications/host-context-changed": "ui/host-context-change",
}


def _recognise(params: JSONObject) -> tuple[str, str] | None:
    version = params.get("protocolVersion")
    return (f"protocolVersion {version}", f"protocolVersion {LATEST}") if version in _VERSIONS else None


def _welcome(memory: Memory, result: JSONObject) -> JSONObject:
    return {**result, "hostContext": viewport_of(object_in(result, "hostContext"))}


def _outbound(memory: Memory, message: JSONObject) -> list[JSONObject]:
    old_name = _OLD_NAMES.get(message["method"])
    if old_name is None:
        return [message]
    params = viewport_of(params_of(message))
    return [with_params(message, params), notification(old_name, params)]


DIALECT = Dialect(
    name="draft-2025-11",
    summary="Drafts of November 2025 and SDK 0.x: ui/size-change, ui/tool-cancelled, initialize, viewport",
    remedy="Move to @modelcontextprotocol/ext-apps 1.0 or later, or use the names of the specification.",
    rules=(Rule("ui/size-change", "ui/notifications/size-changed", size_changed),),
    recognise=_recognise,
    opening=canonical_opening,
    welcome=_welcome,
    outbound=_outbound,
)
