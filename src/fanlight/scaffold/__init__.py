"""A small project to begin with: a server, its view, tests that pass and a README. Files in, files out."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from fanlight.errors import ConfigError

__all__ = ["write_project"]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_MAX_NAME = 40
# Kept out of the template's names, so that no tool takes the template for a project or a test of ours.
_RENAMED = {"test_server.py.txt": "test_server.py", "pyproject.toml.txt": "pyproject.toml"}


def write_project(name: str, parent: Path) -> list[Path]:
    """Write the project `name` into a new folder of that name; returns the files.

    Raises:
        ConfigError: the name cannot be used, or the folder is not empty.
    """
    if not _NAME.fullmatch(name) or len(name) > _MAX_NAME:
        raise ConfigError(
            f"project name {name!r}: use small letters, digits and single hyphens, beginning with a letter "
            f"and at most {_MAX_NAME} characters long, such as my-app"
        )
    folder = parent / name
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder} exists already and is not empty: choose another name or remove it")
    title = name.replace("-", " ").capitalize()
    written = []
    for file, path in _files(files(__name__).joinpath("project"), folder):
        text = file.read_text(encoding="utf-8")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("%NAME%", name).replace("%TITLE%", title), encoding="utf-8")
        written.append(path)
    return sorted(written)


def _files(folder: Traversable, target: Path) -> list[tuple[Traversable, Path]]:
    found: list[tuple[Traversable, Path]] = []
    for entry in folder.iterdir():
        if entry.name.startswith("__"):
            continue
        path = target / _RENAMED.get(entry.name, entry.name)
        found += _files(entry, path) if entry.is_dir() else [(entry, path)]
    return found
