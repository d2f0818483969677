"""The numbering of a link: every frame once and in order, whatever sockets do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from fanlight.errors import ConfigError
from fanlight.host.link import Arrival, Bounds, Link, LinkSettings, Pressure, text_size


def frame(value: Any) -> str:
    return json.dumps({"op": "message", "value": value})


def taken(link: Link) -> dict[str, Any]:
    text = link.take()
    assert text is not None
    result: dict[str, Any] = json.loads(text)
    return result


def test_frames_are_numbered_from_one_and_carry_the_session_and_what_was_heard() -> None:
    link = Link("s1")
    assert link.accept(1) is Arrival.NEW
    link.push(frame("a"))
    link.push(frame("b"))
    assert taken(link) == {"session": "s1", "n": 1, "got": 1, "op": "message", "value": "a"}
    assert taken(link)["n"] == 2
    assert link.take() is None


def test_an_acknowledged_frame_is_forgotten_and_an_old_acknowledgement_is_harmless() -> None:
    link = Link("s")
    for value in "abc":
        link.push(frame(value))
    while link.take():
        pass
    assert link.acknowledge(2)
    assert link.acknowledge(1)
    assert link.kept == 1
    assert link.size == text_size(frame("c"))


def test_what_was_not_said_cannot_be_acknowledged() -> None:
    link = Link("s")
    link.push(frame("a"))
    assert not link.acknowledge(1)
    link.take()
    assert not link.acknowledge(2)
    assert link.acknowledge(1)


def test_a_new_socket_begins_after_what_the_peer_has() -> None:
    link = Link("s")
    for value in "abc":
        link.push(frame(value))
    while link.take():
        pass
    assert link.resume(1)
    assert [taken(link)["value"], taken(link)["value"]] == ["b", "c"]


def test_a_peer_cannot_resume_before_what_it_had_or_after_what_was_said() -> None:
    link = Link("s")
    for value in "abc":
        link.push(frame(value))
        link.take()
    link.acknowledge(2)
    assert not link.resume(1)
    assert not link.resume(4)
    assert link.resume(3)


def test_a_number_is_new_once_and_a_missing_one_is_noticed() -> None:
    link = Link("s")
    assert [link.accept(number) for number in (1, 1, 3, 2, 3)] == [
        Arrival.NEW,
        Arrival.DUPLICATE,
        Arrival.GAP,
        Arrival.NEW,
        Arrival.NEW,
    ]


def test_an_acknowledgement_is_owed_until_it_rode_on_a_frame_or_went_alone() -> None:
    link = Link("s")
    link.accept(1)
    link.accept(2)
    assert link.owed == 2
    link.push(frame("a"))
    link.take()
    assert link.owed == 0
    link.accept(3)
    assert json.loads(link.acknowledgement()) == {"session": "s", "op": "ack", "got": 3}
    assert link.owed == 0


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        (Bounds(frames=8), [Pressure.FREE] * 2 + [Pressure.PAUSED] * 6 + [Pressure.FULL]),
        # The largest frame does not count, so that one result of any size always passes.
        (Bounds(size=40), [Pressure.FREE] * 2 + [Pressure.PAUSED] * 3 + [Pressure.FULL] * 4),
    ],
)
def test_what_waits_first_pauses_and_then_ends_the_link(bounds: Bounds, expected: list[Pressure]) -> None:
    link = Link("s", bounds)
    seen = []
    for _ in range(9):
        link.push('{"op":"123"}'[:10])
        seen.append(link.pressure)
    assert seen == expected
    while link.take():
        pass
    link.acknowledge(9)
    assert link.pressure is Pressure.FREE


def test_one_frame_of_any_size_is_taken() -> None:
    link = Link("s", Bounds(size=1))
    link.push(frame("x" * 1000))
    assert link.pressure is Pressure.FREE


@pytest.mark.parametrize(("text", "size"), [("abc", 3), ("é", 2), ("\U0001f600", 4), ("\ud800", 3)])
def test_sizes_are_bytes(text: str, size: int) -> None:
    assert text_size(text) == size


@pytest.mark.parametrize("wrong", ["leave_timeout", "resume_timeout", "heartbeat", "message_limit"])
def test_settings_are_above_zero(wrong: str) -> None:
    with pytest.raises(ConfigError, match=wrong):
        LinkSettings(**{wrong: 0})  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="above 0"):
        Bounds(frames=0)


class TwoEnds(RuleBasedStateMachine):
    """Two ends and sockets between them that lose what is under way, at any moment."""

    def __init__(self) -> None:
        super().__init__()
        self.ends = (Link("s"), Link("s"))
        self.said: tuple[list[int], list[int]] = ([], [])
        self.heard: tuple[list[int], list[int]] = ([], [])
        self.wires: tuple[list[str], list[str]] = ([], [])
        self.connected = True

    @rule(side=st.integers(0, 1))
    def say(self, side: int) -> None:
        value = len(self.said[side])
        self.said[side].append(value)
        self.ends[side].push(frame(value))

    @precondition(lambda self: self.connected)
    @rule(side=st.integers(0, 1))
    def write(self, side: int) -> None:
        text = self.ends[side].take()
        if text is not None:
            self.wires[side].append(text)

    @precondition(lambda self: self.connected)
    @rule(side=st.integers(0, 1))
    def acknowledge(self, side: int) -> None:
        self.wires[side].append(self.ends[side].acknowledgement())

    @rule(side=st.integers(0, 1))
    def deliver(self, side: int) -> None:
        """The oldest thing on the wire of `side` reaches the other end."""
        if not self.wires[side]:
            return
        message = json.loads(self.wires[side].pop(0))
        other = self.ends[1 - side]
        assert other.acknowledge(message["got"])
        if message["op"] != "ack":
            arrival = other.accept(message["n"])
            assert arrival is not Arrival.GAP
            if arrival is Arrival.NEW:
                self.heard[side].append(message["value"])

    @rule()
    def cut(self) -> None:
        self.wires = ([], [])
        self.connected = False

    @rule()
    def reconnect(self) -> None:
        """Both tell what they have, and go on; what was on the old wires is lost."""
        self.wires = ([], [])
        left, right = self.ends
        assert left.resume(right.got)
        assert right.resume(left.got)
        self.connected = True

    @invariant()
    def every_frame_is_heard_once_and_in_order(self) -> None:
        for side in (0, 1):
            assert self.heard[side] == self.said[side][: len(self.heard[side])]

    @invariant()
    def nothing_is_forgotten_before_it_was_heard(self) -> None:
        for side in (0, 1):
            assert self.ends[side].kept >= len(self.said[side]) - len(self.heard[side])

    def teardown(self) -> None:
        """However it went: once the wires hold, everything arrives."""
        self.reconnect()
        for side in (0, 1):
            while (text := self.ends[side].take()) is not None:
                self.wires[side].append(text)
            while self.wires[side]:
                self.deliver(side)
            assert self.heard[side] == self.said[side]


TestTwoEnds = TwoEnds.TestCase


@given(st.lists(st.text(max_size=20)), st.data())
def test_the_size_is_that_of_the_frames_that_are_kept(values: list[str], data: st.DataObject) -> None:
    link = Link("s")
    bodies = [json.dumps({"op": value}, ensure_ascii=False) for value in values]
    for body in bodies:
        link.push(body)
    while link.take():
        pass
    got = data.draw(st.integers(0, len(bodies)))
    assert link.acknowledge(got)
    assert link.size == sum(len(body.encode("utf-8", "surrogatepass")) for body in bodies[got:])
