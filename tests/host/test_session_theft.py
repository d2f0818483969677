"""Whoever has one view and names the session of another gets, says and ends nothing of it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from page_client import PageClient, eventually, page, served
from two_servers import make_server

from fanlight.host import Host, View


@dataclass
class Theft:
    """A page that shows a view, and one that has only another view's token and the first one's session id."""

    owner: PageClient
    thief: PageClient

    async def names_it(self, op: str, **fields: Any) -> dict[str, Any]:
        """Say the owner's session with the thief's own view and token; the answer to it."""
        thief = self.thief
        frame = {
            "op": op,
            "view": thief.view.id,
            "token": thief.view.token,
            "session": self.session,
            **fields,
        }
        await thief._socket.send(json.dumps(frame))
        while True:
            answer: dict[str, Any] = json.loads(await thief._socket.recv())
            if answer.get("view") == thief.view.id:
                return answer

    @property
    def session(self) -> str:
        return self.owner.link.session


@asynccontextmanager
async def theft(*, comes_up: bool = True) -> AsyncIterator[Theft]:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        views: list[View] = []
        for city in ("Oslo", "Bergen"):
            view = (await server.call_tool("show", {"city": city})).view
            assert view is not None
            views.append(view)
        async with page(port, views[0]) as owner, page(port, views[1]) as thief:
            await (owner.comes_up() if comes_up else owner.attach())
            await eventually(lambda: views[0].session is not None)
            yield Theft(owner, thief)
            if not comes_up:
                await owner.op("mount")
                return
            # The owner's page has noticed nothing.
            assert (await owner.asks("ping"))["result"] == {}


async def test_it_is_not_resumed() -> None:
    async with theft() as found:
        answer = await found.names_it("resume", got=found.owner.link.got)
        assert (answer["op"], answer["again"]) == ("refused", True)


async def test_it_is_not_attached_to() -> None:
    """While its page has acknowledged nothing, an attachment could be taken for its own repetition."""
    async with theft(comes_up=False) as found:
        answer = await found.names_it("attach", before=[], context={})
        assert (answer["op"], answer["again"]) == ("refused", True)


async def test_it_is_not_ended_as_an_older_document() -> None:
    async with theft() as found:
        await found.thief.attach(before=[found.session])
        await found.thief.op("mount")


async def test_nothing_is_said_in_its_name() -> None:
    """What an older document left is said to its own view's session, or is too late."""
    async with theft() as found:
        heard = len(found.owner.view.stages)
        size = {"jsonrpc": "2.0", "method": "ui/notifications/size-changed", "params": {"height": 77}}
        number = found.owner.link.got + 100
        forged = [[n, {"op": "message", "message": size}] for n in range(1, number)]
        thief = found.thief
        left = {"op": "left", "view": thief.view.id, "token": thief.view.token, "session": found.session}
        await thief._socket.send(json.dumps({**left, "frames": forged}))
        await thief.comes_up()
        await found.owner.asks("ping")
        assert not [frame for frame in found.owner.frames if frame["op"] == "size"]
        assert len(found.owner.view.stages) == heard
