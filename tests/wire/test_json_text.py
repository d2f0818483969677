"""JSON that peers can read: depth is measured without recursion, and what cannot be written is said."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.wire.json_text import MAX_DEPTH, Unwritable, encode, is_deeper, nests_deeper, shallow

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def nested(depth: int, inner: Any = 0) -> Any:
    for level in range(depth):
        inner = [inner] if level % 2 else {"k": inner}
    return inner


def depth_of(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth_of, value.values()), default=0)
    return 1 + max(map(depth_of, value), default=0) if isinstance(value, list) else 0


def text_of(depth: int) -> str:
    return "[" * depth + "]" * depth


@given(VALUES)
def test_the_depth_of_a_text_and_of_its_value_are_the_same(value: Any) -> None:
    text, depth = json.dumps(value), depth_of(value)
    assert not nests_deeper(text, depth)
    assert not is_deeper(value, depth)
    if depth:
        assert nests_deeper(text, depth - 1)
        assert is_deeper(value, depth - 1)


@given(VALUES, st.integers(0, 4))
def test_a_shallow_text_is_json_and_keeps_everything_above_the_cut(value: Any, depth: int) -> None:
    def cut(value: Any, left: int) -> Any:
        if isinstance(value, dict):
            return {key: cut(item, left - 1) for key, item in value.items()} if left else None
        if isinstance(value, list):
            return [cut(item, left - 1) for item in value] if left else None
        return value

    assert json.loads(shallow(json.dumps(value), depth)) == cut(value, depth)


@pytest.mark.parametrize("depth", [10_000, 200_000])
def test_nothing_recurses_however_deep_it_is(depth: int) -> None:
    text = f'{{"id":7,"params":{text_of(depth)},"tail":"]}}[\\""}}'
    assert nests_deeper(text)
    assert json.loads(shallow(text, 1)) == {"id": 7, "params": None, "tail": ']}["'}
    assert is_deeper(nested(depth))


def test_brackets_in_strings_do_not_count() -> None:
    assert not nests_deeper(json.dumps(["[" * 1000, '\\"[[[', "\\"]), 1)


@pytest.mark.parametrize("piece", ['\\"', '"', '"x"', "\\", '\\\\"', '["', '\\"['])
def test_the_cost_is_the_text_whatever_is_in_it(piece: str) -> None:
    """A scan that began again at each quote would take hours here."""
    text = "[" * (MAX_DEPTH + 1) + '"' + piece * 500_000
    assert nests_deeper(text)
    assert shallow(text, 1)


@pytest.mark.parametrize("end", ["", "\\", '\\"', "\\\\"])
def test_a_string_that_does_not_end_hides_what_follows(end: str) -> None:
    assert not nests_deeper('["' + "[" * 1000 + end, 1)
    assert shallow('["[[[' + end, 1) == '["[[[' + end


@given(VALUES)
def test_what_is_written_reads_back(value: Any) -> None:
    assert json.loads(encode(value)) == value


def test_half_a_surrogate_pair_is_written_as_an_escape() -> None:
    text = encode({"é": "\ud800"})
    text.encode("utf-8")
    assert json.loads(text) == {"é": "\ud800"}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({"x": float("nan")}, "not JSON"),
        ([float("inf")], "not JSON"),
        (b"bytes", "not JSON"),
        (nested(100_000), "too deeply"),
    ],
    ids=["nan", "infinity", "bytes", "deep"],
)
def test_what_cannot_be_written_is_said(value: Any, why: str) -> None:
    with pytest.raises(Unwritable, match=why):
        encode(value)


def test_the_limit_is_below_what_both_sdks_read_and_write() -> None:
    """Ours: a message that passes here is never the reason why a connection breaks."""
    from mcp_types import jsonrpc_message_adapter

    message = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "x": nested(MAX_DEPTH)}}
    read = jsonrpc_message_adapter.validate_json(json.dumps(message), by_name=False)
    assert read.model_dump_json(by_alias=True)
