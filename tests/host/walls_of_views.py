"""The walls between a view's wishes and what is done: rates, sizes, links, the person, pins, permissions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from page_client import page, served
from wall import Deed, ServerWall, away
from wishes import scene

import fanlight.host.requests.of_page
import fanlight.host.showing
from fanlight.host import Host, Pins, ViewLimits
from fanlight.host.gate import Gate, _Outcome
from fanlight.host.limits import Meter, Rate
from fanlight.host.requests.base import Asked
from fanlight.upstream import AppDocument

__all__ = ["WALLS_OF_VIEWS"]

# One, and the next after twenty minutes.
SELDOM = Rate(1, 0.001)
RATES = {
    "tool-call": "tool_calls",
    "message": "messages",
    "open-link": "links",
    "download": "downloads",
    "sampling": "sampling",
    "display-mode": "display_modes",
}
URI = "ui://app/view.html"


def too_often(kind: str) -> Deed:
    async def deed(folder: Path) -> bool:
        limits: Any = {RATES[kind]: SELDOM}
        async with scene(limits=ViewLimits(**limits)) as found:
            return [await found.wish(kind) for _ in range(2)] == ["", ""]

    return deed


async def reads_too_often(folder: Path) -> bool:
    async with scene(limits=ViewLimits(reads=SELDOM)) as found:
        answers = [await found.client.asks("resources/read", {"uri": "file://note"}) for _ in range(2)]
        return all("result" in answer for answer in answers)


async def context_too_often(folder: Path) -> bool:
    async with scene(limits=ViewLimits(context_updates=SELDOM)) as found:
        answers = [await found.client.asks("ui/update-model-context", {"content": []}) for _ in range(2)]
        return all("result" in answer for answer in answers)


async def sizes_too_often(folder: Path) -> bool:
    async with scene(limits=ViewLimits(sizes=SELDOM)) as found:
        for height in (100, 200, 300):
            await found.client.notifies("ui/notifications/size-changed", {"width": 100, "height": height})
        await found.client.asks("ping")
        return len([frame for frame in found.client.frames if frame["op"] == "size"]) == 3


async def long_message(folder: Path) -> bool:
    async with scene(limits=ViewLimits(message_size=10)) as found:
        return await found.wish("message") == ""


async def executing_link(folder: Path) -> bool:
    async with scene() as found:
        await found.client.asks("ui/open-link", {"url": "javascript:alert(1)//x.example"})
        return any(frame["op"] == "open-link" for frame in found.client.frames)


async def disguised_link(folder: Path) -> bool:
    async with scene() as found:
        await found.client.asks("ui/open-link", {"url": "https://bank.example@evil.example/"})
        return any(frame["op"] == "open-link" for frame in found.client.frames)


async def unasked(folder: Path) -> bool:
    async with scene(ask="deny") as found:
        return await found.wish("open-link") == ""


def app(html: str) -> MCPServer[Any]:
    apps = Apps()
    apps.add_html_resource(URI, html)

    @apps.tool(resource_uri=URI)
    def show() -> str:
        return "the tool's text"

    return MCPServer("app", extensions=[apps])


async def changed_app(folder: Path) -> bool:
    """An app is shown once, then it changes, and nobody is there to accept it."""
    for html in ("<p>one", "<p>two"):
        async with Host(pins=Pins(folder / "pins.json"), ask="deny") as host, served(host) as port:
            server = await host.connect("app", app(html))
            view = (await server.call_tool("show")).view
            assert view is not None
            async with page(port, view) as client:
                await client.attach()
                told = await client.until(lambda frame: frame["op"] in ("mount", "verdict"))
    return bool(told["op"] == "mount")


async def camera_against_the_host(folder: Path) -> bool:
    async with Host(permissions=[]) as host:
        server = await host.connect("app", app("<p>"))
        view = (await server.call_tool("show")).view
        assert view is not None
        document = AppDocument(URI, "<p>", {"permissions": {"camera": {}}})
        origins = host.addresses.page_origins("fanlight.localhost:9470", "http")
        assert origins is not None
        return "camera" in host.showings.open(view, document, origins).mount_facts()["allow"]


async def allowed_by_all(self: Gate, *args: object) -> _Outcome:
    return _Outcome(True, "person", "")


def nothing(*args: object, **kwargs: object) -> None:
    """In the place of what refuses."""


_NO_METER = away((Meter, "take", lambda self, now: 0.0))
_ANY_LINK = away((fanlight.host.requests.of_page, "link_fault", nothing))
WALLS_OF_VIEWS = [
    *(ServerWall(f"rate of {kind}s", "one too soon", too_often(kind), _NO_METER) for kind in RATES),
    ServerWall("rate of reads", "one too soon", reads_too_often, _NO_METER),
    ServerWall("rate of context updates", "one too soon", context_too_often, _NO_METER),
    ServerWall("rate of sizes", "two too soon", sizes_too_often, _NO_METER),
    ServerWall("size of a message", "a longer one", long_message, away((Asked, "check_size", nothing))),
    ServerWall("schemes of links", "`javascript:`", executing_link, _ANY_LINK),
    ServerWall("links without user names", "`https://bank.example@evil.example/`", disguised_link, _ANY_LINK),
    ServerWall(
        "the person is asked", "a link that nobody allowed", unasked, away((Gate, "_ask", allowed_by_all))
    ),
    ServerWall("pins", "an app that has changed", changed_app, away((Pins, "seen", nothing))),
    ServerWall(
        "permissions that the host gives",
        "a camera where it gives none",
        camera_against_the_host,
        away((fanlight.host.showing, "granted_permissions", lambda declared, allowed, opaque: declared)),
    ),
]
