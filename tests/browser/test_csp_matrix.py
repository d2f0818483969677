"""The policy in a real Chromium: what loads, what is blocked, what is reported, by kind, level and origin.

A listener on a declared and one on an undeclared origin write down every request that arrives.
"""

from __future__ import annotations

import asyncio
import io
import wave
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp.server.apps import ResourceCsp
from playwright.async_api import Page
from served import app_server, served_host, shown, view_frame
from starlette.responses import RedirectResponse, Response
from test_isolation import HANDSHAKE

from fanlight.host import Host, View
from fanlight.host.serve import bind_loopback, serving

MODES = pytest.mark.parametrize("name", ["fanlight.localhost", "127.0.0.1"], ids=["own origin", "opaque"])
LEVELS = pytest.mark.parametrize("level", ["strict", "compat"])

# How a kind is fetched from an origin, and which directive decides.
REMOTE = {
    "script": ("script-src-elem", "add('script', {src: at})"),
    "module": ("script-src-elem", "add('script', {src: at, type: 'module'})"),
    "import": ("script-src-elem", "import(at)"),
    "style": ("style-src-elem", "add('link', {rel: 'stylesheet', href: at})"),
    "image": ("img-src", "add('img', {src: at})"),
    "font": ("font-src", "new FontFace('f', `url(${at})`).load()"),
    "media": ("media-src", "add('audio', {src: at}, 'loadeddata')"),
    "frame": ("frame-src", "add('iframe', {src: at})"),
    "fetch": ("connect-src", "fetch(at)"),
    "websocket": ("connect-src", "failing(new WebSocket(at.replace('http', 'ws')))"),
    "events": ("connect-src", "failing(new EventSource(at))"),
    "beacon": ("connect-src", "navigator.sendBeacon(at, 'x')"),
}
# The page is not told that these were refused.
UNTOLD = {"frame", "beacon"}
# Workers, which live in `compat` only.
WORKERS = {
    "remote worker": "worker(at)",
    "worker import": "worker(blob(`importScripts('${at}'); postMessage(1)`, 'text/javascript'))",
    "worker fetch": "worker(blob(fetching(at), 'text/javascript'))",
    "data worker fetch": "worker('data:text/javascript,' + fetching(at))",
}
# What needs no origin: kind -> (directive, blocked, code). `strict` refuses all of it, `compat` nothing.
LOCAL = {
    "eval": ("script-src", "eval", "eval('1')"),
    "wasm": ("script-src", "wasm-eval", "WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))"),
    "blob script": ("script-src-elem", "blob", "add('script', {src: blob('1', 'text/javascript')})"),
    "data script": ("script-src-elem", "data", "add('script', {src: 'data:text/javascript,1'})"),
    "blob style": ("style-src-elem", "blob", "add('link', {rel: 'stylesheet', href: blob('', 'text/css')})"),
    "blob image": ("img-src", "blob", "add('img', {src: blob(SVG, 'image/svg+xml')})"),
    "data font": ("font-src", "data", "new FontFace('f', 'url(data:font/woff2,x)').load().catch(() => 0)"),
    "blob worker": ("worker-src", "blob", "worker(blob('postMessage(1)', 'text/javascript'))"),
    "data worker": ("worker-src", "data", "worker('data:text/javascript,postMessage(1)')"),
    "blob fetch": ("connect-src", "blob", "fetch(blob('x', 'text/plain'))"),
    "data fetch": ("connect-src", "data", "fetch('data:,x')"),
}
# What every level allows.
ALWAYS = {
    "inline script": "window.inlineRan || Promise.reject()",
    "inline style": "getComputedStyle(document.body).marginTop === '7px' || Promise.reject()",
    "data image": "add('img', {src: 'data:image/svg+xml,' + encodeURIComponent(SVG)})",
}
TOOLS = """
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
const blob = (text, type) => URL.createObjectURL(new Blob([text], {type}));
const add = (tag, fields, done = "load") => new Promise((good, bad) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.addEventListener(done, good);
  element.addEventListener("error", bad);
  document.body.append(element);
});
const worker = (url) => new Promise((good, bad) => {
  const made = new Worker(url);
  made.onmessage = ({data}) => (data === "no" ? bad() : good());
  made.onerror = bad;
});
const fetching = (at) => `fetch("${at}").then(() => postMessage("ok"), () => postMessage("no"))`;
const failing = (connection) => new Promise((_, bad) => { connection.onerror = bad; });
const outcome = async (code, at) => {
  try { await new Promise((end) => setTimeout(end)); await RUN[code](at); return "loaded"; }
  catch { return "refused"; }
};
"""


def page_html() -> str:
    codes = {kind: code for kind, (_, code) in REMOTE.items()}
    codes |= {kind: code for kind, (_, _, code) in LOCAL.items()} | ALWAYS | WORKERS
    run = ", ".join(f'"{kind}": async (at) => {code}' for kind, code in codes.items())
    return (
        "<!doctype html><meta charset=utf-8><title>t</title><style>body { margin-top: 7px }</style><body>"
        f"<script>window.inlineRan = true;</script><script>{TOOLS} const RUN = {{{run}}};</script>{HANDSHAKE}"
    )


def silence() -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(b"\x80" * 800)
    return file.getvalue()


BODIES = {
    "style": ("text/css", b"a{}"),
    "image": ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    "media": ("audio/wav", silence()),
    "frame": ("text/html", b"<p>a frame"),
}


class Listener:
    """An origin that answers everything and writes down what was asked: the last part of each path."""

    def __init__(self) -> None:
        self.origin = ""
        self.seen: set[str] = set()
        self._changed = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        kind = scope["path"].rpartition("/")[2]
        self.seen.add(kind)
        self._changed.set()
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
            return
        media_type, body = BODIES.get(kind, ("text/javascript", b"1"))
        headers = {"Access-Control-Allow-Origin": "*"}
        response = Response(body, media_type=media_type, headers=headers)
        if "/to/" in scope["path"]:
            response = RedirectResponse(f"http://{scope['path'].partition('/to/')[2]}", headers=headers)
        await response(scope, receive, send)

    async def until(self, kinds: set[str]) -> None:
        """Wait until all of these were asked for."""
        async with asyncio.timeout(20):
            while not kinds <= self.seen:
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def listening() -> AsyncIterator[Listener]:
    listener = Listener()
    async with serving(listener, bind_loopback(0)) as port:
        listener.origin = f"http://127.0.0.1:{port}"
        yield listener


async def until(view: View, condition: Callable[[], bool]) -> None:
    """Wait until the reports of the browser fulfil it."""
    changed = asyncio.Event()
    stop = view.watch(changed.set)
    try:
        async with asyncio.timeout(20):
            while not condition():
                changed.clear()
                await changed.wait()
    finally:
        stop()


@asynccontextmanager
async def shown_view(
    page: Page, host: Host, name: str, declared: str = ""
) -> AsyncIterator[tuple[View, Callable[..., Awaitable[str]]]]:
    """A view on the screen that declares this origin in every field, and a function that tries one kind."""
    given = [declared] if declared else []
    csp = ResourceCsp(
        connect_domains=[*given, *(text.replace("http", "ws") for text in given)],
        resource_domains=given,
        frame_domains=given,
        base_uri_domains=given,
    )
    async with served_host(host) as port:
        server = await host.connect("matrix", app_server(page_html(), csp))
        call = await server.call_tool("show")
        await shown(page, port, call, name=name)
        frame = await view_frame(page)

        async def attempt(kind: str, at: str = "") -> str:
            return str(await frame.evaluate("([kind, at]) => outcome(kind, at)", [kind, at]))

        assert call.view is not None
        yield call.view, attempt


def place(entry: dict[str, Any]) -> tuple[str, str]:
    """The directive and the kind; browsers name only the origin of a frame."""
    directive, blocked = entry["directive"], entry["blocked"]
    return directive, "frame" if directive == "frame-src" else blocked.rpartition("/")[2]


def pair(entry: dict[str, Any]) -> tuple[str, str]:
    return entry["directive"], entry["blocked"]


@MODES
@LEVELS
async def test_each_kind_loads_from_declared_origins_and_from_no_other(
    page: Page, level: str, name: str
) -> None:
    """Holds: R13, R15, R26, R27, R61, R62."""
    async with (
        listening() as declared,
        listening() as undeclared,
        shown_view(page, Host(csp_level=level), name, declared.origin) as (view, attempt),
    ):
        for kind in REMOTE:
            await attempt(kind, f"{declared.origin}/{kind}")
        await declared.until(set(REMOTE))
        assert view.violations == []
        for kind in REMOTE:
            told = "loaded" if kind in UNTOLD else "refused"
            assert await attempt(kind, f"{undeclared.origin}/{kind}") == told, kind
        reported = {(directive, kind) for kind, (directive, _) in REMOTE.items()}
        await until(view, lambda: reported <= {place(entry) for entry in view.violations})
        assert {place(entry) for entry in view.violations} == reported
        assert undeclared.seen == set()
        fields = {"connect-src": "connectDomains", "frame-src": "frameDomains"}
        for entry in view.violations:
            source = entry["blocked"].removesuffix(f"/{place(entry)[1]}")
            field = fields.get(entry["directive"], "resourceDomains")
            assert entry["fix"] == {"csp": {field: [source]}}


@MODES
async def test_strict_refuses_what_compat_allows_and_reports(page: Page, name: str) -> None:
    """The difference of the levels is found twice: refused by one, allowed and reported by the other."""
    difference = {(directive, blocked) for directive, blocked, _ in LOCAL.values()}
    async with shown_view(page, Host(csp_level="strict"), name) as (view, attempt):
        outcomes = {kind: await attempt(kind) for kind in (*LOCAL, *ALWAYS)}
        await until(view, lambda: difference <= {pair(entry) for entry in view.violations})
        assert {pair(entry) for entry in view.violations} == difference
        assert not any("fix" in entry for entry in view.violations)
        assert view.beyond_strict == []
    refused = dict.fromkeys(LOCAL, "refused") | {"data font": "loaded"}  # it is no font; nobody is told why
    assert outcomes == refused | dict.fromkeys(ALWAYS, "loaded")
    async with shown_view(page, Host(csp_level="compat"), name) as (view, attempt):
        outcomes = {kind: await attempt(kind) for kind in (*LOCAL, *ALWAYS)}
        await until(view, lambda: difference <= {pair(entry) for entry in view.beyond_strict})
        assert {pair(entry) for entry in view.beyond_strict} == difference
        assert view.violations == []
        assert "beyond-strict" in [stage.name for stage in view.stages]
    assert outcomes == dict.fromkeys((*LOCAL, *ALWAYS), "loaded")


@MODES
async def test_a_worker_is_as_closed_in_as_its_view(page: Page, name: str) -> None:
    """A worker is made from bytes of the view only, and loads what the view may load."""
    async with (
        listening() as declared,
        listening() as undeclared,
        shown_view(page, Host(), name, declared.origin) as (_, attempt),
    ):
        assert await attempt("remote worker", f"{declared.origin}/worker") == "refused"
        assert await attempt("worker import", f"{declared.origin}/imported") == "loaded"
        for kind in ("worker import", "worker fetch", "data worker fetch"):
            assert await attempt(kind, f"{undeclared.origin}/{kind.replace(' ', '-')}") == "refused", kind
        await declared.until({"imported"})
        assert declared.seen == {"imported"}
        assert undeclared.seen == set()


@MODES
async def test_a_declared_origin_does_not_lead_to_another_by_redirect(page: Page, name: str) -> None:
    """Holds: R15."""
    async with (
        listening() as declared,
        listening() as undeclared,
        shown_view(page, Host(), name, declared.origin) as (view, attempt),
    ):
        elsewhere = undeclared.origin.removeprefix("http://")
        itself = declared.origin.removeprefix("http://")
        assert await attempt("fetch", f"{declared.origin}/to/{itself}/back") == "loaded"
        for kind in ("fetch", "script", "image"):
            assert await attempt(kind, f"{declared.origin}/to/{elsewhere}/{kind}") == "refused"
        await until(view, lambda: len(view.violations) == 3)
        assert all("redirects" in entry["advice"] and "fix" not in entry for entry in view.violations)
        assert undeclared.seen == set()


@MODES
async def test_a_view_reaches_none_of_our_origins_by_declaring_them(page: Page, name: str) -> None:
    """Neither its own nor the proxy's nor the page's, and an opaque view has no 'self' either."""
    host = Host()
    async with served_host(host) as port:
        ours = [f"http://{name}:{port}", f"http://localhost:{port}", f"http://127.0.0.1:{port}"]
        csp = ResourceCsp(connect_domains=[*ours, "http://localhost:*"], resource_domains=ours)
        server = await host.connect("matrix", app_server(page_html(), csp))
        call = await server.call_tool("show")
        await shown(page, port, call, name=name)
        frame = await view_frame(page)
        assert call.view is not None
        assert call.view.csp is not None
        assert call.view.csp.applied == {}
        assert len(call.view.csp.dropped) == 2 * len(ours) + 1
        for origin in ours:
            for kind in ("fetch", "script"):
                at = f"{origin}{host.mount}/host.js"
                assert await frame.evaluate("([kind, at]) => outcome(kind, at)", [kind, at]) == "refused"
        own = await frame.evaluate("location.origin")
        for kind in ("fetch", "script"):
            at = f"{own}{host.mount}/host.js"
            assert await frame.evaluate("([kind, at]) => outcome(kind, at)", [kind, at]) == "refused"


class Datagrams(asyncio.DatagramProtocol):
    """A STUN server that only listens."""

    def __init__(self) -> None:
        self.heard = asyncio.Event()

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.heard.set()


GATHER = """
async ([realm, port]) => {
  const peer = new realm.RTCPeerConnection({iceServers: [{urls: `stun:127.0.0.1:${port}`}]});
  const done = new Promise((end) => { peer.onicegatheringstatechange =
    () => peer.iceGatheringState === "complete" && end(peer.iceGatheringState); });
  peer.createDataChannel("x");
  await peer.setLocalDescription(await peer.createOffer());
  return await done;
}
"""


@MODES
async def test_no_datagram_leaves_by_webrtc(page: Page, name: str) -> None:
    """Chromium ends the process of a view below a shell that tries it, so there the shell's window tries.

    Holds: R62.
    """
    loop = asyncio.get_running_loop()
    transport, stun = await loop.create_datagram_endpoint(Datagrams, ("127.0.0.1", 0))
    port = transport.get_extra_info("sockname")[1]
    try:
        async with shown_view(page, Host(), name):
            frame = await view_frame(page)
            opaque = await frame.evaluate("self.origin") == "null"
            realm = await frame.evaluate_handle("window" if opaque else "window.parent")
            assert await frame.evaluate(GATHER, [realm, port]) == "complete"
            assert not stun.heard.is_set()
        # The same attempt in a page without our headers arrives: the listener works.
        await page.goto("data:text/html,<body>")
        await page.evaluate(f"(port) => {{ void ({GATHER})([window, port]); }}", port)
        await asyncio.wait_for(stun.heard.wait(), 20)
    finally:
        transport.close()
