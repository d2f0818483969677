"""Walls that a browser meets, each with how it is taken away and the deed that then succeeds.

A deed makes one attack and says whether it got through. That it does not with every wall in place is tested
with the other attacks; the deeds that are only here are also made so. Walls that no browser is needed for are
in `walls_of_server.py`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

import pytest
from arena import OPAQUE, OWN_ORIGIN, WAIT, Arena, arena
from bench import opened_workbench
from edits import Edit, csp, drop_directive, drop_header, text
from fighting import flood
from foreign_page import foreign_page, intrude
from misplaced import (
    elsewhere_hears,
    elsewhere_speaks,
    embedder_hears,
    embedder_speaks,
    speaks_from_the_views_place,
    speaks_with_an_origin,
)
from mutations import PAGE_SCRIPT, PROXY, SHELL, VIEW
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame, Locator, Page
from served import WAIT_MS

import fanlight.host.asgi
import fanlight.host.showing
from fanlight.host.showing import Frames
from fanlight.sandbox import Origins
from fanlight.upstream import Tool

__all__ = ["LAST_TO_HOLD", "ONLY_HERE", "WALLS", "Wall"]

# A page that is frozen stays so; that an idle one has its turns within a second is tested elsewhere.
_FROZEN_SECONDS = 5.0

Patch = Callable[[pytest.MonkeyPatch], None]
Deed = Callable[[Page, Iterable[Edit]], Awaitable[bool]]


@dataclass(frozen=True)
class Wall:
    """A wall, the attack that notices that it is missing, and what else stands behind it."""

    wall: str
    notices: str
    deed: Deed
    edits: tuple[Edit, ...] = ()
    patch: Patch = lambda monkeypatch: None
    behind: str = ""


# Deeds in a view


def in_view(attack: str, *, neighbour: bool = False, name: str = OWN_ORIGIN) -> Deed:
    async def deed(page: Page, edits: Iterable[Edit]) -> bool:
        async with arena(name, edits=edits) as place:
            await place.open(page)
            if neighbour:
                await place.add(page, "neighbour")
                await place.news.until(lambda: place.hostile.neighbour)
            over = await place.add(page, only=attack)

            def arrived() -> bool:
                return place.news.arrived(attack) or place.news.arrived(f"{attack}-channel")

            await place.news.until(lambda: over() or arrived() or place.news.report_of(attack))
            return arrived() or place.news.word_of(attack)[0] == "through"

    return deed


def with_a_click(attack: str) -> Deed:
    async def deed(page: Page, edits: Iterable[Edit]) -> bool:
        async with arena(OWN_ORIGIN, edits=edits) as place:
            button = await _button(page, place, attack)
            await button.click()
            await place.news.until(lambda: place.news.arrived(attack) or place.news.report_of(attack))
            return place.news.arrived(attack) or place.news.word_of(attack)[0] == "through"

    return deed


async def saves_a_file(page: Page, edits: Iterable[Edit]) -> bool:
    async with arena(OWN_ORIGIN, edits=edits) as place:
        button = await _button(page, place, "download")
        async with page.expect_download(timeout=WAIT_MS) as download:
            await button.click()
        return (await download.value).suggested_filename == "hostile.txt"


async def _button(page: Page, place: Arena, attack: str) -> Locator:
    """What makes an attack that needs a click, once it is there to be clicked."""
    await place.open(page)
    await place.add(page, only=attack)
    frame = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
    button = frame.locator("#click")
    await button.wait_for(timeout=WAIT * 1000)
    return button


async def _frame_at(page: Page, path: str) -> Frame:
    """The one frame at such an address; the host may hear from it before Playwright does."""
    while not (found := [frame for frame in page.frames if path in frame.url]):
        await page.wait_for_event("framenavigated", timeout=WAIT * 1000)
    (frame,) = found
    return frame


def freezes(attack: str) -> Deed:
    async def deed(page: Page, edits: Iterable[Edit]) -> bool:
        async with arena(OWN_ORIGIN, edits=edits) as place:
            return (await flood(page, place, attack, _FROZEN_SECONDS))[0] == "through"

    return deed


async def sibling_speaks(page: Page, edits: Iterable[Edit]) -> bool:
    """A frame of the host's own origin, which the proxy's parent is not, speaks in the host's name."""
    async with arena(OWN_ORIGIN, edits=edits) as place:
        await place.open(page)
        await place.add(page, "neighbour")
        await place.news.until(lambda: place.hostile.neighbour)
        await page.evaluate(
            """() => {
              const proxy = document.querySelector("fanlight-view").shadowRoot.querySelector("iframe");
              const sibling = document.body.appendChild(document.createElement("iframe"));
              sibling.contentWindow.proxy = proxy.contentWindow;
              sibling.contentWindow.eval(`proxy.postMessage(
                {jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {forged: true}}, "*")`);
              // In order behind it, by the right window: the neighbour answers this one in any case.
              proxy.contentWindow.postMessage({jsonrpc: "2.0", id: "last", method: "ping", params: {}}, "*");
            }"""
        )
        # An answer has no method; all that the neighbour said before was asked or told.
        await page.wait_for_function(
            "() => heard.some(([relayed, method]) => relayed && method === '')", timeout=WAIT * 1000
        )
        await place.add(page, "neighbour", server="after")
        first = place.hostile.neighbour["mark"]
        if place.hostile.neighbour["believed"]:
            return True
        await place.news.until(
            lambda: place.hostile.neighbour["mark"] != first or place.hostile.neighbour["believed"]
        )
        return bool(place.hostile.neighbour["believed"])


async def second_document(page: Page, edits: Iterable[Edit]) -> bool:
    """The frame of the proxy goes to another document; whether the view lives on."""
    async with arena(OWN_ORIGIN, edits=edits) as place:
        over = await _neighbour_that_may_end(page, place)
        await page.evaluate(
            """() => new Promise((done) => {
              const proxy = document.querySelector("fanlight-view").shadowRoot.querySelector("iframe");
              proxy.addEventListener("load", done);
              proxy.src = new URL("/apps/nothing", proxy.src).href;
            })"""
        )
        return await _lives_on(page, place, over)


async def taken_out(page: Page, edits: Iterable[Edit]) -> bool:
    """The view removes its own frame: nobody sees it, and the shell that it could script is still there."""
    async with arena(OWN_ORIGIN, edits=edits) as place:
        over = await _neighbour_that_may_end(page, place)
        shell, proxy = await _frame_at(page, SHELL), await _frame_at(page, PROXY)
        await shell.evaluate("() => document.querySelector('iframe').remove()")
        # Timers of one document keep their order: by then it has looked.
        with suppress(PlaywrightError):  # the frame is gone when the view was ended
            await proxy.evaluate("() => new Promise((done) => setTimeout(done, 2500))")
        return await _lives_on(page, place, over)


async def _neighbour_that_may_end(page: Page, place: Arena) -> Callable[[], bool]:
    await place.open(page)
    over = await place.add(page, "neighbour")
    await place.news.until(lambda: place.hostile.neighbour)
    return over


async def _lives_on(page: Page, place: Arena, over: Callable[[], bool]) -> bool:
    """What the page said before this has arrived when a view that it shows afterwards is heard."""
    first = place.hostile.neighbour["mark"]
    await place.add(page, "neighbour", server="after")
    await place.news.until(lambda: place.hostile.neighbour["mark"] != first)
    return not over()


# Deeds from outside


def from_another_page(sentence: str) -> Deed:
    async def deed(page: Page, edits: Iterable[Edit]) -> bool:
        async with opened_workbench(page, edits) as bench, foreign_page() as foreign:
            await page.goto(f"http://127.0.0.1:{foreign.port}/")
            return any(done.startswith(sentence) for done in await intrude(page, bench.target))

    return deed


async def referrer_is_told(page: Page, edits: Iterable[Edit]) -> bool:
    """A window that the workbench's page opens is told from where."""
    async with opened_workbench(page, edits), foreign_page() as foreign:
        address = f"http://127.0.0.1:{foreign.port}/"
        async with page.context.expect_page(timeout=WAIT_MS) as opening:
            await page.evaluate("(address) => void open(address)", address)
        await (await opening.value).wait_for_url(address, timeout=WAIT_MS)
        return bool(foreign.referrers)


# How the walls are taken away


def same_origin_views(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Origins, "view_origin", lambda self, app: self.sandbox)


def one_label(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanlight.host.showing, "app_label", lambda server, uri: f"v{'0' * 24}")


def served_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Frames, "take", lambda self, kind, host_header: True)


def any_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tool, "app_may_call", property(lambda self: True))


def any_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fanlight.host.asgi, "stranger", lambda *args, **kwargs: None)


def _allowing(flag: str) -> tuple[Edit, ...]:
    return (
        text(PAGE_SCRIPT, 'sandbox: "allow-scripts', f'sandbox: "{flag} allow-scripts'),
        text(PROXY, 'data-sandbox="', f'data-sandbox="{flag} '),
        text(SHELL, 'data-sandbox="', f'data-sandbox="{flag} '),
    )


_CAMERA = 'data-allow="camera *'
_NOT_COMPARED = text(SHELL, "if (!left && served !== undefined && ", "if (false && ")
_SECOND_LOAD = text(SHELL, "if ((loads > 1 || !isOurs(apply(documentOf, frame, []))) && !left) leave();", "")
_FRAMED = (drop_directive(PROXY, "frame-ancestors"), drop_directive(VIEW, "frame-ancestors"))
_ANCESTORS = "frame-ancestors of proxy and view"
WALLS = [
    Wall("an origin for views", "proxy-document", in_view("proxy-document"), patch=same_origin_views),
    Wall(
        "an origin for each app",
        "neighbour-storage",
        in_view("neighbour-storage", neighbour=True),
        patch=one_label,
    ),
    Wall(
        "documents are served once",
        "leave-reload",
        in_view("leave-reload", name=OPAQUE),
        (
            text(PROXY, "if (loads > 1) return end", "if (false) return end"),
            drop_header(VIEW, "connection-allowlist"),
        ),
        served_again,
        behind="a second document ends the view, Connection-Allowlist",
    ),
    Wall("visibility of tools", "model-only-tool", in_view("model-only-tool"), patch=any_tool),
    Wall(
        "window and origin of what the host page hears",
        "forge-call",
        in_view("forge-call"),
        (
            text(
                PAGE_SCRIPT,
                "if (source !== this.element.contentWindow || origin !== this.origin)",
                "if (false)",
            ),
        ),
    ),
    Wall(
        "window of what the proxy takes for the host",
        "a sibling frame speaks",
        sibling_speaks,
        (text(PROXY, "if (source === parent) fromHost", "if (source !== frame.contentWindow) fromHost"),),
    ),
    Wall(
        "sandbox of the frames",
        "popup",
        with_a_click("popup"),
        _allowing("allow-popups"),
        behind="each of the three frames has it",
    ),
    Wall(
        "allow of the frames",
        "devices",
        in_view("devices"),
        (
            text(PAGE_SCRIPT, "      allow,\n", '      allow: "camera *",\n'),
            text(PROXY, 'data-allow="', _CAMERA),
            text(SHELL, 'data-allow="', _CAMERA),
            drop_header(SHELL, "permissions-policy"),
            drop_header(VIEW, "permissions-policy"),
        ),
        behind="Permissions-Policy of shell and view",
    ),
    Wall(
        "Origin-Agent-Cluster",
        "flood-loop",
        freezes("flood-loop"),
        (drop_header(VIEW, "origin-agent-cluster"), drop_header(SHELL, "origin-agent-cluster")),
    ),
    Wall(
        "a view that leaves no time is ended",
        "flood-messages",
        freezes("flood-messages"),
        (text(PROXY, "if (floods(data)) return end", "if (false) return end"),),
    ),
    Wall(
        "what a view says is weighed as it would be written",
        "flood-folded",
        freezes("flood-folded"),
        (text(PROXY, "weight += weigh(data);", "weight += 1;"),),
    ),
    Wall(
        "a view that leaves no time past the channel is ended",
        "flood-past",
        freezes("flood-past"),
        (text(PAGE_SCRIPT, "if (this.past <= MOST_PAST) return;", "return;"),),
    ),
    Wall(
        "who may load the page's scripts",
        "another page runs view.js",
        from_another_page("run it as a classic script"),
        (drop_header("/apps/view.js", "cross-origin-resource-policy"),),
        any_page,
        behind="Cross-Origin-Resource-Policy",
    ),
    Wall(
        "sandbox of the frames without downloads",
        "download",
        saves_a_file,
        _allowing("allow-downloads"),
        behind="each of the three frames has it",
    ),
    Wall(
        "sandbox of the frames without top navigation",
        "top-location",
        with_a_click("top-location"),
        (*_allowing("allow-top-navigation"), drop_header(VIEW, "connection-allowlist")),
        behind="each of the three frames has it, Connection-Allowlist",
    ),
    Wall(
        "a second document in the proxy's frame ends the view",
        "the proxy's frame goes elsewhere",
        second_document,
        (text(PAGE_SCRIPT, 'if (this.loads > 1) this.signal("view-navigated");', ""),),
    ),
    Wall(
        "another document in the shell has no channel",
        "leave-reload",
        in_view("leave-reload"),
        (
            _NOT_COMPARED,
            _SECOND_LOAD,
            drop_header(SHELL, "connection-allowlist"),
            drop_header(VIEW, "connection-allowlist"),
        ),
        served_again,
        behind="documents are served once, a second load ends the view, Connection-Allowlist",
    ),
    Wall(
        "the proxy looks whether the view is there",
        "a view takes itself out of the shell",
        taken_out,
        (text(PROXY, "setInterval(look, LOOK_MS);", ""), _NOT_COMPARED),
        behind="the shell compares documents when something is said",
    ),
    Wall(
        "origin of what the host page hears",
        "another document in the proxy's frame speaks",
        elsewhere_speaks,
        (text(PAGE_SCRIPT, " || origin !== this.origin", ""),),
    ),
    Wall(
        "exact target of what the host page says",
        "another document in the proxy's frame listens",
        elsewhere_hears,
        (text(PAGE_SCRIPT, "postMessage(message, this.origin)", 'postMessage(message, "*")'),),
    ),
    Wall(
        "origin of what the proxy takes for the host",
        "another page shows the proxy and speaks",
        embedder_speaks,
        (text(PROXY, "if (origin !== host) return;", ""), *_FRAMED),
        behind=_ANCESTORS,
    ),
    Wall(
        "exact target of what the proxy says to the host",
        "another page shows the proxy and listens",
        embedder_hears,
        (text(PROXY, "parent.postMessage(data, host)", 'parent.postMessage(data, "*")'), *_FRAMED),
        behind=_ANCESTORS,
    ),
    Wall(
        "origin of what the proxy takes for the view",
        "an opaque view that has an origin speaks",
        speaks_with_an_origin,
        (
            text(PROXY, " && origin === viewOrigin", ""),
            text(PROXY, 'data-sandbox="', 'data-sandbox="allow-same-origin '),
            csp(VIEW, r"sandbox [^;]*", "sandbox allow-scripts allow-forms allow-same-origin"),
        ),
        behind="sandbox of the frame, sandbox in the view's own policy",
    ),
    Wall(
        "origin of what the shell takes for the view",
        "another document in the view's frame speaks",
        speaks_from_the_views_place,
        (
            text(SHELL, " && origin === own", ""),
            _NOT_COMPARED,
            _SECOND_LOAD,
            csp(SHELL, r"frame-src [^;]*", "frame-src *"),
            drop_header(SHELL, "connection-allowlist"),
            drop_header(VIEW, "connection-allowlist"),
        ),
        behind="another document has no channel, frame-src of the shell, Connection-Allowlist",
    ),
    Wall(
        "Referrer-Policy of the page",
        "a window that the page opens is told from where",
        referrer_is_told,
        (
            drop_header("/", "referrer-policy"),
            text("/", '<meta name="referrer" content="no-referrer">', ""),
        ),
        behind="the same word in the document",
    ),
]
# The first edit is the wall; the others take away what is behind it, and would not do alone.
_MISPLACED = (
    elsewhere_hears, elsewhere_speaks, embedder_hears, embedder_speaks, speaks_from_the_views_place,
    speaks_with_an_origin,
)  # fmt: skip
LAST_TO_HOLD = [
    wall
    for wall in WALLS
    if wall.deed in _MISPLACED or wall.wall == "another document in the shell has no channel"
]
_OTHERS = (sibling_speaks, second_document, taken_out, referrer_is_told)
ONLY_HERE = [wall for wall in WALLS if wall.deed in _OTHERS]
