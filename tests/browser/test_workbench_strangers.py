"""Text that servers wrote, in the workbench's page: it is text, it stays in its place, it hides nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from playwright.async_api import Page, expect
from served import TOKEN, WAIT_MS

from fanlight.host import Host, Server
from fanlight.host.serve import bind_loopback, serving
from fanlight.testing.upstream import ScriptedUpstream
from fanlight.upstream import Catalog
from fanlight.workbench.app import Workbench

MARKUP = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script><b>bold</b>'
BIDI = "safe \u202egnp.exe\u202c \u2066isolated\u2069 \u200f\u061cend"
CONTROL = "bell\x07 escape\x1b[31mred null\x00 zero\u200bwidth soft\xadhyphen"
LONG = "VeryLong" * 1250
LINES = "one\ntwo\r\nthree\tfour"
NASTY = {"markup": MARKUP, "bidi": BIDI, "control": CONTROL, "long": LONG, "lines": LINES}
URI = "ui://bad/view"


def tool(name: str, text: str) -> dict[str, Any]:
    """A tool that says this everywhere."""
    words = {"title": text, "description": text}
    field = {"type": "string", "enum": [text, "b"], "default": text, **words}
    schema = {"type": "object", "required": [text], "properties": {text: field}, **words}
    return {
        "name": text if name != "long" else f"{text}-tool",
        "title": text,
        "description": text,
        "inputSchema": schema,
        "annotations": {"title": text},
        "icons": [{"src": f"javascript:{text}"}],
        "_meta": {"ui": {"resourceUri": URI}},
    }


@asynccontextmanager
async def hostile_host() -> AsyncIterator[Host]:
    """A host whose servers are named, titled and described by somebody who means harm."""
    async with Host() as host:
        for kind, text in NASTY.items():
            content = [{"type": "text", "text": text}, {"type": text, "text": text}]
            error = {"isError": True, "content": content, "structuredContent": {text: text}}
            upstream = ScriptedUpstream(
                {
                    "tools/list": {"tools": [tool(kind, text)]},
                    "tools/call": error,
                    "resources/read": {"contents": [{"uri": URI, "mimeType": text, "text": text}]},
                    "resources/list": {"resources": []},
                }
            )
            upstream.server_info = {"name": text, "version": text, "title": text}
            catalog = Catalog(text, upstream)
            await catalog.refresh()
            host.servers[text] = Server(host, text, upstream, catalog)
        yield host


@asynccontextmanager
async def opened(page: Page) -> AsyncIterator[Workbench]:
    async with hostile_host() as host:
        bench = Workbench(host, TOKEN)
        bench.failed[MARKUP] = f"{MARKUP} {BIDI} {CONTROL} {LONG}"
        async with serving(bench.asgi(), bind_loopback(0)) as port:
            await page.goto(f"http://fanlight.localhost:{port}/#token={TOKEN}")
            await page.get_by_test_id("run-button").wait_for(timeout=WAIT_MS)
            yield bench


# Whatever a server says, none of these is ever in the page's text: they hide, or turn the line.
HIDDEN = r"/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069]/"
LOOK = f"""() => ({{
  hacked: window.hacked ?? null,
  markup: document.querySelectorAll("main b, aside b, section b, img, main script, aside script").length,
  hidden: {HIDDEN}.test(document.body.innerText) || {HIDDEN}.test(document.title),
  scripted: [...document.querySelectorAll("*")].flatMap((element) => element.getAttributeNames())
    .filter((name) => name.startsWith("on")).length,
  links: [...document.querySelectorAll("[href], [src]")]
    .map((element) => element.getAttribute("href") ?? element.getAttribute("src"))
    .filter((address) => /^javascript:/i.test(address)).length,
  wide: document.documentElement.scrollWidth > innerWidth,
  title: document.title.length,
}})"""
CLEAN = {"hacked": None, "markup": 0, "hidden": False, "scripted": 0, "links": 0, "wide": False}


async def looks_clean(page: Page) -> None:
    seen = await page.evaluate(LOOK)
    assert seen.pop("title") < 400
    assert seen == CLEAN


@pytest.mark.parametrize("width", [1280, 420])
async def test_what_servers_write_is_text_stays_in_its_place_and_hides_nothing(
    page: Page, width: int
) -> None:
    await page.set_viewport_size({"width": width, "height": 800})
    async with opened(page):
        await looks_clean(page)
        for number in range(len(NASTY)):
            if width < 700:
                await page.get_by_test_id("menu-button").click()
            await page.get_by_test_id("tool-item").nth(number).click()
            await looks_clean(page)
            for part in (".tool-head-title", ".tool-head-server", ".field-name", ".tool-head-description"):
                box = await page.locator(part).first.bounding_box()
                assert box is not None
                assert box["height"] < 120, part
            await page.get_by_test_id("run-button").click()
            await page.locator('[data-testid="verdict"][data-verdict="bad-mime"]').wait_for(timeout=WAIT_MS)
            await looks_clean(page)


async def test_every_name_is_isolated_from_its_neighbours(page: Page) -> None:
    """A right-to-left name does not turn what stands beside it."""
    async with opened(page):
        for part in (".server-name", ".tool-name", ".tool-head-title", ".field-name"):
            bidi = await page.locator(part).first.evaluate(
                "(element) => getComputedStyle(element).unicodeBidi"
            )
            assert bidi in ("isolate", "plaintext"), part


async def test_ten_thousand_tools_can_be_looked_through(page: Page) -> None:
    tools = [{"name": f"tool-{n}", "inputSchema": {"type": "object"}} for n in range(10_000)]
    async with Host() as host:
        upstream = ScriptedUpstream({"tools/list": {"tools": tools}, "tools/call": {"content": []}})
        catalog = Catalog("many", upstream)
        await catalog.refresh()
        host.servers["many"] = Server(host, "many", upstream, catalog)
        async with serving(Workbench(host, TOKEN).asgi(), bind_loopback(0)) as port:
            await page.goto(f"http://fanlight.localhost:{port}/#token={TOKEN}")
            await expect(page.get_by_test_id("tool-item")).to_have_count(10_000, timeout=WAIT_MS)
            await page.get_by_test_id("tool-filter").fill("tool-9999")
            await expect(page.get_by_test_id("tool-item")).to_have_count(1, timeout=WAIT_MS)
            await page.get_by_test_id("tool-item").click()
            await page.get_by_test_id("run-button").click()
            await expect(page.get_by_text("Tool answered").first).to_be_visible(timeout=WAIT_MS)
