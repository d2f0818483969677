"""A store of the program's own that hangs or fails: the host still ends, and says what was lost."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest
from two_servers import make_server

from fanlight import Host
from fanlight.host import keeping
from fanlight.stores import StoreError

WAIT = 30.0


class Hanging:
    """Answers nothing that is listed; everything else at once."""

    def __init__(self, *methods: str) -> None:
        self._methods = methods
        self.asked: list[str] = []

    async def _do(self, method: str) -> None:
        self.asked.append(method)
        if method in self._methods:
            await asyncio.Event().wait()

    async def save(self, view_id: str, record: Any, document: Any = None) -> None:
        await self._do("save")

    async def load(self, view_id: str) -> Any:
        await self._do("load")

    async def load_document(self, sha256: str) -> str | None:
        return None

    async def delete(self, view_id: str) -> bool:
        await self._do("delete")
        return False

    async def view_ids(self) -> list[str]:
        return []

    async def aclose(self) -> None:
        await self._do("aclose")


class Failing(Hanging):
    async def aclose(self) -> None:
        raise OSError("the disk is gone")


class Slow(Hanging):
    async def load(self, view_id: str) -> Any:
        raise TimeoutError("the database took 1 s")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadlines of the host's end; that of one save stays: it is not what the end waits for."""
    monkeypatch.setattr(keeping, "_LAST_WRITES_SECONDS", 0.05)
    monkeypatch.setattr(keeping, "_CLOSE_SECONDS", 0.05)
    monkeypatch.setattr(keeping, "_WAKE_SECONDS", 0.05)


async def used(store: Hanging, views: int = 3) -> tuple[Host, list[Any]]:
    audited: list[Any] = []
    host = Host(store=store, audit=audited.append)
    server = await host.connect("one", make_server("one"))
    for _ in range(views):
        await server.call_tool("show")
    return host, audited


@pytest.mark.usefixtures("impatient")
async def test_the_end_waits_once_for_all_that_is_not_saved(caplog: pytest.LogCaptureFixture) -> None:
    store = Hanging("save")
    host, _ = await used(store, views=10)
    with caplog.at_level(logging.ERROR, "fanlight.host"):
        await asyncio.wait_for(host.aclose(), WAIT)
    (record,) = caplog.records
    assert "of 10 views is not saved" in record.message
    assert "did not answer within" in caplog.text
    assert store.asked.count("save") == 1
    assert store.asked[-1] == "aclose"


@pytest.mark.usefixtures("impatient")
async def test_the_end_does_not_wait_for_a_store_that_never_closes(caplog: pytest.LogCaptureFixture) -> None:
    host, _ = await used(Hanging("aclose"))
    await asyncio.wait_for(host.aclose(), WAIT)
    assert "the store was not closed" in caplog.text


async def test_a_store_that_fails_to_close_does_not_fail_the_end(caplog: pytest.LogCaptureFixture) -> None:
    host, _ = await used(Failing())
    await asyncio.wait_for(host.aclose(), WAIT)
    assert "the store was not closed" in caplog.text
    assert "the disk is gone" in caplog.text


@pytest.mark.usefixtures("impatient")
async def test_restoring_from_a_store_that_hangs_fails_with_what_to_do() -> None:
    async with Host(store=Hanging("load")) as host:
        for restoring in (host.restore("abc"), host.embed_html("abc"), host.wake("abc")):
            with pytest.raises(StoreError, match="try again later"):
                await asyncio.wait_for(restoring, WAIT)


async def test_what_a_store_raises_itself_is_said_as_it_is() -> None:
    async with Host(store=Slow()) as host:
        with pytest.raises(StoreError, match="the database took 1 s"):
            await host.restore("abc")


async def test_a_view_is_closed_within_one_deadline_whatever_waits_to_be_saved(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    host, _ = await used(Hanging("save"), views=1)
    monkeypatch.setattr(keeping, "_WRITE_SECONDS", 0.05)
    monkeypatch.setattr(keeping, "_LAST_WRITES_SECONDS", 0.05)
    call = await host.servers["one"].call_tool("show")
    assert call.view is not None
    assert await asyncio.wait_for(host.close_view(call.view.id), WAIT)
    assert f"view {call.view.id} is still stored" in caplog.text
    await asyncio.wait_for(host.aclose(), WAIT)
