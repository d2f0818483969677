"""Offsets become lines and columns, also inside a part; edits leave everything else alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fanlight.errors import ConfigError
from fanlight.server.source_text import Edit, Source, apply_edits


def test_a_place_is_told_in_lines_and_columns_from_one() -> None:
    source = Source("view/a.js", "one\ntwo\n\nfour")
    assert [source.place(offset) for offset in (0, 3, 4, 8, 9, 13)] == [
        (1, 1), (1, 4), (2, 1), (3, 1), (4, 1), (4, 5),
    ]  # fmt: skip


def test_a_part_tells_its_places_in_the_whole() -> None:
    page = Source("page.html", "<p>\n<script>let a\nlet b</script>")
    script = page.part(12, 23)
    assert script.text == "let a\nlet b"
    assert script.part(6, 11).at(4) == "page.html:3:5"


def test_an_error_names_the_place_first() -> None:
    error = Source("a.css", "x\ny").error(2, "wrong; correct it")
    assert isinstance(error, ConfigError)
    assert str(error) == "a.css:2:1: wrong; correct it"


def test_edits_at_one_offset_keep_their_order() -> None:
    edits = [Edit(3, 3, "?"), Edit(1, 1, "A"), Edit(1, 2, "B")]
    assert apply_edits("abc", edits) == "aABc?"


@given(st.text(min_size=3), st.data())
def test_what_no_edit_covers_stays_as_it_is(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4, unique=True)))
    edits = [Edit(cuts[2], cuts[3], "second"), Edit(cuts[0], cuts[1], "first")]
    expected = f"{text[: cuts[0]]}first{text[cuts[1] : cuts[2]]}second{text[cuts[3] :]}"
    assert apply_edits(text, edits) == expected
