"""The source grammar: whole values pass or are dropped; nothing is repaired."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.sandbox.sources import source_problem


@pytest.mark.parametrize(
    "value",
    [
        "https://api.example.com",
        "https://*.example.com",
        "wss://live.example.com:8443",
        "http://localhost:3000",
        "http://127.0.0.1:9999",
        "https://example.com/",
        "example.com",
        "http://localhost:*",
        "https://[::1]:8080",
    ],
)
def test_an_origin_may_stand_in_a_policy(value: str) -> None:
    assert source_problem(value) is None


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("*", "bare"),
        ("*:443", "bare"),
        ("https://*", "not an origin"),
        ("https://*.com", "wildcard"),
        ("https://a.example.com; script-src *", "not an origin"),
        ("https://a.example.com script-src", "not an origin"),
        ("https://a.example.com\nscript-src *", "not an origin"),
        ("https://a.example.com,https://b", "not an origin"),
        ("'unsafe-eval'", "not an origin"),
        ("https://user:pw@example.com", "user names"),
        ("javascript:alert(1)", "not an origin"),
        ("javascript://example.com", "scheme"),
        ("data:", "not an origin"),
        ("blob://example.com", "scheme"),
        ("https://example.com/path", "not an origin"),
        ("https://example.com:99999", "port"),
        ("intranet", "dot"),
        ("https://-bad.example.com", "not an origin"),
        ("", "not an origin"),
        (7, "not a string"),
        (None, "not a string"),
        ("https://" + "a" * 400 + ".example", "longer"),
    ],
)
def test_anything_else_is_refused_with_a_reason(value: object, word: str) -> None:
    problem = source_problem(value)
    assert problem is not None
    assert word in problem


@given(st.text(max_size=60))
def test_what_passes_can_never_end_a_directive_or_add_a_keyword(value: str) -> None:
    if source_problem(value) is None:
        assert not set(value) & set(" \t\r\n;,'\"@\\")
