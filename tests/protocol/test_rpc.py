"""Bookkeeping of open requests."""

from __future__ import annotations

import json

import pytest

from fanlight.protocol.rpc import Calls, FromPeer, ToPeer, split_progress_token


def test_our_ids_start_at_one() -> None:
    """The SDK ignores a cancellation of request 0."""
    calls = Calls()
    assert [calls.new_id(), calls.new_id()] == [1, 2]
    assert calls.is_ours(1)
    assert calls.is_ours(2)
    assert not calls.is_ours(0)
    assert not calls.is_ours(3)
    assert not calls.is_ours("1")


@pytest.mark.parametrize(
    ("given", "ours"), [("7", 7), (7, 7), ("x", "x"), ("", ""), ("²", "²"), ("9" * 16, "9" * 16)]
)
def test_a_numeric_string_is_taken_for_the_number(given: str | int, ours: str | int) -> None:
    assert Calls().own_id(given) == ours


def test_deadlines_are_found_in_order() -> None:
    calls = Calls()
    assert calls.earliest() is None
    calls.to_peer = {1: ToPeer("a", 5.0), 2: ToPeer("b", 3.0), 3: ToPeer("c", 9.0)}
    assert calls.earliest() == 3.0
    assert calls.expired(2.9) == []
    assert calls.expired(5.0) == [1, 2]


def test_a_cancelled_request_is_remembered_until_its_id_is_used_again() -> None:
    calls = Calls()
    assert calls.cancel_from_peer(0) is None
    calls.open_from_peer(0, FromPeer("tools/call"))
    assert calls.cancel_from_peer(0) == FromPeer("tools/call")
    assert calls.was_cancelled(0)
    calls.open_from_peer(0, FromPeer("tools/list"))
    assert not calls.was_cancelled(0)


def test_the_memory_of_cancelled_requests_is_bounded() -> None:
    calls = Calls()
    for number in range(2000):
        calls.open_from_peer(number, FromPeer("tools/call"))
        calls.cancel_from_peer(number)
    assert calls.was_cancelled(1999)
    assert not calls.was_cancelled(0)


def test_open_requests_sleep_as_json() -> None:
    calls = Calls()
    calls.open_from_peer(0, FromPeer("tools/call", "token"))
    calls.open_from_peer("0", FromPeer("ui/message"))
    calls.open_from_peer(5, FromPeer("ui/message"))
    calls.cancel_from_peer(5)
    calls.to_peer[calls.new_id()] = ToPeer("ping", 4.5, held=True)
    woken = Calls.from_json(json.loads(json.dumps(calls.to_json())))
    assert woken.to_json() == calls.to_json()
    assert woken.from_peer == calls.from_peer
    assert woken.to_peer == calls.to_peer
    assert woken.new_id() == 2


@pytest.mark.parametrize(
    ("params", "rest", "token"),
    [
        ({"a": 1}, {"a": 1}, None),
        ({"_meta": {"progressToken": 0}}, {}, 0),
        ({"_meta": {"progressToken": "t", "x": 1}}, {"_meta": {"x": 1}}, "t"),
        ({"_meta": {"x": 1}}, {"_meta": {"x": 1}}, None),
        ({"_meta": {"progressToken": 1.5}}, {}, None),
        ({"_meta": "none"}, {"_meta": "none"}, None),
    ],
)
def test_the_progress_token_is_split_off(
    params: dict[str, object], rest: dict[str, object], token: str | int | None
) -> None:
    before = json.dumps(params)
    assert split_progress_token(params) == (rest, token)
    assert json.dumps(params) == before
