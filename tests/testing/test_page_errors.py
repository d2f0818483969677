"""Complaints of a page as lines that name a file."""

from __future__ import annotations

import pytest

from fanlight.testing.page_errors import Complaint, Place, complaint_lines, location, stack

HERE = "http://v1.example/view/abc"
HTML = "<!doctype html>\n<p>x\n<script>a\n\nb\n//# sourceURL=js/a.js\n</script>\n<script>own</script>"


def test_a_stack_tells_its_places_and_nothing_else() -> None:
    text = (
        "Error: at 12:30:00\n    at go (js/late.js:4:8)\n    at app.js:3:1\n"
        f"    at AsyncGenerator.next (<anonymous>)\n    at async {HERE}:63:21"
    )
    assert stack(text) == [("js/late.js", 4, 8), ("app.js", 3, 1), (HERE, 63, 21)]
    assert stack(None) == []


def test_a_location_counts_from_one_and_a_picture_has_no_lines() -> None:
    assert location({"url": "a.js", "line": 0, "column": 8}, "line", "column") == [("a.js", 1, 9)]
    assert location({"url": "https://x.example/a.png", "line": 0, "column": 0}, "line", "column") == [
        ("https://x.example/a.png", 0, 0)
    ]
    assert location({"url": "", "line": 0, "column": 0}, "line", "column") == []
    assert location(None, "line", "column") == []


@pytest.mark.parametrize(
    ("places", "told"),
    [
        ([], "oh"),
        ([("https://x.example/a.png", 0, 0)], "oh (https://x.example/a.png)"),
        ([(HERE, 5, 2)], "oh (js/a.js:3:2)"),
        ([(HERE, 8, 9)], "oh (document:8:9)"),
        ([(HERE, 8, 9), ("js/b.js", 1, 2)], "oh (js/b.js:1:2)"),
    ],
)
def test_a_place_is_told_as_the_author_knows_it(places: list[Place], told: str) -> None:
    assert complaint_lines([Complaint("oh", places)], [], f"{HERE}#there", HTML) == [told]


def test_equal_errors_of_two_scripts_that_cannot_be_read_keep_their_places() -> None:
    unread = [["SyntaxError: no", HERE, 3, 1], ["SyntaxError: no", HERE, 8, 9]]
    complaints = [Complaint("SyntaxError: no", [])] * 3
    assert complaint_lines(complaints, unread, HERE, HTML) == [
        "SyntaxError: no (js/a.js:1:1)",
        "SyntaxError: no (document:8:9)",
        "SyntaxError: no",
    ]
