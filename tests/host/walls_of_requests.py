"""The walls of the host's routes and of the server below them: names, origins, documents, bounds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from page_client import HOST_NAME, get, http_client, page_socket, served
from two_servers import HTML, make_server
from wall import ServerWall, away
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

import fanlight.host.addresses
import fanlight.host.asgi
import fanlight.host.documents
import fanlight.host.serve
import fanlight.host.socket
from fanlight.errors import ConfigError
from fanlight.host import Host, View
from fanlight.host.addresses import Addresses
from fanlight.host.forwarded import TrustedProxies
from fanlight.host.handover import HandOver, HandOvers
from fanlight.host.showing import Frames
from fanlight.sandbox import Origins, development_origins

__all__ = ["WALLS_OF_REQUESTS", "nobody", "opens", "shown"]

FOREIGN = "http://localhost:8080"
SANDBOX = f"sandbox.{HOST_NAME}"
GUESSED = "guessed"


@asynccontextmanager
async def shown(**settings: Any) -> AsyncIterator[tuple[Host, View, int]]:
    """A host on a port, with one view."""
    async with Host(**settings) as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        user = "ann" if "user" in settings else None
        view = (await server.call_tool("show", user=user)).view
        assert view is not None
        yield host, view, port


async def opens(socket: connect) -> bool:
    try:
        async with socket:
            return True
    except InvalidStatus:
        return False


# Names and origins


async def rebound(folder: Path) -> bool:
    async with shown() as (_, _, port):
        return (await get(port, "/apps/page", "rebound.example")).status_code == 200


async def rebound_by_proxy(folder: Path) -> bool:
    """A page under a rebound name may set any header but Host."""
    async with shown() as (_, _, port):
        told = {"X-Forwarded-Host": f"{HOST_NAME}:{port}"}
        return (await get(port, "/apps/page", "rebound.example", **told)).status_code == 200


async def foreign_socket(folder: Path) -> bool:
    async with shown() as (_, _, port):
        return await opens(page_socket(port, "http://evil.example"))


async def one_origin_for_all(folder: Path) -> bool:
    try:
        return bool(Host(public_url="https://a.example", sandbox_url="https://a.example"))
    except ConfigError:
        return False


def any_name(name: str, scheme: str = "http") -> Origins | None:
    return development_origins(f"{HOST_NAME}:1", scheme)


def own_caller(self: Addresses, name: str, scheme: str, caller: str | None) -> Origins | None:
    return self.page_origins(name, scheme)


def nobody(*args: object, **kwargs: object) -> None:
    """In the place of what refuses."""


# Documents


async def view_document(host_name: str, **headers: str) -> bool:
    async with shown() as (host, view, port):
        assert view.document is not None
        origins = host.addresses.page_origins(f"{HOST_NAME}:{port}", "http")
        assert origins is not None
        showing = host.showings.open(view, view.document, origins)
        name = httpx.URL(showing.view_url).host if host_name == "its own" else host_name
        answer = await get(port, httpx.URL(showing.view_url).path, name, **headers)
        return answer.text == HTML


async def under_the_pages_name(folder: Path) -> bool:
    return await view_document(HOST_NAME)


async def as_a_page(folder: Path) -> bool:
    return await view_document("its own", **{"Sec-Fetch-Dest": "document"})


async def large_report(folder: Path) -> bool:
    async with shown() as (host, view, port):
        assert view.document is not None
        origins = host.addresses.page_origins(f"{HOST_NAME}:{port}", "http")
        assert origins is not None
        address = httpx.URL(host.showings.open(view, view.document, origins).view_url)
        async with http_client() as client:
            answer = await client.post(
                f"http://127.0.0.1:{port}{address.path.replace('/view/', '/report/')}",
                content=b" " * (1 << 20),
                headers={"Host": address.netloc.decode()},
            )
        return answer.status_code == 204


# Hand-overs of foreign hosts


async def handed_over(*, guessed: bool = False, origin: str | None = None, times: int = 1) -> bool:
    """Whether the last of these hand-overs was taken."""
    async with Host(proxy_for=[FOREIGN]) as host, served(host) as port:
        page = await get(port, "/apps/proxy", SANDBOX)
        key = GUESSED if guessed else page.text.partition("/apps/proxy/")[2].partition('"')[0]
        headers = {
            "Host": f"{SANDBOX}:{port}",
            "Origin": origin or f"http://{SANDBOX}:{port}",
            "Content-Type": "application/json",
        }
        async with http_client() as client:
            for _ in range(times):
                address = f"http://127.0.0.1:{port}/apps/proxy/{key}"
                answer = await client.post(address, content=json.dumps({"html": HTML}), headers=headers)
        return answer.status_code == 200


async def guessed_key(folder: Path) -> bool:
    return await handed_over(guessed=True)


async def foreign_hand_over(folder: Path) -> bool:
    return await handed_over(origin="http://evil.example")


async def handed_over_twice(folder: Path) -> bool:
    return await handed_over(times=2)


_open = HandOvers.open
_take: Any = HandOvers.take


def any_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever key is given, the right one is taken for it."""
    keys: list[str] = []

    def opened(self: HandOvers, *given: Any) -> Any:
        made = _open(self, *given)
        assert isinstance(made, HandOver)
        keys.append(made.key)
        return made

    async def take(self: HandOvers, *given: Any) -> Any:
        return await _take(self, *(keys[-1] if one == GUESSED else one for one in given))

    monkeypatch.setattr(HandOvers, "open", opened)
    monkeypatch.setattr(HandOvers, "take", take)


async def take_again(self: HandOvers, *given: Any) -> Any:
    """Nothing is remembered of what was taken."""
    before = {name: dict(value) for name, value in vars(self).items() if isinstance(value, dict)}
    taken = await _take(self, *given)
    vars(self).update(before)
    return taken


_ASGI, _DOCUMENTS = fanlight.host.asgi, fanlight.host.documents
WALLS_OF_REQUESTS = [
    ServerWall(
        "names", "a rebinding name", rebound, away((fanlight.host.addresses, "development_origins", any_name))
    ),
    ServerWall(
        "who may tell the browser's name",
        "a rebinding name with `X-Forwarded-Host`",
        rebound_by_proxy,
        away((TrustedProxies, "_trusts", lambda self, client: True)),
    ),
    ServerWall(
        "Origin of the socket",
        "a foreign socket",
        foreign_socket,
        away((Addresses, "caller_origins", own_caller), (_ASGI, "stranger", nobody)),
        "the guard before every route",
    ),
    ServerWall(
        "origins that are apart",
        "a host with one for all",
        one_origin_for_all,
        away((Origins, "__post_init__", nobody)),
    ),
    ServerWall(
        "documents under their own name",
        "a view's document on the page's origin",
        under_the_pages_name,
        away((Frames, "take", lambda self, kind, host_header: True)),
    ),
    ServerWall(
        "documents for frames only",
        "a view's document as a page",
        as_a_page,
        away((_DOCUMENTS, "_for_a_frame", lambda request: True)),
    ),
    ServerWall("size of a report", "1 MiB", large_report, away((_DOCUMENTS, "_MAX_REPORT_BYTES", 1 << 40))),
    ServerWall("the key of a hand-over", "a guessed one", guessed_key, any_key),
    ServerWall(
        "Origin of a hand-over",
        "another page's",
        foreign_hand_over,
        away((_DOCUMENTS, "stranger", nobody), (_ASGI, "stranger", nobody)),
        "the guard before every route",
    ),
    ServerWall(
        "a hand-over is taken once", "a second one", handed_over_twice, away((HandOvers, "take", take_again))
    ),
]
