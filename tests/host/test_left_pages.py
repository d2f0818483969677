"""A page that was left for good: who waits for a message of its view is told, and a reload ends nothing."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from page_client import WAIT, PageClient, eventually, page, page_socket, served
from two_servers import make_server
from websockets.asyncio.client import connect
from websockets.typing import Origin

from fanlight import Host
from fanlight.host import LinkSettings, SyncHost, SyncView, View

AT_ONCE = LinkSettings(leave_timeout=0.01, resume_timeout=600)
NEVER = LinkSettings(leave_timeout=600, resume_timeout=600)


def socket_of(host: SyncHost) -> connect:
    own = f"localhost:{host.port}"
    return connect(
        f"ws://{own}/apps/socket",
        host="127.0.0.1",
        port=host.port,
        origin=Origin(f"http://{own}"),
        proxy=None,
    )


def shown(host: SyncHost) -> SyncView:
    view = host.connect("one", make_server("one")).call_tool("show").view
    assert view is not None
    return view


async def visit(host: SyncHost, view: Any, *, say: str | None = None, before: list[str] | None = None) -> str:
    """The person opens the page, perhaps clicks, and closes the tab; returns what the page called itself."""
    async with socket_of(host) as socket:
        client = PageClient(socket, view)
        if before is not None:
            await client.attach(before=before)
            await client.op("mount")
        await client.comes_up()
        if say is not None:
            await client.asks("ui/message", {"role": "user", "content": [{"type": "text", "text": say}]})
        return client.link.session


def test_who_waits_for_a_message_is_told_that_the_tab_was_closed() -> None:
    with Host.sync(port=0, messages=True, link=AT_ONCE) as host:
        view = shown(host)
        asyncio.run(visit(host, view))
        assert view.wait_message(WAIT) is None
        assert view.wait_message(WAIT) is None


def test_what_was_said_before_the_tab_was_closed_comes_first() -> None:
    with Host.sync(port=0, messages=True, link=AT_ONCE) as host:
        view = shown(host)
        asyncio.run(visit(host, view, say="Left"))
        assert view.wait_message(WAIT) == [{"type": "text", "text": "Left"}]
        assert view.wait_message(WAIT) is None


def test_a_page_that_is_opened_again_later_can_be_waited_for_again() -> None:
    with Host.sync(port=0, messages=True, link=AT_ONCE) as host:
        view = shown(host)
        asyncio.run(visit(host, view))
        assert view.wait_message(WAIT) is None

        async def stay() -> None:
            async with socket_of(host) as socket:
                await PageClient(socket, view).comes_up()  # type: ignore[arg-type]
                with pytest.raises(TimeoutError):
                    await asyncio.to_thread(view.wait_message, 0.05)

        asyncio.run(stay())


def test_a_page_that_is_loaded_again_ends_nothing() -> None:
    with Host.sync(port=0, messages=True, link=NEVER) as host:
        view = shown(host)
        waiting: list[Any] = []

        async def reload() -> None:
            waiter = asyncio.create_task(asyncio.to_thread(view.wait_message, WAIT))
            first = await visit(host, view)
            await visit(host, view, before=[first], say="Right")
            waiting.append(await waiter)

        asyncio.run(reload())
        assert waiting == [[{"type": "text", "text": "Right"}]]


def test_a_view_that_is_closed_before_anybody_opened_it_ends_the_wait() -> None:
    with Host.sync(port=0, messages=True) as host:
        view = shown(host)

        async def close_it() -> Any:
            waiter = asyncio.create_task(asyncio.to_thread(view.wait_message, WAIT))
            await asyncio.to_thread(view.close, WAIT)
            return await waiter

        assert asyncio.run(close_it()) is None


async def test_watchers_are_told_that_the_page_is_gone_for_good() -> None:
    async with Host(link=AT_ONCE) as host, served(host) as port:
        view = view_of(await (await host.connect("one", make_server("one"))).call_tool("show"))
        told: list[bool] = []
        view.watch(lambda: told.append(view.left))
        async with page(port, view) as client:
            await client.comes_up()
        await eventually(lambda: view.left)
        assert view.session is None
        assert told[-1]
        async with page(port, view) as again:
            await again.comes_up()
            assert not view.left


async def test_an_element_that_is_taken_out_and_a_lost_connection_are_not_the_end() -> None:
    async with Host(link=AT_ONCE) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        taken_out = view_of(await server.call_tool("show"))
        async with page(port, taken_out) as client:
            await client.comes_up()
            await client.send("detach")
            await eventually(lambda: taken_out.session is None)
        lost = view_of(await server.call_tool("show"))
        async with page_socket(port) as socket:
            await PageClient(socket, lost).comes_up()
            socket.transport.abort()  # no goodbye: the laptop sleeps
            session = lost.session
            assert session is not None
            await eventually(lambda: not session.page_there)
        assert not taken_out.left
        assert not lost.left


def view_of(call: Any) -> View:
    assert isinstance(call.view, View)
    return call.view
