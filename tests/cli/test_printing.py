"""What strangers wrote, in a terminal: spelled out, not obeyed."""

from __future__ import annotations

import json

import pytest

from fanlight.cli.printing import plain, say, say_json

NASTY = "a\x1b[31mred\x1b[0m\x07 \x9b2J \u202eevil\u202c \u200bzero \ud800 \U000e0041 \r"


@pytest.mark.parametrize("text", ["plain", "two\nlines\ttab", "Ørsted – “quoted” … 日本語 😀 ‍"[:-1]])
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert plain(text) == text


def test_what_a_terminal_would_obey_or_hide_is_spelled_out() -> None:
    shown = plain(NASTY)
    assert "<U+001B>[31mred" in shown
    assert "<U+202E>evil<U+202C>" in shown
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\u200b", "\ud800", "\r"} & set(shown)


def test_printing_does_both(capsys: pytest.CaptureFixture[str]) -> None:
    say(NASTY)
    say(NASTY, err=True)
    out, err = capsys.readouterr()
    assert out == err == plain(NASTY) + "\n"


def test_json_keeps_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"x": NASTY, "é": "ok"})
    out = capsys.readouterr().out
    assert json.loads(out) == {"x": NASTY, "é": "ok"}
    assert '"é"' in out
    assert not {"\x1b", "\x9b", "\u202e", "\U000e0041"} & set(out)
