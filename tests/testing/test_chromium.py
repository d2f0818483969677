"""Finding a browser: the chosen one, the system's, or a clear sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fanlight.errors import BrowserError
from fanlight.testing.chromium import find_chromium, launch


def executable(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\nexit 1\n")
    path.chmod(0o755)
    return path


def test_the_chosen_browser_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = executable(tmp_path, "mine")
    monkeypatch.setenv("FANLIGHT_CHROMIUM", str(chosen))
    assert find_chromium() == str(chosen)


def test_a_chosen_browser_that_cannot_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANLIGHT_CHROMIUM", os.devnull)
    with pytest.raises(BrowserError, match=os.devnull):
        find_chromium()


def test_the_usual_names_are_looked_for_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FANLIGHT_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_chromium() is None
    found = executable(tmp_path, "google-chrome")
    assert find_chromium() == str(found)


async def test_a_browser_that_dies_at_once_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FANLIGHT_CHROMIUM", str(executable(tmp_path, "broken")))
    with pytest.raises(BrowserError, match="no Chromium could be started") as caught:
        async with launch():
            pass
    assert "\n" not in str(caught.value)
