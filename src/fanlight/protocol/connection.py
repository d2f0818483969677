"""An end of a connection with its ears: receive, check, dispatch, answer.

A fault of the peer never raises: it becomes a ``PeerFault`` event and, where one is due, an error answer.
After every call, drain ``messages_to_send()`` and ``events()``, then ask ``next_deadline()``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from fanlight.errors import LocalProtocolError
from fanlight.wire import jsonrpc
from fanlight.wire.jsonrpc import (
    ErrorCode,
    ErrorResponse,
    JSONObject,
    JSONValue,
    Malformed,
    Notification,
    Request,
    RequestId,
    Response,
    classify,
)
from fanlight.wire.method import Kind, Method, Traffic
from fanlight.wire.versions import RESERVED_PREFIX

from .endpoint import Endpoint
from .events import (
    FaultReason,
    NotificationReceived,
    ProgressReceived,
    RequestCancelled,
    RequestReceived,
    ResponseReceived,
)
from .limits import Limits
from .rpc import FromPeer, ToPeer, split_progress_token
from .state import ConnectionState, Passage
from .strict import without_nulls
from .tolerant import is_finite, json_size

__all__ = ["Connection"]

_BEGINNING = (ConnectionState.NEW, ConnectionState.INITIALIZING)


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Connection(Endpoint):
    """One end of a connection. Use ``HostConnection`` or ``ViewConnection``."""

    # Whether a request is served that comes between the answer to ui/initialize and `initialized`.
    _serves_early: ClassVar[bool] = False
    _peer_rows: ClassVar[Mapping[str, Method]]
    _request_handlers: ClassVar[Mapping[str, Callable[[Any, Request], None]]]
    _notification_handlers: ClassVar[Mapping[str, Callable[[Any, JSONObject], None]]]
    _result_handlers: ClassVar[Mapping[str, Callable[[Any, RequestId, JSONObject, int], None]]]

    def __init__(self, limits: Limits | None, extra_requests: Iterable[str] = ()) -> None:
        super().__init__(limits, extra_requests)
        self._open_to_peer: frozenset[str] = frozenset()

    # ---- from the peer

    def receive(self, message: object, now: float, *, size: int | None = None) -> None:
        """Take one decoded message of the peer. Never raises, whatever it is given.

        ``size`` is the length of the JSON text it was decoded from, if the caller knows it; without it the
        message is measured, which costs about a third of what decoding it did.
        """
        if self._state is ConnectionState.CLOSED:
            self._fault(FaultReason.AFTER_CLOSE, "a message came after the end")
            return
        if size is None:
            size = json_size(message)
            if size is None:
                self._fault(FaultReason.MALFORMED, "a message must be JSON")
                return
        envelope = classify(message)
        if size > self._limits.max_message_size:
            self._on_oversized(envelope, size)
            return
        kind = type(envelope)
        if kind is Request:
            self._on_request(envelope)  # type: ignore[arg-type]
        elif kind is Notification:
            self._on_notification(envelope)  # type: ignore[arg-type]
        elif kind is Response:
            self.tick(now)  # an answer after its deadline is late, also when nobody ticked in between
            self._on_response(envelope, size)  # type: ignore[arg-type]
        elif kind is ErrorResponse:
            self.tick(now)
            self._on_error(envelope)  # type: ignore[arg-type]
        else:
            self._on_malformed(envelope)  # type: ignore[arg-type]

    def _on_request(self, request: Request) -> None:
        method, params = request.method, request.params
        if self._is_long(request.id):
            text = f"a request id may have {self._limits.max_id_length} characters"
            self._reject(request.id, FaultReason.OVER_LIMIT, ErrorCode.INVALID_REQUEST, text)
            return
        if request.id in self._calls.from_peer and not self._begins_anew(method):
            # Answering would settle the first one: two requests cannot share an id while one is open.
            text = f"{_short(method)!r} reuses the id {request.id!r} of an open request"
            self._fault(FaultReason.DUPLICATED, text)
            return
        row = self._peer_rows.get(method)
        if row is None and method not in self._extra_requests:
            text = f"Method not found: {_short(method)}"
            self._reject(request.id, FaultReason.UNKNOWN_METHOD, ErrorCode.METHOD_NOT_FOUND, text)
            return
        if row is not None and row.kind is Kind.NOTIFICATION:
            text = f"{method} is a notification and has no id"
            self._reject(request.id, FaultReason.MALFORMED, ErrorCode.INVALID_REQUEST, text)
            return
        traffic = Traffic.REQUEST if row is None else row.traffic
        # A ping asks whether we live, not for work: it is answered in every state, whoever is early.
        if self._peer_may[traffic] is not Passage.NOW and traffic is not Traffic.PING:
            early = self._state in _BEGINNING
            reason = FaultReason.BEFORE_INITIALIZED if early else FaultReason.OUT_OF_ORDER
            when = "before the view is initialized" if early else f"while the connection is {self._state}"
            text = f"{_short(method)} is not allowed {when}"
            if not self._serves_early or self._state is not ConnectionState.INITIALIZING:
                self._reject(request.id, reason, ErrorCode.INVALID_REQUEST, text)
                return
            self._fault(reason, text)
        if row is not None:
            if row.gate is not None and method not in self._open_to_peer:
                # What MCP and the official classes answer for a method that nobody serves.
                text = f"{method} is not supported: {row.gate} was not advertised"
                self._reject(request.id, FaultReason.NOT_ADVERTISED, ErrorCode.METHOD_NOT_FOUND, text)
                return
            fault = row.params_fault(params)
            if fault is not None:
                self._reject_params(request, fault)
                return
        handler = self._request_handlers.get(method)
        if handler is not None:
            handler(self, request)
        else:
            self._deliver(request, params)

    def _deliver(self, request: Request, params: JSONObject) -> None:
        """Hand a request to the program, and wait for its answer."""
        if len(self._calls.from_peer) >= self._limits.max_requests_from_peer:
            text = f"more than {self._limits.max_requests_from_peer} requests at once"
            self._reject(request.id, FaultReason.OVER_LIMIT, ErrorCode.DENIED, text)
            return
        params, token = split_progress_token(without_nulls(params))
        if token is not None and self._is_long(token):
            # The token is kept and repeated; the request is served without progress.
            text = f"a progress token may have {self._limits.max_id_length} characters"
            self._fault(FaultReason.OVER_LIMIT, text)
            token = None
        self._calls.open_from_peer(request.id, FromPeer(request.method, token))
        self._events.append(RequestReceived(request.id, request.method, params, token is not None))

    def _on_notification(self, note: Notification) -> None:
        method, params = note.method, note.params
        row = self._peer_rows.get(method)
        if row is None:
            if method.startswith(RESERVED_PREFIX):
                # R31: only host and sandbox proxy speak these; a view that does is forging them.
                self._fault(FaultReason.RESERVED, f"{_short(method)} is reserved for the sandbox")
                return
        elif row.kind is Kind.REQUEST:
            self._fault(FaultReason.MALFORMED, f"{method} is a request and needs an id")
            return
        elif row.gate is not None and method not in self._open_to_peer:
            self._fault(FaultReason.NOT_ADVERTISED, f"{method}: {row.gate} was not advertised")
            return
        elif (fault := row.params_fault(params)) is not None:
            self._fault(FaultReason.INVALID_PARAMS, f"{method}: {fault}")
            return
        if self._peer_may[Traffic.NOTIFICATION] is not Passage.NOW and (
            row is None or row.traffic is Traffic.NOTIFICATION
        ):
            # Reported and still used: it wants no answer, so taking it breaks no rule of ours.
            self._fault(
                FaultReason.BEFORE_INITIALIZED, f"{_short(method)} came before the view is initialized"
            )
        handler = self._notification_handlers.get(method)
        if handler is not None:
            handler(self, params)
        else:
            self._events.append(NotificationReceived(method, params))

    def _on_cancelled(self, params: JSONObject) -> None:
        request_id = params["requestId"]
        if self._calls.cancel_from_peer(request_id) is None:
            self._fault(FaultReason.LATE, f"cancelled request {_short(repr(request_id))}, which is not open")
        else:
            self._events.append(RequestCancelled(request_id, params.get("reason")))

    def _on_progress(self, params: JSONObject) -> None:
        # Our tokens are our request ids.
        request_id = self._calls.own_id(params["progressToken"])
        call = self._calls.to_peer.get(request_id)
        numbers = (params["progress"], params.get("total") or 0)
        if call is None or call.held:
            self._fault(FaultReason.LATE, f"progress on {_short(repr(request_id))}, which is not open")
        elif not all(map(is_finite, numbers)):
            self._fault(FaultReason.INVALID_PARAMS, "progress must be finite")
        else:
            self._events.append(
                ProgressReceived(request_id, params["progress"], params.get("total"), params.get("message"))
            )

    def _take_answered(self, given: RequestId | None) -> tuple[RequestId, ToPeer] | None:
        request_id = None if given is None else self._calls.own_id(given)
        call = None if request_id is None else self._calls.to_peer.get(request_id)
        if request_id is None or call is None or call.held:
            shown = _short(repr(given))
            if request_id is not None and call is None and self._calls.is_ours(request_id):
                text = f"an answer to request {shown}, which nobody waits for any more"
                self._fault(FaultReason.LATE, text)
            else:
                self._fault(FaultReason.MALFORMED, f"an answer to request {shown}, which was never sent")
            return None
        del self._calls.to_peer[request_id]
        return request_id, call

    def _on_response(self, answer: Response, size: int) -> None:
        taken = self._take_answered(answer.id)
        if taken is None:
            return
        request_id, call = taken
        if not isinstance(answer.result, dict):
            text = f"the result of {call.method} must be an object"
            self._fault(FaultReason.INVALID_RESULT, text)
            self._fail(request_id, call, ErrorCode.INTERNAL_ERROR, text)
            return
        handler = self._result_handlers.get(call.method)
        if handler is not None:
            handler(self, request_id, answer.result, size)
        else:
            self._events.append(ResponseReceived(request_id, call.method, answer.result))

    def _on_error(self, answer: ErrorResponse) -> None:
        taken = self._take_answered(answer.id)
        if taken is not None:
            request_id, call = taken
            self._fail(request_id, call, answer.code, answer.message, data=answer.data)

    def _on_malformed(self, broken: Malformed) -> None:
        self._fault(FaultReason.MALFORMED, broken.reason)
        if broken.id is None:
            return
        if broken.is_response:
            self._fail_answered(broken.id, f"the answer is malformed: {broken.reason}")
        elif broken.id not in self._calls.from_peer:
            self._refuse_now(broken.id, broken.code, broken.reason)

    def _on_oversized(self, envelope: jsonrpc.Envelope, size: int) -> None:
        text = f"a message of {size} characters; at most {self._limits.max_message_size} are taken"
        self._fault(FaultReason.OVER_LIMIT, text)
        if isinstance(envelope, Request):
            if envelope.id not in self._calls.from_peer and not self._is_long(envelope.id):
                self._refuse_now(envelope.id, ErrorCode.INVALID_REQUEST, text)
        elif isinstance(envelope, Response | ErrorResponse) and envelope.id is not None:
            self._fail_answered(envelope.id, text)

    def _fail_answered(self, given: RequestId, text: str) -> None:
        request_id = self._calls.own_id(given)
        call = self._calls.to_peer.get(request_id)
        if call is not None and not call.held:
            del self._calls.to_peer[request_id]
            self._fail(request_id, call, ErrorCode.INTERNAL_ERROR, text)

    # ---- answering the peer

    def answer(self, request_id: RequestId, result: JSONObject) -> None:
        """Answer a ``RequestReceived``. Nothing is sent if the peer has cancelled it.

        Raises:
            LocalProtocolError: no such request is open, or the result is not one.
        """
        call = self._open_call(request_id)
        if call is not None:
            if not isinstance(result, dict):
                raise LocalProtocolError(f"a result must be an object, not {type(result).__name__}")
            self._finish_answer(request_id, call, without_nulls(result))

    def refuse(self, request_id: RequestId, code: int, message: str, data: JSONValue = None) -> None:
        """Answer a ``RequestReceived`` with an error. Nothing is sent if the peer has cancelled it.

        Raises:
            LocalProtocolError: no such request is open.
        """
        call = self._open_call(request_id)
        if call is not None:
            self._finish_refusal(request_id, call, code, message, data)

    def send_progress(
        self, request_id: RequestId, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Report on a ``RequestReceived``, under the token the peer gave. Without a token nothing is sent.

        Raises:
            LocalProtocolError: no such request was ever open.
        """
        call = self._open_call(request_id)
        if call is not None and call.progress_token is not None:
            params = {
                "progressToken": call.progress_token,
                "progress": progress,
                "total": total,
                "message": message,
            }
            self._notify("notifications/progress", params)

    def _open_call(self, request_id: RequestId) -> FromPeer | None:
        call = self._calls.from_peer.get(request_id)
        if call is None and not self._calls.was_cancelled(request_id):
            raise LocalProtocolError(f"no open request has the id {request_id!r}")
        return call

    def _finish_answer(self, request_id: RequestId, call: FromPeer, result: JSONObject) -> None:
        del self._calls.from_peer[request_id]
        self._outbox.append(jsonrpc.response(request_id, result))

    def _finish_refusal(
        self, request_id: RequestId, call: FromPeer, code: int, message: str, data: JSONValue
    ) -> None:
        del self._calls.from_peer[request_id]
        self._outbox.append(jsonrpc.error(request_id, code, message, data))

    # ---- small parts

    def _open_gates(self, capabilities: Mapping[str, Any], owner: str) -> None:
        """Note which gated methods the peer may use, by capabilities we or it declared."""
        closed = {name for name in self._open_to_peer if self._owner(name) == owner}
        opened = {
            row.name
            for row in self._peer_rows.values()
            if row.gate is not None and row.gate.owner == owner and row.gate.is_open(capabilities)
        }
        self._open_to_peer = (self._open_to_peer - closed) | opened

    def _owner(self, method: str) -> str | None:
        gate = self._peer_rows[method].gate
        return None if gate is None else gate.owner

    def _begins_anew(self, method: str) -> bool:
        """Whether it is a handshake that may come now: it counts its ids afresh, so they may repeat."""
        row = self._peer_rows.get(method)
        return (
            row is not None
            and row.kind is Kind.REQUEST
            and row.traffic is Traffic.HANDSHAKE
            and self._peer_may[Traffic.HANDSHAKE] is Passage.NOW
        )

    def _is_long(self, request_id: RequestId) -> bool:
        return isinstance(request_id, str) and len(request_id) > self._limits.max_id_length

    def _refuse_now(self, request_id: RequestId, code: ErrorCode, message: str) -> None:
        self._outbox.append(jsonrpc.error(request_id, code, message))

    def _reject(self, request_id: RequestId, reason: FaultReason, code: ErrorCode, message: str) -> None:
        self._fault(reason, message)
        self._refuse_now(request_id, code, message)

    def _reject_params(self, request: Request, fault: str) -> None:
        text = f"Invalid params for {request.method}: {fault}"
        self._reject(request.id, FaultReason.INVALID_PARAMS, ErrorCode.INVALID_PARAMS, text)

    def _answer_ping(self, request: Request) -> None:
        self._outbox.append(jsonrpc.response(request.id, {}))
