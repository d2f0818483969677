"""Every legal transition of a connection and who may say what in which state, as data.

Theory of operation
-------------------
A connection has two ends, and both see the same messages cross the wire. So there is one life and one table
for both: a *signal* is a message (or the end of the channel) that has crossed, no matter who sent it.

::

    NEW ─ ui/initialize ─▶ INITIALIZING ─ initialized ─▶ READY ─ ui/resource-teardown ─▶ CLOSING ─▶ CLOSED

``TRANSITIONS`` says which state follows. A signal without a row is a fault of whoever sent it.
``PASSAGES`` says for each sender and each state what may pass: ``NOW``, ``LATER`` (held back and sent in
order when the state allows it) or ``NEVER``. Each end reads its own row before sending and its peer's row on
receiving.

Everything that changes state is in this file, and this file does not know which end we are.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from fanlight.wire.method import Traffic

__all__ = [
    "PASSAGES",
    "TRANSITIONS",
    "ConnectionState",
    "Passage",
    "Role",
    "Signal",
    "next_state",
]


class Role(StrEnum):
    """Who sends."""

    HOST = "host"
    VIEW = "view"


class ConnectionState(StrEnum):
    """Where a connection is in its life."""

    NEW = "new"
    INITIALIZING = "initializing"
    READY = "ready"
    CLOSING = "closing"
    CLOSED = "closed"


class Signal(StrEnum):
    """What moves it on."""

    INITIALIZE = "ui/initialize"
    INITIALIZED = "ui/notifications/initialized"
    HANDSHAKE_FAILED = "ui/initialize refused or timed out"
    TEARDOWN = "ui/resource-teardown"
    TORN_DOWN = "teardown answered or timed out"
    CLOSE = "channel closed"


class Passage(StrEnum):
    """Whether a message may pass."""

    NOW = "now"
    LATER = "later"
    NEVER = "never"


_NEW, _INITIALIZING, _READY, _CLOSING, _CLOSED = ConnectionState

TRANSITIONS: Mapping[ConnectionState, Mapping[Signal, ConnectionState]] = MappingProxyType(
    {
        _NEW: {
            Signal.INITIALIZE: _INITIALIZING,
            # The view never began, so there is nobody to tell: R32 forbids the request.
            Signal.TORN_DOWN: _CLOSED,
            Signal.CLOSE: _CLOSED,
        },
        _INITIALIZING: {
            # A view may introduce itself again (React StrictMode mounts twice); last values win.
            Signal.INITIALIZE: _INITIALIZING,
            Signal.INITIALIZED: _READY,
            Signal.HANDSHAKE_FAILED: _NEW,
            Signal.TORN_DOWN: _CLOSED,
            Signal.CLOSE: _CLOSED,
        },
        _READY: {
            # A view that begins again is not ready any more: R32 holds for its new beginning too.
            Signal.INITIALIZE: _INITIALIZING,
            Signal.TEARDOWN: _CLOSING,
            Signal.CLOSE: _CLOSED,
        },
        _CLOSING: {
            Signal.TORN_DOWN: _CLOSED,
            Signal.CLOSE: _CLOSED,
        },
        _CLOSED: {},
    }
)

_H, _P, _R, _N, _A = (
    Traffic.HANDSHAKE,
    Traffic.PING,
    Traffic.REQUEST,
    Traffic.NOTIFICATION,
    Traffic.ANSWER,
)
_NOW, _LATER, _NEVER = Passage
_NOTHING = MappingProxyType(dict.fromkeys(Traffic, _NEVER))

# R32: the host MUST NOT send any request or notification before ``initialized``. Answers are neither: the
# handshake's, those to pings, and errors. Pings of the host are requests, so they wait as well.
_HOST_WAITS = MappingProxyType({_H: _NEVER, _P: _LATER, _R: _LATER, _N: _LATER, _A: _NOW})
# A view must not call before its handshake is over. (Our host reports a call that overtakes `initialized`
# and serves it all the same: see ``host_receive``.)
_VIEW_BEGINS = MappingProxyType({_H: _NOW, _P: _NOW, _R: _NEVER, _N: _NEVER, _A: _NOW})

PASSAGES: Mapping[Role, Mapping[ConnectionState, Mapping[Traffic, Passage]]] = MappingProxyType(
    {
        Role.HOST: {
            _NEW: _HOST_WAITS,
            _INITIALIZING: _HOST_WAITS,
            _READY: MappingProxyType({_H: _NEVER, _P: _NOW, _R: _NOW, _N: _NOW, _A: _NOW}),
            # The view is leaving: results, answers and pings still reach it, new work does not.
            _CLOSING: MappingProxyType({_H: _NEVER, _P: _NOW, _R: _NEVER, _N: _NOW, _A: _NOW}),
            _CLOSED: _NOTHING,
        },
        Role.VIEW: {
            _NEW: _VIEW_BEGINS,
            _INITIALIZING: _VIEW_BEGINS,
            _READY: MappingProxyType(dict.fromkeys(Traffic, _NOW)),
            # A view saves its state through a tool call while it is torn down.
            _CLOSING: MappingProxyType({_H: _NEVER, _P: _NOW, _R: _NOW, _N: _NOW, _A: _NOW}),
            _CLOSED: _NOTHING,
        },
    }
)


def next_state(state: ConnectionState, signal: Signal) -> ConnectionState | None:
    """The state after ``signal``; None if it is not allowed now."""
    return TRANSITIONS[state].get(signal)
