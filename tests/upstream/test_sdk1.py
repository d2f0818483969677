"""The door to the mcp 1.x SDK passes the contract, in the environment that has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.older_sdk import passes_on_the_older_sdk


@pytest.mark.timeout(600)
def test_the_older_sdk_passes_the_same_contract() -> None:
    passes_on_the_older_sdk(Path(__file__).with_name("sdk1_contract.py"), fewest=100)
