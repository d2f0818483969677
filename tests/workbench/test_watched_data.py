"""What a server writes beside its source loads nothing anew; what its views are made of does."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from fanlight.host import Host
from fanlight.upstream import parse_target
from fanlight.workbench.reloading import Reloader, Sources, forget_modules, source_folder
from fanlight.workbench.watching import ServerFolder, SourceWatch

WAIT = 60.0
DATA = ["tasks.json", "out/report.csv", "notes.md", "log.txt", "state.toml", "chart.png", "chart.svg"]


def write(path: Path, text: str) -> Path:
    """Write so that the time differs, even where a clock stands still between two writes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    times = path.stat().st_mtime_ns + 1_000_000 if path.exists() else None
    path.write_text(text)
    if times is not None:
        os.utime(path, ns=(times, times))
    return path


@pytest.mark.parametrize("name", DATA)
def test_data_in_the_folder_of_a_server_counts_only_if_an_app_is_made_of_it(
    tmp_path: Path, name: str
) -> None:
    watch = SourceWatch([ServerFolder(tmp_path)])
    data = write(tmp_path / name, "1")
    assert watch.changed() == []
    of_an_app = SourceWatch([ServerFolder(tmp_path)], lambda: [data])
    write(data, "2")
    assert watch.changed() == []
    assert of_an_app.changed() == [data]


@pytest.mark.parametrize("name", DATA)
def test_in_a_folder_that_a_person_named_it_counts(tmp_path: Path, name: str) -> None:
    watch = SourceWatch([ServerFolder(tmp_path / "server"), tmp_path / "named"])
    (tmp_path / "named").mkdir()
    data = write(tmp_path / "named" / name, "1")
    assert watch.changed() == [data]


def test_code_and_templates_in_the_folder_of_a_server_count(tmp_path: Path) -> None:
    watch = SourceWatch([ServerFolder(tmp_path)])
    names = ["a.py", "page.html", "style.css", "app.js", "main.tsx", "mail.j2"]
    written = [write(tmp_path / "deep" / name, "1") for name in names]
    assert watch.changed() == sorted(written)


def test_a_picture_that_a_view_misses_counts_when_it_comes(tmp_path: Path) -> None:
    watch = SourceWatch([ServerFolder(tmp_path)], views=lambda: [tmp_path / "view"])
    picture = write(tmp_path / "view" / "logo.png", "1")
    write(tmp_path / "tasks.json", "1")
    assert watch.changed() == [picture]


def test_a_view_around_the_server_makes_no_app_of_what_the_server_writes(tmp_path: Path) -> None:
    watch = SourceWatch([ServerFolder(tmp_path / "server")], views=lambda: [tmp_path, tmp_path / "server"])
    write(tmp_path / "server" / "tasks.json", "1")
    assert watch.changed() == []


def test_the_file_that_the_command_names_counts_whatever_it_is(tmp_path: Path) -> None:
    config = write(tmp_path / "mcp.json", "{}")
    folder = source_folder(str(config))
    watch = SourceWatch([folder])
    write(config, "[]")
    write(tmp_path / "other.json", "{}")
    assert watch.changed() == [config]
    assert str(folder) == str(tmp_path)


SERVER = """
from pathlib import Path
import data_gate
from mcp.server import MCPServer
from fanlight.server import App, AppResource, Reply, reply

server = MCPServer("tasks")
app = App("ui://tasks/view.html", AppResource.folder("view"))

@app.tool(server)
async def add() -> Reply:
    Path(__file__).with_name("tasks.json").write_text("[1]")
    data_gate.wrote.set()
    await data_gate.looked.wait()
    return reply("added")
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    write(tmp_path / "server.py", SERVER)
    write(tmp_path / "view" / "index.html", "<!doctype html><title>t</title><img src=dot.svg alt=dot>")
    write(tmp_path / "view" / "dot.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    path = list(sys.path)
    yield tmp_path
    sys.path[:] = path
    forget_modules([tmp_path])


class Gate(ModuleType):
    """A module without a file, which is never forgotten: the tool and the test meet there."""

    def __init__(self) -> None:
        super().__init__("data_gate")
        self.wrote, self.looked = asyncio.Event(), asyncio.Event()


async def test_a_call_that_writes_data_ends_well_and_a_changed_picture_is_loaded(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate()
    monkeypatch.setitem(sys.modules, "data_gate", gate)
    said: asyncio.Queue[str] = asyncio.Queue()
    target = str(project / "server.py")
    async with Host() as host:
        server = await host.connect("server", target)
        sources = Sources([source_folder(target)], lambda: parse_target(target))
        work = Reloader(host, sources, said.put_nowait)
        looks = _Looks(work._watch)
        looking = asyncio.create_task(work.run())
        try:
            call = asyncio.create_task(server.call_tool("add"))
            async with asyncio.timeout(WAIT):
                await gate.wrote.wait()
                await looks.twice()
                gate.looked.set()
                assert (await call).result["content"][0]["text"] == "added"
                assert said.empty(), "what the tool wrote was taken for source"
                write(project / "view" / "dot.svg", "<svg xmlns='http://www.w3.org/2000/svg'><g/></svg>")
                assert f"view{os.sep}dot.svg: loaded anew" in await said.get()
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)


class _Looks:
    """Counts the looks at the files, which happen in a thread."""

    def __init__(self, watch: SourceWatch) -> None:
        self._real, self._done, self._loop = watch.changed, 0, asyncio.get_running_loop()
        self._looked = asyncio.Event()
        watch.changed = self._changed  # type: ignore[method-assign]

    def _changed(self) -> list[Path]:
        changed = self._real()
        self._done += 1
        self._loop.call_soon_threadsafe(self._looked.set)
        return changed

    async def twice(self) -> None:
        """Two whole looks: one may have begun before."""
        until = self._done + 2
        while self._done < until:
            self._looked.clear()
            await self._looked.wait()
