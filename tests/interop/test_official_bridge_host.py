"""The published AppBridge in a host page of its own, with our sandbox proxy: the handshake of the text."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Frame, Page, expect
from served import WAIT_MS, reached, served_host, view_frame
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from view_server import bundled

from fanlight.host import Call, Host
from fanlight.host.serve import bind_loopback, serving

OfficialServer = Callable[[str], list[str]]
HOST_PAGE = Path(__file__).parent / "hosts" / "bridge_host.mjs"
RELEASES = pytest.mark.parametrize(
    "package", ["@modelcontextprotocol/ext-apps", "ext-apps-v1"], ids=["2.0.4", "1.7.5"]
)
HANDSHAKE = """<!doctype html><title>small</title><p>small</p><script>
  addEventListener("message", ({data}) => {
    if (data.id === 0)
      parent.postMessage({jsonrpc: "2.0", method: "ui/notifications/initialized", params: {}}, "*");
  });
  parent.postMessage({jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {
    appInfo: {name: "small", version: "1"}, appCapabilities: {}, protocolVersion: "2026-01-26"}}, "*");
</script>"""


@asynccontextmanager
async def bridge_host(page: Page, peers: Path, package: str) -> AsyncIterator[tuple[Host, str]]:
    """The page of a foreign host, open; yields our host and the address of its proxy."""
    script = bundled(peers, HOST_PAGE, f"{package}/app-bridge")

    async def served(request: Request) -> HTMLResponse:
        head = '<!doctype html><title>foreign host</title><link rel="icon" href="data:,">'
        return HTMLResponse(f'{head}<script type="module">{script}</script>')

    async with serving(Starlette(routes=[Route("/", served)]), bind_loopback(0)) as foreign:
        host = Host(proxy_for=[f"http://localhost:{foreign}", f"http://127.0.0.1:{foreign}"])
        async with served_host(host) as port:
            await page.goto(f"http://localhost:{foreign}/")
            yield host, f"http://sandbox.fanlight.localhost:{port}/apps/proxy"


async def show(page: Page, proxy: str, html: str, **more: Any) -> Any:
    resource = {"html": html, **{name: more.pop(name) for name in tuple(more) if name != "result"}}
    given = {"proxy": proxy, "resource": resource, "input": {}, "result": {"content": [], **more}}
    return await asyncio.wait_for(page.evaluate("(given) => showApp(given)", given), WAIT_MS / 1000)


async def reach(frame: Frame, path: str) -> str:
    """What a script of the view gets for this expression, or the name of the error."""
    return str(
        await frame.evaluate(
            "(path) => { try { return String(eval(path)) } catch (error) { return error.name } }", path
        )
    )


@RELEASES
async def test_an_official_app_works_behind_our_proxy_in_an_official_host(
    package: str, page: Page, peers: Path, official_server: OfficialServer
) -> None:
    """Holds: R24, R26, R31."""
    called: list[Any] = []
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    async with bridge_host(page, peers, package) as (host, proxy):
        server = await host.connect("basic", official_server("basic-react"))
        call: Call = await server.call_tool("get-time")
        assert call.view is not None
        await reached(call.view, "resource-read")
        document = call.view.document
        assert document is not None

        async def call_tool(params: dict[str, Any]) -> Any:
            called.append(params["name"])
            return (await server.call_tool(params["name"], params.get("arguments", {}))).result

        await page.expose_function("callTool", call_tool)
        await page.evaluate(
            "(given) => showApp(given)",
            {"proxy": proxy, "resource": {"html": document.html}, "input": {}, "result": call.result},
        )
        view = await view_frame(page)
        text = call.result["content"][0]["text"]
        await expect(view.locator("body")).to_contain_text(text, timeout=WAIT_MS)
        await view.get_by_role("button", name="Get Server Time").click()
        await expect(view.locator("body")).not_to_contain_text(text, timeout=WAIT_MS)
        assert called == ["get-time"]
        assert complaints == []


@RELEASES
async def test_the_view_of_a_foreign_host_has_an_origin_and_a_policy_of_its_own(
    package: str, page: Page, peers: Path
) -> None:
    """Holds: R22, R26."""
    async with bridge_host(page, peers, package) as (_, proxy):
        origins = []
        for _ in range(2):
            await page.reload()
            csp = {"connectDomains": ["https://declared.example", "https://x.example; script-src *"]}
            app = await show(page, proxy, HANDSHAKE, csp=csp, permissions={"camera": {}})
            assert app == {"name": "small", "version": "1"}
            view = await view_frame(page)
            for above in ("parent.parent.document", "top.document"):
                assert await reach(view, above) == "SecurityError"
            assert await reach(view, "parent.document.body.innerHTML.includes('proxy/')") == "false"
            policy = await view.evaluate(
                """() => new Promise((done) => {
                  addEventListener("securitypolicyviolation", (event) => done(event.originalPolicy));
                  fetch("https://undeclared.example/").catch(() => {});
                })"""
            )
            assert "connect-src data: blob: https://declared.example;" in policy
            assert "x.example" not in policy
            assert await view.evaluate("document.featurePolicy.allowsFeature('camera')") is True
            origins.append(await view.evaluate("self.origin"))
        assert len({*origins, proxy.removesuffix("/apps/proxy")}) == 3, "no two showings share an origin"


async def test_a_host_can_take_flags_away_and_give_none(page: Page, peers: Path) -> None:
    """`sandbox` in the handshake: without allow-same-origin the view is opaque."""
    async with bridge_host(page, peers, "@modelcontextprotocol/ext-apps") as (_, proxy):
        wanted = "allow-scripts allow-top-navigation allow-popups"
        await show(page, proxy, HANDSHAKE, sandbox=wanted)
        view = await view_frame(page)
        assert await view.evaluate("self.origin") == "null"
        assert await reach(view, "localStorage") == "SecurityError"
        element = await view.frame_element()
        assert await element.get_attribute("sandbox") == "allow-scripts"


async def test_a_second_document_is_not_taken_and_a_view_that_leaves_is_over(page: Page, peers: Path) -> None:
    async with bridge_host(page, peers, "@modelcontextprotocol/ext-apps") as (_, proxy):
        await show(page, proxy, HANDSHAKE)
        view = await view_frame(page)
        await page.evaluate(
            """() => frames[0].postMessage({jsonrpc: "2.0",
              method: "ui/notifications/sandbox-resource-ready", params: {html: "<p>second"}}, "*")"""
        )
        await page.evaluate(
            """() => { globalThis.told = new Promise((done) => addEventListener("message", ({data, origin}) =>
              data.method?.startsWith("ui/notifications/sandbox-") && done([data.method, origin]))); }"""
        )
        await view.evaluate("setTimeout(() => location.reload())")
        method, origin = await asyncio.wait_for(page.evaluate("told"), WAIT_MS / 1000)
        assert (method, origin) == (
            "ui/notifications/sandbox-view-navigated",
            proxy.removesuffix("/apps/proxy"),
        )
        shown = page.frames[1]
        await expect(shown.locator("body")).to_contain_text("This app left its document", timeout=WAIT_MS)
        assert not [frame for frame in page.frames if "/view/" in frame.url]


async def test_a_page_that_is_not_named_cannot_use_the_proxy(page: Page, peers: Path) -> None:
    async with bridge_host(page, peers, "@modelcontextprotocol/ext-apps") as (_, proxy):
        await page.goto(page.url.replace("localhost", "fanlight.localhost"))
        heard = await page.evaluate(
            """(proxy) => new Promise((done) => {
              addEventListener("message", ({data}) => done(data));
              const frame = document.createElement("iframe");
              frame.addEventListener("load", () => done("no word"));
              frame.src = proxy;
              document.body.append(frame);
            })""",
            proxy,
        )
        assert heard == "no word"
