"""Manifest and tests stay in step, in both directions."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from fanlight.conformance import REQUIREMENTS, Requirement, Source

ROOT = Path(__file__).parents[2]
IDS = [f"R{number:02}" for number in range(1, 72)] + [f"D{number:02}" for number in range(1, 16)]


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("gen_requirements", ROOT / "tools" / "gen_requirements.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HELD: dict[str, list[str]] = generator().holding_tests()


def test_every_requirement_of_the_specification_is_there_once_and_in_order() -> None:
    assert list(REQUIREMENTS) == IDS
    assert [row.source for row in REQUIREMENTS.values()] == [Source.STABLE] * 71 + [Source.DRAFT] * 15


@pytest.mark.parametrize("row", REQUIREMENTS.values(), ids=lambda row: row.id)
def test_a_requirement_is_held_by_a_test_or_says_what_is_missing(row: Requirement) -> None:
    tests = HELD.get(row.id, [])
    assert row.sentence.endswith(".")
    assert row.binds
    if row.gap is None:
        assert tests, f"no test says `Holds: {row.id}.` and the manifest names no gap"
    else:
        assert not tests, f"{row.id} has the gap {row.gap!r}, but {tests} claim to hold it"


def test_tests_hold_only_requirements_that_exist() -> None:
    assert set(HELD) <= set(IDS)


def test_a_stale_page_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = generator()
    stale = tmp_path / "requirements.md"
    monkeypatch.setattr(module, "PAGE", stale)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    assert module.main(["--check"]) == 1
    assert module.main([]) == 0
    assert module.main(["--check"]) == 0
    stale.write_text(stale.read_text() + "x")
    assert module.main(["--check"]) == 1


def test_claims_are_read_from_docstrings(tmp_path: Path) -> None:
    folder = tmp_path / "tests"
    folder.mkdir()
    (folder / "test_x.py").write_text(
        'def test_a():\n    """One.\n\n    Holds: R01, D02.\n    """\n\n'
        'def helper():\n    """Holds: R03."""\n\n'
        'async def test_b():\n    """A sentence. Holds: R01,\n    R04."""\n'
    )
    assert generator().holding_tests(folder) == {
        "R01": ["tests/test_x.py::test_a", "tests/test_x.py::test_b"],
        "D02": ["tests/test_x.py::test_a"],
        "R04": ["tests/test_x.py::test_b"],
    }


def test_suggestions_name_what_differs_in_either_direction() -> None:
    suggestions = generator().suggestions
    test = ["tests/test_x.py::test_a"]
    agreed = {row.id: test for row in REQUIREMENTS.values() if row.gap is None}
    closed = next(row.id for row in REQUIREMENTS.values() if row.gap is not None)
    assert suggestions(agreed) == []
    del agreed["R01"]
    lines = suggestions({**agreed, closed: test, "R99": test})
    assert [line.partition(":")[0] for line in lines] == ["R01", closed, "R99"]
