"""How much a peer may ask of a connection before it is refused, loudly."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Self

from fanlight.errors import ConfigError
from fanlight.wire.jsonrpc import JSONObject

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one connection. Beyond each of them: an error answer, a ``PeerFault``, or an exception.

    Sizes are characters of compact JSON text, which for ASCII are bytes.
    """

    # Room for a 10 MB tool result and its envelope (D11); the same order as WebSocket servers take (16 MiB).
    max_message_size: int = 16 * 1024 * 1024
    # SDK ids are small integers, UUIDs have 36 characters; the id is echoed in every answer and log line.
    max_id_length: int = 128
    # Requests of the peer in work at once. Browsers open 256 WebSockets a page and 6 connections a server.
    max_requests_from_peer: int = 256
    # Requests of ours that wait for an answer.
    max_requests_to_peer: int = 256
    # Messages held back until the view is initialised.
    max_held_messages: int = 256
    # D11 recommends these three for tools that a view provides.
    max_view_tools: int = 50
    max_view_tool_seconds: float = 30.0
    max_view_tool_result: int = 10 * 1024 * 1024

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not value > 0:
                raise ConfigError(f"limit {name} is {value!r}: give a number above 0")

    def to_json(self) -> JSONObject:
        """Plain JSON, for snapshots."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: JSONObject) -> Self:
        """The reverse of ``to_json``."""
        return cls(**data)
