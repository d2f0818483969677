"""What JSON cannot carry is refused before an SDK sees it: nobody else's call is lost over it."""

from __future__ import annotations

import asyncio
import datetime
import enum
import sys
from pathlib import Path
from typing import Any

import pytest
from upstream_contract import PATIENCE, opened

from fanlight.errors import RpcError
from fanlight.upstream import StdioTarget, UpstreamState
from fanlight.wire.jsonrpc import ErrorCode
from fanlight.wire.plain import fault_in, plain_copy

RAW = str(Path(__file__).with_name("raw_server.py"))


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"a": float("nan")}, "arguments.a is nan"),
        ({"a": [1, float("-inf")]}, "arguments.a[1] is -inf"),
        ({"when": [1, 2, datetime.date(2026, 1, 1)]}, "arguments.when[2] is of type date"),
        ({"a": {1, 2}}, "arguments.a is of type set"),
        ({"a": b"x"}, "arguments.a is of type bytes"),
        ({"a b": {"c": {1}}}, "arguments['a b'].c is of type set"),
        ({"a": {1: 2}}, "arguments.a has the key 1 of type int"),
        ({"a": ({"b": "\ud83d"},)}, "arguments.a[0].b has half of a surrogate pair"),
        ({"a": {"ok": 1, "\udc00": 2}}, r"arguments.a has the key '\udc00', with half of a surrogate pair"),
        ({"a": 10**4400}, "arguments.a is a number too long"),
        ("\ud800", "arguments has half of a surrogate pair"),
    ],
)
def test_the_fault_is_named_with_its_place(value: Any, words: str) -> None:
    fault = fault_in(value, "arguments")
    assert fault is not None
    assert str(fault).startswith(words)


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        [],
        "ø😀",
        {"a": [1, -2.5, True, None, "x", (1, 2)], "ø": {"": {}}},
        {"c": Colour.RED},
        10**4000,
    ],
)
def test_what_json_can_carry_has_no_fault(value: Any) -> None:
    assert fault_in(value, "value") is None


def test_depth_and_circles_are_found_and_a_strangers_keys_are_shortened() -> None:
    circle: dict[str, Any] = {}
    circle["again"] = circle
    fault = fault_in(circle, "params")
    assert fault is not None
    assert fault == ("params", "is nested deeper than 150 levels: make it flatter")
    value: Any = {1}
    for _ in range(100):
        value = {"k" * 5000: value}
    fault = fault_in(value, "params")
    assert fault is not None
    assert len(fault.place) < 300


def test_a_copy_shares_no_container() -> None:
    given: dict[str, Any] = {"a": [{"b": (1, [2])}], "t": "x"}
    copied = plain_copy(given)
    assert copied == {"a": [{"b": [1, [2]]}], "t": "x"}
    copied["a"][0]["b"][1].append(3)
    assert given["a"][0]["b"][1] == [2]


async def test_half_a_surrogate_pair_is_refused_and_the_neighbour_keeps_its_call_and_its_process() -> None:
    async with opened(StdioTarget(sys.executable, (RAW,))) as upstream:
        states: list[UpstreamState] = []
        upstream.on_state(lambda state, reason: states.append(state))
        neighbour = asyncio.create_task(upstream.request("tools/call", {"name": "hang", "arguments": {}}))
        for method, params, place in (
            ("resources/list", {"cursor": "\ud800"}, "params.cursor"),
            ("tools/call", {"name": "echo", "arguments": {"\udfff": 1}}, "params.arguments"),
            ("tools/call", {"name": "echo", "arguments": {"a": float("nan")}}, "params.arguments.a"),
        ):
            with pytest.raises(RpcError) as refused:
                await upstream.request(method, params, timeout=PATIENCE)
            assert refused.value.code == ErrorCode.INVALID_PARAMS
            assert refused.value.message.startswith(f"{method}: {place} ")
        await upstream.watch(["data://\ud800", "data://good"])
        answer = await upstream.request("tools/call", {"name": "echo", "arguments": {"a": "😀"}})
        assert answer["structuredContent"] == {"given": {"a": "😀"}}
        assert not neighbour.done()
        neighbour.cancel()
        assert states == []
