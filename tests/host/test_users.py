"""Two users of one host: what one opened, the other never gets, whatever tokens they hold."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from page_client import HOST_NAME, WAIT, PageClient, get, page, served
from starlette.requests import HTTPConnection
from two_servers import make_server
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from fanlight.errors import ConfigError
from fanlight.host import Call, Host, View
from fanlight.host.link import Link
from fanlight.host.policy import allow_all

GONE = "This app is no longer available."


def by_cookie(connection: HTTPConnection) -> str | None:
    return connection.cookies.get("user")


@asynccontextmanager
async def page_of(user: str | None, port: int, view: View) -> AsyncIterator[PageClient]:
    """The page socket as the browser of this user opens it."""
    async with connect(
        f"ws://{HOST_NAME}:{port}/apps/socket",
        host="127.0.0.1",
        port=port,
        origin=f"http://{HOST_NAME}:{port}",  # type: ignore[arg-type]
        additional_headers={} if user is None else {"Cookie": f"user={user}"},
        proxy=None,
    ) as socket:
        yield PageClient(socket, view)


async def opened_by(host: Host, user: str) -> View:
    call: Call = await host.servers["one"].call_tool("show", {"city": user}, user=user)
    assert call.view is not None
    return call.view


async def told_gone(client: PageClient, token: str) -> dict[str, Any]:
    await client.attach(token=token)
    frame = await client.op("verdict")
    assert frame["verdict"] == "closed"
    assert frame["reason"] == GONE
    assert [frame["op"] for frame in client.frames if frame["op"] in ("mount", "stage", "message")] == []
    return {key: value for key, value in frame.items() if key not in ("view", "seq", "n", "ack")}


async def test_each_users_tokens_open_nothing_for_the_other() -> None:
    async with Host(user=by_cookie) as host, served(host) as port:
        await host.connect("one", make_server("one"))
        views = {user: await opened_by(host, user) for user in ("ann", "bob")}
        for owner, stranger in (("ann", "bob"), ("bob", "ann")):
            view = views[owner]
            async with page_of(stranger, port, view) as client:
                stolen = await told_gone(client, view.token)
                guessed = await told_gone(client, "a guess")
            assert stolen == guessed, "a stranger with the token learns no more than one who guesses"
            assert view.session is None
        for user, view in views.items():
            async with page_of(user, port, view) as client:
                await client.comes_up()


async def test_a_strangers_attempt_does_not_disturb_the_owner() -> None:
    async with Host(user=by_cookie) as host, served(host) as port:
        await host.connect("one", make_server("one"))
        view = await opened_by(host, "ann")
        async with page_of("ann", port, view) as ann, page_of("bob", port, view) as bob:
            await ann.comes_up()
            await told_gone(bob, view.token)
            await bob.says({"jsonrpc": "2.0", "id": 1, "method": "ping"})
            await told_gone(bob, view.token)  # read after the message, so nothing more can come of that
            answer = await ann.asks("ping")
            assert answer["result"] == {}


async def test_a_stranger_cannot_go_on_with_the_owners_connection() -> None:
    """A resume with the owner's token and the owner's session, on a socket of another user."""
    async with Host(user=by_cookie) as host, served(host) as port:
        await host.connect("one", make_server("one"))
        view = await opened_by(host, "ann")
        async with page_of("ann", port, view) as ann:
            await ann.comes_up()
            async with page_of("bob", port, view) as bob:
                bob.link = Link(ann.link.session)
                await bob.control("resume", token=view.token, got=0)
                refused = await bob.op("verdict")
            assert refused["reason"] == GONE
            assert (await ann.asks("ping"))["result"] == {}


async def test_the_owner_needs_the_token_too() -> None:
    async with Host(user=by_cookie) as host, served(host) as port:
        await host.connect("one", make_server("one"))
        view = await opened_by(host, "ann")
        async with page_of("ann", port, view) as client:
            await told_gone(client, "not the token")


async def test_nobody_in_particular_gets_neither_page_nor_socket() -> None:
    async with Host(user=by_cookie) as host, served(host) as port:
        await host.connect("one", make_server("one"))
        view = await opened_by(host, "ann")
        response = await get(port, "/apps/page")
        assert response.status_code == 403
        assert "Sign in" in response.text
        with pytest.raises(InvalidStatus) as caught:
            async with page_of(None, port, view):
                pass
        assert caught.value.response.status_code == 403
        assert (await get(port, "/apps/page", Cookie="user=ann")).status_code == 200


async def test_model_context_and_messages_tell_whose_they_are() -> None:
    heard: asyncio.Queue[tuple[str | None, list[dict[str, Any]]]] = asyncio.Queue()
    async with Host(user=by_cookie, policy=allow_all) as host, served(host) as port:
        host.on_message(lambda view, content: heard.put_nowait((view.user, content)))
        await host.connect("one", make_server("one"))
        for user in ("ann", "bob"):
            view = await opened_by(host, user)
            async with page_of(user, port, view) as client:
                await client.comes_up()
                await client.asks("ui/update-model-context", {"structuredContent": {"of": user}})
                message = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
                assert "result" in await client.asks("ui/message", message)
            async with asyncio.timeout(WAIT):
                assert await heard.get() == (user, message["content"])
        (entry,) = host.context_for_next_turn(user="ann")
        assert entry["structuredContent"] == {"of": "ann"}
        assert host.context_for_next_turn(user="eve") == []
        with pytest.raises(ConfigError, match="user="):
            host.context_for_next_turn()


async def test_a_call_that_does_not_say_whose_it_is_is_refused() -> None:
    async with Host(user=by_cookie) as host:
        server = await host.connect("one", make_server("one"))
        with pytest.raises(ConfigError, match="give the call a user="):
            await server.call_tool("show")
        with pytest.raises(ConfigError, match="give the call a user="):
            server.start_call("show")


async def test_without_users_kept_apart_the_token_alone_is_the_key() -> None:
    async with Host() as host, served(host) as port:
        await host.connect("one", make_server("one"))
        view = await opened_by(host, "ann")
        assert view.user == "ann"
        async with page(port, view) as client:
            await client.comes_up()
        assert host.context_for_next_turn() == []


async def test_the_function_may_be_async_and_must_return_a_name() -> None:
    async def slow(connection: HTTPConnection) -> str | None:
        return connection.headers.get("x-user")

    host = Host(user=slow)
    assert await host.users.of(HTTPConnection({"type": "http", "headers": [(b"x-user", b"ann")]})) == "ann"
    wrong = Host(user=lambda connection: json.loads("7"))
    with pytest.raises(ConfigError, match="returned 7"):
        await wrong.users.of(HTTPConnection({"type": "http", "headers": []}))
