"""Deeds of documents that stand where another one belongs: around the proxy, in its frame, in the view's.

Origins are checked for these. Windows alone tell nothing: a frame keeps its window, whatever is shown in it.
What such a document says is told apart from silence by a word that follows it on the same way.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from arena import OPAQUE, OWN_ORIGIN, WAIT, Arena, arena
from bench import addresses_of
from edits import Edit
from foreign_page import foreign_page
from playwright.async_api import Frame, Page
from served import known
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from fanlight.host.serve import bind_loopback, serving

__all__ = [
    "elsewhere_hears", "elsewhere_speaks", "embedder_hears", "embedder_speaks", "speaks_from_the_views_place",
    "speaks_with_an_origin",
]  # fmt: skip

_WORD = '{jsonrpc: "2.0", id: "misplaced", method: "ping", params: {}}'
_LISTEN = "self.told = []; addEventListener('message', ({data}) => told.push(data.id ?? data.method))"
_TOLD_LAST = "() => told.includes('last')"
# In the proxy, behind its own listener: what it hears from one side is followed by a word to the other.
_FOLLOW = """() => addEventListener("message", ({source, data}) =>
  data.id === "misplaced" && (source === parent ? frames[0] : parent).postMessage({id: "last"}, "*"))"""


async def _frame_at(page: Page, address: str) -> Frame:
    await known(page, lambda: any(address in frame.url for frame in page.frames))
    return next(frame for frame in page.frames if address in frame.url)


async def _until(frame: Frame, expression: str) -> None:
    # By a clock: a frame that is not to be seen is not drawn, and Playwright would look when it is.
    await frame.wait_for_function(expression, polling=20, timeout=WAIT * 1000)


@asynccontextmanager
async def _embedded(page: Page, edits: Iterable[Edit]) -> AsyncIterator[tuple[Frame, Frame]]:
    """Another page with the proxy of an opaque view in a frame; yields proxy and view. All listen."""
    async with arena(OPAQUE, edits=edits) as place, foreign_page() as foreign:
        view = await place.view("neighbour")
        address = addresses_of(place.host, view, f"{OPAQUE}:{place.port}")["proxy"]
        await page.goto(f"http://{OPAQUE}:{foreign.port}/")
        await page.evaluate(_LISTEN)
        await page.evaluate(
            "(src) => void document.body.append(Object.assign(document.createElement('iframe'), {src}))",
            address,
        )
        inside, proxy = await _frame_at(page, "/view/"), await _frame_at(page, "/sandbox/")
        await proxy.evaluate(_FOLLOW)
        await inside.evaluate(_LISTEN)
        # A view that has spoken is listened to.
        await inside.evaluate(f"parent.postMessage({_WORD}, '*')")
        await _until(page.main_frame, _TOLD_LAST)
        yield proxy, inside


async def embedder_hears(page: Page, edits: Iterable[Edit]) -> bool:
    """Another page shows the proxy and hears what the view says."""
    async with _embedded(page, edits):
        return "misplaced" in await page.evaluate("told")


async def embedder_speaks(page: Page, edits: Iterable[Edit]) -> bool:
    """Another page shows the proxy and speaks to the view."""
    async with _embedded(page, edits) as (_, inside):
        await page.evaluate(f"frames[0].postMessage({_WORD}, '*')")
        await _until(inside, _TOLD_LAST)
        return "misplaced" in await inside.evaluate("told")


async def speaks_with_an_origin(page: Page, edits: Iterable[Edit]) -> bool:
    """The document of an opaque view turns out to have an origin, that of the proxy; whether it is heard."""
    async with arena(OPAQUE, edits=edits) as place:
        await place.open(page)
        await place.add(page, "neighbour")
        inside, proxy = await _frame_at(page, "/view/"), await _frame_at(page, "/sandbox/")
        await page.evaluate(_LISTEN)
        await proxy.evaluate(_FOLLOW)
        await inside.evaluate(f"parent.postMessage({_WORD}, '*')")
        await _until(page.main_frame, _TOLD_LAST)
        return "misplaced" in await page.evaluate("told")


async def speaks_from_the_views_place(page: Page, edits: Iterable[Edit]) -> bool:
    """The view's frame in the shell goes to another origin; whether what is there is heard."""
    async with arena(OWN_ORIGIN, edits=edits) as place, foreign_page() as foreign:
        await _shown_neighbour(page, place)
        await page.evaluate(_LISTEN)
        inside, shell = await _frame_at(page, "/view/"), await _frame_at(page, "/shell/")
        address = f"http://{OPAQUE}:{foreign.port}/"
        await inside.evaluate("(address) => void setTimeout(() => location.assign(address))", address)
        other = await _frame_at(page, address)
        await shell.evaluate(
            """() => {
              const at = document.querySelector("iframe").contentWindow;
              // Behind the shell's own listener, and then through it, in the name of the view.
              addEventListener("message", ({source, data, isTrusted}) => isTrusted && source === at &&
                dispatchEvent(new MessageEvent("message",
                  {data: {...data, id: "last"}, source: at, origin: location.origin})), true);
            }"""
        )
        await other.evaluate(f"parent.postMessage({_WORD}, '*')")
        await _until(page.main_frame, _TOLD_LAST)
        return "misplaced" in await page.evaluate("told")


# The frame of the proxy


@asynccontextmanager
async def _elsewhere(page: Page, edits: Iterable[Edit]) -> AsyncIterator[tuple[Arena, Frame, asyncio.Event]]:
    """The page sent the proxy's frame to another origin, whose document is loaded when the event is set."""
    loaded = asyncio.Event()

    async def slow(request: Request) -> StreamingResponse:
        async def parts() -> AsyncIterator[str]:
            # So much that the browser shows it before there is more.
            yield f"<!doctype html><script>{_LISTEN}</script>{' ' * 65536}"
            await loaded.wait()

        return StreamingResponse(parts(), media_type="text/html")

    async with (
        serving(Starlette(routes=[Route("/", slow)]), bind_loopback(0)) as port,
        arena(OWN_ORIGIN, edits=edits) as place,
    ):
        try:
            await _shown_neighbour(page, place)
            await page.evaluate(_LISTEN)
            address = f"http://{OPAQUE}:{port}/"
            await page.evaluate(
                """(address) => {
                  document.querySelector("fanlight-view").shadowRoot.querySelector("iframe").src = address;
                }""",
                address,
            )
            other = await _frame_at(page, address)
            await _until(other, "self.told")
            yield place, other, loaded
        finally:
            loaded.set()


async def elsewhere_speaks(page: Page, edits: Iterable[Edit]) -> bool:
    """Another document in the frame of the proxy speaks before it is loaded; whether the host hears it."""
    said: list[str] = []
    async with _elsewhere(page, edits) as (place, other, loaded):
        place.host.tap.listen(lambda record: said.append(str(record.message)))
        await other.evaluate(f"parent.postMessage({_WORD}, '*')")
        await _until(page.main_frame, "() => told.includes('misplaced')")
        # Then it is loaded, which ends the view: the page says that after what it heard.
        loaded.set()
        (view,) = place.views
        await place.news.until(lambda: view.verdict == "navigated")
    return any("misplaced" in text for text in said)


async def elsewhere_hears(page: Page, edits: Iterable[Edit]) -> bool:
    """The same document; whether it is told what the host says to the view."""
    async with _elsewhere(page, edits) as (_, other, _):
        said = await page.evaluate_handle(
            """() => ({done: new Promise((done) => document.querySelector("fanlight-view").addEventListener(
              "fanlight-message", ({detail}) => detail.direction === "to-view" && done()))})"""
        )
        await page.evaluate("document.querySelector('fanlight-view').setAttribute('theme', 'dark')")
        await asyncio.wait_for(said.evaluate("(said) => said.done"), WAIT)
        await page.evaluate(
            """() => document.querySelector("fanlight-view").shadowRoot.querySelector("iframe")
              .contentWindow.postMessage({id: "last"}, "*")"""
        )
        await _until(other, _TOLD_LAST)
        return bool(await other.evaluate("told.length > 1"))


async def _shown_neighbour(page: Page, place: Arena) -> None:
    await place.open(page)
    await place.add(page, "neighbour")
    await place.news.until(lambda: place.hostile.neighbour)
