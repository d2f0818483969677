"""One end of a connection without its ears: state, queues, time, asking, the end, sleep.

Sans-I/O: messages and events are collected here and drained by the program; time is an argument. A fault of
the calling program raises ``LocalProtocolError`` at once and changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import ClassVar

from fanlight.errors import ConfigError, LocalProtocolError
from fanlight.wire import jsonrpc
from fanlight.wire.jsonrpc import ErrorCode, JSONObject, JSONValue, RequestId
from fanlight.wire.method import Method, Traffic

from .events import (
    Closed,
    Event,
    FaultReason,
    PeerFault,
    RequestCancelled,
    RequestFailed,
    event_from_json,
    event_to_json,
)
from .limits import Limits
from .rpc import Calls, ToPeer
from .state import PASSAGES, ConnectionState, Passage, Role, Signal, next_state
from .strict import without_nulls

__all__ = ["Endpoint"]

_SNAPSHOT_VERSION = 1
# MCP forbids cancelling the handshake, and a teardown that timed out ends the connection anyway.
_NEVER_CANCELLED = ("ui/initialize", "ui/resource-teardown")


class Endpoint:
    """State, queues and open requests of one end."""

    _role: ClassVar[Role]
    _peer_role: ClassVar[Role]
    _own_rows: ClassVar[Mapping[str, Method]]

    def __init__(self, limits: Limits | None, extra_requests: Iterable[str] = ()) -> None:
        self._limits = limits or Limits()
        self._extra_requests = frozenset(extra_requests)
        self._calls = Calls()
        self._outbox: list[JSONObject] = []
        self._held: list[JSONObject] = []
        self._events: list[Event] = []
        self._set_state(ConnectionState.NEW)

    # ---- what is known

    @property
    def state(self) -> ConnectionState:
        """Where the connection is in its life."""
        return self._state

    @property
    def limits(self) -> Limits:
        """The bounds this connection keeps."""
        return self._limits

    # ---- drains

    def messages_to_send(self) -> list[JSONObject]:
        """Take what must go to the peer, in order. Empties the queue."""
        messages, self._outbox = self._outbox, []
        return messages

    def events(self) -> list[Event]:
        """Take what happened, in order. Empties the queue."""
        events, self._events = self._events, []
        return events

    # ---- time

    def next_deadline(self) -> float | None:
        """When ``tick`` should be called at the latest; None if nothing waits."""
        return self._calls.earliest()

    def tick(self, now: float) -> None:
        """Fail every request whose deadline has passed, and tell the peer that nobody waits for it."""
        for request_id in self._calls.expired(now):
            call = self._calls.to_peer.pop(request_id, None)
            if call is not None:  # failing one may have closed the connection and failed the rest
                self._abandon(request_id, call, "timed out")
                message = f"no answer to {call.method} in time"
                self._fail(request_id, call, ErrorCode.CANCELLED, message, timed_out=True)

    # ---- asking the peer

    def ping(self, now: float, *, timeout: float) -> RequestId:
        """Ask whether the peer is alive; the outcome is an event.

        Raises:
            LocalProtocolError: the connection is closing, or too much waits already.
        """
        return self._ask("ping", {}, now, timeout)

    def cancel(self, request_id: RequestId, reason: str | None = None) -> None:
        """Stop waiting for a request of ours; it fails at once, and the peer is told.

        If its answer came in the meantime nothing happens.

        Raises:
            LocalProtocolError: we never made such a request, or it cannot be cancelled.
        """
        call = self._calls.to_peer.get(request_id)
        if call is None:
            if not self._calls.is_ours(request_id):
                raise LocalProtocolError(f"no request of ours has the id {request_id!r}")
            return
        if call.method in _NEVER_CANCELLED:
            raise LocalProtocolError(f"{call.method} cannot be cancelled; close the connection instead")
        del self._calls.to_peer[request_id]
        self._abandon(request_id, call, reason)
        self._fail(request_id, call, ErrorCode.CANCELLED, reason or "cancelled")

    def _ask(
        self, method: str, params: JSONObject, now: float, timeout: float, *, progress: bool = False
    ) -> RequestId:
        """Send a request of ours, or hold it back, as the state allows. Its deadline runs from now."""
        traffic = self._traffic(method)
        self._check_timeout(method, timeout)
        self._check_may_say(method, traffic)
        self._check_room(method, traffic)
        if len(self._calls.to_peer) >= self._limits.max_requests_to_peer:
            count = self._limits.max_requests_to_peer
            raise LocalProtocolError(f"{count} requests wait for an answer already; {method} must wait")
        request_id = self._calls.new_id()
        if progress:  # the id is a fine token: both name this request on this link
            params = {**params, "_meta": {**params.get("_meta", {}), "progressToken": request_id}}
        self._open_request(request_id, method, params, now + timeout)
        return request_id

    def _open_request(self, request_id: RequestId, method: str, params: JSONObject, deadline: float) -> None:
        traffic = self._traffic(method)
        held = self._may[traffic] is Passage.LATER
        self._calls.to_peer[request_id] = ToPeer(method, deadline, held)
        self._say(traffic, jsonrpc.request(request_id, method, without_nulls(params)))

    def _notify(self, method: str, params: JSONObject) -> None:
        """Send a notification of ours, or hold it back, as the state allows.

        Raises:
            LocalProtocolError: it may never be sent in this state, or the queue is full.
        """
        traffic = self._traffic(method)
        self._check_may_say(method, traffic)
        self._check_room(method, traffic)
        self._say(traffic, jsonrpc.notification(method, without_nulls(params)))

    def _check_timeout(self, method: str, timeout: float) -> None:
        if not (timeout > 0 and math.isfinite(timeout)):
            raise LocalProtocolError(f"the timeout of {method} is {timeout!r}: give seconds above 0")

    def _check_may_say(self, what: str, traffic: Traffic) -> None:
        if self._may[traffic] is Passage.NEVER:
            raise LocalProtocolError(f"{what} cannot be sent: the connection is {self._state}")

    def _check_room(self, method: str, traffic: Traffic) -> None:
        if self._may[traffic] is Passage.LATER and len(self._held) >= self._limits.max_held_messages:
            count = self._limits.max_held_messages
            raise LocalProtocolError(f"{count} messages wait for the view already; {method} must wait")

    def _say(self, traffic: Traffic, message: JSONObject) -> None:
        queue = self._outbox if self._may[traffic] is Passage.NOW else self._held
        queue.append(message)

    def _release_held(self) -> None:
        """Send what was held back, in order."""
        self._outbox += self._held
        self._held = []
        for call in self._calls.to_peer.values():
            call.held = False

    def _abandon(self, request_id: RequestId, call: ToPeer, reason: str | None) -> None:
        """Take a request back: out of the queue if the peer never saw it, else by telling the peer."""
        if call.held:
            self._held = [message for message in self._held if message.get("id") != request_id]
        elif call.method not in _NEVER_CANCELLED and self._may[Traffic.NOTIFICATION] is Passage.NOW:
            params = without_nulls({"requestId": request_id, "reason": reason})
            self._outbox.append(jsonrpc.notification("notifications/cancelled", params))

    def _fail(
        self,
        request_id: RequestId,
        call: ToPeer,
        code: int,
        message: str,
        *,
        timed_out: bool = False,
        data: JSONValue = None,
    ) -> None:
        """Report that a request of ours has failed; it is no longer open."""
        self._events.append(RequestFailed(request_id, call.method, int(code), message, timed_out, data))

    # ---- the end

    def close(self, reason: str) -> None:
        """The channel is gone: everybody who waits fails, nothing is sent any more. Twice is once."""
        if self._step(Signal.CLOSE):
            self._finish(reason)

    def _finish(self, reason: str) -> None:
        """Fail everybody who waits; the state is CLOSED already."""
        self._held = []
        waiting, self._calls.to_peer = self._calls.to_peer, {}
        for request_id, call in waiting.items():
            self._fail(request_id, call, ErrorCode.CANCELLED, f"the connection is closed: {reason}")
        self._cancel_all_from_peer(reason)
        self._events.append(Closed(reason))

    def _cancel_all_from_peer(self, reason: str) -> None:
        for request_id in list(self._calls.from_peer):
            self._calls.cancel_from_peer(request_id)
            self._events.append(RequestCancelled(request_id, reason))

    # ---- small parts

    def _set_state(self, state: ConnectionState) -> None:
        self._state = state
        self._may = PASSAGES[self._role][state]
        self._peer_may = PASSAGES[self._peer_role][state]

    def _step(self, signal: Signal) -> bool:
        """Move on; False if the signal is not allowed now."""
        state = next_state(self._state, signal)
        if state is None:
            return False
        self._set_state(state)
        return True

    def _traffic(self, method: str) -> Traffic:
        """The class of a call of ours; a method outside the table (M6) is an ordinary request."""
        row = self._own_rows.get(method)
        return Traffic.REQUEST if row is None else row.traffic

    def _fault(self, reason: FaultReason, message: str) -> None:
        self._events.append(PeerFault(reason, message))

    # ---- sleep

    def snapshot(self) -> JSONObject:
        """Everything this connection knows, as plain JSON; the connection goes on unchanged.

        Deadlines are in the caller's clock: whoever restores it must go on with the same one.
        """
        return {
            "version": _SNAPSHOT_VERSION,
            "role": self._role.value,
            "state": self._state.value,
            "limits": self._limits.to_json(),
            "extraRequests": sorted(self._extra_requests),
            "calls": self._calls.to_json(),
            "outbox": list(self._outbox),
            "held": list(self._held),
            "events": [event_to_json(event) for event in self._events],
        }

    @classmethod
    def _check_snapshot(cls, snapshot: JSONObject) -> None:
        found = (snapshot.get("version"), snapshot.get("role"))
        if found != (_SNAPSHOT_VERSION, cls._role.value):
            text = f"a snapshot of version {_SNAPSHOT_VERSION} and role {cls._role.value!r} is needed"
            raise ConfigError(f"{text}; this one has version {found[0]!r} and role {found[1]!r}")

    def _load(self, snapshot: JSONObject) -> None:
        self._set_state(ConnectionState(snapshot["state"]))
        self._calls = Calls.from_json(snapshot["calls"])
        self._outbox = list(snapshot["outbox"])
        self._held = list(snapshot["held"])
        self._events = [event_from_json(event) for event in snapshot["events"]]
