"""What a page reports, reduced to what a view may be told."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.host.context import frame_size, page_part
from fanlight.protocol.context import SharedContext


def test_a_page_that_says_nothing_shows_views_inline() -> None:
    assert page_part({}) == {
        "availableDisplayModes": ["inline"],
        "containerDimensions": {"maxHeight": 6000},
    }


def test_everything_a_page_knows_is_told() -> None:
    page = {
        "theme": "dark",
        "locale": "de-AT",
        "timeZone": "Europe/Vienna",
        "touch": True,
        "hover": False,
        "modes": ["pip", "inline"],
        "insets": {"top": 0, "right": 1, "bottom": 34, "left": 2},
        "width": 640,
        "maxHeight": 500,
    }
    assert page_part(page) == {
        "availableDisplayModes": ["inline", "pip"],
        "containerDimensions": {"maxHeight": 500, "width": 640},
        "theme": "dark",
        "locale": "de-AT",
        "timeZone": "Europe/Vienna",
        "deviceCapabilities": {"touch": True, "hover": False},
        "safeAreaInsets": {"top": 0, "right": 1, "bottom": 34, "left": 2},
    }


def test_a_height_that_the_page_fixes_has_no_maximum() -> None:
    assert page_part({"width": 400, "height": 266})["containerDimensions"] == {"height": 266, "width": 400}


def test_a_width_that_the_view_may_choose_is_a_maximum() -> None:
    assert page_part({"maxWidth": 700})["containerDimensions"] == {"maxHeight": 6000, "maxWidth": 700}


@pytest.mark.parametrize(
    "page",
    [
        {"theme": "sepia"},
        {"locale": "x" * 100, "timeZone": 5},
        {"touch": "yes", "hover": None},
        {"modes": "fullscreen"},
        {"modes": ["cinema", 3]},
        {"width": True, "height": -1, "maxHeight": 1e9},
        {"width": 10**9},
        {"insets": [1, 2, 3, 4]},
    ],
)
def test_what_is_malformed_is_left_out(page: dict[str, Any]) -> None:
    assert page_part(page) == page_part({})
    SharedContext(page_part(page))


def test_a_page_can_lower_the_maximum_and_not_lift_it() -> None:
    assert frame_size({"maxHeight": 300}, None, 900) == {"height": 300}
    assert frame_size({"maxHeight": 90_000}, None, 90_000) == {"height": 6000}


@pytest.mark.parametrize(("reported", "used"), [(0, 1), (0.2, 1), (99.2, 100), (100, 100)])
def test_a_reported_height_is_rounded_up(reported: float, used: int) -> None:
    assert frame_size({}, None, reported) == {"height": used}


def test_only_what_was_reported_is_told() -> None:
    assert frame_size({}, 320.5, None) == {"width": 321}
    assert frame_size({}, None, None) == {}
