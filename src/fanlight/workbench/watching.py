"""Which source files of a project changed: looked at often, since every system can do that.

Only files that people write are looked at: a server that writes a log or a database beside its source
must not start itself again and again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from fanlight.errors import ConfigError

__all__ = ["SourceWatch", "is_source"]

_CODE = {".py", ".html", ".htm", ".css", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".vue", ".svelte"}
_TEMPLATES = {".jinja", ".jinja2", ".j2"}
_DATA = {".json", ".toml", ".yaml", ".yml", ".md", ".txt", ".csv", ".wasm"}
_PICTURES = {".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".mp3", ".mp4"}
_FONTS = {".woff", ".woff2", ".ttf", ".otf"}
_SOURCES = _CODE | _TEMPLATES | _DATA | _PICTURES | _FONTS
_FOREIGN = frozenset({"node_modules", "site-packages", "__pycache__", "venv"})
_MAX_FILES = 20_000


def is_source(path: Path) -> bool:
    """Whether a change of this file may change what is shown."""
    return path.suffix.lower() in _SOURCES


class SourceWatch:
    """The source files below some folders as they were at the last look.

    Args:
        also: names further files, wherever and whatever they are; one that is named anew is no change.
    """

    def __init__(self, folders: list[Path], also: Callable[[], Iterable[Path]] = tuple) -> None:
        self._folders = folders
        self._also = also
        self._seen = self._look()
        self._named = self._look_at_named()

    def changed(self) -> list[Path]:
        """The files that were written, added or removed since the last look.

        Raises:
            ConfigError: there are too many files to look at.
        """
        before, self._seen = self._seen, self._look()
        named, self._named = self._named, self._look_at_named()
        paths = before.keys() | self._seen.keys()
        changed = {path for path in paths if before.get(path) != self._seen.get(path)}
        changed |= {path for path in named.keys() & self._named.keys() if named[path] != self._named[path]}
        return sorted(changed)

    def _look_at_named(self) -> dict[Path, tuple[int, int] | None]:
        """A file that is removed for a moment, as some editors and bundlers do it, has no time."""
        return {path: _state(path) for path in self._also() if path not in self._seen}

    def _look(self) -> dict[Path, tuple[int, int]]:
        found: dict[Path, tuple[int, int]] = {}
        waiting = list(self._folders)
        while waiting:
            folder = waiting.pop()
            try:
                entries = list(os.scandir(folder))
            except OSError:
                continue  # removed while we looked
            for entry in entries:
                path = Path(entry.path)
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name not in _FOREIGN:
                        waiting.append(path)
                elif is_source(path):
                    self._note(entry, path, found)
        return found

    def _note(self, entry: os.DirEntry[str], path: Path, found: dict[Path, tuple[int, int]]) -> None:
        if len(found) >= _MAX_FILES:
            folders = ", ".join(map(str, self._folders))
            raise ConfigError(
                f"more than {_MAX_FILES} source files are in {folders}; choose a smaller folder with --watch"
            )
        state = _state(entry)
        if state is not None:
            found[path] = state


def _state(file: Path | os.DirEntry[str]) -> tuple[int, int] | None:
    """What differs after a write; None if the file was removed meanwhile."""
    try:
        seen = file.stat()
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size
