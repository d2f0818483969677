"""Heights in a real browser: views that measure themselves badly must not make the page dance. Pain 10."""

from __future__ import annotations

import pytest
from page_views import STYLE, WAIT_MS, app_html, frame_of, ran_through, record, shelf, state, wait_state
from playwright.async_api import Page

# What the official SDK measures: the root's height while it may be as high as its content.
OFFICIAL = """
ready.then(() => {
  let last = 0;
  const measure = () => {
    const root = document.documentElement, before = root.style.height;
    root.style.height = "max-content";
    const height = Math.ceil(root.getBoundingClientRect().height);
    root.style.height = before;
    if (height !== last) report(last = height, innerWidth);
  };
  const sizes = new ResizeObserver(() => requestAnimationFrame(measure));
  sizes.observe(document.documentElement);
  sizes.observe(document.body);
  measure();
});
"""
# What many hand-written views measure: as high as the frame, or higher.
SCROLL = """
ready.then(() => {
  const measure = () => report(document.documentElement.scrollHeight + EXTRA);
  new ResizeObserver(measure).observe(document.documentElement);
  addEventListener("resize", measure);
  measure();
});
"""
HEIGHT = "iframe.offsetHeight"
COUNT = """
() => {
  window.changes = [];
  const frame = document.querySelector("fanlight-view").shadowRoot.querySelector("iframe");
  new ResizeObserver(() => changes.push(frame.offsetHeight)).observe(frame);
}
"""


async def rests(page: Page, ms: int = 3000) -> list[int]:
    """Wait until the frame has kept its height for a while; all heights that it had since `COUNT`."""
    heights: list[int] = await page.evaluate(
        """(ms) => new Promise((done) => {
          let count = changes.length, since = performance.now();
          const timer = setInterval(() => {
            if (changes.length !== count) { count = changes.length; since = performance.now(); }
            if (performance.now() - since > ms) { clearInterval(timer); done(changes); }
          }, 50);
        })""",
        ms,
    )
    return heights


async def opened(page: Page, html: str) -> list[int]:
    async with shelf(html) as here:
        await here.open(page, await here.view())
        await page.evaluate(COUNT)
        return await rests(page)


async def test_a_view_that_measures_its_content_fits_exactly(page: Page) -> None:
    """Holds: R37."""
    html = app_html(body="<div style='height: 237px'></div>", style="body { margin: 0 }", script=OFFICIAL)
    assert (await opened(page, html))[-1] == 237


@pytest.mark.parametrize(
    "style",
    ["html, body { height: 100%; margin: 0 }", "body { min-height: 100vh; margin: 0 }"],
    ids=["100%", "100vh"],
)
async def test_a_view_as_high_as_its_frame_stays_as_it_is(page: Page, style: str) -> None:
    heights = await opened(page, app_html(body="<p>a line</p>", style=style, script=OFFICIAL))
    assert heights[-1] <= 400
    assert len(heights) < 14


@pytest.mark.parametrize("extra", [1, 16, 300])
async def test_a_view_that_is_always_higher_than_its_frame_is_stopped(page: Page, extra: int) -> None:
    heights = await opened(page, app_html(body="", script=SCROLL.replace("EXTRA", str(extra))))
    assert heights[-1] == 400
    assert max(heights) <= 400 + 8 * extra
    assert len(heights) < 14


async def test_a_view_that_alternates_settles_on_the_larger_height(page: Page) -> None:
    # A scrollbar that changes the layout: high when it is low, low when it is high.
    script = """
      ready.then(() => {
        const measure = () => report(innerHeight < 450 ? 500 : 420);
        addEventListener("resize", measure);
        measure();
      });
    """
    async with shelf(app_html(script=script)) as here:
        await here.open(page, await here.view())
        await page.evaluate(COUNT)
        heights = await rests(page)
    assert heights[-1] == 500
    assert len(heights) < 14


async def test_a_view_that_reports_in_every_frame_changes_at_most_once_a_frame(page: Page) -> None:
    script = "ready.then(() => { for (let step = 0; step < 200; step++) report(300 + step); });"
    heights = await opened(page, app_html(script=script))
    assert heights[-1] == 499
    assert len(heights) < 30


async def test_streamed_content_grows_smoothly_to_its_end(page: Page) -> None:
    script = """
      ready.then(() => {
        let rows = 0;
        const timer = setInterval(() => {
          report(200 + ++rows * 24);
          if (rows === 60) clearInterval(timer);
        }, 30);
      });
    """
    heights = await opened(page, app_html(script=script))
    assert heights[-1] == 200 + 60 * 24
    grown = heights[heights.index(min(heights)) :]
    assert grown == sorted(grown)


async def test_the_page_may_set_a_maximum_height_and_the_view_is_told(page: Page) -> None:
    async with shelf(app_html(body="<div style='height: 2000px'></div>", script=OFFICIAL)) as here:
        view = await here.view()
        await here.open(page, view, body=view.embed_html().replace(" base=", " max-height=350 base="))
        await wait_state(page, f"{HEIGHT} === 350")
        frame = await frame_of(page)
        assert (await frame.evaluate("context.containerDimensions"))["maxHeight"] == 350
        await page.evaluate("document.querySelector('fanlight-view').setAttribute('max-height', '500')")
        await frame.wait_for_function("context.containerDimensions.maxHeight === 500", timeout=WAIT_MS)


async def test_width_is_the_pages_business_unless_it_says_otherwise(page: Page) -> None:
    script = "ready.then(() => report(200, 320));"
    async with shelf(app_html(script=script)) as here:
        view = await here.view()
        await here.open(page, view)
        await wait_state(page, f"{HEIGHT} === 200")
        full = await state(page, "stage.offsetWidth")
        assert await state(page, "iframe.offsetWidth") == full
        frame = await frame_of(page)
        assert (await frame.evaluate("context.containerDimensions"))["width"] == full
        await page.evaluate("document.querySelector('fanlight-view').setAttribute('width', 'view')")
        await frame.wait_for_function("'maxWidth' in context.containerDimensions", timeout=WAIT_MS)
        await frame.evaluate("report(200, 320)")
        await wait_state(page, "iframe.offsetWidth === 320")
        await frame.evaluate("report(200, 90000)")
        await wait_state(page, "iframe.offsetWidth === stage.offsetWidth")


async def test_a_narrower_window_is_told_and_nothing_else(page: Page) -> None:
    async with shelf(app_html(style=STYLE)) as here:
        await here.open(page, await here.view())
        frame = await frame_of(page)
        count = await frame.evaluate("heard.length")
        await page.set_viewport_size({"width": 500, "height": 700})
        await frame.wait_for_function("context.containerDimensions.width < 500", timeout=WAIT_MS)
        changes = await frame.evaluate(
            "(count) => heard.slice(count).filter((m) => m.method?.endsWith('context-changed'))", count
        )
        assert [list(message["params"]) for message in changes] == [["containerDimensions"]]


async def test_a_view_that_is_shown_again_begins_with_the_height_it_had(page: Page) -> None:
    async with shelf(app_html(body="<div style='height: 600px'></div>", script=OFFICIAL)) as here:
        view = await here.view()
        await here.open(page, view, body=f"<main>{view.embed_html()}</main>")
        await wait_state(page, f"{HEIGHT} > 590")
        before = await state(page, "box.offsetHeight")
        seen = await record(page, "[view.dataset.verdict, box.offsetHeight]")
        await page.evaluate("((main) => main.append(main.lastChild))(document.querySelector('main'))")
        await ran_through(page, seen, ["pending", before], ["ok", before])
        assert {height for _, height in await seen.json_value()} == {before}
