"""Tests in the environment of mcp 1.30, which half of the chat frameworks pin; ours has mcp 2."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

__all__ = ["passes_on_the_older_sdk"]

PYTHON = Path(__file__).resolve().parents[2] / ".venv-mcp1" / "bin" / "python"
SECONDS = 590


def passes_on_the_older_sdk(contract: Path, *, fewest: int, only: str = "") -> None:
    """Every test of this file passes there, or every one whose name fits `only`; and at least so many ran."""
    if not PYTHON.exists():
        pytest.fail("there is no .venv-mcp1: run `make setup`")
    run = subprocess.run(
        # Without conftest.py: its plugins need what only the other environment has.
        [PYTHON, "-m", "pytest", "--noconftest", "-p", "no:cacheprovider", "-q", "-k", only, contract.name],
        cwd=contract.parent,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    passed = re.search(r"^(\d+) passed(?:, \d+ deselected)? in ", run.stdout, re.MULTILINE)
    assert passed is not None, f"not every test ran:\n{run.stdout[-2000:]}"
    assert int(passed[1]) >= fewest
