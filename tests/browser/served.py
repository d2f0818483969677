"""What browser tests share: a host or a workbench on a free port, and the way into a view's frame."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.apps import Apps, ResourceCsp
from mcp.server.mcpserver import MCPServer
from playwright.async_api import Frame, Page
from starlette.applications import Starlette
from starlette.routing import Mount

from fanlight.host import Call, Host, View
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

WAIT_MS = 15_000
TOKEN = "browser-test-token"


@asynccontextmanager
async def served_host(host: Host) -> AsyncIterator[int]:
    async with (
        host,
        serving(Starlette(routes=[Mount(host.mount, app=host.asgi())]), bind_loopback(0)) as port,
    ):
        yield port


@asynccontextmanager
async def served_workbench(**servers: object) -> AsyncIterator[tuple[str, Workbench]]:
    """A workbench on these servers; yields the link that a person would open."""
    async with Host() as host:
        for name, server in servers.items():
            await host.connect(name, server)
        bench = Workbench(host, TOKEN)
        async with serving(bench.asgi(), bind_loopback(0)) as port:
            yield f"http://fanlight.localhost:{port}/#token={TOKEN}", bench


def app_server(html: str, csp: ResourceCsp | None = None, **tools: Any) -> MCPServer[Any]:
    """A server with one app: the tool `show` and this HTML."""
    apps = Apps()
    apps.add_html_resource("ui://test/view.html", html, csp=csp)

    @apps.tool(resource_uri="ui://test/view.html")
    def show() -> str:
        return "the tool's text"

    server: MCPServer[Any] = MCPServer("test", extensions=[apps])
    for name, function in tools.items():
        server.add_tool(function, name=name)
    return server


async def shown(
    page: Page, port: int, call: Call, verdict: str = "ok", name: str = "fanlight.localhost"
) -> None:
    """Open the page of a call's view and wait for its verdict."""
    assert call.view is not None
    await page.goto(f"http://{name}:{port}{call.view.url}")
    # By its id: in a page that was open only the part after # changes; the last view is still there.
    element = page.locator(f'fanlight-view[view-id="{call.view.id}"][data-verdict="{verdict}"]')
    await element.wait_for(timeout=WAIT_MS, state="attached")


async def reached(view: View, stage: str) -> None:
    """Wait until the view has come this far on its way to the screen."""
    there = asyncio.Event()

    def look() -> None:
        if any(one.name == stage for one in view.stages):
            there.set()

    stop = view.watch(look)
    look()
    await asyncio.wait_for(there.wait(), WAIT_MS / 1000)
    stop()


async def until(check: Callable[[], object]) -> None:
    """Wait until it is true in this process; for what has no event of its own."""
    async with asyncio.timeout(WAIT_MS / 1000):
        while not check():  # noqa: ASYNC110 - see above
            await asyncio.sleep(0.01)


async def view_frame(page: Page) -> Frame:
    """The frame of the one view on this page."""
    (frame,) = await view_frames(page)
    return frame


async def view_frames(page: Page, count: int = 1) -> list[Frame]:
    """The frames of all views on this page, once there are that many."""

    def found() -> list[Frame]:
        return [frame for frame in page.frames if "/view/" in frame.url]

    await known(page, lambda: len(found()) >= count)
    return found()


async def known(page: Page, check: Callable[[], object]) -> None:
    """Wait until this is true of the frames that Playwright knows.

    The page and the host may hear from a frame long before Playwright has heard of it, or of its address.
    """
    news = asyncio.Event()

    def heard(_: Frame) -> None:
        news.set()

    page.on("frameattached", heard)
    page.on("framenavigated", heard)
    try:
        # What the page has removed is gone from Playwright's list when the page has answered.
        await page.evaluate("0")
        async with asyncio.timeout(WAIT_MS / 1000):
            while not check():
                news.clear()
                await news.wait()
    finally:
        page.remove_listener("frameattached", heard)
        page.remove_listener("framenavigated", heard)
