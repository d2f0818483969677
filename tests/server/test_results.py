"""`reply`: what it takes, what it refuses, and what goes over the wire."""

from __future__ import annotations

import dataclasses
import json
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel, Field

from fanlight.server import reply
from fanlight.server.results import ReplyError, wire_result


@dataclasses.dataclass
class Row:
    city: str
    day: date


class Weather(BaseModel):
    degrees: float
    station_id: int = Field(serialization_alias="stationId")


def test_only_what_is_there_is_written() -> None:
    assert wire_result(reply("hi"), shows_apps=True) == {"content": [{"type": "text", "text": "hi"}]}


@pytest.mark.parametrize(
    ("data", "written"),
    [
        ({"a": [1, None]}, {"a": [1, None]}),
        (Row("Oslo", date(2026, 1, 2)), {"city": "Oslo", "day": "2026-01-02"}),
        (Weather(degrees=1.5, station_id=7), {"degrees": 1.5, "stationId": 7}),
        ({"rows": (Row("Oslo", date(2026, 1, 2)),)}, {"rows": [{"city": "Oslo", "day": "2026-01-02"}]}),
        ({}, {}),
    ],
)
def test_data_may_be_anything_that_is_an_object(data: Any, written: Any) -> None:
    assert wire_result(reply("hi", data=data), shows_apps=True)["structuredContent"] == written


def test_numbers_that_json_does_not_have_become_null() -> None:
    result = wire_result(reply("hi", data={"a": float("nan"), "b": float("inf")}), shows_apps=True)
    assert json.loads(json.dumps(result, allow_nan=False))["structuredContent"] == {"a": None, "b": None}


@pytest.mark.parametrize("data", [[1, 2], "text", 7, True, {1}, (1,), b"text"])
def test_data_that_is_no_object_is_refused_where_it_is_given(data: Any) -> None:
    with pytest.raises(ReplyError, match=r"give an object, such as \{'items': …\}"):
        reply("hi", data=data)


def test_data_that_becomes_no_object_is_refused_when_it_is_sent() -> None:
    with pytest.raises(ReplyError, match=r"reply\(data=…\) is a date: give an object"):
        wire_result(reply("hi", data=date(2026, 1, 2)), shows_apps=True)


def test_data_that_cannot_be_json_is_refused() -> None:
    with pytest.raises(ReplyError, match=r"reply\(data=…\) cannot be written as JSON"):
        wire_result(reply("hi", data={"a": object()}), shows_apps=True)


def circle() -> Any:
    row: dict[str, Any] = {"name": "a"}
    row["rows"] = [{"parent": row}]
    return row


def deep(levels: int) -> Any:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value}
    return value


class Picture(BaseModel):
    content: bytes


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"rows": [{"png": b"\x89PNG\xff"}]}, r"data\.rows\[0\]\.png is bytes .*: send base64 text"),
        ({"row": [Picture(content=b"\xff")]}, r"data\.row\[0\]\.content is bytes .*: send base64 text"),
        ({b"\xff": 1}, r"data has the key b'\\xff', .*: give whole characters"),
        (circle(), r"data\.rows\[0\]\.parent holds itself: .* leave it out"),
        (deep(2000), r"data is nested deeper than \d+ levels: make it flatter"),
        (deep(200), r"data is nested deeper than \d+ levels: make it flatter"),
        ({"files": ["a", "\udcff.txt"]}, r"data\.files\[1\] has half of a surrogate pair"),
        ({"a b": {"\udcff": 1}}, r"data\['a b'\] has the key '\\udcff'"),
        ({"a": [date(2026, 1, 2), object()]}, r"data\.a\[1\] is a object: give texts"),
        ({"a": 10**5000}, r"data\.a is a number too long"),
    ],
)
def test_what_cannot_be_sent_is_told_with_its_place_and_the_remedy(data: Any, said: str) -> None:
    with pytest.raises(ReplyError, match=rf"^reply\(data=…\) cannot be written as JSON: {said}") as told:
        wire_result(reply("hi", data=data), shows_apps=True)
    assert str(told.value).encode(), "it goes to the client itself"


def test_the_texts_and_what_is_private_must_be_whole_characters_too() -> None:
    half = "\udcff.txt"
    for given, shows_apps, place in (
        (reply(half, text_only="a"), True, "text"),
        (reply("a", text_only=half), False, "text_only"),
        (reply("a", private={"name": half}), True, r"private\.name"),
    ):
        with pytest.raises(ReplyError, match=rf"JSON: {place} has half of a surrogate pair"):
            wire_result(given, shows_apps=shows_apps)


def test_one_value_in_many_places_is_no_circle() -> None:
    row = {"a": [1]}
    given = reply("hi", data={"rows": [row, row], "first": row})
    assert wire_result(given, shows_apps=True)["structuredContent"] == {"rows": [row, row], "first": row}


@pytest.mark.parametrize("text", ["", "  \n", None, 7])
def test_a_reply_without_words_is_refused(text: Any) -> None:
    """Holds: R10."""
    with pytest.raises(ReplyError, match=r"reply\(text=…\) is .*: say in words what the view shows"):
        reply(text, data={"a": 1})


def test_the_long_text_must_have_words_too() -> None:
    with pytest.raises(ReplyError, match="text_only"):
        reply("hi", text_only="")


def test_what_is_private_is_an_object() -> None:
    with pytest.raises(ReplyError, match="give an object, such as"):
        reply("hi", private=[1])  # type: ignore[arg-type]
    assert "_meta" not in wire_result(reply("hi", private={}), shows_apps=True)


@pytest.mark.parametrize(("shows_apps", "said"), [(True, "short"), (False, "long")])
def test_who_shows_no_apps_gets_the_long_text_and_all_of_the_data(shows_apps: bool, said: str) -> None:
    """Holds: R09."""
    result = wire_result(
        reply("short", text_only="long", data={"a": 1}, private={"b": 2}), shows_apps=shows_apps
    )
    assert result["content"] == [{"type": "text", "text": said}]
    assert result["structuredContent"] == {"a": 1}
    assert result["_meta"] == {"b": 2}
