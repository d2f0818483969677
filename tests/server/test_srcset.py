"""Candidates of a srcset are split as browsers split them."""

from __future__ import annotations

import pytest

from fanlight.server.srcset import srcset_candidates


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a.png", [("a.png", "")]),
        ("a.png 1x, b.png 2x", [("a.png", "1x"), ("b.png", "2x")]),
        ("a.png, b.png 2x", [("a.png", ""), ("b.png", "2x")]),
        ("  a,b.png 300w ,c.png 5w", [("a,b.png", "300w"), ("c.png", "5w")]),
        ("data:image/png;base64,AA== 2x, b.png", [("data:image/png;base64,AA==", "2x"), ("b.png", "")]),
        ("a.png calc(1,2) , b.png", [("a.png", "calc(1,2)"), ("b.png", "")]),
        ("", []),
        (" , ", []),
    ],
)
def test_each_candidate_has_its_address_and_descriptor(value: str, expected: list[tuple[str, str]]) -> None:
    assert list(srcset_candidates(value)) == expected
