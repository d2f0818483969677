"""A host that several threads start and end at once is one host, and nobody waits for one that is gone."""

from __future__ import annotations

import asyncio
import threading

import pytest

from fanlight import Host
from fanlight.errors import LocalProtocolError
from fanlight.host.background import BackgroundLoop

THREAD = "the host's thread"
WAIT = 60.0


def host_threads() -> int:
    return sum(thread.name == THREAD for thread in threading.enumerate())


def at_once(work: list[threading.Thread]) -> None:
    for thread in work:
        thread.start()
    for thread in work:
        thread.join(WAIT)
        assert not thread.is_alive()


def test_several_threads_start_one_host() -> None:
    host = Host.sync(port=0)
    together = threading.Barrier(8)
    ports: list[int] = []

    def start() -> None:
        together.wait(WAIT)
        ports.append(host.start().port)

    try:
        at_once([threading.Thread(target=start) for _ in range(8)])
        assert host_threads() == 1
        assert ports == [host.port] * 8
        at_once([threading.Thread(target=host.close) for _ in range(4)])
    finally:
        host.close()
    assert host_threads() == 0


def test_a_closed_host_can_be_started_again() -> None:
    host = Host.sync(port=0)
    for _ in range(2):
        with host:
            assert host_threads() == 1
        assert host_threads() == 0


def test_who_waits_for_a_loop_that_ends_is_told() -> None:
    loop, waits = BackgroundLoop("the loop"), threading.Event()
    told: list[BaseException] = []

    async def live(ready: object, stop: asyncio.Event) -> None:
        assert callable(ready)
        ready()
        await stop.wait()

    async def for_ever() -> None:
        waits.set()
        await asyncio.Event().wait()

    def wait() -> None:
        try:
            loop.run(for_ever())
        except BaseException as error:
            told.append(error)

    assert loop.start(live)
    assert not loop.start(live)
    waiter = threading.Thread(target=wait)
    waiter.start()
    assert waits.wait(WAIT)
    loop.stop()
    waiter.join(WAIT)
    assert [type(error) for error in told] == [LocalProtocolError]
    assert "ended before this was done" in str(told[0])
    with pytest.raises(LocalProtocolError, match="not running"):
        loop.run(for_ever())
