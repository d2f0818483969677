"""What a view makes of what its host says: the handshake's answer, the tool call, the context, the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from fanlight.wire import jsonrpc
from fanlight.wire.jsonrpc import ErrorCode, JSONObject, JSONValue, Request, RequestId
from fanlight.wire.methods import FROM_HOST, FROM_VIEW

from .connection import Connection
from .events import (
    FaultReason,
    HostContextChanged,
    HostReady,
    ListChanged,
    ResponseReceived,
    TeardownReceived,
    ToolCancelled,
    ToolInput,
    ToolInputPartial,
    ToolResult,
)
from .limits import Limits
from .rpc import FromPeer, ToPeer
from .state import PASSAGES, ConnectionState, Role, Signal
from .strict import without_nulls

__all__ = ["ViewReceiver"]

_INITIALIZE = "ui/initialize"
_TEARDOWN = "ui/resource-teardown"
_TORN_DOWN = "torn down"
_DISPLAY_MODES = ("inline", "fullscreen", "pip")


class ViewReceiver(Connection):
    """The ears of a ``ViewConnection``."""

    _role = Role.VIEW
    _peer_role = Role.HOST
    _peer_rows = FROM_HOST
    _own_rows = FROM_VIEW

    def __init__(
        self, app_info: JSONObject, capabilities: JSONObject, limits: Limits | None, extra: Iterable[str]
    ) -> None:
        super().__init__(limits, extra)
        self._app_info = app_info
        self._capabilities = capabilities
        self._open_gates(capabilities, "appCapabilities")
        self._host_info: JSONObject = {}
        self._host_capabilities: JSONObject = {}
        self._host_context: JSONObject = {}
        self._protocol_version: str | None = None
        self._seen: set[str] = set()
        self._begins_again = False

    # ---- the handshake

    def _set_state(self, state: ConnectionState) -> None:
        super()._set_state(state)
        if state is not ConnectionState.INITIALIZING:
            self._begins_again = False

    def _begin(self) -> None:
        """Our ``ui/initialize`` is on its way."""
        again = self._state is ConnectionState.READY
        self._step(Signal.INITIALIZE)
        self._excuse_host(again)

    def _excuse_host(self, again: bool) -> None:
        """When we begin again, what the host sent before it heard of it is no fault of the host's."""
        self._begins_again = again
        if again:
            self._peer_may = PASSAGES[self._peer_role][ConnectionState.READY]

    def _on_host(self, request_id: RequestId, result: JSONObject, size: int) -> None:
        result = without_nulls(result)
        objects = {name: result.get(name, {}) for name in ("hostInfo", "hostCapabilities", "hostContext")}
        for name, value in objects.items():
            if not isinstance(value, dict):
                text = f"{name!r} must be an object"
                self._fault(FaultReason.INVALID_RESULT, f"ui/initialize: {text}")
                self._fail(request_id, ToPeer(_INITIALIZE, 0.0), ErrorCode.INTERNAL_ERROR, text)
                return
        for name in ("protocolVersion", *objects):
            if name not in result:  # FrontMCP's host leaves out two; an official view would give up
                self._fault(FaultReason.INVALID_RESULT, f"ui/initialize: {name!r} is missing")
        version = result.get("protocolVersion")
        # Whatever it is, nothing depends on it: nobody fails on a difference.
        self._protocol_version = version if isinstance(version, str) else None
        self._host_info = objects["hostInfo"]
        self._host_capabilities = objects["hostCapabilities"]
        self._host_context = objects["hostContext"]
        self._open_gates(self._host_capabilities, "hostCapabilities")
        self._step(Signal.INITIALIZED)
        self._outbox.append(jsonrpc.notification("ui/notifications/initialized"))
        self._events.append(
            HostReady(self._host_info, self._host_capabilities, self._host_context, self._protocol_version)
        )

    def _fail(self, request_id: RequestId, call: ToPeer, code: int, message: str, **more: Any) -> None:
        if call.method == _INITIALIZE:
            self._step(Signal.HANDSHAKE_FAILED)
        super()._fail(request_id, call, code, message, **more)

    # ---- the tool call this view belongs to

    def _on_partial(self, params: JSONObject) -> None:
        if self._seen:  # R50
            self._fault(FaultReason.OUT_OF_ORDER, "tool-input-partial came after tool-input or the end")
        else:
            self._events.append(ToolInputPartial(params.get("arguments") or {}))

    def _on_input(self, params: JSONObject) -> None:
        if "input" in self._seen:  # R49
            self._fault(FaultReason.DUPLICATED, "tool-input came twice")
        elif "cancelled" in self._seen:
            self._fault(FaultReason.OUT_OF_ORDER, "tool-input came after tool-cancelled")
        else:
            self._seen.add("input")
            self._events.append(ToolInput(params.get("arguments") or {}))

    def _on_result(self, params: JSONObject) -> None:
        if self._ended("tool-result"):
            return
        if "input" not in self._seen:  # R49; the data is good all the same
            self._fault(FaultReason.OUT_OF_ORDER, "tool-result came before tool-input")
        self._seen.add("result")
        self._events.append(ToolResult({"content": [], **without_nulls(params)}))

    def _on_tool_cancelled(self, params: JSONObject) -> None:
        if not self._ended("tool-cancelled"):
            self._seen.add("cancelled")
            self._events.append(ToolCancelled(params.get("reason")))

    def _ended(self, what: str) -> bool:
        # Later results would overwrite the view's own: it belongs to one call.
        ended = bool(self._seen & {"result", "cancelled"})
        if ended:
            self._fault(FaultReason.DUPLICATED, f"{what} came after the end of the tool call")
        return ended

    # ---- context and lists

    def _on_context_changed(self, params: JSONObject) -> None:
        changes = without_nulls(params)
        self._host_context = {**self._host_context, **changes}  # shallow, by top-level key (R58)
        self._events.append(HostContextChanged(changes, self._host_context))

    def _on_tools_changed(self, params: JSONObject) -> None:
        self._events.append(ListChanged("tools"))

    def _on_resources_changed(self, params: JSONObject) -> None:
        self._events.append(ListChanged("resources"))

    def _on_prompts_changed(self, params: JSONObject) -> None:
        self._events.append(ListChanged("prompts"))

    # ---- the end

    def _on_teardown(self, request: Request) -> None:
        # Not counted against the limit of open requests: refusing it would help nobody.
        self._calls.open_from_peer(request.id, FromPeer(_TEARDOWN))
        self._step(Signal.TEARDOWN)
        self._events.append(TeardownReceived(request.id, request.params.get("reason")))

    def _on_cancelled(self, params: JSONObject) -> None:
        call = self._calls.from_peer.get(params["requestId"])
        super()._on_cancelled(params)
        if call is not None and call.method == _TEARDOWN:  # the host stopped waiting: it removes us now
            self._end_teardown()

    def _finish_answer(self, request_id: RequestId, call: FromPeer, result: JSONObject) -> None:
        super()._finish_answer(request_id, call, result)
        if call.method == _TEARDOWN:
            self._end_teardown()

    def _finish_refusal(
        self, request_id: RequestId, call: FromPeer, code: int, message: str, data: JSONValue
    ) -> None:
        super()._finish_refusal(request_id, call, code, message, data)
        if call.method == _TEARDOWN:
            self._end_teardown()

    def _end_teardown(self) -> None:
        self._step(Signal.TORN_DOWN)
        self._finish(_TORN_DOWN)

    # ---- answers of the host

    def _on_display_mode(self, request_id: RequestId, result: JSONObject, size: int) -> None:
        method = "ui/request-display-mode"
        if result.get("mode") in _DISPLAY_MODES:  # R40: it may differ from the one we asked for
            self._events.append(ResponseReceived(request_id, method, result))
            return
        text = f"{method}: 'mode' must be one of {', '.join(_DISPLAY_MODES)}"
        self._fault(FaultReason.INVALID_RESULT, text)
        self._fail(request_id, ToPeer(method, 0.0), ErrorCode.INTERNAL_ERROR, text)

    def _on_tool_result(self, request_id: RequestId, result: JSONObject, size: int) -> None:
        self._events.append(ResponseReceived(request_id, "tools/call", {"content": [], **result}))

    _request_handlers: ClassVar[Mapping[str, Callable[[Any, Request], None]]] = {
        "ping": Connection._answer_ping,
        _TEARDOWN: _on_teardown,
    }
    _notification_handlers: ClassVar[Mapping[str, Callable[[Any, JSONObject], None]]] = {
        "notifications/cancelled": _on_cancelled,
        "notifications/progress": Connection._on_progress,
        "ui/notifications/tool-input-partial": _on_partial,
        "ui/notifications/tool-input": _on_input,
        "ui/notifications/tool-result": _on_result,
        "ui/notifications/tool-cancelled": _on_tool_cancelled,
        "ui/notifications/host-context-changed": _on_context_changed,
        "notifications/tools/list_changed": _on_tools_changed,
        "notifications/resources/list_changed": _on_resources_changed,
        "notifications/prompts/list_changed": _on_prompts_changed,
    }
    _result_handlers: ClassVar[Mapping[str, Callable[[Any, RequestId, JSONObject, int], None]]] = {
        _INITIALIZE: _on_host,
        "ui/request-display-mode": _on_display_mode,
        "tools/call": _on_tool_result,
    }
