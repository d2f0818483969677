"""When partial inputs go out: at once for new structure, else every 50 ms, and slower the more they carry."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.host.pace import Pace, structure


def play(seconds_between: float, values: list[tuple[dict[str, Any], int]]) -> list[tuple[float, int]]:
    """What is sent of these (value, characters), one of them at a time; times and sizes."""
    pace, sent = Pace(), []
    for step, (value, characters) in enumerate(values):
        now = step * seconds_between
        if pace.is_due(now, value):
            pace.sent(now, value, characters)
            sent.append((now, characters))
    return sent


def test_the_first_goes_at_once_and_a_growing_string_every_fifty_milliseconds() -> None:
    sent = play(0.0125, [({"text": "x" * n}, n) for n in range(100)])
    assert [round(time, 3) for time, _ in sent[:4]] == [0.0, 0.05, 0.1, 0.15]


def test_new_keys_and_elements_go_at_once_while_they_are_small() -> None:
    rows = [({"rows": [0] * n}, 10 * n) for n in range(20)]
    assert len(play(0.01, rows)) == 20


def test_what_is_sent_grows_with_the_time_and_not_with_the_square_of_the_text() -> None:
    # 1 MB in pieces of 64 characters, one a millisecond; every piece a new element.
    rows: list[int] = []
    values: list[tuple[dict[str, Any], int]] = []
    for n in range(16_384):
        rows.append(n)
        values.append(({"rows": [0] * (n % 50)}, 64 * n))
    sent = play(0.001, values)
    assert sum(size for _, size in sent) <= 16.384 * (2 << 20) + 64 * 16_384
    assert len(sent) > 50


@pytest.mark.parametrize(
    ("one", "other"),
    [({}, {"a": ""}), ({"a": [1]}, {"a": [1, 2]}), ({"a": [{}]}, {"a": [{"b": ""}]}), ({"a": 1}, {"a": {}})],
)
def test_a_new_key_element_or_container_is_another_structure(one: Any, other: Any) -> None:
    assert structure(one) != structure(other)


def test_a_longer_string_is_the_same_structure() -> None:
    assert structure({"a": ["x"]}) == structure({"a": ["xyz"]})


def test_depth_costs_nothing() -> None:
    value: dict[str, Any] = {}
    for _ in range(20_000):
        value = {"a": value}
    assert len(structure(value)) == 8
    while value:  # taken apart by hand: the interpreter would do it recursively
        value = value.pop("a")
