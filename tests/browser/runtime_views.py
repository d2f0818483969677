"""Views on `view.js`, and a page that plays their host: it answers from a table and remembers what it heard.

The page is for what our host would never do (refusals, silence, losing a view). In it, `heard` are all
messages of the view, `answers[method]` is a function of the params or a value (`{error}` refuses), `tell`
notifies and `ask` requests something of the view.
"""

from __future__ import annotations

import json
from typing import Any

from playwright.async_api import Frame, Page
from served import WAIT_MS, known

from fanlight.runtime import read_asset

# The letter of the specification for an app that declared nothing.
STRICT_CSP = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'"
)
_HOST = """<!doctype html><meta charset=utf-8><body><script>
const heard = [], answers = {}, waiting = new Map();
const welcome = WELCOME;
let frame, count = 0;
let post = (message) => frame.contentWindow.postMessage({jsonrpc: "2.0", ...message}, "*");
const tell = (method, params) => post({method, params});
const ask = (method, params) => new Promise((done) => {
  waiting.set(++count, done);
  post({id: count, method, params});
});
addEventListener("message", async ({source, data}) => {
  if (source !== frame?.contentWindow) return;
  heard.push(data);
  if (data.method === undefined) waiting.get(data.id)?.(data);
  else if (data.id !== undefined) {
    const known = answers[data.method] ?? (data.method === "ui/initialize" ? welcome : {});
    const said = typeof known === "function" ? await known(data.params) : known;
    if (said !== "silence") post(said.error ? {id: data.id, error: said.error} : {id: data.id, result: said});
  }
});
function show(html, sandbox, height = 300) {
  frame?.remove();
  frame = Object.assign(document.createElement("iframe"), {srcdoc: html});
  if (sandbox !== null) frame.setAttribute("sandbox", sandbox);
  frame.style.cssText = `width: 500px; height: ${height}px; border: 0`;
  document.body.append(frame);
}
</script></body>"""
# For the script of a view: its timers wait for `elapse(ms)`, so that no answer of its host can come too late.
HELD_TIMERS = """
  const held = [];
  window.setTimeout = (run, ms, ...args) => held.push([run, ms, args]);
  window.elapse = (most) => { for (const [run, ms, args] of held.splice(0)) if (ms <= most) run(...args); };
"""
WELCOME: dict[str, Any] = {
    "protocolVersion": "2026-01-26",
    "hostInfo": {"name": "played", "version": "1"},
    "hostCapabilities": {"serverTools": {}, "openLinks": {}},
    "hostContext": {"theme": "dark", "availableDisplayModes": ["inline", "fullscreen"]},
}


def view_html(body: str = "", script: str = "", *, head: str = "", title: str = "A view") -> str:
    """A document with the runtime inlined before everything else, as the server kit does it."""
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8>{head}<title>{title}</title>"
        f"<script>{read_asset('view.js').decode()}</script></head>"
        f"<body>{body}<script>{script}</script></body></html>"
    )


def csp(policy: str = STRICT_CSP) -> str:
    return f'<meta http-equiv="Content-Security-Policy" content="{policy}">'


class PlayedHost:
    """The page that plays a host for one view."""

    def __init__(self, page: Page) -> None:
        self.page = page

    @classmethod
    async def open(cls, page: Page, **welcome: Any) -> PlayedHost:
        """An empty host; `welcome` replaces fields of its answer to `ui/initialize`."""
        await page.set_content(_HOST.replace("WELCOME", json.dumps({**WELCOME, **welcome})))
        return cls(page)

    async def show(self, html: str, *, sandbox: str | None = "allow-scripts", height: int = 300) -> Frame:
        """Put the view into a frame and give its document, once it has been parsed."""
        async with self.page.expect_event("frameattached", timeout=WAIT_MS) as attached:
            await self.page.evaluate("(args) => show(...args)", [html, sandbox, height])
        frame = await attached.value
        # Not the empty document that every frame has at first.
        await known(self.page, lambda: frame.url == "about:srcdoc")
        await frame.wait_for_load_state("load", timeout=WAIT_MS)
        return frame

    async def connected(self, html: str, **how: Any) -> Frame:
        """The same, and wait until the view has said `initialized`."""
        frame = await self.show(html, **how)
        await self.heard("ui/notifications/initialized")
        return frame

    async def heard(self, method: str, count: int = 1) -> list[Any]:
        """The params of the messages of this method, once there are that many."""
        await self.page.wait_for_function(
            "([method, count]) => heard.filter((message) => message.method === method).length >= count",
            arg=[method, count],
            timeout=WAIT_MS,
        )
        return list(
            await self.page.evaluate(
                "(method) => heard.filter((message) => message.method === method)"
                ".map((message) => message.params ?? {})",
                method,
            )
        )

    async def tell(self, method: str, params: dict[str, Any]) -> None:
        await self.page.evaluate("([method, params]) => tell(method, params)", [method, params])

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        """The view's whole answer to a request."""
        return await self.page.evaluate("([method, params]) => ask(method, params)", [method, params])

    async def answer(self, method: str, code: str) -> None:
        """From now on this method is answered with the value of this JavaScript."""
        await self.page.evaluate(f"void (answers[{json.dumps(method)}] = {code})")
