"""The one table: every method of MCP Apps, in the direction it travels.

New behaviour starts as a row here. A row says what the method is, who sends it, what it carries, which
capability allows it, since when it exists and who says so. The columns ``required`` and ``optional`` are
the cheap check every incoming message gets; ``params`` and ``result`` are the full shapes for what we build,
for users and for tests.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import types
from .method import Direction, Gate, Kind, Method, Shape, Source, Traffic

__all__ = ["FROM_HOST", "FROM_VIEW", "METHODS", "find"]

_STR, _OBJ, _LIST, _NUM, _ID = (str,), (dict,), (list,), (int, float), (str, int)


def _host(*path: str, source: Source = Source.STABLE) -> Gate:
    return Gate("hostCapabilities", path, source)


_APP_TOOLS = Gate("appCapabilities", ("tools",))
_SERVER_TOOLS = _host("serverTools")
_SERVER_RESOURCES = _host("serverResources")
# Live data: apps may read resources and, so far, not follow them. A host that lets them says so here.
_SUBSCRIPTIONS = _host("experimental", "resourceSubscriptions", source=Source.CORE)
# A view of ours has what it kept in its context under the same name, and says with the request what to keep.
_STATE = _host("experimental", "fanlight/state", source=Source.OURS)


def _row(
    name: str,
    direction: Direction,
    params: type[types.WireModel] = types.EmptyParams,
    result: type[types.WireModel] | None = None,
    gate: Gate | None = None,
    *,
    since: str = "2026-01-26",
    source: Source = Source.STABLE,
    traffic: Traffic | None = None,
    required: Shape = (),
    optional: Shape = (),
    inside: bool = False,
) -> Method:
    kind = Kind.NOTIFICATION if result is None else Kind.REQUEST
    usual = Traffic.NOTIFICATION if result is None else Traffic.REQUEST
    return Method(
        name,
        kind,
        direction,
        params,
        result,
        gate,
        since,
        source,
        traffic or usual,
        required,
        optional,
        inside,
    )


_V2H, _H2V = Direction.VIEW_TO_HOST, Direction.HOST_TO_VIEW
_CURSOR: Shape = (("cursor", _STR),)
_CALL: Shape = (("name", _STR),)
_CALL_OPTIONAL: Shape = (("arguments", _OBJ), ("_meta", _OBJ))

_VIEW_REQUESTS = (
    _row(
        "ui/initialize",
        _V2H,
        types.InitializeParams,
        types.InitializeResult,
        traffic=Traffic.HANDSHAKE,
        # All three are mandatory on the wire (R35); reading tolerates their absence and reports it.
        optional=(("appInfo", _OBJ), ("appCapabilities", _OBJ), ("protocolVersion", _STR)),
        inside=True,
    ),
    _row(
        "ui/open-link",
        _V2H,
        types.OpenLinkParams,
        types.ActionResult,
        _host("openLinks"),
        required=(("url", _STR),),
    ),
    _row(
        "ui/download-file",
        _V2H,
        types.DownloadFileParams,
        types.ActionResult,
        _host("downloadFile", source=Source.DRAFT),
        since="sdk 1.1.2",
        source=Source.DRAFT,
        required=(("contents", _LIST),),
    ),
    _row(
        "ui/message",
        _V2H,
        types.MessageParams,
        types.ActionResult,
        # The method is stable, its capability is not: a stable host may serve it without saying so.
        _host("message", source=Source.DRAFT),
        required=(("content", (list, dict, str)),),
        optional=(("role", _STR),),
    ),
    _row(
        "ui/update-model-context",
        _V2H,
        types.UpdateModelContextParams,
        types.StrictEmptyResult,
        _host("updateModelContext", source=Source.DRAFT),
        optional=(("content", (list, dict, str)), ("structuredContent", _OBJ)),
    ),
    _row(
        "ui/request-display-mode",
        _V2H,
        types.RequestDisplayModeParams,
        types.DisplayModeResult,
        required=(("mode", _STR),),
    ),
    _row(
        "tools/call",
        _V2H,
        types.CallToolParams,
        types.CallToolResult,
        _SERVER_TOOLS,
        required=_CALL,
        optional=_CALL_OPTIONAL,
    ),
    _row(
        "tools/list",
        _V2H,
        types.PageParams,
        types.ListToolsResult,
        _SERVER_TOOLS,
        since="draft",
        source=Source.DRAFT,
        optional=_CURSOR,
    ),
    _row(
        "resources/read",
        _V2H,
        types.ReadResourceParams,
        types.ReadResourceResult,
        _SERVER_RESOURCES,
        required=(("uri", _STR),),
    ),
    _row(
        "resources/list",
        _V2H,
        types.PageParams,
        types.ListResourcesResult,
        _SERVER_RESOURCES,
        since="sdk 1.0.0",
        source=Source.SDK,
        optional=_CURSOR,
    ),
    _row(
        "resources/templates/list",
        _V2H,
        types.PageParams,
        types.ListResourceTemplatesResult,
        _SERVER_RESOURCES,
        since="sdk 1.0.0",
        source=Source.SDK,
        optional=_CURSOR,
    ),
    *(
        _row(
            name,
            _V2H,
            types.ReadResourceParams,
            types.EmptyResult,
            _SUBSCRIPTIONS,
            since="2025-03-26",
            source=Source.CORE,
            required=(("uri", _STR),),
        )
        for name in ("resources/subscribe", "resources/unsubscribe")
    ),
    _row(
        "fanlight/set-state",
        _V2H,
        types.SetStateParams,
        types.EmptyResult,
        _STATE,
        since="0.1.0",
        source=Source.OURS,
        required=(("state", _OBJ),),
    ),
    # No capability is defined for prompts: the program answers or refuses.
    _row(
        "prompts/list",
        _V2H,
        types.PageParams,
        types.ListPromptsResult,
        since="sdk 1.0.0",
        source=Source.SDK,
        optional=_CURSOR,
    ),
    _row(
        "sampling/createMessage",
        _V2H,
        types.CreateMessageParams,
        types.CreateMessageResult,
        _host("sampling", source=Source.DRAFT),
        since="sdk 1.7.0",
        source=Source.DRAFT,
        required=(("messages", _LIST), ("maxTokens", _NUM)),
        optional=(("tools", _LIST), ("toolChoice", _OBJ)),
    ),
    _row("ping", _V2H, types.EmptyParams, types.EmptyResult, traffic=Traffic.PING, inside=True),
)

_VIEW_NOTIFICATIONS = (
    _row("ui/notifications/initialized", _V2H, traffic=Traffic.HANDSHAKE),
    _row(
        "ui/notifications/size-changed",
        _V2H,
        types.SizeChangedParams,
        optional=(("width", _NUM), ("height", _NUM)),
    ),
    _row("ui/notifications/request-teardown", _V2H, since="sdk 1.3.0", source=Source.DRAFT),
    _row(
        "notifications/message",
        _V2H,
        types.LogParams,
        gate=_host("logging"),
        optional=(("logger", _STR),),
    ),
    # ``tools.listChanged`` announces it; a view that has tools but forgot the flag is still believed.
    _row(
        "notifications/tools/list_changed",
        _V2H,
        gate=_APP_TOOLS,
        since="sdk 1.7.0",
        source=Source.DRAFT,
    ),
)

_HOST_REQUESTS = (
    _row(
        "ui/resource-teardown",
        _H2V,
        types.TeardownParams,
        types.EmptyResult,
        optional=(("reason", _STR),),
    ),
    _row(
        "tools/call",
        _H2V,
        types.CallToolParams,
        types.CallToolResult,
        _APP_TOOLS,
        since="sdk 1.4.0",
        source=Source.DRAFT,
        required=_CALL,
        optional=_CALL_OPTIONAL,
    ),
    _row(
        "tools/list",
        _H2V,
        types.PageParams,
        types.ListToolsResult,
        _APP_TOOLS,
        since="sdk 1.4.0",
        source=Source.DRAFT,
        optional=_CURSOR,
    ),
    _row("ping", _H2V, types.EmptyParams, types.EmptyResult, traffic=Traffic.PING, inside=True),
)

_HOST_NOTIFICATIONS = (
    _row(
        "ui/notifications/tool-input-partial",
        _H2V,
        types.ToolInputParams,
        optional=(("arguments", _OBJ),),
    ),
    _row("ui/notifications/tool-input", _H2V, types.ToolInputParams, optional=(("arguments", _OBJ),)),
    _row("ui/notifications/tool-result", _H2V, types.CallToolResult, optional=(("content", _LIST),)),
    _row(
        "ui/notifications/tool-cancelled",
        _H2V,
        types.ToolCancelledParams,
        optional=(("reason", _STR),),
    ),
    _row("ui/notifications/host-context-changed", _H2V, types.HostContext),
    _row("notifications/tools/list_changed", _H2V, gate=_host("serverTools", "listChanged")),
    _row("notifications/resources/list_changed", _H2V, gate=_host("serverResources", "listChanged")),
    _row("notifications/prompts/list_changed", _H2V, since="sdk 1.0.0", source=Source.SDK),
    _row(
        "notifications/resources/updated",
        _H2V,
        types.ReadResourceParams,
        gate=_SUBSCRIPTIONS,
        since="2025-03-26",
        source=Source.CORE,
        required=(("uri", _STR),),
    ),
)

_SANDBOX = (
    _row("ui/notifications/sandbox-proxy-ready", Direction.SANDBOX_TO_HOST),
    _row(
        "ui/notifications/sandbox-resource-ready",
        Direction.HOST_TO_SANDBOX,
        types.SandboxResourceReadyParams,
        required=(("html", _STR),),
        optional=(("sandbox", _STR), ("csp", _OBJ), ("permissions", _OBJ)),
    ),
)

_BOTH_WAYS = tuple(
    row
    for direction in (_V2H, _H2V)
    for row in (
        _row(
            "notifications/cancelled",
            direction,
            types.CancelledParams,
            since="sdk 1.0.0",
            source=Source.SDK,
            required=(("requestId", _ID),),
            optional=(("reason", _STR),),
        ),
        _row(
            "notifications/progress",
            direction,
            types.ProgressParams,
            since="sdk 1.0.0",
            source=Source.SDK,
            required=(("progressToken", _ID), ("progress", _NUM)),
            optional=(("total", _NUM), ("message", _STR)),
        ),
    )
)

METHODS: tuple[Method, ...] = (
    *_VIEW_REQUESTS,
    *_VIEW_NOTIFICATIONS,
    *_HOST_REQUESTS,
    *_HOST_NOTIFICATIONS,
    *_BOTH_WAYS,
    *_SANDBOX,
)


def _from(direction: Direction) -> Mapping[str, Method]:
    return MappingProxyType({row.name: row for row in METHODS if row.direction is direction})


FROM_VIEW = _from(_V2H)
FROM_HOST = _from(_H2V)


def find(name: str, direction: Direction) -> Method | None:
    """The row of ``name`` in that direction, or None."""
    return next((row for row in METHODS if row.name == name and row.direction is direction), None)
