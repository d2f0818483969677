"""One JSON-RPC 2.0 message: what kind it is, and how ours are built.

This file knows the envelope and nothing of methods: params and results pass through untouched.
It must not raise for anything a peer can send: what is no message becomes ``Malformed``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeAlias

__all__ = [
    "MAX_SAFE_INTEGER",
    "Envelope",
    "ErrorCode",
    "ErrorResponse",
    "JSONObject",
    "JSONValue",
    "Malformed",
    "Notification",
    "Request",
    "RequestId",
    "Response",
    "classify",
    "error",
    "is_request_id",
    "notification",
    "request",
    "response",
]

JSONValue: TypeAlias = Any
"""Any JSON value. ``Any`` on purpose: payloads pass through and are not ours to type."""

JSONObject: TypeAlias = dict[str, Any]
RequestId: TypeAlias = str | int

# The largest integer a JavaScript peer can hold exactly (Number.MAX_SAFE_INTEGER). An id beyond it
# would come back changed, so it is not usable as an id.
MAX_SAFE_INTEGER = 2**53 - 1

_ABSENT = object()


class ErrorCode(IntEnum):
    """Error codes of JSON-RPC, the spec's host-defined denial, and the four of the ext-apps dialect."""

    PARSE_ERROR = -32700
    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    DENIED = -32000
    TOOL_NOT_FOUND = -32001
    TOOL_EXECUTION_FAILED = -32002
    NOT_SUPPORTED = -32003
    CANCELLED = -32004


@dataclass(frozen=True, slots=True)
class Request:
    """A call that wants an answer."""

    id: RequestId
    method: str
    params: JSONObject


@dataclass(frozen=True, slots=True)
class Notification:
    """A call that wants none."""

    method: str
    params: JSONObject


@dataclass(frozen=True, slots=True)
class Response:
    """A successful answer. ``result`` is any JSON value; MCP wants an object, which the reader checks."""

    id: RequestId
    result: JSONValue


@dataclass(frozen=True, slots=True)
class ErrorResponse:
    """A failed answer. ``id`` is None when the peer could not tell which request it answers."""

    id: RequestId | None
    code: int
    message: str
    data: JSONValue = None


@dataclass(frozen=True, slots=True)
class Malformed:
    """Not a message. ``id`` is there when the sender can still be told (or its waiter failed) by it.

    ``is_response`` says which of the two: the id belongs to an answer of the peer (so nothing may be
    answered), not to a request of it. ``code`` is the error code an answer should carry.
    """

    reason: str
    id: RequestId | None = None
    code: ErrorCode = ErrorCode.INVALID_REQUEST
    is_response: bool = False


Envelope: TypeAlias = Request | Notification | Response | ErrorResponse | Malformed


def is_request_id(value: object) -> bool:
    """Whether ``value`` can serve as a request id: a string, or an integer every peer holds exactly.

    0 is an id like any other (SDK views start there); ``True`` is not, although Python calls it an int.
    """
    if type(value) is int:
        return -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER
    return isinstance(value, str)


def classify(message: object) -> Envelope:
    """Say what ``message`` is. Never raises."""
    if not isinstance(message, dict):
        return Malformed("a message must be a JSON object")
    get = message.get
    raw_id = get("id", _ABSENT)
    has_id = is_request_id(raw_id)
    usable: Any = raw_id if has_id else None
    is_response = "method" not in message
    version = get("jsonrpc")
    if not (isinstance(version, str) and version == "2.0"):
        return Malformed('"jsonrpc" must be "2.0"', usable, is_response=is_response)
    if is_response:
        return _classify_response(message, usable, has_id)
    if "result" in message or "error" in message:
        return Malformed("a message is either a call or an answer, not both", usable)
    method = get("method")
    if not isinstance(method, str):
        return Malformed('"method" must be a string', usable)
    if not has_id and raw_id is not _ABSENT:
        return Malformed('"id" must be a string or a safe integer')
    params = get("params", _ABSENT)
    if params is _ABSENT:
        params = {}  # SDK 2.x views leave params out; 1.x readers want the object
    elif not isinstance(params, dict):
        return Malformed('"params" must be an object', usable, ErrorCode.INVALID_PARAMS)
    if has_id:
        return Request(usable, method, params)
    return Notification(method, params)


def _classify_response(message: dict[Any, Any], usable: Any, has_id: bool) -> Envelope:
    has_result = "result" in message
    if has_result is ("error" in message):
        reason = "an answer must have either a result or an error"
        return Malformed(reason, usable, is_response=True)
    if has_result:
        if not has_id:
            return Malformed("an answer must carry the id of its request", is_response=True)
        return Response(usable, message["result"])
    # Tolerant: an error answer that is not spelled right is still an error answer, so the waiter fails
    # at once instead of by its deadline. JSON-RPC allows "id": null here.
    fault = message["error"]
    if not isinstance(fault, dict):
        return ErrorResponse(usable, ErrorCode.INTERNAL_ERROR, "the peer gave no readable error")
    code, text = fault.get("code"), fault.get("message")
    return ErrorResponse(
        usable,
        code if type(code) is int else ErrorCode.INTERNAL_ERROR,
        text if isinstance(text, str) else "the peer gave no error message",
        fault.get("data"),
    )


def request(id: RequestId, method: str, params: JSONObject | None = None) -> JSONObject:
    """Build a request. ``params`` is always there, ``{}`` if there is nothing to say: SDK 1.x needs it."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {} if params is None else params}


def notification(method: str, params: JSONObject | None = None) -> JSONObject:
    """Build a notification, with ``params`` always present."""
    return {"jsonrpc": "2.0", "method": method, "params": {} if params is None else params}


def response(id: RequestId, result: JSONObject) -> JSONObject:
    """Build a successful answer."""
    return {"jsonrpc": "2.0", "id": id, "result": result}


def error(id: RequestId, code: int, message: str, data: JSONValue = None) -> JSONObject:
    """Build an error answer; ``data`` is left out when there is none."""
    body: JSONObject = {"code": int(code), "message": message}
    if data is not None:
        body["data"] = data
    return {"jsonrpc": "2.0", "id": id, "error": body}
