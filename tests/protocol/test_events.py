"""Events are plain data, and every one of them can sleep."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any, get_args

import pytest

from fanlight.protocol import events
from fanlight.protocol.events import Event, FaultReason, PeerFault, event_from_json, event_to_json

SAMPLES: dict[str, Any] = {
    "request_id": 0,
    "reason": "why",
    "params": {"a": None},
    "wants_progress": True,
    "clean": True,
    "repeated": False,
    "code": -32000,
    "timed_out": True,
    "progress": 0.5,
    "total": None,
    "width": 1,
    "height": 2.5,
}


@pytest.mark.parametrize("kind", get_args(Event), ids=lambda kind: kind.__name__)
def test_every_event_survives_a_sleep(kind: type[Event]) -> None:
    values = {field.name: SAMPLES.get(field.name, "text") for field in fields(kind)}
    if kind is PeerFault:
        values["reason"] = FaultReason.LATE
    event = kind(**values)
    assert event_from_json(json.loads(json.dumps(event_to_json(event)))) == event


def test_every_event_is_exported_and_in_the_union() -> None:
    classes = {kind.__name__ for kind in get_args(Event)}
    others = {"Event", "FaultReason", "event_from_json", "event_to_json"}
    assert set(events.__all__) == classes | others
