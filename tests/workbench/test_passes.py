"""A link works once, and what a browser gets for it has two halves that are worth nothing alone."""

from __future__ import annotations

import pytest

from fanlight.errors import ConfigError
from fanlight.workbench.passes import Pass, Passes, Turned, check_access_token


def given(passes: Passes, token: str, caller: str = "") -> Pass:
    found = passes.redeem(token, caller)
    assert isinstance(found, Pass)
    return found


def test_a_link_works_once() -> None:
    passes = Passes("first")
    assert passes.redeem("other") is Turned.WRONG
    given(passes, "first")
    assert passes.redeem("first") is Turned.SPENT
    assert passes.redeem("other") is Turned.WRONG


def test_without_a_link_nothing_is_redeemed() -> None:
    assert Passes().redeem("") is Turned.WRONG


def test_a_new_link_ends_the_old_one_and_no_pass() -> None:
    passes = Passes("first")
    before = given(passes, "first")
    second = passes.new_token()
    third = passes.new_token()
    assert passes.redeem(second) is Turned.SPENT
    after = given(passes, third)
    assert passes.admits([before.cookie], before.key)
    assert passes.admits([after.cookie], after.key)


def test_a_link_grows_old(monkeypatch: pytest.MonkeyPatch) -> None:
    passes = Passes("first")
    monkeypatch.setattr("fanlight.workbench.passes.time.monotonic", lambda: float("inf"))
    assert passes.redeem("first") is Turned.OLD
    assert passes.redeem("first") is Turned.SPENT


def test_both_halves_of_one_pass_are_needed() -> None:
    passes = Passes("first")
    mine = given(passes, "first")
    other = given(passes, passes.new_token())
    assert passes.admits([mine.cookie], mine.key)
    assert not passes.admits([mine.cookie], other.key)
    assert not passes.admits([other.cookie], mine.key)
    assert not passes.admits([], mine.key)
    assert not passes.admits([mine.cookie], "")
    assert not passes.admits([mine.key], mine.cookie)
    assert passes.knows([mine.cookie])
    assert not passes.knows([mine.key])
    assert not passes.knows([])


def test_cookies_that_somebody_added_push_the_own_one_not_out() -> None:
    passes = Passes("first")
    mine = given(passes, "first")
    added = [f"tossed-{number}" for number in range(180)]
    assert passes.admits([*added, mine.cookie], mine.key)
    assert passes.knows([*added, mine.cookie])


def test_more_cookies_than_a_browser_has_are_not_looked_at() -> None:
    passes = Passes("first")
    mine = given(passes, "first")
    assert not passes.knows([*(str(number) for number in range(100_000)), mine.cookie])


def test_the_number_of_passes_is_bounded_and_the_oldest_goes() -> None:
    passes = Passes("first")
    first = given(passes, "first")
    for _ in range(32):
        last = given(passes, passes.new_token())
    assert not passes.knows([first.cookie])
    assert passes.knows([last.cookie])


def test_an_access_token_works_for_every_browser_and_cannot_be_found_by_trying() -> None:
    passes = Passes(access_token="correct horse battery")
    one = given(passes, "correct horse battery", "192.0.2.1")
    two = given(passes, "correct horse battery", "192.0.2.2")
    assert one != two
    answers = [passes.redeem(f"guess {number}", "192.0.2.3") for number in range(12)]
    assert answers == [Turned.WRONG] * 10 + [Turned.OFTEN] * 2
    assert passes.redeem("correct horse battery", "192.0.2.3") is Turned.OFTEN
    given(passes, "correct horse battery", "192.0.2.1")


def test_a_short_access_token_is_refused_with_a_way_to_make_one() -> None:
    with pytest.raises(ConfigError, match=r"at least 16.*secrets"):
        check_access_token("secret")
    check_access_token("a token long enough")
