"""The door to the mcp 1.x SDK passes the contract, in the environment that has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugins.older_sdk import passes_on_the_older_sdk

# In parts, which run beside each other: together they take longer than any other test.
PARTS = {"TestEveryDoor": 66, "TestTheWire": 24, "not TestEveryDoor and not TestTheWire": 20}


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("part", "fewest"), PARTS.items())
def test_the_older_sdk_passes_the_same_contract(part: str, fewest: int) -> None:
    passes_on_the_older_sdk(Path(__file__).with_name("sdk1_contract.py"), fewest=fewest, only=part)
