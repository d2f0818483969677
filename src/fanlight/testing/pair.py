"""A host's and a view's connection joined, both checked on every step.

For tests of protocol behaviour without a browser, a socket or a clock: act on ``pair.host`` and
``pair.view``, call ``settle()``, look at the events. Every message crosses as JSON text and is held against
the method table; what no official peer would take raises ``AssertionError``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from fanlight.protocol import ConnectionState, Event, HostConnection, Role, ViewConnection
from fanlight.wire import (
    FROM_HOST,
    FROM_VIEW,
    ErrorResponse,
    JSONObject,
    Kind,
    Malformed,
    Notification,
    Request,
    RequestId,
    Response,
    WireModel,
    classify,
)

__all__ = ["ConnectionPair", "Crossing"]

# No conversation without a program behind it is this long: the two ends only answer each other.
_MOST_ROUNDS = 100
_ROWS = {Role.HOST: FROM_HOST, Role.VIEW: FROM_VIEW}
_OTHER = {Role.HOST: Role.VIEW, Role.VIEW: Role.HOST}


@dataclass(frozen=True, slots=True)
class Crossing:
    """One message that crossed, and who sent it."""

    sender: Role
    message: JSONObject


class ConnectionPair:
    """Two connections on one wire. Give your own ends, or take two that can do everything."""

    def __init__(
        self, host: HostConnection | None = None, view: ViewConnection | None = None, *, now: float = 0.0
    ) -> None:
        self.host = host or HostConnection(
            host_info={"name": "pair-host", "version": "1"}, capabilities=_ALL_CAPABILITIES, context=_CONTEXT
        )
        self.view = view or ViewConnection(
            app_info={"name": "pair-view", "version": "1"}, capabilities={"tools": {"listChanged": True}}
        )
        self.now = now
        self.host_events: list[Event] = []
        self.view_events: list[Event] = []
        self.crossings: list[Crossing] = []
        self._initialized = False
        self._open: dict[tuple[Role, RequestId], str] = {}

    def handshake(self) -> None:
        """Run the whole handshake; both ends are ready afterwards."""
        self.view.initialize(self.now, timeout=60)
        self.settle()
        assert self.host.state is self.view.state is ConnectionState.READY, "the handshake did not end"

    def settle(self) -> None:
        """Carry messages until both ends are silent, and collect the events."""
        for _ in range(_MOST_ROUNDS):
            outgoing = self.host.messages_to_send()
            incoming = self.view.messages_to_send()
            for message in outgoing:
                self.view.receive(self._cross(Role.HOST, message), self.now)
            for message in incoming:
                self.host.receive(self._cross(Role.VIEW, message), self.now)
            self.host_events += self.host.events()
            self.view_events += self.view.events()
            if not outgoing and not incoming:
                return
        raise AssertionError(f"the two ends are not silent after {_MOST_ROUNDS} rounds")

    def advance(self, seconds: float) -> None:
        """Let time pass for both ends, and settle."""
        self.now += seconds
        self.host.tick(self.now)
        self.view.tick(self.now)
        self.settle()

    def restart(self) -> None:
        """Put both ends to sleep as JSON text and wake them; nothing may change by it."""
        self.host = HostConnection.restore(json.loads(json.dumps(self.host.snapshot())))
        self.view = ViewConnection.restore(json.loads(json.dumps(self.view.snapshot())))

    def sent(self, sender: Role) -> list[str]:
        """The methods that ``sender`` has sent so far, in order; answers are not among them."""
        return [c.message["method"] for c in self.crossings if c.sender is sender and "method" in c.message]

    def take_events(self) -> tuple[list[Event], list[Event]]:
        """The events of the host and of the view since the last time."""
        taken = self.host_events, self.view_events
        self.host_events, self.view_events = [], []
        return taken

    def _cross(self, sender: Role, message: JSONObject) -> JSONObject:
        text = json.dumps(message, allow_nan=False)
        crossed: JSONObject = json.loads(text)
        assert crossed == message, f"{sender} sends what is not plain JSON: {text}"
        self._check(sender, crossed)
        self.crossings.append(Crossing(sender, crossed))
        return crossed

    def _check(self, sender: Role, message: JSONObject) -> None:
        envelope = classify(message)
        assert not isinstance(envelope, Malformed), f"{sender} sends a malformed message: {message}"
        if isinstance(envelope, Response | ErrorResponse):
            self._check_answer(sender, envelope)
            return
        if sender is Role.HOST:
            assert self._initialized, f"R32: the host sends {envelope.method} before initialized"
        assert "params" in message, f"{sender} sends {envelope.method} without params"
        row = _ROWS[sender].get(envelope.method)
        if isinstance(envelope, Request):
            key = (sender, envelope.id)
            assert key not in self._open, f"{sender} uses the id {envelope.id!r} twice at once"
            self._open[key] = envelope.method
            if envelope.method == "ui/initialize":  # also a repeated one: the view is not ready any more
                self._initialized = False
        if row is not None:
            kind = Kind.REQUEST if isinstance(envelope, Request) else Kind.NOTIFICATION
            assert row.kind is kind, f"{sender} sends {row.name} as a {kind}"
            _check_shape(row.params, envelope.params, f"params of {row.name}")
        else:
            assert isinstance(envelope, Request), f"{sender} sends an unknown notification: {message}"
        if isinstance(envelope, Notification) and envelope.method == "ui/notifications/initialized":
            self._initialized = True

    def _check_answer(self, sender: Role, answer: Response | ErrorResponse) -> None:
        assert answer.id is not None, f"{sender} answers nobody: {answer}"
        asker = _OTHER[sender]
        method = self._open.pop((asker, answer.id), None)
        assert method is not None, f"{sender} answers {answer.id!r}, which is not open"
        row = _ROWS[asker].get(method)
        if isinstance(answer, Response) and row is not None and row.result is not None:
            _check_shape(row.result, answer.result, f"result of {method}")


def _check_shape(model: type[WireModel], data: JSONObject, what: str) -> None:
    # The round trip drops null fields, so equality also says that there were none.
    assert model.model_validate(data).to_wire() == data, f"{what} is not as it should be: {data}"


_ALL_CAPABILITIES: JSONObject = {
    "openLinks": {},
    "downloadFile": {},
    "serverTools": {"listChanged": True},
    "serverResources": {"listChanged": True},
    "logging": {},
    "updateModelContext": {},
    "message": {},
    "sampling": {"tools": {}},
}
_CONTEXT: JSONObject = {
    "theme": "light",
    "displayMode": "inline",
    "availableDisplayModes": ["inline", "fullscreen"],
}
