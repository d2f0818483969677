"""The relay between host page and view: who may speak through it, what waits, and what ends it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from playwright.async_api import Page, Route
from served import WAIT_MS, app_server, reached, served_host, shown, view_frame
from test_isolation import PAGE

from fanlight.host import Call, Host, TapRecord, Verdict, View

NAMES = pytest.mark.parametrize("name", ["fanlight.localhost", "127.0.0.1"], ids=["own origin", "opaque"])
# A view that keeps everything it hears.
LISTENER = """<script>
  self.heard = [];
  addEventListener("message", ({data}) => {
    if (data.method === "test/told") self.heard.push(data.params.n);
    else if (data.method?.startsWith("ui/notifications/sandbox-")) self.heard.push(data.method);
  });
</script>"""
SAY_TO_PROXY = """([from, to]) => {
  const frame = document.querySelector("fanlight-view").shadowRoot.querySelector("iframe");
  const {origin} = new URL(frame.src);
  for (let n = from; n < to; n += 1)
    frame.contentWindow.postMessage({jsonrpc: "2.0", method: "test/told", params: {n}}, origin);
}"""


async def opened(page: Page, host: Host, port: int, html: str, name: str = "fanlight.localhost") -> Call:
    server = await host.connect("hostile", app_server(html))
    call = await server.call_tool("show")
    await shown(page, port, call, name=name)
    return call


async def proxy_without_view(page: Page, host: Host, port: int, name: str) -> tuple[View, asyncio.Event]:
    """A page whose proxy runs, and whose view's document comes when the event is set."""
    come = asyncio.Event()

    async def hold(route: Route) -> None:
        await come.wait()
        await route.continue_()

    await page.context.route("**/view/*", hold)
    server = await host.connect("slow", app_server(LISTENER + PAGE))
    call = await server.call_tool("show")
    assert call.view is not None
    await page.goto(f"http://{name}:{port}{call.view.url}")
    await reached(call.view, "proxy-ready")
    return call.view, come


@NAMES
async def test_what_is_said_before_the_view_is_there_waits_and_keeps_its_order(page: Page, name: str) -> None:
    """Holds: R31."""
    host = Host()
    async with served_host(host) as port:
        view, come = await proxy_without_view(page, host, port, name)
        await page.evaluate(SAY_TO_PROXY, [0, 1000])
        come.set()
        await reached(view, "document-loaded")
        await page.evaluate(SAY_TO_PROXY, [1000, 1001])
        frame = await view_frame(page)
        await frame.wait_for_function("self.heard.length > 1000", timeout=WAIT_MS)
        assert await frame.evaluate("self.heard") == list(range(1001))


@NAMES
async def test_more_than_may_wait_for_a_view_ends_it_with_a_verdict(page: Page, name: str) -> None:
    host = Host()
    async with served_host(host) as port:
        view, come = await proxy_without_view(page, host, port, name)
        await page.evaluate(SAY_TO_PROXY, [0, 1001])
        over = page.locator('fanlight-view[data-verdict="crashed"]')
        await over.wait_for(timeout=WAIT_MS, state="attached")
        assert "waited" in (view.outcome.reason or "")
        come.set()


async def test_only_the_host_window_speaks_to_the_view_and_only_the_view_to_the_host(page: Page) -> None:
    """A frame of the host page's own origin, and another app, post to the proxy, the shell and the page."""
    said: list[str] = []
    host = Host()
    host.tap.listen(
        lambda record: said.append(str(record.message)) if record.direction == "from-view" else None
    )
    async with served_host(host) as port:
        call = await opened(page, host, port, LISTENER + PAGE)
        frame = await view_frame(page)
        async with page.expect_event("frameattached") as attached:
            await page.evaluate("document.body.append(document.createElement('iframe'))")
        stranger = await attached.value
        assert await stranger.evaluate("parent.location.origin") == f"http://fanlight.localhost:{port}"
        await stranger.evaluate(
            """() => {
              const element = parent.document.querySelector("fanlight-view");
              const proxy = element.shadowRoot.querySelector("iframe").contentWindow;
              for (const to of [proxy, proxy[0], parent])
                for (const method of ["test/told", "ui/notifications/sandbox-view-navigated"])
                  to.postMessage({jsonrpc: "2.0", method, params: {n: -1}}, "*");
            }"""
        )
        # The view's own parent is the shell; to the proxy and the page it is a stranger itself.
        await frame.evaluate(
            """() => {
              for (const to of [parent.parent, top])
                to.postMessage({jsonrpc: "2.0", id: "past", method: "ping", params: {}}, "*");
            }"""
        )
        await page.evaluate(SAY_TO_PROXY, [7, 8])
        await frame.wait_for_function("self.heard.includes(7)", timeout=WAIT_MS)
        answered = await frame.evaluate(
            """() => new Promise((done) => {
              addEventListener("message", ({data}) => data.id === "own" && done(true));
              parent.postMessage({jsonrpc: "2.0", id: "own", method: "ping", params: {}}, "*"); })"""
        )
        assert answered is True
        assert await frame.evaluate("self.heard") == [7]
        assert not [text for text in said if "past" in text]
        assert call.view is not None
        assert call.view.verdict is Verdict.OK


@NAMES
async def test_reserved_words_of_the_host_never_reach_the_view(page: Page, name: str) -> None:
    """Holds: R31."""
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port, LISTENER + PAGE, name)
        frame = await view_frame(page)
        await page.evaluate(
            """() => {
              const frame = document.querySelector("fanlight-view").shadowRoot.querySelector("iframe");
              const params = {html: "<p>other"};
              for (const name of ["resource-ready", "theme", "view-navigated", "line", "other"])
                frame.contentWindow.postMessage(
                  {jsonrpc: "2.0", method: "ui/notifications/sandbox-" + name, params}, "*");
            }"""
        )
        await page.evaluate(SAY_TO_PROXY, [7, 8])
        await frame.wait_for_function("self.heard.includes(7)", timeout=WAIT_MS)
        assert await frame.evaluate("self.heard") == [7]
        assert call.view is not None
        assert call.view.verdict is Verdict.OK


# What a view does to the shell around it, or to itself, so that another document stands in its place. The
# shell's own words for it cannot be relied on: the first lines of `unseen` take them away.
UNSEEN = """
  const shell = parent;
  shell.document.addEventListener("load", (event) => event.stopImmediatePropagation(), true);
  for (const [prototype, name] of [[shell.Event.prototype, "target"],
                                   [shell.HTMLIFrameElement.prototype, "contentDocument"]])
    Object.defineProperty(prototype, name, {get: () => null});
  shell.Node.prototype.removeChild = shell.Element.prototype.remove = () => {};
  shell.parent = {postMessage() {}};
"""
# A port that something comes out of is the `currentTarget` of that event, which the shell reads by a getter.
STEAL = """
  const {MessageEvent, MessagePort, MessageChannel} = parent;
  const {get} = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data");
  const {port1, port2} = new MessageChannel();
  Object.defineProperty(MessageEvent.prototype, "data", {get() {
    const data = get.call(this);
    if (!parent.stolen && this.currentTarget instanceof MessagePort) {
      parent.stolen = port2;
      port1.postMessage(0, [this.currentTarget]);
    }
    return data;
  }});
  const stealing = new Promise((done) => {
    addEventListener("message", ({data}) => data.id === "steal" && done());
    parent.postMessage({jsonrpc: "2.0", id: "steal", method: "ping", params: {}}, "*");
  });
"""
# Moved as a whole, a frame lives on; what happens in a shadow tree is told only there.
IN_SHADOW = """
  const box = parent.document.body.appendChild(parent.document.createElement("div"));
  box.attachShadow({mode: "open"}).moveBefore(frameElement, null);
"""
# A listener lives as long as the document that it is from, a getter longer.
DEAFEN = """
  for (const name of ["data", "source", "origin"])
    Object.defineProperty(parent.MessageEvent.prototype, name, {get() { throw 0; }});
  const deafen = "parent.addEventListener('message', (event) => event.stopImmediatePropagation(), true)";
  location.href = "javascript:" + encodeURIComponent(JSON.stringify(`<script>${deafen}</` + "script>"));
"""
REPLACEMENTS = {
    "its frame is taken out": "frameElement.remove()",
    "another frame in its place": "frameElement.replaceWith(parent.document.createElement('iframe'))",
    "the shell is emptied": "parent.document.open()",
    "the shell is rewritten": "parent.document.body.innerHTML = '<iframe></iframe>'",
    "the shell reloads": "parent.setTimeout(parent.location.reload.bind(parent.location))",
    "the shell goes elsewhere": (
        "const link = parent.document.createElement('a'); link.href = 'http://127.0.0.1:9/';"
        "parent.document.body.append(link); link.click()"
    ),
    "the shell is refreshed": (
        "const meta = Object.assign(parent.document.createElement('meta'),"
        " {httpEquiv: 'refresh', content: '0;url=about:blank'}); parent.document.head.append(meta)"
    ),
    "unseen, to a blank document": UNSEEN + "location.href = 'about:blank'",
    "unseen, by a reload": UNSEEN + "location.reload()",
    "unseen, by a script's document": UNSEEN + "location.href = \"javascript:'<p>new'\"",
    "unseen, with the line stolen": (
        UNSEEN + STEAL + "stealing.then(() => { location.href = \"javascript:'<p>new'\" })"
    ),
    "unseen, in a shadow tree": IN_SHADOW + "location.href = \"javascript:'<p>new'\"",
    "unseen, in a shadow tree, with a deaf shell": IN_SHADOW + DEAFEN,
    "rewritten by itself": "document.open(); document.write('<p>new'); document.close()",
}


@pytest.mark.parametrize("act", REPLACEMENTS.values(), ids=REPLACEMENTS.keys())
async def test_a_view_that_is_replaced_inside_its_shell_is_over(page: Page, act: str) -> None:
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port, PAGE)
        frame = await view_frame(page)
        await frame.evaluate("(act) => { setTimeout(() => new Function(act)()) }", act)
        over = page.locator('fanlight-view[data-verdict="navigated"]')
        await over.wait_for(timeout=WAIT_MS, state="attached")
        assert call.view is not None
        assert call.view.verdict is Verdict.NAVIGATED


# What a view does while it is there, and how the next document speaks. A window's message names who called
# the function: that is the shell, when a function of its realm did.
SPEAKERS = {
    "itself": ("", "parent.postMessage(words, '*')"),
    "as the shell": (
        "",
        "parent.Array.of([]).forEach(parent.parent.postMessage.bind(parent.parent, words, '*'))",
    ),
    "on a stolen line": (
        STEAL + "return stealing",
        "parent.stolen.onmessage = ({ports: [line]}) => line.postMessage(words)",
    ),
}


@pytest.mark.parametrize(("before", "speak"), SPEAKERS.values(), ids=SPEAKERS.keys())
async def test_a_document_in_the_place_of_the_view_is_never_heard(
    page: Page, before: str, speak: str
) -> None:
    """It speaks long before it counts as loaded: the shell compares documents with every message."""
    records: list[TapRecord] = []
    host = Host()
    host.tap.listen(records.append)
    later = asyncio.Event()

    async def hold(route: Route) -> None:
        await later.wait()
        await route.abort()

    async with served_host(host) as port:
        await page.context.route("**/slow.png", hold)
        await opened(page, host, port, PAGE)
        frame = await view_frame(page)
        await frame.evaluate("(before) => new Function(before)()", before)
        await frame.evaluate(
            """(speak) => void setTimeout(() => {
              const words = {jsonrpc: "2.0", id: "late", method: "ping", params: {}};
              const script = `<script>const words = ${JSON.stringify(words)}; ${speak}</` + "script>";
              const html = `<img src="${new URL("/slow.png", location.href)}">${script}`;
              location.href = "javascript:" + encodeURIComponent(JSON.stringify(html));
            })""",
            speak,
        )
        over = page.locator('fanlight-view[data-verdict="navigated"]')
        await over.wait_for(timeout=WAIT_MS, state="attached")
        later.set()
    assert not [record for record in records if "late" in str(record.message)]


@NAMES
async def test_a_second_document_in_the_proxy_s_frame_ends_the_view(page: Page, name: str) -> None:
    """A person can reload a frame by a menu; an extension can send it elsewhere."""
    host = Host()
    async with served_host(host) as port:
        await opened(page, host, port, PAGE, name)
        await page.evaluate(
            """() => {
              const frame = document.querySelector("fanlight-view").shadowRoot.querySelector("iframe");
              frame.src = frame.src;
            }"""
        )
        over = page.locator('fanlight-view[data-verdict="navigated"]')
        await over.wait_for(timeout=WAIT_MS, state="attached")


async def test_no_document_of_the_view_s_origin_is_without_a_policy(page: Page) -> None:
    """The shell may frame the view's address: whatever answers there must not be a way out."""
    hits: list[str] = []

    async def listener(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        hits.append((await reader.readline()).decode(errors="replace"))
        writer.close()

    outside = await asyncio.start_server(listener, "127.0.0.1", 0)
    target = f"http://127.0.0.1:{outside.sockets[0].getsockname()[1]}"
    host = Host()
    async with outside, served_host(host) as port:
        await opened(page, host, port, PAGE)
        frame = await view_frame(page)
        reachable: list[Any] = await frame.evaluate(
            """async (target) => {
              const found = [];
              const addresses = [location.href, parent.location.href, "/apps/host.js", "/apps/nothing", "/"];
              for (const address of addresses) {
                const frame = parent.document.createElement("iframe");
                const loaded = new Promise((done) => frame.addEventListener("load", done));
                frame.src = new URL(address, location.href).href;
                parent.document.body.append(frame);
                await loaded;
                try {
                  const inner = frame.contentDocument;
                  inner.body.append(Object.assign(inner.createElement("img"), {src: target + address}));
                  await frame.contentWindow.fetch(target, {mode: "no-cors"});
                  found.push(address);
                } catch {}
              }
              return found;
            }""",
            target,
        )
    assert reachable == []
    assert hits == []
