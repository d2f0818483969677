"""What a host makes of what a view says: handshake, normal forms, gates inside a method, limits of D11."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from fanlight.wire import jsonrpc
from fanlight.wire.jsonrpc import ErrorCode, JSONObject, Request, RequestId
from fanlight.wire.methods import FROM_HOST, FROM_VIEW
from fanlight.wire.versions import agree

from .connection import Connection
from .context import SharedContext
from .events import (
    FaultReason,
    Initialized,
    InitializeReceived,
    LogMessage,
    ResponseReceived,
    SizeChanged,
    TeardownRequested,
    TornDown,
    ViewToolsChanged,
)
from .limits import Limits
from .rpc import ToPeer
from .state import ConnectionState, Role, Signal
from .strict import without_nulls
from .tolerant import content_blocks, download_contents, modality_fault, pixels, view_tools
from .tool_data import ToolData

__all__ = ["DISPLAY_MODES", "HostReceiver"]

DISPLAY_MODES = ("inline", "fullscreen", "pip")
_LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_TEARDOWN = "ui/resource-teardown"
_TORN_DOWN = "torn down"


class HostReceiver(Connection):
    """The ears of a ``HostConnection``."""

    _role = Role.HOST
    _peer_role = Role.VIEW
    # Official apps call a tool on a timer that may run out while `initialized` is still on its way. It is
    # reported as their mistake; an answer is neither request nor notification, so R32 allows it.
    _serves_early = True
    _peer_rows = FROM_VIEW
    _own_rows = FROM_HOST

    def __init__(
        self,
        host_info: JSONObject,
        context: SharedContext,
        limits: Limits | None,
        extra_requests: Iterable[str],
    ) -> None:
        super().__init__(limits, extra_requests)
        self._host_info = host_info
        self._context = context
        self._capabilities: JSONObject = {}
        self._tool_data = ToolData()
        self._app_info: JSONObject = {}
        self._app_capabilities: JSONObject = {}
        self._listed_tools = 0

    # ---- the handshake

    def _on_initialize(self, request: Request) -> None:
        params = without_nulls(request.params)
        app_capabilities = without_nulls(params.get("appCapabilities", {}))
        modes = app_capabilities.get("availableDisplayModes")
        if modes is not None and not isinstance(modes, list):
            self._reject_params(request, "'availableDisplayModes' must be an array")
            return
        for name in ("appInfo", "appCapabilities", "protocolVersion"):
            if name not in params:  # R35; FrontMCP's and hand-written views forget them
                self._fault(FaultReason.INVALID_PARAMS, f"ui/initialize: {name!r} is missing")
        repeated = self._state is not ConnectionState.NEW
        self._step(Signal.INITIALIZE)
        if repeated:
            # A new App object in the same page counts its ids from 0 again and waits for no old one.
            self._cancel_all_from_peer("the view initialised again")
        self._app_info = params.get("appInfo", {})
        self._app_capabilities = app_capabilities
        self._open_gates(app_capabilities, "appCapabilities")
        requested = params.get("protocolVersion")
        # All four, always: official views close the connection if one is missing (R36).
        result = {
            "protocolVersion": agree(requested),
            "hostInfo": self._host_info,
            "hostCapabilities": self._capabilities,
            "hostContext": self._context.tell_all(),
        }
        self._outbox.append(jsonrpc.response(request.id, result))
        self._events.append(InitializeReceived(self._app_info, app_capabilities, requested, repeated))

    def _on_initialized(self, params: JSONObject) -> None:
        before = self._state
        if not self._step(Signal.INITIALIZED):
            ready = before is ConnectionState.READY
            reason = FaultReason.DUPLICATED if ready else FaultReason.OUT_OF_ORDER
            self._fault(reason, f"initialized came while the connection is {before}")
            return
        self._events.append(Initialized())
        # The context first, so that the view shows its data in the right theme and size.
        self._send_context_changes()
        self._outbox += self._tool_data.due()
        self._release_held()

    def _send_context_changes(self) -> None:
        """Tell an initialised view what changed since it was told."""
        if self._is_open:
            changes = self._context.tell_changes()
            if changes:
                note = jsonrpc.notification("ui/notifications/host-context-changed", changes)
                self._outbox.append(note)

    @property
    def _is_open(self) -> bool:
        return self._state in (ConnectionState.READY, ConnectionState.CLOSING)

    # ---- requests with rules of their own

    def _on_message(self, request: Request) -> None:
        params = request.params
        if params.get("role") not in (None, "user"):
            self._reject_params(request, "'role' must be 'user'")
            return
        blocks = content_blocks(params["content"])
        fault = blocks if isinstance(blocks, str) else self._modality_fault("message", blocks)
        if fault is not None:
            self._reject_params(request, fault)
        else:
            self._deliver(request, {**params, "role": "user", "content": blocks})

    def _on_model_context(self, request: Request) -> None:
        params = without_nulls(request.params)
        blocks = content_blocks(params.get("content", []))
        structured = "structuredContent" in params
        fault = (
            blocks
            if isinstance(blocks, str)
            else self._modality_fault("updateModelContext", blocks, structured=structured)
        )
        if fault is not None:
            self._reject_params(request, fault)
        else:
            self._deliver(request, {**params, "content": blocks} if "content" in params else params)

    def _modality_fault(
        self, capability: str, blocks: list[JSONObject], *, structured: bool = False
    ) -> str | None:
        return modality_fault(blocks, structured, self._capabilities[capability])

    def _on_display_mode(self, request: Request) -> None:
        mode, current = request.params["mode"], self._context.display_mode
        if mode not in DISPLAY_MODES:
            self._reject_params(request, f"'mode' must be one of {', '.join(DISPLAY_MODES)}")
            return
        if mode == current:
            self._outbox.append(jsonrpc.response(request.id, {"mode": current}))
            return
        offered, declared = mode in self._context.offered_modes, self._view_takes(mode)
        if offered and declared:
            self._deliver(request, request.params)
            return
        # R39, R38: the view should have looked, or declared it. R41, R43: it stays where it is.
        why = "the view did not declare it" if offered else "the host does not offer it"
        self._fault(FaultReason.NOT_ADVERTISED, f"display mode {mode!r} was requested: {why}")
        self._outbox.append(jsonrpc.response(request.id, {"mode": current}))

    def _view_takes(self, mode: str) -> bool:
        """R41: whether the view may be moved there. A view that declared no list takes all."""
        declared = self._app_capabilities.get("availableDisplayModes")
        return declared is None or mode in declared

    def _on_download(self, request: Request) -> None:
        fault = download_contents(request.params["contents"])
        if fault is not None:
            self._reject_params(request, fault)
        else:
            self._deliver(request, request.params)

    def _on_sampling(self, request: Request) -> None:
        sampling = self._capabilities["sampling"]
        if request.params.get("tools") is not None and sampling.get("tools") is None:
            # D02; core MCP asks for this code too.
            text = "sampling/createMessage: hostCapabilities.sampling.tools was not advertised"
            self._reject(request.id, FaultReason.NOT_ADVERTISED, ErrorCode.INVALID_PARAMS, text)
        else:
            self._deliver(request, request.params)

    # ---- notifications

    def _on_size_changed(self, params: JSONObject) -> None:
        width, height = pixels(params.get("width")), pixels(params.get("height"))
        for size in (width, height):
            if isinstance(size, str):
                self._fault(FaultReason.INVALID_PARAMS, f"size-changed: {size}")
                return
        self._events.append(SizeChanged(width, height))  # type: ignore[arg-type]

    def _on_log(self, params: JSONObject) -> None:
        level = params.get("level")
        if level not in _LOG_LEVELS:
            # Reported and still logged: a lost log line helps nobody.
            self._fault(FaultReason.INVALID_PARAMS, "notifications/message: 'level' is none of the eight")
            level = "info"
        self._events.append(LogMessage(level, params.get("data"), params.get("logger")))

    def _on_request_teardown(self, params: JSONObject) -> None:
        self._events.append(TeardownRequested())

    def _on_tools_changed(self, params: JSONObject) -> None:
        self._events.append(ViewToolsChanged())

    # ---- answers of the view

    def _on_torn_down(self, request_id: RequestId, result: JSONObject, size: int) -> None:
        self._end_teardown(clean=True)

    def _end_teardown(self, *, clean: bool) -> None:
        self._events.append(TornDown(clean))
        if self._step(Signal.TORN_DOWN):
            self._finish(_TORN_DOWN)

    def _fail(self, request_id: RequestId, call: ToPeer, code: int, message: str, **more: Any) -> None:
        if call.method == _TEARDOWN:
            # A view without a teardown handler answers "method not found": it has nothing to save.
            self._end_teardown(clean=code == ErrorCode.METHOD_NOT_FOUND)
        else:
            super()._fail(request_id, call, code, message, **more)

    def _on_view_tools(self, request_id: RequestId, result: JSONObject, size: int) -> None:
        tools = view_tools(result)
        if isinstance(tools, str):
            self._fail_result(request_id, "tools/list", FaultReason.INVALID_RESULT, tools)
            return
        self._listed_tools += len(tools)
        if self._listed_tools > self._limits.max_view_tools:
            text = f"the view lists more than {self._limits.max_view_tools} tools"
            self._fail_result(request_id, "tools/list", FaultReason.OVER_LIMIT, text)
            return
        self._events.append(ResponseReceived(request_id, "tools/list", {**result, "tools": tools}))

    def _on_view_tool_result(self, request_id: RequestId, result: JSONObject, size: int) -> None:
        if size > self._limits.max_view_tool_result:
            text = f"the result has {size} characters; at most {self._limits.max_view_tool_result} are taken"
            self._fail_result(request_id, "tools/call", FaultReason.OVER_LIMIT, text)
        elif not isinstance(result.get("content", []), list):
            self._fail_result(
                request_id, "tools/call", FaultReason.INVALID_RESULT, "'content' must be an array"
            )
        else:
            self._events.append(ResponseReceived(request_id, "tools/call", {"content": [], **result}))

    def _fail_result(self, request_id: RequestId, method: str, reason: FaultReason, text: str) -> None:
        self._fault(reason, f"{method}: {text}")
        self._fail(request_id, ToPeer(method, 0.0), ErrorCode.INTERNAL_ERROR, text)

    _request_handlers: ClassVar[Mapping[str, Callable[[Any, Request], None]]] = {
        "ping": Connection._answer_ping,
        "ui/initialize": _on_initialize,
        "ui/message": _on_message,
        "ui/update-model-context": _on_model_context,
        "ui/request-display-mode": _on_display_mode,
        "ui/download-file": _on_download,
        "sampling/createMessage": _on_sampling,
    }
    _notification_handlers: ClassVar[Mapping[str, Callable[[Any, JSONObject], None]]] = {
        "notifications/cancelled": Connection._on_cancelled,
        "notifications/progress": Connection._on_progress,
        "ui/notifications/initialized": _on_initialized,
        "ui/notifications/size-changed": _on_size_changed,
        "ui/notifications/request-teardown": _on_request_teardown,
        "notifications/message": _on_log,
        "notifications/tools/list_changed": _on_tools_changed,
    }
    _result_handlers: ClassVar[Mapping[str, Callable[[Any, RequestId, JSONObject, int], None]]] = {
        _TEARDOWN: _on_torn_down,
        "tools/list": _on_view_tools,
        "tools/call": _on_view_tool_result,
    }
