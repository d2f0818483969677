"""A server that does not load is told with the line of the project that is wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fanlight.host import Host
from fanlight.upstream import parse_target
from fanlight.workbench.reloading import Reloader, Sources, forget_modules, source_folder


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder, as for everybody who writes `fanlight dev server.py`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "place_words.py").write_text("WORD = 1\n")
    path = list(sys.path)
    yield tmp_path
    sys.path[:] = path
    forget_modules([tmp_path])


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("server.py", "x = 1\n\ndef broken(:\n", 3),
        ("place_words.py", "WORD = 1\nWORD = (\n", 2),
        ("place_words.py", "WORD = 1\n\n\nWORD.missing\n", 4),
        ("server.py", "import place_words\nimport no_such_module_anywhere\n", 2),
        ("server.py", "def run():\n    exec('1/0')\nrun()\n", 2),
    ],
)
async def test_the_place_is_the_line_that_is_wrong(project: Path, file: str, text: str, line: int) -> None:
    (project / "server.py").write_text("import place_words\n")
    (project / file).write_text(text)
    problems: list[str | None] = []
    sources = Sources([source_folder("server.py")], lambda: parse_target("server.py"))
    async with Host() as host:
        await Reloader(host, sources, lambda _line: None, problems.append).reload([project / file])
    (problem,) = problems
    assert problem is not None
    assert problem.endswith(f"({project / file}:{line})")
    assert "frozen" not in problem
