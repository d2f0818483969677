"""What a row of the method table is: its columns and the words used in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from .jsonrpc import JSONObject
from .types import WireModel

__all__ = ["Direction", "Gate", "Kind", "Method", "Shape", "Source", "Traffic"]

Shape = tuple[tuple[str, tuple[type, ...]], ...]
"""Fields and the Python types their JSON values may have."""


class Kind(StrEnum):
    """Whether an answer is wanted."""

    REQUEST = "request"
    NOTIFICATION = "notification"


class Direction(StrEnum):
    """Who sends it to whom."""

    VIEW_TO_HOST = "view to host"
    HOST_TO_VIEW = "host to view"
    SANDBOX_TO_HOST = "sandbox to host"
    HOST_TO_SANDBOX = "host to sandbox"


class Source(StrEnum):
    """Who says so: the stable text, the newer draft, only the published SDK, MCP itself, or only we."""

    STABLE = "stable spec"
    DRAFT = "draft"
    SDK = "SDK"
    CORE = "MCP core"
    """A method of MCP itself that the texts on apps do not name; announced under `experimental`."""
    OURS = "Fanlight"
    """Between our host and our views; announced under `experimental`, and nobody else has to know it."""


class Traffic(StrEnum):
    """What the state table decides on: the classes of messages that may pass at different times."""

    HANDSHAKE = "handshake"
    PING = "ping"
    REQUEST = "request"
    NOTIFICATION = "notification"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Gate:
    """The capability that must have been advertised: ``path`` inside the capabilities of ``owner``."""

    owner: str
    path: tuple[str, ...]
    source: Source = Source.STABLE

    def is_open(self, capabilities: Mapping[str, Any]) -> bool:
        """Whether the capability is there. ``{}`` says yes; ``null`` and ``false`` (foreign hosts) say no."""
        value: Any = capabilities
        for key in self.path:
            value = value.get(key) if isinstance(value, Mapping) else None
        return value is not None and value is not False

    def __str__(self) -> str:
        return ".".join((self.owner, *self.path))


@dataclass(frozen=True, slots=True)
class Method:
    """One row of the table."""

    name: str
    kind: Kind
    direction: Direction
    params: type[WireModel]
    result: type[WireModel] | None
    gate: Gate | None
    since: str
    source: Source
    traffic: Traffic
    required: Shape
    optional: Shape
    answered_inside: bool
    """The connection answers it alone; the program sees at most an event."""

    @property
    def queued_until_initialized(self) -> bool:
        """R32: nothing goes from the host to the view before its ``initialized``."""
        return self.direction is Direction.HOST_TO_VIEW

    def params_fault(self, params: JSONObject) -> str | None:
        """What is wrong with ``params``, as far as the types of its own fields go; None if nothing is.

        An optional field that is null counts as absent: Python peers write it so.
        """
        for key, allowed in self.required:
            if key not in params:
                return f"{key!r} is missing"
            if type(params[key]) not in allowed:
                return f"{key!r} must be {_names(allowed)}"
        for key, allowed in self.optional:
            value = params.get(key)
            if value is not None and type(value) not in allowed:
                return f"{key!r} must be {_names(allowed)}"
        return None


_WORDS = {str: "a string", dict: "an object", list: "an array", int: "a number", float: "a number"}


def _names(allowed: tuple[type, ...]) -> str:
    return " or ".join(dict.fromkeys(_WORDS[kind] for kind in allowed))
