"""`fanlight dev`: when a source file is saved, the server is loaded anew and the open views show it.

A server that fails to load changes nothing: the last one that worked stays, and the error is said.
"""

from __future__ import annotations

import asyncio
import importlib
import linecache
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fanlight.errors import FanlightError
from fanlight.host import Host
from fanlight.server.error_places import place_of
from fanlight.server.registration import app_files, app_folders
from fanlight.upstream import Target

from .watching import ServerFolder, SourceWatch

__all__ = ["Reloader", "Sources", "forget_modules", "prepare_for_reloading", "source_folder"]

_LOOK_EVERY = 0.15
# Editors write a file in several steps.
_SETTLE = 0.05
_SHOWN_CHANGES = 3


@dataclass(frozen=True)
class Sources:
    """Where the source files of some servers are, and what gives the servers anew.

    In a folder that a person named every source file counts, in one from `source_folder` only code and what
    apps are made of. `load` raises FanlightError when that fails.
    """

    folders: Sequence[Path | ServerFolder]
    load: Callable[[], Mapping[str, Target]]


class Reloader:
    """Looks at the source files of a project and loads its servers anew when one changed.

    Args:
        say: where a person reads what happened.
        told: called after each time, with None or the sentence that says what failed.
    """

    def __init__(
        self,
        host: Host,
        sources: Sources,
        say: Callable[[str], None],
        told: Callable[[str | None], None] | None = None,
    ) -> None:
        self._host = host
        self._folders = [
            folder.path if isinstance(folder, ServerFolder) else folder for folder in sources.folders
        ]
        self._load = sources.load
        self._say = say
        self._told = told
        self._watch = SourceWatch(sources.folders, app_files, app_folders)

    async def run(self) -> None:
        """Look until cancelled. What fails is said, once, and looked at again."""
        failed = ""
        while True:
            await asyncio.sleep(_LOOK_EVERY)
            try:
                changed = await self._changed()
            except Exception as error:
                if str(error) != failed:
                    failed = str(error)
                    self._tell(f"  {failed}", failed)
                continue
            failed = ""
            if changed:
                await self.reload(changed)

    async def _changed(self) -> list[Path]:
        changed = await asyncio.to_thread(self._watch.changed)
        if changed:
            await asyncio.sleep(_SETTLE)
            changed += await asyncio.to_thread(self._watch.changed)
        return sorted(set(changed))

    async def reload(self, changed: list[Path]) -> None:
        """Load every server anew; what fails leaves its server as it was."""
        started = time.monotonic()
        try:
            forget_modules(self._folders)
            problem = await self._replace_all(self._load())
        except Exception as error:  # whatever a server does must not end the watching
            problem = _with_place(error, self._folders)
        what = _names(changed, self._folders)
        if problem is None:
            line = f"  {what}: loaded anew in {(time.monotonic() - started) * 1000:.0f} ms"
        else:
            line = f"  {what}: {problem}\n  The last version that worked is still running."
        self._tell(line, problem)

    def _tell(self, line: str, problem: str | None) -> None:
        self._say(line)
        if self._told is not None:
            self._told(problem)

    async def _replace_all(self, targets: Mapping[str, Target]) -> str | None:
        for name, target in targets.items():
            try:
                server = self._host.servers.get(name)
                await (self._host.connect(name, target) if server is None else server.replace(target))
            except FanlightError as error:
                return f"{name}: {error}"
        return None


def prepare_for_reloading() -> None:
    """Before a server is loaded for the first time: what is read then must be read anew later."""
    os.environ["FANLIGHT_DEV"] = "1"  # the server kit reads its files anew, in children too
    # A compiled file is told by the second in which its source was saved; two saves may share one.
    sys.dont_write_bytecode = True


def source_folder(target: str | None) -> ServerFolder:
    """Where the files of a target are: beside the server's file, or where the command was given."""
    file = Path((target or "").partition(":")[0])
    if file.suffix not in (".py", ".json"):
        return ServerFolder(Path().resolve())
    return ServerFolder(file.parent.resolve(), file.resolve())


def forget_modules(folders: list[Path]) -> None:
    """Make the modules of a project load from their files again when they are imported next."""
    roots = [folder.resolve() for folder in folders]
    for name, module in tuple(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name == "__main__" or not isinstance(file, str):
            continue
        path = Path(file).resolve()
        if "site-packages" not in path.parts and any(path.is_relative_to(root) for root in roots):
            del sys.modules[name]
    importlib.invalidate_caches()
    linecache.checkcache()


def _with_place(error: Exception, folders: Iterable[Path]) -> str:
    """The error and the line of the project in which it happened, if it has one."""
    said = str(error) if isinstance(error, FanlightError) else f"{type(error).__name__}: {error}"
    place = place_of(error.__cause__ or error, folders)
    return said if place is None else f"{said} ({place})"


def _names(changed: list[Path], folders: list[Path]) -> str:
    short = []
    for path in changed[:_SHOWN_CHANGES]:
        root = next((folder for folder in folders if path.is_relative_to(folder)), None)
        short.append(str(path if root is None else path.relative_to(root)))
    more = len(changed) - len(short)
    return ", ".join(short) + (f" and {more} more" if more else "")
