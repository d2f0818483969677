"""Tolerant in: the spellings peers use, and what is wrong with the rest."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.protocol.tolerant import (
    content_blocks,
    download_contents,
    is_finite,
    json_size,
    modality_fault,
    pixels,
    view_tools,
)

TEXT = {"type": "text", "text": "hi"}


@pytest.mark.parametrize("content", ["hi", TEXT, [TEXT], ["hi"]])
def test_content_is_an_array_of_blocks_however_it_is_spelled(content: Any) -> None:
    assert content_blocks(content) == [TEXT]


@pytest.mark.parametrize("content", [3, [3], {}, [{"type": 3}], [TEXT, None]])
def test_content_that_is_none_says_so(content: Any) -> None:
    assert isinstance(content_blocks(content), str)


def test_only_advertised_kinds_of_content_are_taken() -> None:
    image, link = {"type": "image"}, {"type": "resource_link"}
    assert modality_fault([TEXT], False, {"text": {}}) is None
    assert modality_fault([link], True, {"resourceLink": {}, "structuredContent": {}}) is None
    assert "image" in str(modality_fault([TEXT, image], False, {"text": {}}))
    assert "structuredContent" in str(modality_fault([], True, {"text": {}}))
    assert "hologram" in str(modality_fault([{"type": "hologram"}], False, {"text": {}}))


def test_empty_modalities_state_no_restriction() -> None:
    assert modality_fault([{"type": "image"}], True, {}) is None


@pytest.mark.parametrize(
    ("item", "is_good"),
    [
        ({"type": "resource_link", "uri": "u", "name": "n"}, True),
        ({"type": "resource", "resource": {"uri": "u", "text": ""}}, True),
        ({"type": "resource", "resource": {"uri": "u", "blob": "AA=="}}, True),
        ({"type": "resource", "resource": {"uri": "u"}}, False),
        ({"type": "resource", "resource": {"text": "t"}}, False),
        ({"type": "resource", "resource": "u"}, False),
        ({"type": "resource_link"}, False),
        ({"type": "text", "text": "t"}, False),
        ("text", False),
    ],
)
def test_a_download_is_a_resource_or_a_link_to_one(item: Any, is_good: bool) -> None:
    assert (download_contents([item]) is None) is is_good


@pytest.mark.parametrize(("given", "taken"), [(None, None), (5, 5), (1.5, 1.5), (-3, 0), (0, 0)])
def test_a_size_is_never_negative(given: float | None, taken: float | None) -> None:
    assert pixels(given) == taken


@pytest.mark.parametrize("number", [float("inf"), float("nan"), 10**400])
def test_a_size_is_never_infinite(number: float) -> None:
    assert isinstance(pixels(number), str)
    assert not is_finite(number)


def test_tools_of_old_views_are_plain_names() -> None:
    assert view_tools({"tools": ["a", {"name": "b", "inputSchema": {}}]}) == [
        {"name": "a", "inputSchema": {"type": "object"}},
        {"name": "b", "inputSchema": {}},
    ]


@pytest.mark.parametrize("result", [{}, {"tools": {}}, {"tools": [3]}, {"tools": [{}]}])
def test_a_list_of_tools_that_is_none_says_so(result: dict[str, Any]) -> None:
    assert isinstance(view_tools(result), str)


def test_a_size_in_json_is_counted_in_characters_of_compact_text() -> None:
    assert json_size({"a": [1, "é"]}) == len('{"a":[1,"é"]}')


def test_what_is_not_json_has_no_size() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (object(), {"a": {1, 2}}, float("nan"), cycle, deep, b"bytes", {(1, 2): 3}):
        assert json_size(value) is None
