"""Small words for tests of one end: build it, speak to it as its peer, drain it."""

from __future__ import annotations

from typing import Any

from fanlight.protocol import Event, FaultReason, HostConnection, Limits, PeerFault, ViewConnection
from fanlight.wire import JSONObject, RequestId, notification, request

ALL_CAPABILITIES: JSONObject = {
    "openLinks": {},
    "downloadFile": {},
    "serverTools": {"listChanged": True},
    "serverResources": {"listChanged": True},
    "logging": {},
    "updateModelContext": {},
    "message": {},
    "sampling": {"tools": {}},
}
CONTEXT: JSONObject = {"theme": "light", "availableDisplayModes": ["inline", "fullscreen"]}
RESULT: JSONObject = {"content": [{"type": "text", "text": "done"}]}
TOOL_INPUT = "ui/notifications/tool-input"
TOOL_PARTIAL = "ui/notifications/tool-input-partial"
TOOL_RESULT = "ui/notifications/tool-result"
TOOL_CANCELLED = "ui/notifications/tool-cancelled"
CONTEXT_CHANGED = "ui/notifications/host-context-changed"


def new_host(
    capabilities: JSONObject | None = None,
    context: JSONObject | None = None,
    limits: Limits | None = None,
    extra: tuple[str, ...] = (),
) -> HostConnection:
    """A host that has heard nothing yet; it can do everything unless told otherwise."""
    return HostConnection(
        host_info={"name": "host", "version": "1"},
        capabilities=ALL_CAPABILITIES if capabilities is None else capabilities,
        context=CONTEXT if context is None else context,
        limits=limits,
        extra_requests=extra,
    )


def introduction(app_capabilities: JSONObject | None = None, request_id: RequestId = 0) -> JSONObject:
    """The view's ``ui/initialize``, as SDK 2.0.4 sends it."""
    params = {
        "appInfo": {"name": "view", "version": "1"},
        "appCapabilities": app_capabilities or {},
        "protocolVersion": "2026-01-26",
    }
    return request(request_id, "ui/initialize", params)


INITIALIZED: JSONObject = {"jsonrpc": "2.0", "method": "ui/notifications/initialized"}


def ready_host(app_capabilities: JSONObject | None = None, **options: Any) -> HostConnection:
    """A host whose view is initialised; drained."""
    host = new_host(**options)
    host.receive(introduction(app_capabilities), 0.0)
    host.receive(INITIALIZED, 0.0)
    drain(host)
    return host


def new_view(capabilities: JSONObject | None = None, limits: Limits | None = None) -> ViewConnection:
    """A view that has said nothing yet."""
    info = {"name": "view", "version": "1"}
    return ViewConnection(app_info=info, capabilities=capabilities, limits=limits)


HOST_ANSWER: JSONObject = {
    "protocolVersion": "2026-01-26",
    "hostInfo": {"name": "host", "version": "1"},
    "hostCapabilities": ALL_CAPABILITIES,
    "hostContext": CONTEXT,
}


def ready_view(
    capabilities: JSONObject | None = None,
    host_capabilities: JSONObject | None = None,
    limits: Limits | None = None,
) -> ViewConnection:
    """A view whose handshake is over; drained."""
    view = new_view(capabilities, limits)
    request_id = view.initialize(0.0, timeout=60)
    result = dict(HOST_ANSWER)
    if host_capabilities is not None:
        result["hostCapabilities"] = host_capabilities
    view.receive({"jsonrpc": "2.0", "id": request_id, "result": result}, 0.0)
    drain(view)
    return view


def drain(connection: HostConnection | ViewConnection) -> tuple[list[JSONObject], list[Event]]:
    """What it wants to send, and what happened."""
    return connection.messages_to_send(), connection.events()


def hear(
    connection: HostConnection | ViewConnection, message: object, now: float = 0.0
) -> tuple[list[JSONObject], list[Event]]:
    """Let it receive one message, and drain it."""
    connection.receive(message, now)
    return drain(connection)


def ask(
    connection: HostConnection | ViewConnection,
    method: str,
    params: JSONObject | None = None,
    request_id: RequestId = 1,
) -> tuple[list[JSONObject], list[Event]]:
    """Let its peer send a request."""
    return hear(connection, request(request_id, method, params))


def tell(
    connection: HostConnection | ViewConnection, method: str, params: JSONObject | None = None
) -> tuple[list[JSONObject], list[Event]]:
    """Let its peer send a notification."""
    return hear(connection, notification(method, params))


def faults(events: list[Event]) -> list[FaultReason]:
    """The reasons of the faults among the events."""
    return [event.reason for event in events if isinstance(event, PeerFault)]


def methods(messages: list[JSONObject]) -> list[str]:
    """The methods of calls among the messages."""
    return [message["method"] for message in messages if "method" in message]


def error_code(messages: list[JSONObject]) -> int:
    """The code of the only message, which is an error answer."""
    (message,) = messages
    code: int = message["error"]["code"]
    return code
