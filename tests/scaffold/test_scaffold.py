"""`fanlight new`: a project that works as it is written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fanlight.errors import ConfigError
from fanlight.scaffold import write_project


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_tests_of_a_new_project_pass_at_once(tmp_path: Path) -> None:
    done = run(tmp_path, "fanlight", "new", "my-dice")
    assert done.returncode == 0, done.stderr
    assert "fanlight dev server.py" in done.stdout
    tested = run(tmp_path / "my-dice", "pytest", "-q", "-p", "no:cacheprovider")
    assert tested.returncode == 0, tested.stdout
    assert "3 passed" in tested.stdout


def test_every_name_of_the_template_is_filled_in(tmp_path: Path) -> None:
    files = write_project("my-dice", tmp_path)
    names = {str(path.relative_to(tmp_path / "my-dice")) for path in files}
    assert names == {
        "README.md",
        "pyproject.toml",
        "server.py",
        "test_server.py",
        "view/app.js",
        "view/index.html",
        "view/style.css",
    }
    texts = [path.read_text() for path in files]
    assert not any("%NAME%" in text or "%TITLE%" in text for text in texts)
    assert any("ui://my-dice/view.html" in text for text in texts)


@pytest.mark.parametrize("name", ["", "My App", "../up", "a/b", "-a", "a--b", "a" * 41, "ü"])
def test_a_name_that_cannot_be_used_is_refused_with_an_example(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="such as my-app"):
        write_project(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "note.txt").write_text("mine")
    with pytest.raises(ConfigError, match="not empty"):
        write_project("taken", tmp_path)
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["note.txt"]
