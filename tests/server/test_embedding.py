"""Data and runtime stand before the first script of a document, and nothing can leave their element."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from view_folders import raw_texts, start_tags

from fanlight.errors import ConfigError
from fanlight.server.embedding import embed_data, embed_runtime, json_script

DATA = '<script type="application/json" id="fanlight-data">1</script>'
BREAKOUTS = ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "\u2028\u2029", "&quot;", "\ud800"]


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.sampled_from(BREAKOUTS) | st.none()))
def test_a_view_reads_the_data_that_python_gave(data: dict[str, object]) -> None:
    page = embed_data("<!doctype html><head></head><script>let a</script>", data)
    (first, second) = raw_texts(page, "script")
    assert json.loads(first) == data
    assert second == "let a"
    assert all(mark not in first for mark in "<>&\u2028\u2029")


def test_the_id_of_data_is_escaped_and_must_be_a_word() -> None:
    assert json_script('a"b', [1]) == '<script type="application/json" id="a&quot;b">[1]</script>'
    for wrong in ("", "a b"):
        with pytest.raises(ConfigError, match="an id is a word"):
            json_script(wrong, 1)


@pytest.mark.parametrize(
    "page",
    [
        "<!doctype html><html><head><title>x</title>|</head><body><script></script></body></html>",
        "<!doctype html><head>|<script></script></head>",
        "<!doctype html><html>|<body><p></body></html>",
        "<!doctype html><p>x|<script></script>",
        "<!doctype html>|<p>x",
        "<!doctype html><html>|",
        "|",
        "|plain text",
        "<!-- <script> --><template><script></script></template><p>|<script></script>",
        "<!doctype html><head><meta charset=utf-8>|<script type=importmap>{}</script></head>",
    ],
)
def test_data_stands_before_every_script_that_runs(page: str) -> None:
    assert embed_data(page.replace("|", ""), 1) == page.replace("|", DATA)


def test_an_id_that_is_taken_is_refused() -> None:
    with pytest.raises(ConfigError, match="id 'x' already; give another"):
        embed_data("<p id=x>", 1, "x")


def test_the_runtime_is_embedded_once_and_first() -> None:
    page = embed_runtime("<!doctype html><head></head><body><script>let a</script>")
    assert embed_runtime(page) == page
    first, second = start_tags(page, "script")
    assert first.attribute("data-fanlight-runtime") is not None
    assert second.attributes == ()
    runtime, own = raw_texts(page, "script")
    assert "ui/initialize" in runtime
    assert own == "let a"
