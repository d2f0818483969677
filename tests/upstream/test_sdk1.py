"""The door to the mcp 1.x SDK passes the contract, in the environment that has it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv-mcp1" / "bin" / "python"
FEWEST_TESTS = 100


@pytest.mark.timeout(600)
def test_the_older_sdk_passes_the_same_contract() -> None:
    if not PYTHON.exists():
        pytest.fail("there is no .venv-mcp1: run `make setup`")
    run = subprocess.run(
        # Without conftest.py: its plugins need what only the other environment has.
        [PYTHON, "-m", "pytest", "--noconftest", "-p", "no:cacheprovider", "-q", "sdk1_contract.py"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        timeout=590,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    passed = re.search(r"^(\d+) passed in ", run.stdout, re.MULTILINE)
    assert passed is not None, f"not every test ran:\n{run.stdout[-2000:]}"
    assert int(passed[1]) >= FEWEST_TESTS
