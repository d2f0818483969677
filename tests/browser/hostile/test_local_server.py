"""Attacks from outside of any view: another local page, another port, other names, replays, odd paths.

The browser that makes them has a pass for the workbench, as a developer's would.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bench import NAME, addresses_of, opened_workbench
from foreign_page import Target, foreign_page, intrude
from page_client import PageClient, page_socket
from playwright.async_api import Page
from served import TOKEN, served_host, served_workbench
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from fanlight.demos.clock import server as clock
from fanlight.host import Host, View


def port_of(link: str) -> int:
    return int(link.split(":")[2].partition("/")[0])


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "evil.localhost", NAME])
async def test_another_local_page_gets_nothing(name: str, page: Page) -> None:
    """Also one of our own name under another port, which every cookie of ours is sent to."""
    async with opened_workbench(page) as found, foreign_page() as foreign:
        stranger = await page.context.new_page()
        await stranger.goto(f"http://{name}:{foreign.port}/")
        # The same program under its other name, where views are opaque.
        other = Target(f"http://127.0.0.1:{found.port}", TOKEN)
        assert [await intrude(stranger, target) for target in (found.target, other)] == [[], []]
        assert found.called == []


async def raw(port: int, request: str) -> tuple[int, str]:
    """One request as it stands, by nobody's rules but ours: (status, all that came)."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.replace("\n", "\r\n").encode("latin-1"))
    async with asyncio.timeout(10):
        text = (await reader.read()).decode("latin-1")
    writer.close()
    return int(text.split(" ")[1]) if text.startswith("HTTP/1.1 ") else 0, text


def request(path: str, host: str, *headers: str, method: str = "GET") -> str:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", "Connection: close", *headers, "", ""]
    return "\n".join(lines)


REBOUND = [
    "rebound.example",
    "127.0.0.1.nip.example",
    "evil.fanlight.localhost.example",
    "[::1]",
    "0.0.0.0",
    "",
]
ROUTES = [
    "/",
    "/api/state",
    "/workbench.js",
    "/apps/page",
    "/apps/host.js",
    "/apps/view/x",
    "/apps/sandbox/x",
]


@pytest.mark.parametrize("name", REBOUND)
async def test_a_rebinding_name_gets_nothing_on_any_route(name: str) -> None:
    async with served_workbench(clock=clock) as (link, _):
        port = port_of(link)
        for path in ROUTES:
            status, text = await raw(port, request(path, f"{name}:{port}" if name else "", "Accept: */*"))
            assert status in (400, 421), (path, status)
            assert "clock" not in text
        with pytest.raises((InvalidStatus, ValueError)) as refused:
            async with connect(
                f"ws://{name or 'x'}:{port}/apps/socket",
                host="127.0.0.1",
                port=port,
                proxy=None,
                origin=f"http://{name}:{port}",  # type: ignore[arg-type]
            ):
                pass
        if isinstance(refused.value, InvalidStatus):
            assert refused.value.response.status_code in (400, 401, 403, 421)


@pytest.mark.parametrize(
    "origin",
    [
        None,
        "null",
        "http://localhost",
        "http://fanlight.localhost:1",
        "https://fanlight.localhost",
        "http://evil.example",
    ],
)
async def test_a_foreign_or_missing_origin_opens_no_socket_and_calls_no_tool(origin: str | None) -> None:
    async with served_host(host := Host()) as port:
        await host.connect("clock", clock)
        with pytest.raises(InvalidStatus) as refused:
            async with connect(
                f"ws://{NAME}:{port}/apps/socket",
                host="127.0.0.1",
                port=port,
                proxy=None,
                origin=origin,  # type: ignore[arg-type]
            ):
                pass
        assert refused.value.response.status_code == 403
    async with served_workbench(clock=clock) as (link, _):
        port = port_of(link)
        body = '{"server": "clock", "tool": "show_time", "arguments": {}}'
        headers = ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        if origin is not None:
            headers.append(f"Origin: {origin}")
        asked = request("/api/calls", f"{NAME}:{port}", *headers, method="POST") + body
        status, _ = await raw(port, asked)
        assert status in (401, 403)


async def test_what_may_be_used_once_is_worth_nothing_the_second_time() -> None:
    """The link of the workbench, and the three documents of a view."""
    async with served_workbench(clock=clock) as (link, bench):
        port = port_of(link)
        body = f'{{"token": "{TOKEN}"}}'
        headers = [
            "Content-Type: application/json", f"Content-Length: {len(body)}", f"Origin: http://{NAME}:{port}",
        ]  # fmt: skip
        asked = request("/api/pass", f"{NAME}:{port}", *headers, method="POST") + body
        assert [(await raw(port, asked))[0] for _ in range(2)] == [201, 410]
        call = await bench.host.servers["clock"].call_tool("show_time", {})
        assert call.view is not None
        for address in addresses_of(bench.host, call.view, f"{NAME}:{port}").values():
            name, _, path = address.removeprefix("http://").partition("/")
            replies = [(await raw(port, request(f"/{path}", name)))[0] for _ in range(2)]
            assert replies == [200, 404], path


ODD_PATHS = [
    "/../app.py", "/..%2fapp.py", "/%2e%2e/app.py", "/..\\app.py", "/..%5capp.py", "//app.py", "/%61pi/state",
    "/apps/../api/state", "/apps/%2e%2e/api/state", "/apps//page", "/apps/view/../page", "/apps;x/page", "*",
    "/apps/view/..%2f..%2fpage", "/apps/view/%00", "/static/..;/app.py", "/api/state/", "/API/state",
    "/api%2fstate", "/apps/host.js%00.html", "/apps/host.js/..", "http://fanlight.localhost/api/state",
    "/./index.html/..",
]  # fmt: skip


@pytest.mark.parametrize("path", ODD_PATHS)
async def test_an_odd_path_leads_nowhere(path: str) -> None:
    async with served_workbench(clock=clock) as (link, _):
        port = port_of(link)
        status, text = await raw(port, request(path, f"{NAME}:{port}"))
    assert status >= 400 or status == 0
    assert "import annotations" not in text
    assert "show_time" not in text


async def two_views(host: Host) -> tuple[View, View]:
    server = await host.connect("clock", clock)
    views = [(await server.call_tool("show_time", {})).view for _ in range(2)]
    assert views[0] is not None
    assert views[1] is not None
    return views[0], views[1]


async def test_a_second_view_cannot_be_the_first_one() -> None:
    """A page that has one view's token asks for the other's id, and speaks in its session."""
    async with served_host(host := Host()) as port:
        own, other = await two_views(host)
        async with page_socket(port) as honest_socket, page_socket(port) as thief_socket:
            honest = PageClient(honest_socket, other)
            await honest.comes_up()
            thief = PageClient(thief_socket, own)
            await thief.comes_up()
            stolen = PageClient(thief_socket, other)
            await stolen.attach(own.token)
            refused: dict[str, Any] = await stolen.until(lambda frame: frame["op"] in ("verdict", "attached"))
            assert refused["op"] == "verdict"
            # In its own session it names the other view; the session decides, not the name.
            await thief.send("message", view=other.id, message={"jsonrpc": "2.0", "id": 7, "method": "ping"})
            # With the other's session id, on a socket that does not carry it.
            thief.link.session = honest.link.session
            await thief.control("detach")
            assert (await honest.asks("ping"))["result"] == {}
            assert other.session is not None
