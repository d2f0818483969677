"""Versions, and the literals that name the extension."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.wire import versions


def test_the_literals_are_those_of_the_spec() -> None:
    """Holds: R02, R03."""
    assert versions.EXTENSION_ID == "io.modelcontextprotocol/ui"
    assert versions.MIME_TYPE == "text/html;profile=mcp-app"
    assert versions.LATEST == "2026-01-26"


@pytest.mark.parametrize("requested", ["2025-11-21", "2099-01-01", "", None, 7, []])
def test_a_version_we_do_not_know_is_answered_with_our_latest(requested: object) -> None:
    assert versions.agree(requested) == versions.LATEST


def test_a_version_we_know_is_answered_with_itself() -> None:
    assert [versions.agree(version) for version in versions.SUPPORTED] == list(versions.SUPPORTED)


def test_the_extension_settings_contain_the_mime_types() -> None:
    """Holds: R11."""
    assert versions.extension_settings() == {"mimeTypes": [versions.MIME_TYPE]}


@pytest.mark.parametrize(
    ("capabilities", "shows"),
    [
        ({"extensions": {versions.EXTENSION_ID: versions.extension_settings()}}, True),
        ({"extensions": {versions.EXTENSION_ID: {}}}, True),
        ({"extensions": {versions.EXTENSION_ID: {"mimeTypes": ["text/html"]}}}, False),
        ({"extensions": {versions.EXTENSION_ID: {"mimeTypes": "text/html;profile=mcp-app"}}}, False),
        ({"extensions": {versions.EXTENSION_ID: None}}, False),
        ({"extensions": {}}, False),
        ({"extensions": None}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_client_shows_apps_only_if_it_says_so(capabilities: Any, shows: bool) -> None:
    """Holds: R08, R12."""
    assert versions.peer_shows_apps(capabilities) is shows
