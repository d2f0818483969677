"""A workbench that a browser has a pass for, and the documents of a view in it that nobody fetched yet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from edits import Edit, edited
from foreign_page import Target
from playwright.async_api import Page
from served import TOKEN, WAIT_MS, app_server

from fanlight.host import Host, View
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

__all__ = ["NAME", "Bench", "addresses_of", "opened_workbench"]

NAME = "fanlight.localhost"


@dataclass(frozen=True)
class Bench:
    """Where it is, what a stranger can aim at, and the calls of the tool that only strangers call."""

    port: int
    target: Target
    called: list[str]


def addresses_of(host: Host, view: View, name: str, scheme: str = "http") -> dict[str, str]:
    """The documents of a showing that no page has asked for: whoever learnt them has as much as one can."""
    assert view.document is not None
    origins = host.addresses.page_origins(name, scheme)
    assert origins is not None
    showing = host.showings.open(view, view.document, origins)
    shell = {} if showing.shell_url is None else {"shell": showing.shell_url}
    return {"proxy": showing.mount_facts()["src"], **shell, "view": showing.view_url}


@asynccontextmanager
async def opened_workbench(page: Page, edits: Iterable[Edit] = ()) -> AsyncIterator[Bench]:
    """The workbench, open in this page; edits take walls away."""
    called: list[str] = []

    def attack() -> str:
        called.append("attack")
        return "done"

    async with Host() as host:
        server = await host.connect("hostile", app_server("<p>here", attack=attack))
        bench = edited(Workbench(host, TOKEN).asgi(), lambda path: edits)
        async with serving(bench, bind_loopback(0)) as port:
            await page.goto(f"http://{NAME}:{port}/#token={TOKEN}")
            await page.get_by_role("button", name="show").first.wait_for(timeout=WAIT_MS)
            view = (await server.call_tool("show")).view
            assert view is not None
            target = Target(f"http://{NAME}:{port}", TOKEN, addresses_of(host, view, f"{NAME}:{port}"))
            yield Bench(port, target, called)
