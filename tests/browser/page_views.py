"""Views for tests of the page: a small app that says what a test wants and remembers what it hears.

In the view: `heard` are all messages, `context` is the merged host context, `ask(method, params)` is a
request, `tell(method, params)` a notification, `report(height, width)` a size. `born` tells frames apart.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from playwright.async_api import Frame, JSHandle, Page
from served import WAIT_MS as WAIT_MS
from served import known
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from fanlight.host import Host, View
from fanlight.host.serve import bind_loopback, serving

ALL_MODES = ("inline", "fullscreen", "pip")

_SCRIPT = """
const born = Math.random(), heard = [], waiting = new Map(), requests = [];
let context = {}, count = 0;
const post = (message) => parent.postMessage({jsonrpc: "2.0", ...message}, "*");
const tell = (method, params = {}) => post({method, params});
const ask = (method, params = {}) => new Promise((done) => {
  waiting.set(count, done);
  post({id: count++, method, params});
});
const report = (height, width) => tell("ui/notifications/size-changed", {height, width});
function applied() {
  if (context.theme) document.documentElement.style.colorScheme = context.theme;
  const {variables, css} = context.styles ?? {};
  for (const [name, value] of Object.entries(variables ?? {}))
    document.documentElement.style.setProperty(name, value);
  if (css?.fonts && !document.getElementById("fonts"))
    document.head.append(
      Object.assign(document.createElement("style"), {id: "fonts", textContent: css.fonts}));
}
addEventListener("message", ({data}) => {
  heard.push(data);
  if (data.method === "ui/notifications/host-context-changed") {
    Object.assign(context, data.params);
    applied();
  }
  if (data.id !== undefined && !data.method) { waiting.get(data.id)?.(data.result ?? data.error); }
  else if (data.id !== undefined) post({id: data.id, result: {}});
});
const ready = ask("ui/initialize", {
  appInfo: {name: "t", version: "1"}, appCapabilities: CAPABILITIES, protocolVersion: "2026-01-26",
}).then((result) => { context = result.hostContext; applied(); tell("ui/notifications/initialized"); });
"""
MEASURE = """
ready.then(() => new ResizeObserver(() =>
  report(Math.ceil(document.body.getBoundingClientRect().height))).observe(document.body));
"""
STYLE = """
  body { margin: 0; padding: 20px; font: 15px/1.5 var(--font-sans, sans-serif);
         color: var(--color-text-primary, CanvasText); }
"""
CARD = """
  <h2 style="margin: 0">Quarterly report</h2>
  <p>Revenue grew by 12 % in the north.</p>
  <button>Details</button>
"""


def app_html(
    body: str = CARD,
    *,
    style: str = STYLE,
    script: str = MEASURE,
    modes: Iterable[str] | None = ALL_MODES,
) -> str:
    """The document of a view. `modes=None` declares no list of display modes."""
    capabilities = {} if modes is None else {"availableDisplayModes": list(modes)}
    speak = _SCRIPT.replace("CAPABILITIES", json.dumps(capabilities))
    return (
        f"<!doctype html><meta charset=utf-8><title>t</title><style>{style}</style>"
        f"<body>{body}<script>{speak}{script}</script></body>"
    )


class Shelf:
    """A page of the test's own with views of one server in it."""

    def __init__(self, host: Host, port: int) -> None:
        self.host = host
        self.port = port
        self.body = ""
        self.url = f"http://fanlight.localhost:{port}/"

    async def view(self) -> View:
        call = await self.host.servers["sales"].call_tool("show")
        assert call.view is not None
        return call.view

    async def open(self, page: Page, *views: View, body: str | None = None, verdict: str = "ok") -> None:
        """Go to a page that holds these views (or this body) and wait until all of them have that verdict."""
        self.body = "".join(view.embed_html() for view in views) if body is None else body
        await page.goto(self.url)
        for view in views:
            await page.locator(f'fanlight-view[view-id="{view.id}"][data-verdict="{verdict}"]').wait_for(
                timeout=WAIT_MS, state="attached"
            )


@asynccontextmanager
async def shelf(
    html: str | None = None, *, border: bool | None = None, style: str = "", host: Host | None = None
) -> AsyncIterator[Shelf]:
    """A host with one server `sales`, its tool `show`, and a page that embeds views as a program would."""
    apps = Apps()
    document = app_html() if html is None else html
    apps.add_html_resource("ui://sales/report.html", document, prefers_border=border)

    @apps.tool(resource_uri="ui://sales/report.html", title="Report")
    def show() -> str:
        return "Revenue grew by 12 % in the north.\nIt fell by 3 % in the south."

    host = Host() if host is None else host
    server: MCPServer[Any] = MCPServer("sales", extensions=[apps])
    await host.connect("sales", server)
    made: list[Shelf] = []

    async def index(_: Any) -> HTMLResponse:
        head = f"<meta name=viewport content='width=device-width'><style>{style}</style>"
        return HTMLResponse(f"<!doctype html><link rel=icon href='data:,'>{head}<body>{made[0].body}</body>")

    app = Starlette(routes=[Route("/", index), Mount(host.mount, app=host.asgi())])
    async with host, serving(app, bind_loopback(0)) as port:
        made.append(Shelf(host, port))
        yield made[0]


async def frame_of(page: Page, index: int = 0) -> Frame:
    """The document of the view in the element of that number."""
    proxy = await page.locator("fanlight-view").nth(index).locator("iframe").element_handle()
    assert proxy is not None
    outer = await proxy.content_frame()
    assert outer is not None

    def inside() -> list[Frame]:
        return [
            inner for shell in outer.child_frames for inner in shell.child_frames if "/view/" in inner.url
        ]

    await known(page, inside)
    (inner,) = inside()
    return inner


async def fitted(page: Page) -> Frame:
    """The view's frame, once it is as high as the content that the view measured."""
    frame = await frame_of(page)
    height = await frame.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
    await wait_state(page, f"iframe.offsetHeight === {height}")
    return frame


async def state(page: Page, expression: str, index: int = 0) -> Any:
    """Evaluate with `view` (the element), `root` (its shadow root), `box`, `stage` and `iframe` in scope."""
    return await page.evaluate(_scoped(expression), index)


async def wait_state(page: Page, expression: str, index: int = 0) -> None:
    """Wait for the element, and until this is true and stays so; what is so for a moment is for `record`."""
    there = "document.querySelectorAll('fanlight-view')[index]?.shadowRoot"
    await page.wait_for_function(
        f"(index) => {there} && ({_scoped(expression)})(index)", arg=index, timeout=WAIT_MS
    )


async def record(page: Page, expression: str, index: int = 0) -> JSHandle:
    """From now on, what this is whenever an attribute of the element changes: a list in the page.

    Begun before what makes them change: who only looks again and again may come too late.
    """
    return await page.evaluate_handle(
        "(index) => { const values = []; const view = document.querySelectorAll('fanlight-view')[index];"
        f" const look = {_of_element(expression)};"
        " new MutationObserver(() => values.push(look(view))).observe(view, {attributes: true});"
        " return values; }",
        index,
    )


async def ran_through(page: Page, recorded: JSHandle, *wanted: Any) -> None:
    """Wait until these values were recorded, in this order, whatever was between them."""
    await page.wait_for_function(
        "([values, wanted]) => { let at = 0; for (const value of values)"
        " if (JSON.stringify(value) === JSON.stringify(wanted[at])) at += 1; return at === wanted.length; }",
        arg=[recorded, wanted],
        timeout=WAIT_MS,
    )


def _scoped(expression: str) -> str:
    look = _of_element(expression)
    return f"(index) => ({look})(document.querySelectorAll('fanlight-view')[index])"


def _of_element(expression: str) -> str:
    return (
        "(view) => { const root = view.shadowRoot; const box = root.querySelector('.box');"
        " const iframe = root.querySelector('iframe'); const stage = root.querySelector('.stage');"
        " const rect = box.getBoundingClientRect();"
        f" return ({expression}); }}"
    )
