"""The tables of the protocol, and the page drawn from them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from fanlight.protocol.state import (
    PASSAGES,
    TRANSITIONS,
    ConnectionState,
    Passage,
    Role,
    Signal,
    next_state,
)
from fanlight.wire.method import Traffic

SCRIPT = Path(__file__).parents[2] / "tools" / "draw_states.py"


def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_states", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_usual_life_is_in_the_table() -> None:
    state: ConnectionState | None = ConnectionState.NEW
    for signal in (Signal.INITIALIZE, Signal.INITIALIZED, Signal.TEARDOWN, Signal.TORN_DOWN):
        assert state is not None
        state = next_state(state, signal)
    assert state is ConnectionState.CLOSED


def test_a_view_that_begins_again_is_not_ready_any_more() -> None:
    """Holds: R32."""
    assert next_state(ConnectionState.READY, Signal.INITIALIZE) is ConnectionState.INITIALIZING


def test_nothing_follows_the_end() -> None:
    assert all(next_state(ConnectionState.CLOSED, signal) is None for signal in Signal)


def test_every_state_but_the_end_can_be_closed() -> None:
    for state in ConnectionState:
        if state is not ConnectionState.CLOSED:
            assert next_state(state, Signal.CLOSE) is ConnectionState.CLOSED


def test_every_state_can_be_reached() -> None:
    reached = {ConnectionState.NEW, *(target for row in TRANSITIONS.values() for target in row.values())}
    assert reached == set(ConnectionState) == set(TRANSITIONS)


def test_both_tables_are_complete() -> None:
    for role in Role:
        assert set(PASSAGES[role]) == set(ConnectionState)
        assert all(set(row) == set(Traffic) for row in PASSAGES[role].values())


@pytest.mark.parametrize("state", [ConnectionState.NEW, ConnectionState.INITIALIZING])
def test_before_initialized_a_host_sends_answers_only(state: ConnectionState) -> None:
    """Holds: R32."""
    now = {traffic for traffic, passage in PASSAGES[Role.HOST][state].items() if passage is Passage.NOW}
    assert now == {Traffic.ANSWER}


def test_a_view_may_ping_at_any_time_of_its_life() -> None:
    for state in ConnectionState:
        expected = Passage.NEVER if state is ConnectionState.CLOSED else Passage.NOW
        assert PASSAGES[Role.VIEW][state][Traffic.PING] is expected


def test_the_page_in_the_docs_is_drawn_from_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert drawing().main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_a_stale_page_fails_the_check_and_is_redrawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, tool = tmp_path / "deep" / "states.md", drawing()
    assert tool.main(["--check"], page) == 1
    assert "stale" in capsys.readouterr().err
    assert tool.main([], page) == 0
    assert tool.main(["--check"], page) == 0
    page.write_text(page.read_text("utf-8") + "more", "utf-8")
    assert tool.main(["--check"], page) == 1


def test_the_page_shows_every_arrow_and_every_sender() -> None:
    page = drawing().page()
    for state, row in TRANSITIONS.items():
        for signal, target in row.items():
            assert f"{state} --> {target}: {signal}" in page
    assert all(f"### The {role}" in page for role in Role)
