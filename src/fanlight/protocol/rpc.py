"""Who waits for which id, in both directions: correlation, deadlines, progress tokens.

Only bookkeeping: what is answered, refused or reported is decided in ``connection.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fanlight.wire.jsonrpc import JSONObject, RequestId, is_request_id

__all__ = ["Calls", "FromPeer", "ToPeer", "split_progress_token"]

# How many cancelled ids are remembered, so that an answer that crossed the cancellation is no error.
_REMEMBERED = 1024


@dataclass(slots=True)
class FromPeer:
    """A request of the peer that waits for our answer."""

    method: str
    progress_token: RequestId | None = None


@dataclass(slots=True)
class ToPeer:
    """A request of ours that waits for the peer. ``held``: not sent yet, the peer does not know it."""

    method: str
    deadline: float
    held: bool = False


class Calls:
    """All open requests of one connection."""

    def __init__(self) -> None:
        self.from_peer: dict[RequestId, FromPeer] = {}
        self.to_peer: dict[RequestId, ToPeer] = {}
        self._cancelled: dict[RequestId, None] = {}
        # Not 0: the SDK ignores ``notifications/cancelled`` for request id 0 (a falsy check).
        self._next_id = 1

    def open_from_peer(self, request_id: RequestId, call: FromPeer) -> None:
        """Note a request of the peer; its id may be one that was cancelled before."""
        self._cancelled.pop(request_id, None)
        self.from_peer[request_id] = call

    def cancel_from_peer(self, request_id: RequestId) -> FromPeer | None:
        """Forget a request of the peer that nobody waits for; None if it is not open."""
        call = self.from_peer.pop(request_id, None)
        if call is not None:
            self._cancelled[request_id] = None
            if len(self._cancelled) > _REMEMBERED:
                del self._cancelled[next(iter(self._cancelled))]
        return call

    def was_cancelled(self, request_id: RequestId) -> bool:
        """Whether the peer stopped waiting for it."""
        return request_id in self._cancelled

    def new_id(self) -> int:
        """The next id of ours."""
        request_id = self._next_id
        self._next_id += 1
        return request_id

    def is_ours(self, request_id: RequestId) -> bool:
        """Whether we ever gave out this id."""
        return isinstance(request_id, int) and 1 <= request_id < self._next_id

    def own_id(self, given: RequestId) -> RequestId:
        """The id of ours the peer means: a numeric string is taken for the number, as the SDK does."""
        if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 16:
            return int(given)
        return given

    def earliest(self) -> float | None:
        """The next deadline."""
        return min((call.deadline for call in self.to_peer.values()), default=None)

    def expired(self, now: float) -> list[RequestId]:
        """Ids whose deadline has passed, oldest first."""
        return [request_id for request_id, call in self.to_peer.items() if call.deadline <= now]

    def to_json(self) -> JSONObject:
        """Plain JSON, for snapshots."""
        return {
            "nextId": self._next_id,
            "fromPeer": [[key, call.method, call.progress_token] for key, call in self.from_peer.items()],
            "toPeer": [[key, call.method, call.deadline, call.held] for key, call in self.to_peer.items()],
            "cancelled": list(self._cancelled),
        }

    @classmethod
    def from_json(cls, data: JSONObject) -> Calls:
        """The reverse of ``to_json``."""
        calls = cls()
        calls._next_id = data["nextId"]
        calls.from_peer = {key: FromPeer(method, token) for key, method, token in data["fromPeer"]}
        calls.to_peer = {key: ToPeer(*rest) for key, *rest in data["toPeer"]}
        calls._cancelled = dict.fromkeys(data["cancelled"])
        return calls


def split_progress_token(params: JSONObject) -> tuple[JSONObject, RequestId | None]:
    """Params without ``_meta.progressToken``, and the token.

    The token names something on this link only, so a program that forwards the params must not see it.
    """
    meta: Any = params.get("_meta")
    if not isinstance(meta, dict) or "progressToken" not in meta:
        return params, None
    token = meta["progressToken"]
    params = dict(params)
    rest = {key: value for key, value in meta.items() if key != "progressToken"}
    if rest:
        params["_meta"] = rest
    else:
        del params["_meta"]
    return params, token if is_request_id(token) else None
