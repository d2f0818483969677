"""Another local page: a server on another loopback port, whose script tries everything a web page can.

What was framed or opened, the browser tells and not the page: a page sees neither of them from outside.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from playwright.async_api import Frame, Page
from playwright.async_api import TimeoutError as Late
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from fanlight.host.serve import bind_loopback, serving

__all__ = ["Foreign", "Target", "foreign_page", "intrude"]

WAIT_MS = 15_000
_REFUSED = "chrome-error:"
# Resolves with what it managed against `target`, each a sentence; nothing is held.
_INTRUDE = """async ({target, token}) => {
  const managed = [];
  const bounded = (promise) =>
    Promise.race([promise, new Promise((_, reject) => setTimeout(reject, 15000, new Error("late")))]);
  const attempt = (name, deed) => bounded(Promise.resolve().then(deed)).then(
    (done) => done && managed.push(`${name}: ${String(done).slice(0, 80)}`), () => {});
  const loads = (tag, fields) => new Promise((done) => document.body.append(Object.assign(
    document.createElement(tag), {...fields, onload: () => done("loaded"), onerror: () => done("")})));
  const read = (path, init) => async () => {
    const answer = await fetch(target + path, {credentials: "include", ...init});
    return answer.type === "opaque" ? "" : `${answer.status} ${(await answer.text()).slice(0, 60)}`;
  };
  const opens = (path) => () => new Promise((done) => {
    const socket = new WebSocket(target.replace("http", "ws") + path);
    socket.onopen = () => done("open");
    socket.onerror = () => done("");
  });
  const call = JSON.stringify({server: "hostile", tool: "attack", arguments: {}});
  await Promise.all([
    attempt("read the page", read("/")),
    attempt("read the state", read("/api/state")),
    attempt("read the state with a key", read("/api/state", {headers: {Authorization: `Bearer ${token}`}})),
    attempt("call a tool", read("/api/calls", {method: "POST", body: call,
      headers: {"Content-Type": "application/json"}})),
    attempt("call a tool as a form", read("/api/calls", {method: "POST", body: call, mode: "no-cors"})),
    attempt("use the link", read("/api/pass", {method: "POST", body: JSON.stringify({token})})),
    attempt("read the host's script", read("/apps/host.js")),
    attempt("run the host's script", () => loads("script", {type: "module", src: target + "/apps/host.js"})),
    attempt("run it as a classic script", () => loads("script", {src: target + "/apps/view.js"})),
    attempt("use the style sheet", () => loads("link", {rel: "stylesheet", href: target + "/style.css"})),
    attempt("see an image", () => loads("img", {src: target + "/favicon.svg"})),
    attempt("open the socket", opens("/apps/socket")),
    attempt("open the socket of a check", opens("/apps/origin/x")),
  ]);
  return managed;
}"""
_ADD_FRAME = """(src) => document.body.appendChild(
  Object.assign(document.createElement("iframe"), {src}))"""


@dataclass(frozen=True)
class Target:
    """Whom a foreign page attacks: where it is, its pages, documents of a view that nobody fetched yet."""

    base: str
    token: str = "x"
    documents: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=lambda: {"page": "/", "page of a view": "/apps/page"})


@dataclass(frozen=True)
class Foreign:
    """Where a foreign page is, and from which addresses browsers said that they came to it."""

    port: int
    referrers: list[str] = field(default_factory=list)


@asynccontextmanager
async def foreign_page() -> AsyncIterator[Foreign]:
    """A page that knows nothing of us, on a port of its own."""
    referrers: list[str] = []

    async def page(request: Request) -> HTMLResponse:
        referrers.extend(request.headers.getlist("referer"))
        return HTMLResponse("<!doctype html><title>Another page</title><link rel=icon href='data:,'>")

    async with serving(Starlette(routes=[Route("/", page)]), bind_loopback(0)) as port:
        yield Foreign(port, referrers)


async def intrude(stranger: Page, target: Target) -> list[str]:
    """Everything that this page managed against the target, each a sentence."""
    pages = {name: f"{target.base}{path}" for name, path in target.pages.items()}
    framed = {**pages, **target.documents}
    managed: list[str] = await stranger.evaluate(_INTRUDE, {"target": target.base, "token": target.token})
    shown = await asyncio.gather(*(_frames(stranger, address) for address in framed.values()))
    managed += [f"frame the {name}: {url}" for name, url in zip(framed, shown, strict=True) if url]
    for name, address in pages.items():
        if await _holds(stranger, address):
            managed.append(f"hold the window of the {name}:")
    return managed


async def _frames(stranger: Page, address: str) -> str:
    """The address that the browser shows in a frame for this one; empty when it refuses."""
    element = (await stranger.evaluate_handle(_ADD_FRAME, address)).as_element()
    assert element is not None
    frame = await element.content_frame()
    assert frame is not None
    url = await _settled(stranger, frame)
    return "" if url.startswith(_REFUSED) else url


async def _settled(stranger: Page, frame: Frame) -> str:
    while frame.url in ("", "about:blank"):
        await stranger.wait_for_event("framenavigated", timeout=WAIT_MS)
    return frame.url


async def _holds(stranger: Page, address: str) -> bool:
    """Whether it still has a hold on a window that it opened, once the document is there."""
    async with stranger.expect_popup(timeout=WAIT_MS) as popup:
        window = await stranger.evaluate_handle("(address) => open(address)", address)
    opened = await popup.value
    await opened.wait_for_url(lambda url: url.startswith(address), wait_until="commit", timeout=WAIT_MS)
    try:
        if await opened.evaluate("opener !== null"):
            return True
        # The browser parted them. Word of it is on its way to the other process, where the window is closed.
        await stranger.wait_for_function("(window) => window.closed", arg=window, timeout=WAIT_MS)
    except Late:
        return True
    finally:
        await opened.close()
    return False
