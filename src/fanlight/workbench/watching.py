"""Which source files of a project changed: looked at often, since every system can do that.

A server that writes a log, a database or a JSON file beside its source must not start itself again and again,
which would also end the call that wrote it. So in a server's own folder only code counts, and of the other
files those that apps are made of. Who names a folder means everything in it that people write.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fanlight.errors import ConfigError

__all__ = ["ServerFolder", "SourceWatch"]

_CODE = {".py", ".html", ".htm", ".css", ".js", ".mjs", ".ts", ".tsx", ".jsx", ".vue", ".svelte"}
_TEMPLATES = {".jinja", ".jinja2", ".j2"}
_DATA = {".json", ".toml", ".yaml", ".yml", ".md", ".txt", ".csv", ".wasm"}
_PICTURES = {".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".mp3", ".mp4"}
_FONTS = {".woff", ".woff2", ".ttf", ".otf"}
_ALWAYS = _CODE | _TEMPLATES
_SOURCES = _ALWAYS | _DATA | _PICTURES | _FONTS
_FOREIGN = frozenset({"node_modules", "site-packages", "__pycache__", "venv"})
_MAX_FILES = 20_000


@dataclass(frozen=True)
class ServerFolder:
    """The folder of a server, which nobody named: data in it may be what the server writes.

    `file` is what the command named; it counts whatever it is, such as an `mcp.json`.
    """

    path: Path
    file: Path | None = None

    def __str__(self) -> str:
        return str(self.path)


class SourceWatch:
    """The source files below some folders as they were at the last look.

    Args:
        also: names the files that apps are made of, wherever and whatever they are; one that is named anew
            is no change.
        views: names the folders of views, where a file counts that a view will need only later.
    """

    def __init__(
        self,
        folders: Sequence[Path | ServerFolder],
        also: Callable[[], Iterable[Path]] = tuple,
        views: Callable[[], Iterable[Path]] = tuple,
    ) -> None:
        self._of_servers = [folder for folder in folders if isinstance(folder, ServerFolder)]
        self._chosen = [folder for folder in folders if isinstance(folder, Path)]
        self._folders = [folder.path for folder in self._of_servers] + self._chosen
        self._also = also
        self._views = views
        self._seen = self._look()
        self._named = self._look_at_named(set(also()))

    def changed(self) -> list[Path]:
        """The files that count and were written, added or removed since the last look.

        Raises:
            ConfigError: there are too many files to look at.
        """
        files = set(self._also())
        before, self._seen = self._seen, self._look()
        named, self._named = self._named, self._look_at_named(files)
        paths = before.keys() | self._seen.keys()
        changed = {path for path in paths if before.get(path) != self._seen.get(path)}
        if changed:
            whole = [*self._chosen, *self._views_apart()]
            changed = {path for path in changed if path in files or self._counts(path, whole)}
        changed |= {path for path in named.keys() & self._named.keys() if named[path] != self._named[path]}
        return sorted(changed)

    def _counts(self, path: Path, whole: list[Path]) -> bool:
        """`whole`: the folders of which every source file counts."""
        if path.suffix.lower() in _ALWAYS or any(path == folder.file for folder in self._of_servers):
            return True
        return any(path.is_relative_to(folder) for folder in whole)

    def _views_apart(self) -> list[Path]:
        """Without a view that has the server itself inside, and with it what the server writes."""
        own = [folder.path for folder in self._of_servers]
        return [view for view in self._views() if not any(path.is_relative_to(view) for path in own)]

    def _look_at_named(self, files: set[Path]) -> dict[Path, tuple[int, int] | None]:
        """A file that is removed for a moment, as some editors and bundlers do it, has no time."""
        return {path: _state(path) for path in files if path not in self._seen}

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
                elif path.suffix.lower() in _SOURCES:
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
