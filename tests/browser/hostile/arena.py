"""Where the hostile app fights: a host page of a program, with bait in it, and the listener outside.

The page is what a careless program would write: no policy, a readable cookie, something in storage.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from edits import Edit, edited
from playwright.async_api import Page
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from fanlight.demos.hostile.listener import Listener
from fanlight.demos.hostile.server import Hostile, Report
from fanlight.host import Host, Verdict, View
from fanlight.host.serve import bind_loopback, serving

WAIT = 40.0
HOST_SECRET = "the-host-secret-4711"
OWN_ORIGIN = "fanlight.localhost"
OPAQUE = "127.0.0.1"
_BAIT = f"""<!doctype html><meta charset=utf-8><link rel=icon href="data:,"><title>Host</title>
<script>
  localStorage.setItem("host-secret", "{HOST_SECRET}");
  // What the frames of this page say to it, the forged as well: (from a frame of its own?, method, forged).
  const heard = [];
  addEventListener("message", ({{data, source}}) => {{
    const relayed = source?.parent === window;
    heard.push([relayed, typeof data?.method === "string" ? data.method : "", Boolean(data?.params?.forged)]);
  }});
</script>
"""
_OVER = (Verdict.NAVIGATED, Verdict.CRASHED, Verdict.CLOSED)


# A tool and its arguments.
Asked = tuple[str, dict[str, str]]


def is_over(view: View) -> bool:
    """Whether the host ended it."""
    return view.verdict in _OVER


class Layout(Protocol):
    """A host that shows views of the hostile server; ours, or the one it is compared with."""

    hostile: Hostile
    news: News

    async def open(self, page: Page) -> None:
        """Open the host page; it has no views yet."""

    async def add(self, page: Page, tool: str = "attack", **arguments: str) -> Callable[[], bool]:
        """Show one more view; returns a function that tells whether it is over."""

    async def address_of(self, *views: Asked) -> str:
        """A page that shows these views by itself, each as an app of its own where a layout has that."""

    def ended(self) -> int:
        """How many views the host has ended."""


class News:
    """What the views told and what the listener saw, with bounded waits for what is not there yet."""

    def __init__(self, hostile: Hostile) -> None:
        self._hostile = hostile
        # One event for both: who waits for a view's word would sleep through what reaches the listener.
        self._news = hostile.listener.arrival
        hostile.on_news = self.stir

    def stir(self) -> None:
        """Something happened that a wait may be about."""
        self._news.set()

    async def until(self, wanted: Callable[[], Any]) -> Any:
        """Wait for what `wanted` gives once it is true, looked at whenever there are news."""
        async with asyncio.timeout(WAIT):
            while not (found := wanted()):
                self._news.clear()
                await self._news.wait()
        return found

    def arrived(self, attack: str) -> bool:
        """Whether the listener knows of this attack."""
        return any(hit.attack == attack for hit in self._hostile.listener.hits)

    async def arrive(self, attacks: Iterable[str]) -> None:
        """Wait until the listener knows of all of these, or they have had their time."""
        wanted = set(attacks)
        with suppress(TimeoutError):
            await self.until(lambda: all(map(self.arrived, wanted)))

    def report_of(self, attack: str) -> Report | None:
        """The report that knows of this attack."""
        return next((report for report in self._hostile.reports.values() if attack in report.results), None)

    async def reported(self, attack: str) -> Report:
        """The same, waited for."""
        report: Report = await self.until(lambda: self.report_of(attack))
        return report

    async def made(self, attack: str, over: Callable[[], bool]) -> None:
        """Wait until an attack was made: its view reports that it is still there, or is over."""
        await self.until(lambda: over() or self.report_of(attack))

    def word_of(self, attack: str) -> tuple[str, str]:
        """What a view says came of this attack; held, if it was ended for it."""
        report = self.report_of(attack)
        return ("held", "the host ended the view") if report is None else report.results[attack]


class Arena:
    """Our host with the hostile server, on a page of a program."""

    url: str
    port: int

    def __init__(self, host: Host, hostile: Hostile) -> None:
        self.host = host
        self.hostile = hostile
        self.news = News(hostile)
        self.views: list[View] = []

    async def page(self, request: Request) -> HTMLResponse:
        response = HTMLResponse(_BAIT + "".join(view.embed_html() for view in self.views))
        response.set_cookie("host-secret", HOST_SECRET)
        return response

    async def view(self, tool: str = "attack", *, server: str = "hostile", **arguments: str) -> View:
        """A view that the page shows when it is loaded anew. Another server name makes it another app."""
        if server not in self.host.servers:
            await self.host.connect(server, self.hostile.server)
        call = await self.host.servers[server].call_tool(tool, arguments)
        assert call.view is not None
        call.view.watch(self.news.stir)
        self.views.append(call.view)
        return call.view

    async def open(self, page: Page) -> None:
        await page.goto(self.url)

    async def address_of(self, *views: Asked) -> str:
        for number, (tool, arguments) in enumerate(views):
            await self.view(tool, server=f"app-{number}", **arguments)
        return self.url

    def ended(self) -> int:
        return sum(map(is_over, self.views))

    async def add(
        self, page: Page, tool: str = "attack", *, server: str = "hostile", **arguments: str
    ) -> Callable[[], bool]:
        view = await self.view(tool, server=server, **arguments)
        await page.evaluate(
            "(html) => document.body.append(document.createRange().createContextualFragment(html))",
            view.embed_html(),
        )
        return lambda: is_over(view)


@asynccontextmanager
async def arena(
    name: str = OWN_ORIGIN,
    *,
    edits: Iterable[Edit] = (),
    edits_of: Callable[[View], Iterable[Edit]] = lambda view: (),
    host: Host | None = None,
    url: str | None = None,
    port: int = 0,
) -> AsyncIterator[Arena]:
    """An arena on a free port; edits take walls away: for everything, or for the frames of one view."""
    async with Listener() as listener, Host() if host is None else host as own:
        hostile = Hostile(listener)
        await own.connect("hostile", hostile.server)
        made = Arena(own, hostile)
        app = Starlette(routes=[Route("/", made.page), Mount(own.mount, app=own.asgi())])

        def edits_for(path: str) -> list[Edit]:
            showing = own.showings.get(path.rpartition("/")[2])
            return [*edits, *(() if showing is None else edits_of(showing.view))]

        async with serving(edited(app, edits_for), bind_loopback(port)) as bound:
            made.port = bound
            made.url = url or f"http://{name}:{bound}/"
            yield made
        assert not [edit.path for edit in edits if not edit.used], (
            "an edit that changed nothing proves nothing"
        )
