"""The front door of the room: what a program needs, by one name."""

from __future__ import annotations

import fanlight.protocol
from fanlight.protocol import events, host, limits, state, view


def test_the_room_exports_both_ends_their_events_states_and_limits() -> None:
    offered = {name for module in (events, host, limits, state, view) for name in module.__all__}
    assert offered <= set(fanlight.protocol.__all__)
    assert all(hasattr(fanlight.protocol, name) for name in fanlight.protocol.__all__)
