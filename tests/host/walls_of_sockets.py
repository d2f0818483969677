"""The walls of the server below the routes and of the page socket: how many, how large, how long, whose."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from page_client import HOST_NAME, PageClient, get, page_socket
from raw_request import ask, send_raw
from starlette.responses import PlainTextResponse
from uvicorn.protocols.http.h11_impl import H11Protocol
from wall import ServerWall, away
from walls_of_requests import nobody, opens, shown
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import fanlight.host.serve
import fanlight.host.socket
from fanlight.host import LinkSettings
from fanlight.host.serve import ServeLimits, bind_loopback, serving
from fanlight.host.sockets import Sockets
from fanlight.host.users import Users

__all__ = ["WALLS_OF_SOCKETS"]

# For what always comes.
PATIENCE = 30.0
HEAD_SECONDS = 0.05


# Bounds of the server


@asynccontextmanager
async def plain_server(limits: ServeLimits | None = None) -> AsyncIterator[int]:
    async with serving(PlainTextResponse("hello"), bind_loopback(0), limits) as port:
        yield port


async def huge_head(folder: Path) -> bool:
    async with plain_server() as port:
        return (await ask(port, "/", "Host: x", f"X-Large: {'x' * (2 << 20)}")).status == 200


async def one_connection_more(folder: Path) -> bool:
    async with plain_server(ServeLimits(connections=2)) as port, AsyncExitStack() as stack:
        for _ in range(2):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            stack.callback(writer.close)
            # Answered, so the server knows of it; and it stays.
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return (await send_raw(port, b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")).status == 200


async def silent_connection(folder: Path) -> bool:
    """Whether a connection is still served that was silent for many times as long as it may be."""
    async with plain_server(ServeLimits(head_seconds=HEAD_SECONDS)) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(10 * HEAD_SECONDS):
                    await reader.read()
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            async with asyncio.timeout(PATIENCE):
                return await reader.read(1) != b""
        except ConnectionError:
            return False
        finally:
            writer.close()


# Bounds of the page socket


def by_query(connection: Any) -> str | None:
    user: str | None = connection.query_params.get("user")
    return user


def socket_of(port: int, user: str) -> connect:
    return connect(
        f"ws://{HOST_NAME}:{port}/apps/socket?user={user}",
        host="127.0.0.1",
        port=port,
        origin=f"http://{HOST_NAME}:{port}",  # type: ignore[arg-type]
        proxy=None,
    )


async def one_page_more(folder: Path) -> bool:
    async with shown(link=LinkSettings(sockets=1)) as (_, _, port), page_socket(port) as first:
        await first.recv()
        return await opens(page_socket(port))


async def one_page_of_a_user_more(folder: Path) -> bool:
    async with AsyncExitStack() as stack:
        settings = LinkSettings(sockets_per_user=1)
        _, _, port = await stack.enter_async_context(shown(link=settings, user=by_query))
        first = await stack.enter_async_context(socket_of(port, "ann"))
        await first.recv()
        return await opens(socket_of(port, "ann"))


@contextmanager
def every_place(self: Sockets, user: str | None) -> Iterator[bool]:
    yield True


async def many_guesses(folder: Path) -> bool:
    """Whether a socket is still there after a thousand wrong tokens."""
    async with shown() as (_, view, port), page_socket(port) as socket:
        try:
            for number in range(1000):
                guess = {"op": "attach", "view": view.id, "token": str(number), "session": "s" * 24}
                await socket.send(json.dumps(guess))
            async with asyncio.timeout(PATIENCE):
                await socket.send('{"op":"beat"}')
                for _ in range(1001):
                    await socket.recv()
        except ConnectionClosed:
            return False
        return True


# Whose view it is


async def stolen_view(folder: Path) -> bool:
    async with shown() as (_, view, port), page_socket(port) as socket:
        return await attaches(PageClient(socket, view), "another view's token")


async def view_of_another_user(folder: Path) -> bool:
    async with shown(user=by_query) as (_, view, port), socket_of(port, "bob") as socket:
        return await attaches(PageClient(socket, view), view.token)


async def attaches(client: PageClient, token: str) -> bool:
    await client.attach(token)
    answer = await client.until(lambda frame: frame["op"] in ("verdict", "attached"))
    return bool(answer["op"] == "attached")


async def page_of_nobody(folder: Path) -> bool:
    async with shown(user=by_query) as (_, _, port):
        return (await get(port, "/apps/page")).status_code == 200


_SOCKET = fanlight.host.socket
WALLS_OF_SOCKETS = [
    ServerWall(
        "size of a head",
        "2 MiB",
        huge_head,
        away((fanlight.host.serve, "ServeLimits", lambda: ServeLimits(head_size=1 << 30))),
    ),
    ServerWall(
        "number of connections",
        "one more",
        one_connection_more,
        away((fanlight.host.serve._Http, "connection_made", H11Protocol.connection_made)),
    ),
    ServerWall(
        "patience with a connection",
        "one that asks nothing",
        silent_connection,
        away((fanlight.host.serve._Http, "_be_patient", nobody)),
    ),
    ServerWall("number of pages", "one more", one_page_more, away((Sockets, "place", every_place))),
    ServerWall(
        "number of a user's pages",
        "one more of hers",
        one_page_of_a_user_more,
        away((Sockets, "place", every_place)),
    ),
    ServerWall(
        "wrong tokens on a socket", "a thousand", many_guesses, away((_SOCKET, "_MAX_REFUSED", 1 << 40))
    ),
    ServerWall(
        "token of a view",
        "a second view with the first one's id",
        stolen_view,
        away((Users, "may_have", lambda self, view, token, user: True)),
    ),
    ServerWall(
        "users kept apart",
        "another user with the view's token",
        view_of_another_user,
        away((Users, "may_have", lambda self, view, token, user: view.accepts(token))),
    ),
    ServerWall(
        "users are signed in",
        "nobody opens a page",
        page_of_nobody,
        away((Users, "admits", lambda self, user: True)),
    ),
]
