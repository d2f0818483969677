"""Storage belongs to the app: under its own name, and under a name that the deployment chose for it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from playwright.async_api import Page
from served import WAIT_MS, shown, view_frame
from starlette.applications import Starlette
from starlette.routing import Mount
from test_isolation import PAGE

from fanlight.host import Host, Server, View
from fanlight.host.serve import bind_loopback, serving

DOMAIN = "weather.apps.example"


def two_apps(domain: str | None = DOMAIN) -> MCPServer[Any]:
    """A server with the apps `one` and `two`, of which the first declares a domain."""
    apps = Apps()
    apps.add_html_resource("ui://test/one.html", PAGE, domain=domain)
    apps.add_html_resource("ui://test/two.html", PAGE)

    @apps.tool(resource_uri="ui://test/one.html")
    def one() -> str:
        return "one"

    @apps.tool(resource_uri="ui://test/two.html")
    def two() -> str:
        return "two"

    return MCPServer("test", extensions=[apps])


@asynccontextmanager
async def served_with_domains(**mapped: str) -> AsyncIterator[tuple[Host, int]]:
    """A host that gives the server `mapped` names this origin for its declared domain."""
    listener = bind_loopback(0)
    domains = {server: {DOMAIN: f"http://{name}:{listener.port}"} for server, name in mapped.items()}
    host = Host(view_domains=domains)
    app = Starlette(routes=[Mount(host.mount, app=host.asgi())])
    async with host, serving(app, listener) as port:
        yield host, port


async def visit(page: Page, port: int, server: Server, tool: str) -> tuple[View, str, Any]:
    """Show an app: its view, its origin and what it finds in its storage, where it leaves its own name."""
    call = await server.call_tool(tool)
    await shown(page, port, call)
    frame = await view_frame(page)
    found = await frame.evaluate("localStorage.getItem('mine')")
    await frame.evaluate("(name) => localStorage.setItem('mine', name)", f"{server.name} {tool}")
    assert call.view is not None
    return call.view, await frame.evaluate("self.origin"), found


async def test_a_mapped_domain_is_the_origin_of_the_view_and_keeps_its_storage(page: Page) -> None:
    async with served_with_domains(weather="weather.fanlight.localhost") as (host, port):
        server = await host.connect("weather", two_apps())
        view, origin, found = await visit(page, port, server, "one")
        assert origin == f"http://weather.fanlight.localhost:{port}"
        assert found is None
        assert "domain-not-mapped" not in [stage.name for stage in view.stages]
        await page.reload()
        await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS, state="attached")
        frame = await view_frame(page)
        assert await frame.evaluate("localStorage.getItem('mine')") == "weather one"
        _, again, found = await visit(page, port, server, "one")
        assert (again, found) == (origin, "weather one")
        _, other, found = await visit(page, port, server, "two")
        assert other != origin
        assert found is None, "another app of the same server has a storage of its own"


async def test_a_server_that_declares_another_s_domain_does_not_get_its_storage(page: Page) -> None:
    notes: list[str] = []
    async with served_with_domains(weather="weather.fanlight.localhost") as (host, port):
        host.tap.listen(
            lambda record: notes.append(str(record.message)) if record.direction == "note" else None
        )
        weather = await host.connect("weather", two_apps())
        thief = await host.connect("thief", two_apps())
        _, origin, _ = await visit(page, port, weather, "one")
        view, other, found = await visit(page, port, thief, "one")
        assert other != origin
        assert found is None
        assert "domain-not-mapped" in [stage.name for stage in view.stages]
        (note,) = [text for text in notes if DOMAIN in text]
        assert "Host(view_domains=" in note


async def test_two_servers_share_an_origin_only_when_they_were_mapped_to_the_same(page: Page) -> None:
    async with served_with_domains(first="shared.fanlight.localhost", second="shared.fanlight.localhost") as (
        host,
        port,
    ):
        first = await host.connect("first", two_apps())
        second = await host.connect("second", two_apps())
        await visit(page, port, first, "one")
        _, origin, found = await visit(page, port, second, "one")
        assert (origin, found) == (f"http://shared.fanlight.localhost:{port}", "first one")


async def test_apps_without_a_domain_keep_their_storage_and_share_it_with_nobody(page: Page) -> None:
    async with served_with_domains() as (host, port):
        first = await host.connect("first", two_apps(domain=None))
        second = await host.connect("second", two_apps(domain=None))
        seen = [
            await visit(page, port, server, tool)
            for server, tool in (
                (first, "one"),
                (first, "two"),
                (second, "one"),
                (first, "one"),
                (first, "two"),
            )
        ]
        assert [found for _, _, found in seen] == [None, None, None, "first one", "first two"]
        assert len({origin for _, origin, _ in seen}) == 3
        assert all("domain-not-mapped" not in [stage.name for stage in view.stages] for view, _, _ in seen)
