"""The view's end of a connection: what a view may ask of its host, and what it must look up before."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from typing import Self

from fanlight.errors import LocalProtocolError
from fanlight.wire.jsonrpc import JSONObject, JSONValue, RequestId
from fanlight.wire.method import Kind, Method, Source, Traffic
from fanlight.wire.types import AppCapabilities, Implementation
from fanlight.wire.versions import LATEST

from .limits import Limits
from .rpc import FromPeer
from .strict import checked, tool_result
from .tolerant import content_blocks
from .view_receive import ViewReceiver

__all__ = ["ViewConnection"]

_INITIALIZE = "ui/initialize"
_DISPLAY_MODE = "ui/request-display-mode"


class ViewConnection(ViewReceiver):
    """A view's connection to its host. The drain contract is that of ``HostConnection``."""

    def __init__(
        self,
        *,
        app_info: JSONObject,
        capabilities: JSONObject | None = None,
        limits: Limits | None = None,
        extra_requests: Iterable[str] = (),
    ) -> None:
        """``capabilities`` declare what the view can do, also all its display modes (R38).

        Raises:
            ConfigError: ``app_info`` or ``capabilities`` hold what official hosts reject.
        """
        info = checked(Implementation, app_info, "app info")
        declared = checked(AppCapabilities, capabilities or {}, "app capabilities")
        super().__init__(info, declared, limits, extra_requests)

    # ---- what is known

    @property
    def capabilities(self) -> JSONObject:
        """What we declare."""
        return deepcopy(self._capabilities)

    @property
    def host_info(self) -> JSONObject:
        """Who the host says it is; ``{}`` before it said so."""
        return deepcopy(self._host_info)

    @property
    def host_capabilities(self) -> JSONObject:
        """What the host says it can do; ``{}`` before it said so."""
        return deepcopy(self._host_capabilities)

    @property
    def host_context(self) -> JSONObject:
        """The host's context with all changes merged in."""
        return deepcopy(self._host_context)

    @property
    def protocol_version(self) -> str | None:
        """What the host answered; None before it did."""
        return self._protocol_version

    # ---- the handshake

    def initialize(self, now: float, *, timeout: float) -> RequestId:
        """Introduce ourselves; ``HostReady`` is the outcome, and ``initialized`` is sent with it (R35).

        May be repeated once it has succeeded or failed.

        Raises:
            LocalProtocolError: a handshake is under way, or the connection is closing.
        """
        if any(call.method == _INITIALIZE for call in self._calls.to_peer.values()):
            raise LocalProtocolError("ui/initialize waits for its answer already")
        params: JSONObject = {
            "appInfo": self._app_info,
            "appCapabilities": self._capabilities,
            "protocolVersion": LATEST,
        }
        request_id = self._ask(_INITIALIZE, params, now, timeout)
        self._begin()
        return request_id

    # ---- asking the host

    def request(self, method: str, params: JSONObject | None, now: float, *, timeout: float) -> RequestId:
        """Ask the host for anything a view may ask; the outcome is ``ResponseReceived`` or ``RequestFailed``.

        Raises:
            LocalProtocolError: the host did not advertise it, the params are not right, or it is not time.
        """
        params = params or {}
        row = self._own_rows.get(method)
        if row is None:
            if method.startswith("ui/"):
                raise LocalProtocolError(f"there is no request {method!r}")
        elif row.kind is Kind.NOTIFICATION or row.traffic is Traffic.HANDSHAKE:
            raise LocalProtocolError(f"{method} is not for request(); see notify() and initialize()")
        else:
            self._check_may_say(method, row.traffic)
            self._check_row(row, params)
            self._check_details(method, params)
        return self._ask(method, params, now, timeout, progress=method == "tools/call")

    def _check_row(self, row: Method, params: JSONObject) -> None:
        gate = row.gate
        # A stable host does not know the draft's capabilities for stable methods: there the host decides.
        if gate is not None and not (gate.source is Source.DRAFT and row.source is Source.STABLE):
            ours = gate.owner == "appCapabilities"
            if not gate.is_open(self._capabilities if ours else self._host_capabilities):
                raise LocalProtocolError(f"{row.name} cannot be sent: {gate} was not advertised")
        fault = row.params_fault(params)
        if fault is not None:
            raise LocalProtocolError(f"{row.name} cannot be sent: {fault}")

    def _check_details(self, method: str, params: JSONObject) -> None:
        if method == _DISPLAY_MODE:
            mode = params["mode"]
            if mode not in self._host_context.get("availableDisplayModes", []):  # R39
                raise LocalProtocolError(f"the host does not offer the display mode {mode!r}")
            if mode not in self._capabilities.get("availableDisplayModes", [mode]):  # R38
                raise LocalProtocolError(f"we did not declare the display mode {mode!r}")
        elif method == "sampling/createMessage" and params.get("tools") is not None:  # D02
            sampling = self._host_capabilities["sampling"]
            if not isinstance(sampling, dict) or sampling.get("tools") is None:
                raise LocalProtocolError("tools cannot be sent: hostCapabilities.sampling.tools is missing")

    def call_tool(self, name: str, arguments: JSONObject | None, now: float, *, timeout: float) -> RequestId:
        """Call a tool of the view's own server."""
        params = {"name": name, "arguments": {} if arguments is None else arguments}
        return self.request("tools/call", params, now, timeout=timeout)

    def list_tools(self, now: float, *, timeout: float, cursor: str | None = None) -> RequestId:
        """List the server's tools (draft only; official hosts refuse it)."""
        return self.request("tools/list", {"cursor": cursor}, now, timeout=timeout)

    def read_resource(self, uri: str, now: float, *, timeout: float) -> RequestId:
        """Read a resource of the server."""
        return self.request("resources/read", {"uri": uri}, now, timeout=timeout)

    def list_resources(self, now: float, *, timeout: float, cursor: str | None = None) -> RequestId:
        """List the server's resources."""
        return self.request("resources/list", {"cursor": cursor}, now, timeout=timeout)

    def list_resource_templates(self, now: float, *, timeout: float, cursor: str | None = None) -> RequestId:
        """List the server's resource templates."""
        return self.request("resources/templates/list", {"cursor": cursor}, now, timeout=timeout)

    def list_prompts(self, now: float, *, timeout: float, cursor: str | None = None) -> RequestId:
        """List the server's prompts."""
        return self.request("prompts/list", {"cursor": cursor}, now, timeout=timeout)

    def open_link(self, url: str, now: float, *, timeout: float) -> RequestId:
        """Ask for a page to be opened."""
        return self.request("ui/open-link", {"url": url}, now, timeout=timeout)

    def download_file(self, contents: list[JSONObject], now: float, *, timeout: float) -> RequestId:
        """Ask for a file to be saved: embedded resources or resource links."""
        return self.request("ui/download-file", {"contents": contents}, now, timeout=timeout)

    def send_message(
        self, content: str | JSONObject | list[JSONObject], now: float, *, timeout: float
    ) -> RequestId:
        """Speak in the conversation as the user; text, a block or blocks, an array on the wire."""
        params = {"role": "user", "content": self._blocks(content)}
        return self.request("ui/message", params, now, timeout=timeout)

    def update_model_context(
        self,
        now: float,
        *,
        timeout: float,
        content: str | JSONObject | list[JSONObject] | None = None,
        structured_content: JSONObject | None = None,
    ) -> RequestId:
        """Say what the model should know in future turns; replaces what this view said before."""
        blocks = None if content is None else self._blocks(content)
        params = {"content": blocks, "structuredContent": structured_content}
        return self.request("ui/update-model-context", params, now, timeout=timeout)

    def _blocks(self, content: str | JSONObject | list[JSONObject]) -> list[JSONObject]:
        blocks = content_blocks(content)
        if isinstance(blocks, str):
            raise LocalProtocolError(f"this is no content: {blocks}")
        return blocks

    def request_display_mode(self, mode: str, now: float, *, timeout: float) -> RequestId:
        """Ask to be shown otherwise; the answer may name another mode (R40)."""
        return self.request(_DISPLAY_MODE, {"mode": mode}, now, timeout=timeout)

    def create_message(self, params: JSONObject, now: float, *, timeout: float) -> RequestId:
        """Ask the host's model: core MCP sampling params."""
        return self.request("sampling/createMessage", params, now, timeout=timeout)

    # ---- telling the host

    def notify(self, method: str, params: JSONObject | None = None) -> None:
        """Send a notification a view may send.

        Raises:
            LocalProtocolError: there is none of that name, it was not advertised, or it is not time.
        """
        row = self._own_rows.get(method)
        if row is None or row.kind is Kind.REQUEST or row.traffic is Traffic.HANDSHAKE:
            raise LocalProtocolError(f"there is no notification {method!r} to send")
        params = params or {}
        self._check_may_say(method, row.traffic)
        self._check_row(row, params)
        self._notify(method, params)

    def send_size(self, width: float | None = None, height: float | None = None) -> None:
        """Report the size of the content (R57)."""
        self.notify("ui/notifications/size-changed", {"width": width, "height": height})

    def send_log(self, level: str, data: JSONValue, logger: str | None = None) -> None:
        """Log something at the host."""
        if data is None:
            raise LocalProtocolError("there is nothing to log: give data")
        self.notify("notifications/message", {"level": level, "data": data, "logger": logger})

    def request_teardown(self) -> None:
        """Ask to be closed; the host may ignore it (D09)."""
        self.notify("ui/notifications/request-teardown")

    def notify_tools_changed(self) -> None:
        """Say that the tools we provide have changed."""
        self.notify("notifications/tools/list_changed")

    # ---- answering the host

    def _finish_answer(self, request_id: RequestId, call: FromPeer, result: JSONObject) -> None:
        if call.method == "tools/call":
            result = tool_result(result)
        super()._finish_answer(request_id, call, result)

    # ---- sleep

    def snapshot(self) -> JSONObject:
        """Everything this connection knows, as plain JSON; see ``restore``."""
        return {
            **super().snapshot(),
            "appInfo": self._app_info,
            "capabilities": self._capabilities,
            "hostInfo": self._host_info,
            "hostCapabilities": self._host_capabilities,
            "hostContext": self._host_context,
            "protocolVersion": self._protocol_version,
            "seen": sorted(self._seen),
            "beginsAgain": self._begins_again,
        }

    @classmethod
    def restore(cls, snapshot: JSONObject) -> Self:
        """A connection that goes on exactly where the snapshot was taken.

        Raises:
            ConfigError: it is not a snapshot of a view's connection of this version.
        """
        cls._check_snapshot(snapshot)
        connection = cls(
            app_info=snapshot["appInfo"],
            capabilities=snapshot["capabilities"],
            limits=Limits.from_json(snapshot["limits"]),
            extra_requests=snapshot["extraRequests"],
        )
        connection._load(snapshot)
        return connection

    def _load(self, snapshot: JSONObject) -> None:
        super()._load(snapshot)
        self._host_info = snapshot["hostInfo"]
        self._host_capabilities = snapshot["hostCapabilities"]
        self._host_context = snapshot["hostContext"]
        self._open_gates(self._host_capabilities, "hostCapabilities")
        self._protocol_version = snapshot["protocolVersion"]
        self._seen = set(snapshot["seen"])
        self._excuse_host(snapshot["beginsAgain"])
