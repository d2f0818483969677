"""What a view of ours keeps with its host: each new document of it begins with it, also after a restart."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from page_client import eventually, page, served
from two_servers import make_server
from wishes import scene

from fanlight.host import Host
from fanlight.stores import SqliteStore

STATE = "fanlight/state"
# What it has in it is the view's business, nulls included.
BOARD: dict[str, Any] = {"columns": ["To do"], "chosen": None, "deep": {"none": None}}


async def test_keeping_is_offered_and_a_new_document_begins_with_what_was_kept() -> None:
    async with scene() as shown:
        for kept in ({"first": 1}, BOARD):
            assert (await shown.client.asks("fanlight/set-state", {"state": kept}))["result"] == {}
        assert shown.view.kept_state == BOARD
        async with page(shown.port, shown.view) as client:
            welcome = await client.comes_up()
        assert welcome["hostCapabilities"]["experimental"][STATE] == {}
        assert welcome["hostContext"][STATE] == BOARD


async def test_a_view_that_kept_nothing_is_told_so() -> None:
    """The part of the context is also how a view knows that it may keep something."""
    async with scene() as shown, page(shown.port, shown.view) as client:
        assert (await client.comes_up())["hostContext"][STATE] == {}


async def test_a_view_does_not_hear_its_own_state() -> None:
    async with scene() as shown:
        await shown.client.asks("fanlight/set-state", {"state": BOARD})
        await shown.client.asks("ping")  # whatever was for it came before
        methods = [
            frame["message"].get("method") for frame in shown.client.frames if frame["op"] == "message"
        ]
        assert "ui/notifications/host-context-changed" not in methods


async def test_what_the_last_document_saves_when_it_goes_reaches_the_one_that_took_its_place() -> None:
    """A second tab takes the view; the first saves its work at its teardown, which is after that."""
    async with scene() as shown, page(shown.port, shown.view) as second:
        shown.host.teardown_grace = 30
        await second.attach()
        await second.op("mount")
        await shown.client.starts("fanlight/set-state", {"state": BOARD})
        await eventually(lambda: shown.view.kept_state == BOARD)
        introduction = {
            "appInfo": {"name": "t", "version": "1"},
            "appCapabilities": {},
            "protocolVersion": "2026-01-26",
        }
        answer = await second.asks("ui/initialize", introduction)
        assert answer["result"]["hostContext"][STATE] == BOARD


async def test_what_is_no_object_is_refused() -> None:
    async with scene() as shown:
        for wrong in ([1], "text", None):
            answer = await shown.client.asks("fanlight/set-state", {"state": wrong})
            assert answer["error"]["code"] == -32602
        assert shown.view.kept_state is None


async def test_state_survives_a_restart(tmp_path: Path) -> None:
    async with Host(store=SqliteStore(tmp_path / "views.db")) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = (await server.call_tool("show", {})).view
        assert view is not None
        async with page(port, view) as client:
            await client.comes_up()
            await client.asks("fanlight/set-state", {"state": BOARD})
    async with Host(store=SqliteStore(tmp_path / "views.db")) as host, served(host) as port:
        again = await host.restore(view.id)
        assert again is not None
        async with page(port, again) as client:
            assert (await client.comes_up())["hostContext"][STATE] == BOARD
