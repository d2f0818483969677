"""What happened on a connection, as frozen dataclasses.

The program drains them with ``connection.events()`` and acts. Every field is plain JSON, so that events
which were not drained yet can sleep in a snapshot. Events never carry exceptions: a fault of the peer is a
``PeerFault``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TypeAlias

from fanlight.wire.jsonrpc import JSONObject, JSONValue, RequestId

__all__ = [
    "Closed",
    "Event",
    "FaultReason",
    "HostContextChanged",
    "HostReady",
    "InitializeReceived",
    "Initialized",
    "ListChanged",
    "LogMessage",
    "NotificationReceived",
    "PeerFault",
    "ProgressReceived",
    "RequestCancelled",
    "RequestFailed",
    "RequestReceived",
    "ResponseReceived",
    "SizeChanged",
    "TeardownReceived",
    "TeardownRequested",
    "ToolCancelled",
    "ToolInput",
    "ToolInputPartial",
    "ToolResult",
    "TornDown",
    "ViewToolsChanged",
    "event_from_json",
    "event_to_json",
]


class FaultReason(StrEnum):
    """In which way the peer broke the rules."""

    MALFORMED = "malformed"
    INVALID_PARAMS = "invalid-params"
    INVALID_RESULT = "invalid-result"
    UNKNOWN_METHOD = "unknown-method"
    NOT_ADVERTISED = "not-advertised"
    BEFORE_INITIALIZED = "before-initialized"
    OUT_OF_ORDER = "out-of-order"
    DUPLICATED = "duplicated"
    LATE = "late"
    OVER_LIMIT = "over-limit"
    RESERVED = "reserved"
    AFTER_CLOSE = "after-close"


# ---- on both sides


@dataclass(frozen=True, slots=True)
class RequestReceived:
    """The peer asks for something: ``answer`` or ``refuse`` it, or it waits until its own timeout.

    ``params`` are checked as far as the method table goes and normalised where the protocol allows several
    spellings. ``wants_progress`` says whether ``send_progress`` will reach anybody; the token itself is kept
    inside, because it means something on this link only.
    """

    request_id: RequestId
    method: str
    params: JSONObject
    wants_progress: bool = False


@dataclass(frozen=True, slots=True)
class RequestCancelled:
    """Nobody waits for this request any more; stop working on it. An answer is no longer sent."""

    request_id: RequestId
    reason: str | None


@dataclass(frozen=True, slots=True)
class NotificationReceived:
    """A notification this library has no event for; unknown ones are harmless and may be ignored."""

    method: str
    params: JSONObject


@dataclass(frozen=True, slots=True)
class ResponseReceived:
    """The peer answered a request of ours."""

    request_id: RequestId
    method: str
    result: JSONObject


@dataclass(frozen=True, slots=True)
class RequestFailed:
    """A request of ours will never be answered well: refused, timed out, cancelled, or the channel closed."""

    request_id: RequestId
    method: str
    code: int
    message: str
    timed_out: bool = False
    data: JSONValue = None


@dataclass(frozen=True, slots=True)
class ProgressReceived:
    """The peer reports on a request of ours. Deadlines stay: a peer cannot prolong its own time."""

    request_id: RequestId
    progress: float
    total: float | None
    message: str | None


@dataclass(frozen=True, slots=True)
class PeerFault:
    """The peer broke a rule; it was answered with an error where an answer is due.

    ``message`` is a bounded sentence, never the payload.
    """

    reason: FaultReason
    message: str


@dataclass(frozen=True, slots=True)
class Closed:
    """The connection is over; nothing will be sent or received."""

    reason: str


# ---- on the host's side


@dataclass(frozen=True, slots=True)
class InitializeReceived:
    """The view introduced itself and was answered. ``repeated``: it had done so before; last values win."""

    app_info: JSONObject
    app_capabilities: JSONObject
    protocol_version: str | None
    repeated: bool


@dataclass(frozen=True, slots=True)
class Initialized:
    """The view is ready; what was held back is on its way."""


@dataclass(frozen=True, slots=True)
class SizeChanged:
    """The view's content has this size, in CSS pixels, never negative."""

    width: float | None
    height: float | None


@dataclass(frozen=True, slots=True)
class LogMessage:
    """The view logs something."""

    level: str
    data: JSONValue
    logger: str | None


@dataclass(frozen=True, slots=True)
class TeardownRequested:
    """The view asks to be closed (D09): call ``teardown``, or ignore it."""


@dataclass(frozen=True, slots=True)
class ViewToolsChanged:
    """The tools the view provides have changed: list them again."""


@dataclass(frozen=True, slots=True)
class TornDown:
    """The view may be removed now. ``clean``: it was told, and had the time to say that it is ready."""

    clean: bool


# ---- on the view's side


@dataclass(frozen=True, slots=True)
class HostReady:
    """The host answered the handshake; ``initialized`` was sent."""

    host_info: JSONObject
    host_capabilities: JSONObject
    host_context: JSONObject
    protocol_version: str | None


@dataclass(frozen=True, slots=True)
class ToolInputPartial:
    """Arguments as far as they have been written; for previews only (R51, R52)."""

    arguments: JSONObject


@dataclass(frozen=True, slots=True)
class ToolInput:
    """The complete arguments of the tool call."""

    arguments: JSONObject


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of the tool call."""

    result: JSONObject


@dataclass(frozen=True, slots=True)
class ToolCancelled:
    """The tool call was cancelled; no result will come."""

    reason: str | None


@dataclass(frozen=True, slots=True)
class HostContextChanged:
    """The host's context changed: ``changes`` as they came, ``context`` as it is now (R58)."""

    changes: JSONObject
    context: JSONObject


@dataclass(frozen=True, slots=True)
class TeardownReceived:
    """The view is about to be removed: save, then ``answer`` this request."""

    request_id: RequestId
    reason: str | None


@dataclass(frozen=True, slots=True)
class ListChanged:
    """A list of the server has changed: ``tools``, ``resources`` or ``prompts``."""

    what: str


Event: TypeAlias = (
    RequestReceived
    | RequestCancelled
    | NotificationReceived
    | ResponseReceived
    | RequestFailed
    | ProgressReceived
    | PeerFault
    | Closed
    | InitializeReceived
    | Initialized
    | SizeChanged
    | LogMessage
    | TeardownRequested
    | ViewToolsChanged
    | TornDown
    | HostReady
    | ToolInputPartial
    | ToolInput
    | ToolResult
    | ToolCancelled
    | HostContextChanged
    | TeardownReceived
    | ListChanged
)

_BY_NAME: dict[str, type[Event]] = {kind.__name__: kind for kind in Event.__args__}


def event_to_json(event: Event) -> JSONObject:
    """An event as plain JSON, for snapshots."""
    return {"event": type(event).__name__, **{f.name: getattr(event, f.name) for f in fields(event)}}


def event_from_json(data: JSONObject) -> Event:
    """The reverse of ``event_to_json``."""
    values = {key: value for key, value in data.items() if key != "event"}
    if data["event"] == PeerFault.__name__:
        values["reason"] = FaultReason(values["reason"])
    return _BY_NAME[data["event"]](**values)
