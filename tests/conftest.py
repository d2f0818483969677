"""What holds for all tests: the shared plugins, the marks, Hypothesis' settings and the PATH.

Fixtures live in ``plugins``; nothing here may depend on one room.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import hypothesis
import pytest

pytest_plugins = ["plugins.browser", "plugins.groups", "plugins.no_skips", "plugins.peers", "pytester"]

TESTS = Path(__file__).parent
FIXTURE_MARKS = {"browser": "browser", "peers": "interop"}

# Commands of the environment that runs the tests (`fanlight`, a Node from PyPI) win, also without `activate`.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

# No deadline: two cores shared by browsers say nothing about speed. CI repeats itself; people explore.
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the folder they are in and by the fixtures they ask for, so that ``-m`` never lies."""
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        if folder in FIXTURE_MARKS.values():
            item.add_marker(folder)
        for fixture in FIXTURE_MARKS.keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(FIXTURE_MARKS[fixture])
