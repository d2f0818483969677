"""The layout that we are compared with: published AppBridge, proxy and view on one origin, HTML written in.

A small host of ours, built from the description of the reference host, not a copy of it. Its host page passes
on what a view asks, as that one does.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from arena import HOST_SECRET, Asked, News
from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from fanlight.demos.hostile.listener import Listener
from fanlight.demos.hostile.server import Hostile
from fanlight.errors import FanlightError
from fanlight.host.serve import bind_loopback, serving
from fanlight.upstream import ClientIdentity, ObjectTarget, Upstream, open_upstream

__all__ = ["Reference", "bundled_host", "reference_layout"]

FILES = Path(__file__).parent / "reference_layout"
_PATIENCE = 20.0
# `heard` is what the comparison asks every host page for; see arena.py.
_PAGE = """<!doctype html><html data-sandbox="{sandbox}"><meta charset=utf-8><link rel=icon href="data:,">
<title>Host</title><body><script>
  localStorage.setItem("host-secret", "{secret}");
  const heard = [];
  addEventListener("message", ({{data, source}}) => heard.push([
    source?.parent === window, typeof data?.method === "string" ? data.method : "",
    Boolean(data?.params?.forged)]));
</script><script type=module src=/host.js></script></body></html>"""


def bundled_host(peers: Path) -> str:
    """The host page's script with the published AppBridge in it."""
    command = [
        str(peers / ".bin" / "esbuild"),
        str(FILES / "host.mjs"),
        "--bundle",
        "--format=esm",
        "--log-level=error",
    ]
    built = subprocess.run(
        command,
        env={**os.environ, "NODE_PATH": str(peers)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    return built.stdout


class Reference:
    """The hostile server in the reference layout."""

    def __init__(self, hostile: Hostile, upstream: Upstream, script: str) -> None:
        self.hostile = hostile
        self.news = News(hostile)
        self.url = ""
        self.sandbox = ""
        self._upstream = upstream
        self._script = script

    async def open(self, page: Page) -> None:
        await page.goto(self.url)
        await page.wait_for_function("() => globalThis.openView")

    async def add(self, page: Page, tool: str = "attack", **arguments: str) -> Callable[[], bool]:
        attack = arguments.get("only", "")
        begun = len(self.hostile.runs)
        page.on("framenavigated", lambda frame: self.news.stir())
        await page.evaluate("([tool, args]) => void openView(tool, args)", [tool, arguments])
        if not attack:
            return lambda: False
        await self.news.until(lambda: len(self.hostile.runs) > begun)
        # This host never ends a view, and a view that left cannot tell: it is over when others know of it, or
        # when it had its time.
        loop = asyncio.get_running_loop()
        until = loop.time() + _PATIENCE
        loop.call_at(until, self.news.stir)
        return lambda: (
            self.news.arrived(attack)
            or any(f"hostile={attack}" in frame.url for frame in page.frames)
            or loop.time() >= until
        )

    async def address_of(self, *views: Asked) -> str:
        return f"{self.url}?open={quote(json.dumps(views))}"

    def ended(self) -> int:
        return 0

    # The host page's server

    async def index(self, request: Request) -> Response:
        response = HTMLResponse(_PAGE.format(sandbox=self.sandbox, secret=HOST_SECRET))
        response.set_cookie("host-secret", HOST_SECRET)
        return response

    async def script(self, request: Request) -> Response:
        return Response(self._script, media_type="text/javascript")

    async def open_view(self, request: Request) -> Response:
        body = await request.json()
        tools = (await self._upstream.request("tools/list"))["tools"]
        uri = next(tool for tool in tools if tool["name"] == body["tool"])["_meta"]["ui"]["resourceUri"]
        (content,) = (await self._upstream.request("resources/read", {"uri": uri}))["contents"]
        result = await self._upstream.request(
            "tools/call", {"name": body["tool"], "arguments": body["arguments"]}
        )
        csp = content.get("_meta", {}).get("ui", {}).get("csp", {})
        return JSONResponse({"html": content["text"], "csp": csp, "result": result})

    def forward(self, method: str) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            try:
                return JSONResponse(await self._upstream.request(method, await request.json()))
            except FanlightError as error:
                return PlainTextResponse(str(error), status_code=400)

        return endpoint


async def _sandbox(request: Request) -> Response:
    """The policy is what the address asks for."""
    try:
        csp = json.loads(request.query_params.get("csp", ""))
    except ValueError:
        csp = {}
    resources = " ".join(csp.get("resourceDomains", []))
    connect = " ".join(csp.get("connectDomains", []))
    frames = " ".join(csp.get("frameDomains", [])) or "'none'"
    bases = " ".join(csp.get("baseUriDomains", [])) or "'none'"
    policy = (
        "default-src 'self' 'unsafe-inline'; "
        f"script-src 'self' 'unsafe-inline' 'unsafe-eval' blob: data: {resources}; "
        f"style-src 'self' 'unsafe-inline' blob: data: {resources}; img-src 'self' data: blob: {resources}; "
        f"font-src 'self' data: blob: {resources}; connect-src 'self' {connect}; "
        f"worker-src 'self' blob: {resources}; "
        f"frame-src {frames}; object-src 'none'; base-uri {bases}"
    )
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-cache, no-store, must-revalidate"}
    return HTMLResponse((FILES / "sandbox.html").read_text("utf-8"), headers=headers)


@asynccontextmanager
async def reference_layout(script: str) -> AsyncIterator[Reference]:
    """Host page and sandbox on two ports of `localhost`; `script` is what `bundled_host` made."""
    async with Listener() as listener:
        hostile = Hostile(listener)
        upstream = await open_upstream(
            "hostile", ObjectTarget(hostile.server), ClientIdentity("reference", "1")
        )
        place = Reference(hostile, upstream, script)
        sandbox = Starlette(routes=[Route("/sandbox.html", _sandbox)])
        pages = Starlette(
            routes=[
                Route("/", place.index),
                Route("/host.js", place.script),
                Route("/open", place.open_view, methods=["POST"]),
                Route("/call", place.forward("tools/call"), methods=["POST"]),
                Route("/read", place.forward("resources/read"), methods=["POST"]),
            ]
        )
        try:
            async with (
                serving(sandbox, bind_loopback(0)) as sandbox_port,
                serving(pages, bind_loopback(0)) as page_port,
            ):
                place.sandbox = f"http://localhost:{sandbox_port}"
                place.url = f"http://localhost:{page_port}/"
                yield place
        finally:
            await upstream.aclose()
