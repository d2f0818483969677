"""The page of one view asks for it while it is still being read; the element goes on and nothing is lost."""

from __future__ import annotations

import json
from typing import Any

from page_views import WAIT_MS, frame_of, shelf, wait_state
from playwright.async_api import Page, WebSocket, WebSocketRoute

from fanlight.runtime.bundle import bundle

RESULTS = "heard.filter((message) => message.method === 'ui/notifications/tool-result').length"
SHOWN = "view.dataset.verdict === 'ok' && box.dataset.state === 'shown'"


class Told:
    """What a page said to Python, over all of its sockets."""

    def __init__(self, page: Page) -> None:
        self.sockets = 0
        self.frames: list[dict[str, Any]] = []
        page.on("websocket", self._opened)

    def _opened(self, socket: WebSocket) -> None:
        self.sockets += 1
        socket.on("framesent", lambda data: self.frames.append(json.loads(data)))

    def of(self, op: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["op"] == op]


async def test_the_view_is_asked_for_once_on_one_socket(page: Page) -> None:
    told = Told(page)
    async with shelf() as here:
        view = await here.view()
        await page.goto(here.url.rstrip("/") + view.url)
        await wait_state(page, SHOWN)
        assert told.sockets == 1
        assert len(told.of("attach")) == 1


async def test_what_python_said_before_the_element_was_there_is_heard_and_it_is_told_of_the_page(
    page: Page,
) -> None:
    told = Told(page)
    async with shelf() as here:
        view = await here.view()
        await page.goto(f"{here.url.rstrip('/')}{here.host.mount}/page")
        # As in a page whose script is slow to come: the early words are answered before it runs.
        await page.evaluate("(hash) => history.replaceState(null, '', hash)", f"#{view.id}.{view.token}")
        await page.evaluate(f"(() => {{ {bundle('early.js').decode()} }})()")
        # A function, for the page's policy lets no text be evaluated a second time.
        await page.wait_for_function(
            "() => fanlightEarly.heard.some((text) => JSON.parse(text).op === 'mount')", timeout=WAIT_MS
        )
        await page.evaluate("dispatchEvent(new HashChangeEvent('hashchange'))")
        await wait_state(page, SHOWN)
        frame = await frame_of(page)
        await frame.wait_for_function(f"{RESULTS} > 0", timeout=WAIT_MS)
        assert await frame.evaluate(RESULTS) == 1
        answer = await frame.evaluate("heard.find((message) => message.id === 0).result.hostContext")
        assert told.sockets == 1
        assert [frame["op"] for frame in told.frames[:2]] == ["attach", "context"]
    assert "context" not in told.frames[0]
    assert answer["containerDimensions"]["width"] > 0
    assert answer["theme"] in ("light", "dark")
    assert answer["timeZone"]


async def test_what_was_begun_for_one_view_is_not_used_for_another(page: Page) -> None:
    told = Told(page)
    async with shelf() as here:
        one, other = await here.view(), await here.view()
        await page.goto(f"{here.url.rstrip('/')}{here.host.mount}/page")
        await page.evaluate("(hash) => history.replaceState(null, '', hash)", f"#{one.id}.{one.token}")
        # A socket that is closed before it asked anybody is none that Playwright would tell of.
        async with page.expect_websocket(timeout=WAIT_MS):
            await page.evaluate(f"(() => {{ {bundle('early.js').decode()} }})()")
        await page.evaluate("(hash) => { location.hash = hash; }", f"#{other.id}.{other.token}")
        await wait_state(page, SHOWN)
        assert told.sockets == 2
        assert await page.evaluate("document.querySelector('fanlight-view').viewId") == other.id
        assert await page.evaluate("'fanlightEarly' in globalThis") is False


async def test_a_page_that_is_loaded_again_hands_over_first_as_always(page: Page) -> None:
    told = Told(page)
    async with shelf() as here:
        view = await here.view()
        await page.goto(here.url.rstrip("/") + view.url)
        await wait_state(page, SHOWN)
        await page.reload()
        await wait_state(page, SHOWN)
    first, second = told.of("attach")
    assert first["before"] == []
    assert second["before"] == [first["session"]]


async def test_an_early_socket_that_breaks_at_once_is_replaced(page: Page) -> None:
    met: list[str] = []

    async def break_the_first(socket: WebSocketRoute) -> None:
        met.append(socket.url)
        if len(met) == 1:
            await socket.close(code=1001)
        else:
            socket.connect_to_server()

    await page.route_web_socket("**/socket", break_the_first)
    async with shelf() as here:
        view = await here.view()
        await page.goto(here.url.rstrip("/") + view.url)
        await wait_state(page, SHOWN)
        frame = await frame_of(page)
        await frame.wait_for_function(f"{RESULTS} > 0", timeout=WAIT_MS)
        assert await frame.evaluate(RESULTS) == 1
    assert len(met) >= 2


async def test_another_link_to_an_open_page_shows_the_other_view(page: Page) -> None:
    async with shelf() as here:
        one, other = await here.view(), await here.view()
        await page.goto(here.url.rstrip("/") + one.url)
        await wait_state(page, SHOWN)
        await page.goto(here.url.rstrip("/") + other.url)
        await page.wait_for_function(
            "(id) => document.querySelector('fanlight-view')?.viewId === id", arg=other.id, timeout=WAIT_MS
        )
        await wait_state(page, SHOWN)
        assert other.session is not None
