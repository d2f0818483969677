"""A hostile view in a real browser: what it must not reach, load, read or become."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page
from served import WAIT_MS, app_server, served_host, shown, view_frame

from fanlight.host import Call, Host, Verdict

HANDSHAKE = """
<script>
  addEventListener("message", ({data}) => {
    if (data.id === 0)
      parent.postMessage({jsonrpc: "2.0", method: "ui/notifications/initialized", params: {}}, "*");
  });
  parent.postMessage({jsonrpc: "2.0", id: 0, method: "ui/initialize", params: {
    appInfo: {name: "h", version: "1"}, appCapabilities: {}, protocolVersion: "2026-01-26"}}, "*");
</script>
"""
PAGE = f"<!doctype html><title>hostile</title><p>here</p>{HANDSHAKE}"

NAMES = pytest.mark.parametrize("name", ["fanlight.localhost", "127.0.0.1"], ids=["own origin", "opaque"])


async def opened(
    page: Page, host: Host, port: int, html: str = PAGE, name: str = "fanlight.localhost"
) -> Call:
    server = await host.connect("hostile", app_server(html))
    call = await server.call_tool("show")
    await shown(page, port, call, name=name)
    return call


@NAMES
async def test_the_view_cannot_reach_the_proxy_or_the_host_page(page: Page, name: str) -> None:
    host = Host()
    async with served_host(host) as port:
        await opened(page, host, port, name=name)
        frame = await view_frame(page)
        opaque = await frame.evaluate("self.origin") == "null"
        # With an origin of its own, a view's parent is the shell, of the same origin and worth nothing.
        above = "parent" if opaque else "parent.parent"
        for reach in (f"{above}.document", f"{above}.frameElement", "top.document", "top.location.href"):
            outcome = await frame.evaluate(
                "(reach) => { try { return String(eval(reach)) } catch (error) { return error.name } }", reach
            )
            assert outcome == "SecurityError", (reach, outcome)


@NAMES
async def test_no_secret_stands_where_the_view_can_read_it(page: Page, name: str) -> None:
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port, name=name)
        frame = await view_frame(page)
        readable = await frame.evaluate(
            """() => [() => location.href, () => document.referrer, () => document.cookie, () => self.name,
                () => opener, () => performance.getEntries().map((entry) => entry.name),
                () => [...location.ancestorOrigins], () => new Error().stack, () => document.baseURI]
              .map((read) => { try { return JSON.stringify(read()) } catch (error) { return error.name } })
              .join(" ")"""
        )
    assert call.view is not None
    assert "/view/" in readable
    assert call.view.token not in readable


# Each line is one way out; `target` is an origin that the app never declared.
WAYS_OUT = """
fetch(target + "/fetch")
fetch(target + "/no-cors", {mode: "no-cors"})
new Promise((end) => { const x = new XMLHttpRequest(); x.onloadend = end; x.open("GET", target); x.send(); })
navigator.sendBeacon(target + "/beacon", "x")
new WebSocket(target.replace("http", "ws") + "/ws")
new EventSource(target + "/events")
add("img", {src: target + "/img"})
add("script", {src: target + "/script"})
add("script", {src: target + "/module", type: "module"})
add("link", {rel: "stylesheet", href: target + "/css"})
add("link", {rel: "prefetch", href: target + "/prefetch"})
add("link", {rel: "preload", as: "image", href: target + "/preload"})
add("link", {rel: "preconnect", href: target})
add("link", {rel: "prerender", href: target + "/prerender"})
add("link", {rel: "icon", href: target + "/icon"})
add("link", {rel: "manifest", href: target + "/manifest"})
add("style", {textContent: `@import url(${target}/import); body { background: url(${target}/background); }`})
add("iframe", {src: target + "/frame"})
add("iframe", {srcdoc: `<img src="${target}/srcdoc">`})
add("object", {data: target + "/object"})
add("video", {src: target + "/video"})
add("form", {action: target + "/form-blank", target: "_blank"}).submit()
add("a", {href: target + "/top", ping: target + "/ping", target: "_top"}).click()
window.open(target + "/popup")
import(target + "/import.js")
new Worker(target + "/worker.js")
new Worker(URL.createObjectURL(new Blob([`fetch("${target}/blob-worker")`])))
parent.fetch(target + "/shell-fetch", {mode: "no-cors"})
new parent.WebSocket(target.replace("http", "ws") + "/shell-ws")
new parent.Image().src = target + "/shell-image"
parent.document.body.append(add("img", {src: target + "/shell-img"}))
parent.document.body.append(add("script", {src: target + "/shell-script"}))
parent.document.body.append(add("iframe", {src: target + "/shell-frame"}))
parent.navigator.sendBeacon(target + "/shell-beacon", "x")
parent.eval(`fetch("${target}/shell-eval")`)
navigator.serviceWorker.register(target + "/service-worker.js")
""".strip()


@NAMES
async def test_nothing_leaves_to_an_undeclared_origin(page: Page, name: str) -> None:
    """Holds: R15, R62."""
    hits: list[str] = []

    async def listener(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = await reader.readline()
        if line:
            hits.append(line.decode(errors="replace"))
        writer.close()

    outside = await asyncio.start_server(listener, "127.0.0.1", 0)
    target = f"http://127.0.0.1:{outside.sockets[0].getsockname()[1]}"
    host = Host()
    async with outside, served_host(host) as port:
        call = await opened(page, host, port, name=name)
        view = call.view
        assert view is not None
        reported = asyncio.Event()
        wanted = {
            "connect-src",
            "img-src",
            "script-src-elem",
            "style-src-elem",
            "frame-src",
            "media-src",
        }

        def note_violation(violation: dict[str, Any], keep: Any = view.violated) -> None:
            keep(violation)
            if wanted <= {entry["directive"] for entry in view.violations}:
                reported.set()

        view.violated = note_violation  # type: ignore[method-assign]
        frame = await view_frame(page)
        await frame.evaluate(
            """async ([target, ways]) => {
              const add = (tag, fields) => {
                const element = Object.assign(document.createElement(tag), fields);
                document.body.append(element);
                return element;
              };
              const run = (way) => new Function("target", "add", "return " + way)(target, add);
              await Promise.allSettled(ways.split("\\n").map(async (way) => run(way)));
            }""",
            [target, WAYS_OUT],
        )
        # The browser reports what it blocked: when every kind is reported, the attempts have been decided.
        await asyncio.wait_for(reported.wait(), 15)
        assert view.verdict is Verdict.OK
    assert hits == []


@NAMES
@pytest.mark.parametrize(
    "leave",
    [
        "location.href = 'http://127.0.0.1:9/'",
        "location.reload()",
        "try { parent.location.href = 'http://127.0.0.1:9/' } catch {} location.reload()",
        "location.href = 'about:blank'",
        "document.head.append(Object.assign(document.createElement('meta'),"
        " {httpEquiv: 'refresh', content: '0;url=http://127.0.0.1:9/'}))",
        "Object.assign(document.createElement('a'), {href: 'http://127.0.0.1:9/x', download: 'x'}).click()",
        "const form = Object.assign(document.createElement('form'), {action: 'http://127.0.0.1:9/'});"
        "document.body.append(form); form.submit()",
    ],
    ids=["elsewhere", "reload", "parent elsewhere", "blank", "meta refresh", "download link", "form"],
)
async def test_a_view_that_leaves_its_document_is_over(page: Page, name: str, leave: str) -> None:
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port, name=name)
        frame = await view_frame(page)
        await frame.evaluate(f"setTimeout(() => {{ {leave} }})")
        over = page.locator('fanlight-view[data-verdict="navigated"]')
        await over.wait_for(timeout=WAIT_MS, state="attached")
        assert call.view is not None
        assert call.view.verdict is Verdict.NAVIGATED


async def test_reserved_messages_of_the_view_do_not_reach_the_host(page: Page) -> None:
    """Holds: R31."""
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port)
        frame = await view_frame(page)
        await frame.evaluate(
            """() => { for (const name of ["view-navigated", "proxy-ready", "resource-ready"])
              parent.postMessage(
                {jsonrpc: "2.0", method: "ui/notifications/sandbox-" + name, params: {}}, "*"); }"""
        )
        answer = await frame.evaluate(
            """() => new Promise((done) => {
              addEventListener("message", ({data}) => data.id === "ping" && done(data.result));
              parent.postMessage({jsonrpc: "2.0", id: "ping", method: "ping", params: {}}, "*"); })"""
        )
        assert answer == {}
        assert call.view is not None
        assert call.view.verdict is Verdict.OK


async def test_two_apps_do_not_share_storage_and_one_keeps_its_own(page: Page) -> None:
    host = Host()
    async with served_host(host) as port:
        first = await host.connect("first", app_server(PAGE))
        second = await host.connect("second", app_server(PAGE))
        seen: list[Any] = []
        for server in (first, second, first):
            await shown(page, port, await server.call_tool("show"))
            frame = await view_frame(page)
            seen.append(await frame.evaluate("localStorage.getItem('mine')"))
            await frame.evaluate("(name) => localStorage.setItem('mine', name)", server.name)
    assert seen == [None, None, "first"]


async def test_a_looping_view_does_not_freeze_the_host_page(page: Page) -> None:
    host = Host()
    async with served_host(host) as port:
        await opened(page, host, port)
        frame = await view_frame(page)
        await frame.evaluate("() => { setTimeout(() => { for (;;) {} }) }")
        ticks = await page.evaluate(
            """() => new Promise((done) => { let n = 0;
              const timer = setInterval(() => {
                if (++n === 20) { clearInterval(timer); done(n); }
              }, 10); })"""
        )
    assert ticks == 20
