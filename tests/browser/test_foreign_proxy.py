"""Our host with a sandbox proxy that is not ours: the specification's handshake, and nothing beyond it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp.server.apps import ResourceCsp
from playwright.async_api import Frame, Page
from served import WAIT_MS, app_server, known, served_host, shown
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from test_isolation import PAGE

from fanlight.host import Host, View, allow_all
from fanlight.host.serve import bind_loopback, serving

PROXY_PAGE = (Path(__file__).parent / "foreign_proxy.html").read_text("utf-8")


@asynccontextmanager
async def foreign_proxy() -> AsyncIterator[tuple[str, dict[str, str]]]:
    """A server of somebody else with a proxy page; yields its address, and a place for the host's origin."""
    told = {"host": ""}

    async def page(request: Request) -> HTMLResponse:
        return HTMLResponse(PROXY_PAGE.replace("{host}", told["host"]))

    app = Starlette(routes=[Route("/sandbox.html", page)])
    async with serving(app, bind_loopback(0)) as port:
        yield f"http://localhost:{port}/sandbox.html", told


@asynccontextmanager
async def shown_elsewhere(page: Page) -> AsyncIterator[tuple[View, Frame, Frame]]:
    """A view of our host in the foreign proxy; yields it, the proxy's frame and its own."""
    async with foreign_proxy() as (address, told):
        host = Host(sandbox_proxy=address, policy=allow_all)
        async with served_host(host) as port:
            told["host"] = f"http://fanlight.localhost:{port}"
            server = await host.connect(
                "one",
                app_server(
                    PAGE, csp=ResourceCsp(connect_domains=["https://api.example.com", "*"]), echo=echo
                ),
            )
            call = await server.call_tool("show")
            await shown(page, port, call)

            def views() -> list[Frame]:
                return [
                    frame
                    for frame in page.frames
                    if frame.url == "about:srcdoc"
                    and frame.parent_frame
                    and frame.parent_frame.url == address
                ]

            await known(page, views)
            (frame,) = views()
            proxy = frame.parent_frame
            assert proxy is not None
            assert call.view is not None
            yield call.view, proxy, frame


def echo(word: str) -> str:
    return f"echo {word}"


async def test_a_foreign_proxy_is_handed_the_document_once_and_relays(page: Page) -> None:
    """Holds: R25."""
    async with shown_elsewhere(page) as (view, proxy, frame):
        given = json.loads(await proxy.evaluate("document.documentElement.dataset.given"))
        assert given == {
            "csp": {"connectDomains": ["https://api.example.com"]},
            "permissions": {},
            "again": False,
        }
        answer = await frame.evaluate(
            """() => new Promise((done) => {
              addEventListener("message", ({data}) => data.id === "call" && done(data.result));
              parent.postMessage({jsonrpc: "2.0", id: "call", method: "tools/call",
                                  params: {name: "echo", arguments: {word: "hello"}}}, "*"); })"""
        )
        assert answer["content"][0]["text"] == "echo hello"
        names = [stage.name for stage in view.stages]
        assert names.index("mounted") < names.index("proxy-ready") < names.index("initialized")


async def test_reserved_words_that_a_foreign_proxy_passes_on_change_nothing(page: Page) -> None:
    async with shown_elsewhere(page) as (_, proxy, frame):
        answer = await frame.evaluate(
            """() => new Promise((done) => {
              for (const name of ["proxy-ready", "view-navigated", "view-deaf", "theme"])
                parent.postMessage(
                  {jsonrpc: "2.0", method: "ui/notifications/sandbox-" + name, params: {}}, "*");
              addEventListener("message", ({data}) => data.id === "ping" && done(data.result));
              parent.postMessage({jsonrpc: "2.0", id: "ping", method: "ping", params: {}}, "*"); })"""
        )
        assert answer == {}
        given = json.loads(await proxy.evaluate("document.documentElement.dataset.given"))
        assert given["again"] is False
        await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS, state="attached")


async def test_a_view_whose_foreign_proxy_is_replaced_is_over(page: Page) -> None:
    async with shown_elsewhere(page) as (_, proxy, _):
        await proxy.evaluate("setTimeout(() => location.reload())")
        over = page.locator('fanlight-view[data-verdict="navigated"]')
        await over.wait_for(timeout=WAIT_MS, state="attached")


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1"])
async def test_a_page_on_the_name_of_the_foreign_proxy_is_not_served(page: Page, name: str) -> None:
    """A reference-like proxy shows views on its own origin, where cookies of the same name can be read."""
    async with foreign_proxy() as (address, _):
        host = Host(sandbox_proxy=address)
        async with served_host(host) as port:
            answer = await page.goto(f"http://{name}:{port}/apps/page")
            assert answer is not None
            assert answer.status == (421 if name == "localhost" else 200)
