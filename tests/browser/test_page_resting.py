"""A long conversation with many apps: only those that a person is near, and a few more, are live."""

from __future__ import annotations

from page_views import WAIT_MS, shelf
from playwright.async_api import Page, expect
from served import until

from fanlight.host import TapRecord, View

VIEWS = 24
LIVE = """() => [...document.querySelectorAll("fanlight-view")]
  .filter((view) => view.shadowRoot.querySelector("iframe")).length"""


def conversation(views: list[View]) -> str:
    """All of them below each other, each a screen high."""
    script = '<script type="module" src="/apps/host.js"></script>'
    return script + "".join(
        f'<div style="height: 700px"><fanlight-view lazy view-id="{view.id}" token="{view.token}">'
        "</fanlight-view></div>"
        for view in views
    )


async def test_of_many_views_only_those_near_the_screen_and_a_few_more_are_live(page: Page) -> None:
    told: list[str] = []

    def note(record: TapRecord) -> None:
        if isinstance(record.message, dict) and record.message.get("method") == "ui/resource-teardown":
            told.append(record.view)

    await page.set_viewport_size({"width": 800, "height": 700})
    async with shelf() as here:
        here.host.tap.listen(note)
        views = [await here.view() for _ in range(VIEWS)]
        await here.open(page, body=conversation(views))
        elements = page.locator("fanlight-view")
        await expect(elements.first).to_have_attribute("data-verdict", "ok", timeout=WAIT_MS)
        assert await page.evaluate(LIVE) <= 3
        for index in range(0, VIEWS, 2):
            await elements.nth(index).scroll_into_view_if_needed()
            await expect(elements.nth(index)).to_have_attribute("data-verdict", "ok", timeout=WAIT_MS)
        await page.wait_for_function(f"({LIVE})() <= 10", timeout=WAIT_MS)
        assert views[0].id in told, "it may save its work before it rests"
        await until(lambda: views[0].session is None)
        await elements.first.scroll_into_view_if_needed()
        await page.wait_for_function(
            "document.querySelector('fanlight-view').shadowRoot.querySelector('iframe')", timeout=WAIT_MS
        )
        outcome = await views[0].until_ready(WAIT_MS / 1000)
        assert outcome.verdict.value == "ok"
