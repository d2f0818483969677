"""Tokens of a view: what is accepted, what is written down, what stops working."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.host.tokens import ViewTokens


@pytest.mark.parametrize("token", ["", "x", None, 5, "\ud800", b"bytes"])
def test_nothing_but_a_token_is_accepted(token: Any) -> None:
    tokens = ViewTokens()
    assert tokens.accepts(tokens.current)
    assert not tokens.accepts(token)
    assert not tokens.accepts(tokens.hashes[0])


def test_what_is_written_down_accepts_the_token_and_does_not_contain_it() -> None:
    first = ViewTokens()
    again = ViewTokens(first.hashes)
    assert again.accepts(first.current)
    assert again.current != first.current
    assert first.current not in str(first.hashes)


def test_the_last_four_are_accepted() -> None:
    made = [ViewTokens()]
    for _ in range(4):
        made.append(ViewTokens(made[-1].hashes))
    assert [made[-1].accepts(tokens.current) for tokens in made] == [False, True, True, True, True]


def test_renewing_makes_all_earlier_ones_worthless() -> None:
    first = ViewTokens()
    tokens = ViewTokens(first.hashes)
    before = tokens.current
    tokens.renew()
    assert tokens.accepts(tokens.current)
    assert not tokens.accepts(before)
    assert not tokens.accepts(first.current)
