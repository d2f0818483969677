"""Functions that wait for a person: each has a thread, keeps its turn, and nobody waits for it at the end."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from two_servers import make_server

from fanlight import Host
from fanlight.host import SyncHost, SyncView
from fanlight.host.sync_handlers import HandlerThreads

WAIT = 30.0


@pytest.fixture
def person() -> Iterator[threading.Event]:
    """Set when the person has answered: at the latest with the end of the test."""
    answered = threading.Event()
    yield answered
    answered.set()


def acquire(gate: threading.Semaphore, count: int = 1) -> None:
    for number in range(count):
        assert gate.acquire(timeout=WAIT), f"only {number} of {count} came"


def say(host: SyncHost, view: SyncView, words: str) -> Any:
    """A view sends `ui/message`; nobody waits for the answer here."""

    async def saying() -> asyncio.Task[Any]:
        handler: Any = host.host.message_handler
        return asyncio.create_task(handler(host.host.view(view.id), [{"type": "text", "text": words}]))

    return host.run(saying())


def test_as_many_handlers_as_views_wait_for_a_person_and_the_end_waits_for_none(
    person: threading.Event,
) -> None:
    begun = threading.Semaphore(0)
    many = (os.cpu_count() or 1) + 12  # more than the pool of an event loop has threads
    tasks: list[Any] = []
    with Host.sync(port=0) as host:

        @host.on_message
        def ask(view: SyncView, content: list[dict[str, Any]]) -> None:
            begun.release()
            person.wait(4 * WAIT)

        server = host.connect("one", make_server("one"))
        for number in range(many):
            view = server.call_tool("show").view
            assert view is not None
            tasks.append(say(host, view, str(number)))
        acquire(begun, many)
    assert not person.is_set()
    assert all(task.cancelled() for task in tasks)


def test_a_handler_may_end_the_host() -> None:
    host = Host.sync(port=0).start()
    ended = threading.Event()

    @host.on_message
    def enough(view: SyncView, content: list[dict[str, Any]]) -> None:
        host.close()
        ended.set()

    view = host.connect("one", make_server("one")).call_tool("show").view
    assert view is not None
    task = say(host, view, "enough")
    assert ended.wait(WAIT)
    assert task.cancelled()


def test_messages_of_one_view_keep_their_order_also_when_nobody_waits_for_one_any_more(
    person: threading.Event,
) -> None:
    heard: list[str] = []
    begun, done = threading.Semaphore(0), threading.Semaphore(0)
    with Host.sync(port=0) as host:

        @host.on_message
        def ask(view: SyncView, content: list[dict[str, Any]]) -> None:
            begun.release()
            person.wait(WAIT)
            heard.append(content[0]["text"])
            done.release()

        view = host.connect("one", make_server("one")).call_tool("show").view
        assert view is not None
        first = say(host, view, "first")
        acquire(begun)
        say(host, view, "second")
        host.call(first.cancel)  # the page that said it is gone; the handler goes on
        say(host, view, "third")
        assert not begun.acquire(blocking=False)
        person.set()
        acquire(done, 3)
    assert heard == ["first", "second", "third"]


async def test_a_function_that_has_not_begun_never_does_when_its_task_is_cancelled(
    person: threading.Event,
) -> None:
    threads = HandlerThreads("test")
    running = asyncio.create_task(threads.run("view", lambda: person.wait(WAIT)))
    ran: list[str] = []
    waiting = asyncio.create_task(threads.run("view", lambda: ran.append("cancelled")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    person.set()
    assert await asyncio.wait_for(running, WAIT) is True
    await asyncio.wait_for(threads.run("view", lambda: ran.append("last")), WAIT)
    assert ran == ["last"]


async def test_beyond_the_bound_functions_wait_until_a_thread_is_free(person: threading.Event) -> None:
    threads = HandlerThreads("test", most=2)
    begun = threading.Semaphore(0)

    def work() -> bool:
        begun.release()
        return person.wait(WAIT)

    running = [asyncio.create_task(threads.run(number, work)) for number in range(5)]
    await asyncio.to_thread(acquire, begun, 2)
    assert not begun.acquire(blocking=False)
    person.set()
    assert await asyncio.wait_for(asyncio.gather(*running), WAIT) == [True] * 5


async def test_what_a_function_raises_comes_to_who_waits_and_never_ends_the_loop() -> None:
    threads = HandlerThreads("test")

    def fails() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        await asyncio.wait_for(threads.run("view", fails), WAIT)
    with pytest.raises(RuntimeError, match="SystemExit"):
        await asyncio.wait_for(threads.run("view", sys.exit), WAIT)


async def test_what_nobody_waits_for_is_said_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    threads = HandlerThreads("test")

    def fails() -> None:
        raise KeyError("mine")

    with caplog.at_level(logging.ERROR, "fanlight.host"):
        threads.tell("server", fails)
        await asyncio.wait_for(threads.run("server", lambda: None), WAIT)
    (record,) = caplog.records
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], KeyError)
