"""Which files of a project count as changed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fanlight.errors import ConfigError
from fanlight.workbench import watching
from fanlight.workbench.watching import SourceWatch


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_written_an_added_and_a_removed_source_are_changes(tmp_path: Path) -> None:
    kept, gone = write(tmp_path / "server.py", "1"), write(tmp_path / "view/old.css", "1")
    watch = SourceWatch([tmp_path])
    assert watch.changed() == []
    write(kept, "2")
    os.utime(kept, ns=(1, 1))  # a clock may stand still between two writes
    gone.unlink()
    added = write(tmp_path / "view/new.html", "1")
    assert watch.changed() == sorted([kept, gone, added])
    assert watch.changed() == []


@pytest.mark.parametrize(
    "name", ["app.log", "data.db", "data.sqlite3", ".git/config.py", "node_modules/a.js", "__pycache__/a.py"]
)
def test_what_people_do_not_write_by_hand_is_not_looked_at(tmp_path: Path, name: str) -> None:
    watch = SourceWatch([tmp_path])
    write(tmp_path / name, "1")
    assert watch.changed() == []


def test_what_a_bundler_writes_is_looked_at(tmp_path: Path) -> None:
    watch = SourceWatch([tmp_path])
    built = [write(tmp_path / "build/app.js", "1"), write(tmp_path / "view/dist/index.html", "1")]
    assert watch.changed() == built


def test_a_file_that_a_document_was_made_of_is_looked_at_wherever_it_is(tmp_path: Path) -> None:
    own, elsewhere = write(tmp_path / "app/server.py", "1"), write(tmp_path / "web/out/page.xhtml", "1")
    named = [own]
    watch = SourceWatch([tmp_path / "app"], lambda: named)
    named.append(elsewhere)
    assert watch.changed() == []
    write(elsewhere, "twice")
    write(own, "twice")
    assert watch.changed() == [own, elsewhere]
    elsewhere.unlink()
    assert watch.changed() == [elsewhere]
    write(elsewhere, "again")
    assert watch.changed() == [elsewhere]


def test_a_folder_that_is_removed_meanwhile_is_no_error(tmp_path: Path) -> None:
    page = write(tmp_path / "view/page.html", "1")
    watch = SourceWatch([tmp_path / "view"])
    page.unlink()
    (tmp_path / "view").rmdir()
    assert watch.changed() == [page]


def test_too_many_files_are_refused_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_MAX_FILES", 2)
    for number in range(3):
        write(tmp_path / f"{number}.py", "1")
    with pytest.raises(ConfigError, match="--watch"):
        SourceWatch([tmp_path])
