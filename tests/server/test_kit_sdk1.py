"""The kit on mcp 1.30 passes the same contract, in the environment that has that SDK."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.older_sdk import passes_on_the_older_sdk


@pytest.mark.timeout(600)
def test_the_kit_on_the_older_sdk_passes_the_same_contract() -> None:
    passes_on_the_older_sdk(Path(__file__).with_name("kit_sdk1_contract.py"), fewest=40)
