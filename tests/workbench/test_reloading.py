"""A saved file loads the server anew; the views that are open stay and show it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from page_client import PageClient, page, served

from fanlight.host import Host, View
from fanlight.upstream import Target, parse_target
from fanlight.workbench import watching
from fanlight.workbench.reloading import Reloader, Sources, forget_modules

WAIT = 60.0
SERVER = """
from pathlib import Path
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from dev_words import WORD

apps = Apps()
apps.add_html_resource("ui://dev/view.html", Path(__file__).with_name("view.html").read_text())

@apps.tool(resource_uri="ui://dev/view.html", name="show")
def show(city: str = "Oslo") -> str:
    return f"{WORD} {city}"

server = MCPServer("dev", version="1", extensions=[apps])
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "server.py").write_text(SERVER)
    (tmp_path / "dev_words.py").write_text('WORD = "hello"')
    (tmp_path / "view.html").write_text("<!doctype html><title>t</title><p>first")
    path = list(sys.path)
    yield tmp_path
    sys.path[:] = path
    forget_modules([tmp_path])


class Said:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.problems: list[str | None] = []


def reloader(host: Host, project: Path, said: Said) -> Reloader:
    sources = Sources([project], lambda: parse_target(str(project / "server.py")))
    return Reloader(host, sources, said.lines.append, said.problems.append)


async def opened(host: Host, project: Path) -> View:
    server = await host.connect("server", str(project / "server.py"))
    call = await server.call_tool("show", {"city": "Bergen"})
    assert call.view is not None
    return call.view


async def again(client: PageClient) -> None:
    """What `socket.js` does when a showing ends and is to begin again."""
    ended = await client.until(lambda frame: frame["op"] == "end")
    assert ended["again"] is True
    await client.comes_up()


async def test_an_edited_document_is_shown_with_the_same_input_and_result(project: Path) -> None:
    said = Said()
    async with Host(teardown_grace=0.1) as host, served(host) as port:
        view = await opened(host, project)
        async with page(port, view) as client:
            await client.comes_up()
            work = reloader(host, project, said)
            (project / "view.html").write_text("<!doctype html><title>t</title><p>second")
            await work.reload([project / "view.html"])
            assert view.document is not None
            assert "second" in view.document.html
            await again(client)
            assert view.arguments == {"city": "Bergen"}
            assert view.text == "hello Bergen"
        assert said.problems == [None]
        assert said.lines[0].startswith("  view.html: loaded anew in ")


async def test_edited_code_answers_from_then_on_and_the_view_stays(project: Path) -> None:
    async with Host() as host, served(host) as port:
        view = await opened(host, project)
        async with page(port, view) as client:
            await client.comes_up()
            (project / "dev_words.py").write_text('WORD = "goodbye"')
            await reloader(host, project, Said()).reload([project / "dev_words.py"])
            answer = await client.asks("tools/call", {"name": "show", "arguments": {"city": "Oslo"}})
            assert answer["result"]["content"][0]["text"] == "goodbye Oslo"
            assert view.session is not None, "the document is the same, so nothing was shown anew"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def broken(:\n", "(server.py, line 1)"),
        ("raise ValueError('no')\n", "ValueError: no"),
        ("x = 1\n", "no MCP server object"),
        ("raise SystemExit('set API_KEY')\n", "SystemExit: set API_KEY"),
    ],
)
async def test_a_server_that_fails_to_load_leaves_the_last_one_running(
    project: Path, text: str, words: str
) -> None:
    said = Said()
    async with Host() as host:
        view = await opened(host, project)
        (project / "server.py").write_text(text)
        await reloader(host, project, said).reload([project / "server.py"])
        assert words in said.lines[0]
        assert "The last version that worked is still running" in said.lines[0]
        assert said.problems[0] is not None
        assert (await host.servers["server"].call_tool("show")).result["content"][0]["text"] == "hello Oslo"
        (project / "server.py").write_text(SERVER)
        await reloader(host, project, said).reload([project / "server.py"])
        assert said.problems[1] is None
        assert view.server is host.servers["server"]


async def looking(work: Reloader, until: asyncio.Event) -> None:
    """Let it look at the files until something was said."""
    watching = asyncio.create_task(work.run())
    waiting = asyncio.create_task(until.wait())
    try:
        await asyncio.wait({watching, waiting}, timeout=WAIT, return_when=asyncio.FIRST_COMPLETED)
        assert not watching.done(), "it looks at nothing any more"
        assert until.is_set(), "nothing was said"
    finally:
        watching.cancel()
        waiting.cancel()
        await asyncio.gather(watching, waiting, return_exceptions=True)


async def test_a_fault_that_nobody_foresaw_is_said_and_the_next_save_is_loaded(project: Path) -> None:
    said, heard = Said(), asyncio.Event()
    texts: list[RuntimeError | str] = [RuntimeError("the disk is full"), str(project / "server.py")]

    def load() -> Mapping[str, Target]:
        text = texts.pop(0)
        if isinstance(text, Exception):
            raise text
        return parse_target(text)

    def say(line: str) -> None:
        said.lines.append(line)
        heard.set()

    async with Host() as host:
        await opened(host, project)
        work = Reloader(host, Sources([project], load), say)
        for word in ("one", "three"):
            heard.clear()
            (project / "dev_words.py").write_text(f'WORD = "{word}"')
            await looking(work, heard)
    assert "dev_words.py: RuntimeError: the disk is full" in said.lines[0]
    assert "loaded anew" in said.lines[1]


async def test_too_many_files_are_said_once_and_looked_at_when_they_are_fewer(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said, looks = Said(), asyncio.Event()
    async with Host() as host:
        await opened(host, project)
        work = reloader(host, project, said)
        real, count = work._watch.changed, 0

        def changed() -> list[Path]:
            nonlocal count
            count += 1
            monkeypatch.setattr(watching, "_MAX_FILES", 1 if count < 3 else 100)
            return real()

        def tell(problem: str | None) -> None:
            said.problems.append(problem)
            if problem is None:
                looks.set()

        monkeypatch.setattr(work._watch, "changed", changed)
        monkeypatch.setattr(work, "_told", tell)
        (project / "dev_words.py").write_text('WORD = "goodbye"')
        await looking(work, looks)
    assert "choose a smaller folder with --watch" in said.lines[0]
    assert "loaded anew" in said.lines[1]
    assert len(said.problems) == 2


async def test_a_tool_that_is_gone_leaves_its_view_as_it_was(project: Path) -> None:
    async with Host() as host:
        view = await opened(host, project)
        assert view.document is not None
        before = view.document.html
        (project / "server.py").write_text(SERVER.replace('name="show"', 'name="other"'))
        await reloader(host, project, Said()).reload([project / "server.py"])
        assert [tool.name for tool in host.servers["server"].tools] == ["other"]
        assert view.document.html == before
