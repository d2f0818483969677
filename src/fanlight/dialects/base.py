"""What a dialect is made of: rules as rows, a warning, and the memory of one view.

A dialect module holds data and small functions and keeps nothing between calls: whatever must be
remembered about a view lives in its ``Memory``, which goes into a snapshot as plain JSON. Nothing here
does I/O, and nothing here raises for what a view said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from fanlight.wire.jsonrpc import JSONObject, Notification, Request, RequestId, notification, response

__all__ = [
    "MAX_AWAITED",
    "STABLE",
    "Answer",
    "Dialect",
    "DialectWarning",
    "Memory",
    "Rule",
    "Said",
    "as_notification",
    "object_in",
    "params_of",
    "renamed",
    "size_changed",
    "size_in",
    "viewport_of",
    "with_params",
]

STABLE = "stable"

#: Answers one translator waits for at most. A host that never answers must not make a view's memory grow;
#: the oldest is forgotten first, and its answer then passes in the canonical spelling.
MAX_AWAITED = 1024

Said: TypeAlias = Request | Notification
Handshake: TypeAlias = Literal["none", "view", "made-up"]


@dataclass(frozen=True, slots=True)
class DialectWarning:
    """A foreign spelling was understood. ``canonical`` is None when the protocol has nothing like it."""

    dialect: str
    foreign: str
    canonical: str | None
    remedy: str

    def __str__(self) -> str:
        meaning = (
            "has no equivalent in MCP Apps" if self.canonical is None else f"was read as {self.canonical}"
        )
        return f"{self.foreign} ({self.dialect}) {meaning}. {self.remedy}"


@dataclass(slots=True)
class Memory:
    """Everything a translator knows about one view, and what it still has to hand out."""

    dialect: str = STABLE
    tool_name: str | None = None
    #: Who opened: nobody yet, the view itself in JSON-RPC, or the translator in its place.
    handshake: Handshake = "none"
    #: The translator said ``initialized`` for a view that may or may not say it too.
    initialized_for_view: bool = False
    #: Messages the view missed because it spoke mcp-ui first and MCP Apps later: due after ``initialized``.
    missed: list[JSONObject] = field(default_factory=list)
    #: Requests of the view whose answer must be rewritten: ``{"as": kind, …}`` by request id.
    awaited: dict[RequestId, JSONObject] = field(default_factory=dict)
    #: Tools a FrontMCP widget registered, by name.
    tools: dict[str, JSONObject] = field(default_factory=dict)
    #: The model context the host accepted last, and the number of the request that carried it.
    model_context: JSONObject | None = None
    model_context_number: int = -1
    #: What a legacy mcp-ui view is told as render data.
    render_data: JSONObject = field(default_factory=dict)
    next_number: int = 0
    warned: set[tuple[str, str]] = field(default_factory=set)
    to_view: list[JSONObject] = field(default_factory=list)
    to_host: list[JSONObject] = field(default_factory=list)
    warnings: list[DialectWarning] = field(default_factory=list)

    def adopt(self, dialect: str) -> None:
        """Speak this dialect from now on, unless the view was already recognised: first come, first kept."""
        if self.dialect == STABLE:
            self.dialect = dialect

    def warn(self, dialect: str, foreign: str, canonical: str | None, remedy: str) -> None:
        """Record one warning for each foreign spelling of a dialect, however often it is used."""
        if (dialect, foreign) not in self.warned:
            self.warned.add((dialect, foreign))
            self.warnings.append(DialectWarning(dialect, foreign, canonical, remedy))

    def await_answer(self, said: Said, kind: str, **details: Any) -> None:
        """Rewrite the answer to this request as ``kind`` says; a notification has no answer to wait for."""
        if isinstance(said, Request):
            self.await_id(said.id, kind, **details)

    def await_id(self, request_id: RequestId, kind: str, **details: Any) -> None:
        """The same for a request that the translator itself invented."""
        self.awaited[request_id] = {"as": kind, **details}
        if len(self.awaited) > MAX_AWAITED:
            del self.awaited[next(iter(self.awaited))]

    def take_number(self) -> int:
        number = self.next_number
        self.next_number += 1
        return number


Translate: TypeAlias = Callable[[Memory, Said], list[JSONObject]]
#: (memory, what was awaited, the host's answer) → what the view hears.
Answer: TypeAlias = Callable[[Memory, JSONObject, JSONObject], list[JSONObject]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One foreign method: what it means, how it is translated, and whether it gives its speaker away."""

    foreign: str
    canonical: str
    translate: Translate
    adopts: bool = True


def _recognise_nothing(params: JSONObject) -> tuple[str, str] | None:
    return None


def _same_params(params: JSONObject) -> JSONObject:
    return params


def _same_result(memory: Memory, result: JSONObject) -> JSONObject:
    return result


def _same_message(memory: Memory, message: JSONObject) -> list[JSONObject]:
    return [message]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """One spelling of the protocol. ``remedy`` tells the developer of the view how to leave it."""

    name: str
    summary: str
    remedy: str
    rules: tuple[Rule, ...] = ()
    answers: Mapping[str, Answer] = field(default_factory=dict)
    #: ``ui/initialize`` params → the part that gives the dialect away and what it should be, or None.
    recognise: Callable[[JSONObject], tuple[str, str] | None] = _recognise_nothing
    #: ``ui/initialize`` params → canonical params.
    opening: Callable[[JSONObject], JSONObject] = _same_params
    #: The host's ``ui/initialize`` result → the result this view can read.
    welcome: Callable[[Memory, JSONObject], JSONObject] = _same_result
    #: A request or notification of the host → what this view understands.
    outbound: Callable[[Memory, JSONObject], list[JSONObject]] = _same_message


def object_in(value: object, key: str) -> JSONObject:
    """The object under ``key``, or an empty one when there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def params_of(message: JSONObject) -> JSONObject:
    return object_in(message, "params")


def with_params(message: JSONObject, params: JSONObject) -> JSONObject:
    return {**message, "params": params}


def renamed(said: Said, method: str, params: JSONObject | None = None) -> JSONObject:
    """The same message under its canonical name; a request stays a request with the same id."""
    message: JSONObject = {
        "jsonrpc": "2.0",
        "method": method,
        "params": said.params if params is None else params,
    }
    if isinstance(said, Request):
        message["id"] = said.id
    return message


def as_notification(memory: Memory, said: Said, method: str, params: JSONObject) -> list[JSONObject]:
    """Pass a foreign message on as a notification; the view that sent it as a request is answered ``{}``."""
    if isinstance(said, Request):
        memory.to_view.append(response(said.id, {}))
    return [notification(method, params)]


def size_changed(memory: Memory, said: Said) -> list[JSONObject]:
    """A foreign size report as the canonical one; a report without a usable number says nothing."""
    size = size_in(said.params)
    sent = as_notification(memory, said, "ui/notifications/size-changed", size)
    return sent if size else []


def size_in(source: JSONObject) -> JSONObject:
    """``width`` and ``height`` as far as they are numbers."""
    return {key: source[key] for key in ("width", "height") if _is_number(source.get(key))}


def viewport_of(context: JSONObject) -> JSONObject:
    """The host context with the old ``viewport`` beside ``containerDimensions``.

    SDKs before 0.3 demand both ``width`` and ``height`` in it and refuse the handshake otherwise, so an
    open axis is given its maximum, and a viewport that would still be incomplete is left out.
    """
    dimensions = context.get("containerDimensions")
    if not isinstance(dimensions, dict) or "viewport" in context:
        return context
    maxima = {key: dimensions[key] for key in ("maxWidth", "maxHeight") if _is_number(dimensions.get(key))}
    size = {
        "width": dimensions.get("width", maxima.get("maxWidth")),
        "height": dimensions.get("height", maxima.get("maxHeight")),
    }
    if not all(_is_number(value) for value in size.values()):
        return context
    return {**context, "viewport": {**size, **maxima}}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
