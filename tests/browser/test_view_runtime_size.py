"""The height that `view.js` reports: that of the content, in a host that follows every report."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Frame, Page
from runtime_views import PlayedHost, csp, view_html
from served import WAIT_MS

START = 300
BOX = '<div id="box" style="height: 120px"></div>'
# What a view may do to its page, its body and its own root; each is 120 pixels of content.
LAYOUTS = {
    "plain": "body { margin: 0 }",
    "a margin": "body { margin: 10px }",
    "page and body 100 %": "html, body { height: 100%; margin: 0 }",
    "body 100vh": "body { height: 100vh; margin: 0 }",
    "body at least 100vh": "body { min-height: 100vh; margin: 0 }",
    "body at least 100vh and a margin": "body { min-height: 100vh; margin: 20px }",
    "a centred body": "body { min-height: 100vh; margin: 0; display: grid; place-items: center }",
    "hidden overflow": "html, body { height: 100%; overflow: hidden; margin: 0 }",
}
FOLLOW = """window.heights = [];
addEventListener("message", ({data}) => {
  if (data.method !== "ui/notifications/size-changed") return;
  heights.push(data.params.height);
  if (heights.length < 200) frame.style.height = `${data.params.height}px`;
});"""


async def following(page: Page, body: str, style: str, script: str = "") -> tuple[PlayedHost, Frame]:
    """A view in a host that gives it every height it reports."""
    host = await PlayedHost.open(page)
    await page.evaluate(FOLLOW)
    html = view_html(body, script, head=f"{csp()}<style>{style}</style>")
    return host, await host.connected(html, height=START)


async def settled(page: Page, fewest: int = 1) -> list[int]:
    """All reports, once none has come for longer than the view waits before it tries a doubtful height.

    The silence counts from the report of this number on: before it, it may be that of a busy machine.
    """
    await page.wait_for_function("(fewest) => heights.length >= fewest", arg=fewest, timeout=WAIT_MS)
    return list(
        await page.evaluate(
            """() => new Promise((done) => {
              let count = -1, since = 0;
              const look = (now) => {
                if (count !== heights.length) [count, since] = [heights.length, now];
                if (now - since > 1000 || count > 150) done(heights);
                else requestAnimationFrame(look);
              };
              requestAnimationFrame(look);
            })"""
        )
    )


@pytest.mark.parametrize("layout", LAYOUTS)
async def test_only_content_counts(layout: str, page: Page) -> None:
    host, frame = await following(page, BOX, LAYOUTS[layout])
    content = {"a margin": 140, "body at least 100vh and a margin": 160}.get(layout, 120)
    assert await settled(page) == [content]
    for fewest, height in ((2, 500), (3, 60)):
        await frame.evaluate(
            "(height) => { document.getElementById('box').style.height = `${height}px`; }", height
        )
        assert (await settled(page, fewest))[-1] == content - 120 + height
    assert len(await host.heard("ui/notifications/size-changed")) == 3


async def test_an_element_of_100vh_cannot_chase_its_frame(page: Page) -> None:
    body = '<div style="height: 100vh"></div><p id="more" hidden style="margin: 0; height: 50px"></p>'
    _, frame = await following(page, body, "body { margin: 8px }")
    first = all_reports = await settled(page)
    assert len(first) <= 4
    assert first[-1] < START + 80
    for _ in range(3):
        heights = []
        for is_hidden in (False, True):
            await frame.evaluate(
                "(hidden) => { document.getElementById('more').hidden = hidden; }", is_hidden
            )
            all_reports = await settled(page, len(all_reports) + 1)
            heights.append(all_reports[-1])
        shown, hidden = heights
        assert (shown, hidden) == (first[-1] + 50, first[-1]), (
            "what really changes is still told, and exactly"
        )


async def test_a_layout_that_jumps_with_its_frame_comes_to_rest(page: Page) -> None:
    style = """body { margin: 0 } #box { height: 200px !important }
      @media (min-height: 250px) { #box { height: 100px !important } }"""
    await following(page, BOX, style)
    assert len(await settled(page)) < 15


async def test_rows_that_stream_in_are_all_counted(page: Page) -> None:
    """They come as fast as frames, so that growth and the host's answers mix in every way."""
    _, frame = await following(page, "", "body { margin: 0 } .row { height: 20px }")
    await frame.evaluate(
        """async () => {
          for (let left = 60; left; left -= 1) {
            document.body.append(Object.assign(document.createElement("div"), { className: "row" }));
            await new Promise(requestAnimationFrame);
          }
        }"""
    )
    await page.wait_for_function("heights.at(-1) === 1200", timeout=WAIT_MS)
    assert (await settled(page))[-1] == 1200


# Where a reader scrolls inside the view: its own element, or the body.
SCROLLERS = {
    "100 % down to the list": (
        "#log",
        "html, body, #root { height: 100%; margin: 0 } #log { height: 100%; overflow: auto }",
    ),
    "the list takes what is left": (
        "#log",
        "body { height: 100vh; margin: 0; display: flex; flex-direction: column } #root { display: contents }"
        " #log { flex: 1; overflow: auto; scroll-behavior: smooth }",
    ),
    "the body": (
        "body",
        "html { overflow: hidden; height: 100% } body { height: 100%; margin: 0; overflow: auto }",
    ),
    "the page": ("html", "body { min-height: 300vh; margin: 0 } #log { height: 40px; overflow: hidden }"),
}


@pytest.mark.parametrize("layout", SCROLLERS)
async def test_measuring_leaves_the_reader_where_they_are(layout: str, page: Page) -> None:
    """A host that gives no more than 300 pixels, and content that changes while somebody reads."""
    selector, style = SCROLLERS[layout]
    host = await PlayedHost.open(page)
    rows = '<p id="top">first</p>' + '<div style="width: 2000px; height: 40px">row</div>' * 50
    html = view_html(
        f'<div id="root"><div id="log">{rows}</div></div>', head=f"{csp()}<style>{style}</style>"
    )
    frame = await host.connected(html, height=START)
    await host.heard("ui/notifications/size-changed")
    moved = await frame.evaluate(
        """async (selector) => {
          const scroller = document.querySelector(selector);
          const here = () => [scroller.scrollTop, scroller.scrollLeft];
          const frames = async (count) => { while (count--) await new Promise(requestAnimationFrame); };
          scroller.scrollTo({ top: 200, left: 30, behavior: "instant" });
          await frames(2);
          const before = here();
          document.getElementById("top").textContent = "changed";
          await frames(3);
          return [before, here()];
        }""",
        selector,
    )
    assert moved[0][0] == 200
    assert moved[1] == moved[0]


async def test_a_view_that_fills_the_screen_is_not_measured(page: Page) -> None:
    host, frame = await following(page, BOX, LAYOUTS["plain"])
    assert await settled(page) == [120]
    await host.tell("ui/notifications/host-context-changed", {"displayMode": "fullscreen"})
    await frame.wait_for_function("fanlight.context.displayMode === 'fullscreen'", timeout=WAIT_MS)
    grow = "(height) => { document.getElementById('box').style.height = `${height}px`; }"
    await frame.evaluate(grow, 500)
    assert await settled(page) == [120]
    await host.tell("ui/notifications/host-context-changed", {"displayMode": "inline"})
    await page.evaluate("frame.style.height = '121px'")
    assert await settled(page, 2) == [120, 500]


async def test_a_view_may_report_by_hand(page: Page) -> None:
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html(BOX, "fanlight.setup({ autoResize: false });"))
    await frame.evaluate("fanlight.resize(77, 88)")
    assert await host.heard("ui/notifications/size-changed") == [{"height": 77, "width": 88}]


async def test_measuring_leaves_no_trace(page: Page) -> None:
    _, frame = await following(page, BOX, LAYOUTS["body 100vh"], "document.body.style.color = 'red';")
    await settled(page)
    left: list[Any] = await frame.evaluate(
        "[document.body.style.cssText, document.adoptedStyleSheets.length,"
        " document.body.getBoundingClientRect().height === innerHeight]"
    )
    assert left == ["color: red;", 0, True]
