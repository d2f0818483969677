"""A function of the program that fails is said in the log, and nothing else happens."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from fanlight.upstream.telling import tell_each


def test_the_next_one_is_called_although_one_failed(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[int] = []

    def broken(number: int) -> None:
        raise ZeroDivisionError("a mistake of the program")

    with caplog.at_level(logging.ERROR, logger="fanlight"):
        tell_each("tap.listen()", [broken, heard.append], 7)
    assert heard == [7]
    assert "a function given to tap.listen() failed" in caplog.text
    assert "a mistake of the program" in caplog.text


def test_a_listener_may_end_itself_while_it_is_told() -> None:
    listeners: list[Callable[[], None]] = []
    heard: list[str] = []

    def once() -> None:
        heard.append("once")
        listeners.remove(once)

    listeners += [once, lambda: heard.append("always")]
    tell_each("view.watch()", listeners)
    tell_each("view.watch()", listeners)
    assert heard == ["once", "always", "always"]
