"""Rules of the whole repository: small files, said purposes, nothing of one machine, pinned peers."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CODE = {".py", ".js", ".mjs", ".css", ".html", ".sh"}
SOFT_LIMIT = 300
HARD_LIMIT = 600
# Spelled in pieces, so that this file does not name what it forbids.
REGISTRY = re.compile(
    "|".join([r"registry\.npm" + "js", r"registry\.yarn" + "pkg", "pypi" + r"\.org", "python" + "hosted"])
)
MACHINE_PATH = re.compile(r"(?<![\w.:/~-])/(?:root|home|work|Users)/\w")


@cache
def repository() -> list[Path]:
    """Every file that is in git or would be added to it."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    return [file for name in names if name and (file := ROOT / name).is_file()]


def code() -> list[Path]:
    return [file for file in repository() if file.suffix in CODE]


def python() -> list[Path]:
    return [file for file in repository() if file.suffix == ".py"]


def text_of(file: Path) -> str:
    """The file's text; empty for a binary file."""
    try:
        return file.read_text("utf-8")
    except UnicodeDecodeError:
        return ""


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for file in repository()
        for number, line in enumerate(text_of(file).splitlines(), 1)
        if pattern.search(line)
    ]


def long_files(limit: int) -> list[str]:
    sizes = {file: len(text_of(file).splitlines()) for file in code()}
    return [f"{file.relative_to(ROOT)}: {size} lines" for file, size in sizes.items() if size > limit]


def test_no_file_of_code_passes_the_hard_limit_of_lines() -> None:
    assert long_files(HARD_LIMIT) == []


def test_most_files_of_code_stay_under_the_soft_limit_of_lines() -> None:
    long = long_files(SOFT_LIMIT)
    assert len(long) <= len(code()) // 10, "more than one file in ten is long:\n" + "\n".join(long)


def test_every_python_file_says_why_it_exists() -> None:
    silent = [
        str(file.relative_to(ROOT)) for file in python() if not ast.get_docstring(ast.parse(text_of(file)))
    ]
    assert silent == []


def test_test_files_have_unique_names() -> None:
    """Without packages, pytest and mypy know a test file by its base name alone."""
    names = [
        file.name for file in python() if file.is_relative_to(ROOT / "tests") and file.name != "__init__.py"
    ]
    assert sorted(names) == sorted(set(names))


def test_no_file_names_a_path_of_one_machine() -> None:
    assert lines_matching(MACHINE_PATH) == []


def test_no_file_names_a_package_registry() -> None:
    assert lines_matching(REGISTRY) == []


def test_npm_lock_pins_contents_and_not_places() -> None:
    lock = json.loads((ROOT / "tests/interop/node/package-lock.json").read_text("utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert packages
    assert [name for name, entry in packages.items() if "resolved" in entry] == []
    assert [name for name, entry in packages.items() if "integrity" not in entry] == []


@pytest.mark.parametrize("section", ["devDependencies", "overrides"])
def test_npm_peers_are_pinned_exactly(section: str) -> None:
    manifest = json.loads((ROOT / "tests/interop/node/package.json").read_text("utf-8"))
    text = json.dumps(manifest[section])
    versions = re.findall(r'": "(?:npm:.+?@(?=\d))?([^"]+)"', text)
    assert versions
    assert [version for version in versions if not re.fullmatch(r"\d+\.\d+\.\d+", version)] == []


def test_development_tools_are_pinned_exactly() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    loose = [pin for pins in groups.values() for pin in pins if "==" not in pin]
    assert loose == []
