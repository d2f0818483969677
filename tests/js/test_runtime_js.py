"""The browser's pure modules, under Node's own test runner: one pytest test a file."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent

pytestmark = pytest.mark.interop  # needs Node


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_the_module_passes_its_tests_in_node(node: str, file: str) -> None:
    ran = subprocess.run(
        [node, "--test", str(HERE / file)], capture_output=True, text=True, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
