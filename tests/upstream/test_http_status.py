"""The HTTP status of a refused message is said, and nobody else's call is lost over it; with both SDKs."""

from __future__ import annotations

from pathlib import Path

from refusals import (
    test_a_server_that_refuses_everybody_is_told_with_the_status,
    test_an_error_that_the_server_said_itself_is_handed_on,
    test_the_status_is_said_and_the_neighbour_keeps_its_call,
)

from plugins.older_sdk import passes_on_the_older_sdk

__all__ = [
    "test_a_server_that_refuses_everybody_is_told_with_the_status",
    "test_an_error_that_the_server_said_itself_is_handed_on",
    "test_the_status_is_said_and_the_neighbour_keeps_its_call",
]


def test_the_older_sdk_says_it_too() -> None:
    passes_on_the_older_sdk(Path(__file__).with_name("refusals.py"), fewest=8)
