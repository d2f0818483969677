"""The host's end of a connection: what a host may say to a view, and in which order."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Literal, Self

from fanlight.errors import LocalProtocolError
from fanlight.wire.jsonrpc import JSONObject, JSONValue, RequestId
from fanlight.wire.method import Traffic
from fanlight.wire.types import DisplayModeResult, HostCapabilities, Implementation

from .context import SharedContext
from .host_receive import DISPLAY_MODES, HostReceiver
from .limits import Limits
from .rpc import FromPeer
from .state import ConnectionState, Signal
from .strict import checked, tool_result
from .tool_data import ToolData

__all__ = ["HostConnection"]

_DISPLAY_MODE = "ui/request-display-mode"
_TEARDOWN = "ui/resource-teardown"


class HostConnection(HostReceiver):
    """A host's connection to one view.

    After every call drain ``messages_to_send()`` and ``events()``, then ask ``next_deadline()``. Payloads are
    kept by reference until they are sent: do not change them afterwards.
    """

    def __init__(
        self,
        *,
        host_info: JSONObject,
        capabilities: JSONObject | None = None,
        context: JSONObject | None = None,
        limits: Limits | None = None,
        extra_requests: Iterable[str] = (),
    ) -> None:
        """``extra_requests`` names methods outside the table that the program serves (M6).

        Raises:
            ConfigError: ``host_info``, ``capabilities`` or ``context`` hold what official views reject.
        """
        info = checked(Implementation, host_info, "host info")
        super().__init__(info, SharedContext(context), limits, extra_requests)
        self._teardown_id: RequestId | None = None
        self._set_capabilities(capabilities or {})

    # ---- what is known

    @property
    def app_info(self) -> JSONObject:
        """Who the view says it is; ``{}`` before it said so."""
        return deepcopy(self._app_info)

    @property
    def app_capabilities(self) -> JSONObject:
        """What the view says it can do; ``{}`` before it said so."""
        return deepcopy(self._app_capabilities)

    @property
    def capabilities(self) -> JSONObject:
        """What we tell a view that we can do."""
        return deepcopy(self._capabilities)

    @property
    def context(self) -> JSONObject:
        """The host context as it is now."""
        return self._context.current

    @property
    def awaits_tool_input(self) -> bool:
        """Whether a result is held back because ``send_tool_input`` was never called."""
        return self._tool_data.awaits_input

    # ---- the tool call this view belongs to

    def send_tool_input_partial(self, arguments: JSONObject) -> None:
        """Arguments as far as they are written: the whole healed object, newest wins while it waits.

        Raises:
            LocalProtocolError: the complete arguments or a cancellation were supplied before (R50).
        """
        self._check_may_say("partial arguments", Traffic.NOTIFICATION)
        self._tool_data.supply_partial(arguments)
        self._send_tool_data()

    def send_tool_input(self, arguments: JSONObject | None = None) -> None:
        """The complete arguments, ``{}`` if the tool has none; once per connection (R48, R49).

        Raises:
            LocalProtocolError: they were supplied before, or the call was cancelled.
        """
        self._check_may_say("arguments", Traffic.NOTIFICATION)
        self._tool_data.supply_input(arguments)
        self._send_tool_data()

    def send_tool_result(self, result: JSONObject) -> None:
        """The result; held back until the arguments were supplied, see ``awaits_tool_input`` (R49, R53).

        Raises:
            LocalProtocolError: the call ended before, or this is no tool result.
        """
        self._check_may_say("a tool result", Traffic.NOTIFICATION)
        self._tool_data.supply_result(result)
        self._send_tool_data()

    def send_tool_cancelled(self, reason: str | None = None) -> None:
        """The call was cancelled, for any reason; no result will follow (R54).

        Raises:
            LocalProtocolError: the call ended before.
        """
        self._check_may_say("a cancellation", Traffic.NOTIFICATION)
        self._tool_data.supply_cancelled(reason)
        self._send_tool_data()

    def _send_tool_data(self) -> None:
        if self._is_open:
            self._outbox += self._tool_data.due()

    # ---- context, capabilities, lists

    def update_context(self, patch: JSONObject) -> None:
        """Change the host context; the view is told the smallest set of top-level values that differ.

        A key set to None is removed on our side only: the protocol has no word for a removal.

        Raises:
            ConfigError: a value is one that official views reject.
            LocalProtocolError: the view did not declare that display mode (R41), or the connection is closed.
        """
        self._check_may_say("the host context", Traffic.NOTIFICATION)
        mode = patch.get("displayMode")
        if mode in DISPLAY_MODES:
            self._check_view_takes(mode)
        self._context.update(patch)
        self._send_context_changes()

    def update_capabilities(self, capabilities: JSONObject) -> None:
        """Replace what a repeated ``ui/initialize`` will be told, and what the view may use from now on.

        Raises:
            ConfigError: official views would reject it.
        """
        self._set_capabilities(capabilities)

    def _set_capabilities(self, capabilities: JSONObject) -> None:
        self._capabilities = checked(HostCapabilities, capabilities, "host capabilities")
        self._open_gates(self._capabilities, "hostCapabilities")

    def notify_list_changed(self, what: Literal["tools", "resources", "prompts"]) -> None:
        """Relay that a list of the server has changed.

        Raises:
            LocalProtocolError: ``listChanged`` was not advertised for it, or the connection is closed.
        """
        method = f"notifications/{what}/list_changed"
        self._check_offered(method)
        self._notify(method, {})

    def notify_resource_updated(self, uri: str) -> None:
        """Tell the view that a resource which it follows has changed.

        Raises:
            LocalProtocolError: following was not advertised, or the connection is closed.
        """
        self._check_offered("notifications/resources/updated")
        self._notify("notifications/resources/updated", {"uri": uri})

    def _check_offered(self, method: str) -> None:
        gate = self._own_rows[method].gate
        if gate is not None and not gate.is_open(self._capabilities):
            raise LocalProtocolError(f"{method} cannot be sent: {gate} was not advertised")

    # ---- answering the view

    def _finish_answer(self, request_id: RequestId, call: FromPeer, result: JSONObject) -> None:
        if call.method == _DISPLAY_MODE:
            mode = checked(DisplayModeResult, result, "the answer")["mode"]
            self._check_view_takes(mode)
            # Announced first: when the view reads the answer, its context is already right (R42).
            self._context.update({"displayMode": mode})
            self._send_context_changes()
        elif call.method == "tools/call":
            result = tool_result(result)
        elif call.method == "ui/update-model-context" and result.keys() - {"_meta"}:
            names = ", ".join(sorted(result.keys() - {"_meta"}))
            raise LocalProtocolError(f"ui/update-model-context must be answered with {{}}; remove {names}")
        super()._finish_answer(request_id, call, result)

    def _finish_refusal(
        self, request_id: RequestId, call: FromPeer, code: int, message: str, data: JSONValue
    ) -> None:
        if call.method == _DISPLAY_MODE:
            # R42: this request is always answered with a mode; refused means that nothing changed (R43).
            super()._finish_answer(request_id, call, {"mode": self._context.display_mode})
        else:
            super()._finish_refusal(request_id, call, code, message, data)

    def _check_view_takes(self, mode: str) -> None:
        if mode != self._context.display_mode and not self._view_takes(mode):
            raise LocalProtocolError(f"the view did not declare the display mode {mode!r} (R41)")

    # ---- asking the view

    def teardown(self, now: float, *, timeout: float, reason: str | None = None) -> RequestId:
        """Tell the view that it will be removed, and wait for it; ``TornDown`` is the outcome (R55, R56).

        A view that is not initialised may not be asked (R32): it is torn down at once. A second call changes
        nothing and returns the id of the first.

        Raises:
            LocalProtocolError: the connection is closed.
        """
        self._check_timeout(_TEARDOWN, timeout)
        if self._teardown_id is not None:
            return self._teardown_id
        if self._state is ConnectionState.CLOSED:
            raise LocalProtocolError(f"{_TEARDOWN} cannot be sent: the connection is {self._state}")
        self._teardown_id = request_id = self._calls.new_id()
        if self._state is ConnectionState.READY:
            # No limit on open requests stands in its way: R55 is a MUST.
            self._open_request(request_id, _TEARDOWN, {"reason": reason}, now + timeout)
            self._step(Signal.TEARDOWN)
        else:
            self._end_teardown(clean=False)
        return request_id

    def list_view_tools(self, now: float, *, timeout: float, cursor: str | None = None) -> RequestId:
        """Ask for the tools the view provides; at most ``limits.max_view_tools`` over all pages (D11).

        Raises:
            LocalProtocolError: the view declared no tools, or is closing (D14).
        """
        self._check_view_has_tools("tools/list")
        if cursor is None:
            self._listed_tools = 0
        return self._ask("tools/list", {"cursor": cursor}, now, timeout)

    def call_view_tool(
        self, name: str, arguments: JSONObject | None, now: float, *, timeout: float
    ) -> RequestId:
        """Call a tool the view provides; at most ``limits.max_view_tool_seconds`` (D11).

        Raises:
            LocalProtocolError: the view declared no tools, is closing (D14), or the timeout is too long.
        """
        self._check_view_has_tools("tools/call")
        if timeout > self._limits.max_view_tool_seconds:
            seconds = self._limits.max_view_tool_seconds
            raise LocalProtocolError(f"a view's tool may take {seconds:g} s, not {timeout:g}; see Limits")
        params = {"name": name, "arguments": {} if arguments is None else arguments}
        return self._ask("tools/call", params, now, timeout, progress=True)

    def _check_view_has_tools(self, method: str) -> None:
        gate = self._own_rows[method].gate
        if gate is not None and not gate.is_open(self._app_capabilities):
            raise LocalProtocolError(f"{method} cannot be sent: the view did not declare {gate}")

    # ---- sleep

    def snapshot(self) -> JSONObject:
        """Everything this connection knows, as plain JSON; see ``restore``."""
        return {
            **super().snapshot(),
            "hostInfo": self._host_info,
            "capabilities": self._capabilities,
            "context": self._context.to_json(),
            "toolData": self._tool_data.to_json(),
            "appInfo": self._app_info,
            "appCapabilities": self._app_capabilities,
            "teardownId": self._teardown_id,
            "listedTools": self._listed_tools,
        }

    @classmethod
    def restore(cls, snapshot: JSONObject) -> Self:
        """A connection that goes on exactly where the snapshot was taken.

        Raises:
            ConfigError: it is not a snapshot of a host's connection of this version.
        """
        cls._check_snapshot(snapshot)
        connection = cls(
            host_info=snapshot["hostInfo"],
            capabilities=snapshot["capabilities"],
            limits=Limits.from_json(snapshot["limits"]),
            extra_requests=snapshot["extraRequests"],
        )
        connection._load(snapshot)
        return connection

    def _load(self, snapshot: JSONObject) -> None:
        super()._load(snapshot)
        self._context = SharedContext.from_json(snapshot["context"])
        self._tool_data = ToolData.from_json(snapshot["toolData"])
        self._app_info = snapshot["appInfo"]
        self._app_capabilities = snapshot["appCapabilities"]
        self._open_gates(self._app_capabilities, "appCapabilities")
        self._teardown_id = snapshot["teardownId"]
        self._listed_tools = snapshot["listedTools"]
