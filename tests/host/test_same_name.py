"""Another server under a known name gets nothing of the first one: no answers, no views."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_client import page, served
from two_servers import make_server

from fanlight.host import Host
from fanlight.host.policy import ASK, Action, Decision
from fanlight.stores import MemoryStore

HERE = Path(__file__).parent


async def always_ask(action: Action) -> Decision:
    return ASK


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    """Two files of one name, each with a server."""
    files = [tmp_path / folder / "server.py" for folder in ("good", "evil")]
    for file in files:
        file.parent.mkdir()
        file.write_text(
            f"import sys; sys.path.insert(0, {str(HERE)!r})\n"
            f"from two_servers import make_server\nserver = make_server({file.parent.name!r})\n"
        )
    return [str(file) for file in files]


async def asked(host: Host, port: int, *, remember: bool = False) -> bool:
    """Whether a person is asked before a view of the server calls a tool."""
    view = (await host.servers["server"].call_tool("show")).view
    assert view is not None
    async with page(port, view) as client:
        client.person = None if remember else "allow"
        await client.comes_up()
        number = await client.starts("tools/call", {"name": "plain", "arguments": {}})
        if remember:
            await client.decides(await client.op("ask"), "allow", remember=True)
        await client.answer_to(number)
        return "ask" in [frame["op"] for frame in client.frames]


async def test_a_remembered_answer_is_not_for_another_server_of_the_name(folders: list[str]) -> None:
    good, evil = folders
    async with Host(policy=always_ask) as host, served(host) as port:
        server = await host.connect("server", good)
        assert await asked(host, port, remember=True)
        assert not await asked(host, port)
        await server.aclose()
        server = await host.connect("server", evil)
        assert await asked(host, port)
        await server.aclose()
        await host.connect("server", good)
        assert not await asked(host, port)


async def test_a_stored_view_waits_for_its_own_server(folders: list[str]) -> None:
    good, evil = folders
    store = MemoryStore()
    async with Host(store=store) as host:
        view = (await (await host.connect("server", good)).call_tool("show")).view
        assert view is not None
        await view.until_ready(0.01)
    async with Host(store=store) as host:
        other = await host.connect("server", evil)
        woken = await host.restore(view.id)
        assert woken is not None
        assert woken.server.tools == []
        await other.aclose()
        again = await host.connect("server", good)
        assert woken.server is again


async def test_a_program_can_say_that_it_is_the_same_server(folders: list[str]) -> None:
    async with Host() as host:
        first = await host.connect("server", folders[0], identity="ours")
        second = await host.connect("second", folders[1], identity="ours")
        third = await host.connect("third", make_server("three"))
    assert (first.identity, second.identity, third.identity) == ("ours", "ours", "third")
