"""`<fanlight-view>` in pages that treat it badly: re-rendered, moved, reused, removed, in two places."""

from __future__ import annotations

import json
from typing import Any

import pytest
from page_views import WAIT_MS, app_html, frame_of, ran_through, record, shelf, state, wait_state
from playwright.async_api import Page, WebSocket, expect
from served import until, view_frames

from fanlight.host import Host

RESULTS = "heard.filter((message) => message.method === 'ui/notifications/tool-result').length"


class Sent:
    """The sockets that a page opened, and the frames that it sent."""

    def __init__(self, page: Page) -> None:
        self.sockets: list[WebSocket] = []
        self.frames: list[dict[str, Any]] = []
        page.on("websocket", self._opened)

    def _opened(self, socket: WebSocket) -> None:
        self.sockets.append(socket)
        socket.on("framesent", lambda data: self.frames.append(json.loads(data)))

    def count(self, op: str) -> int:
        return sum(frame.get("op") == op for frame in self.frames)


async def test_fifty_renders_during_the_handshake_end_with_one_living_view(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, body=f"<main>{view.embed_html()}</main>")
        await page.evaluate(
            """async () => {
              const view = document.querySelector("fanlight-view");
              for (let turn = 0; turn < 50; turn++) {
                const parent = document.createElement("section");
                document.querySelector("main").replaceChildren(parent);
                parent.append(view);
                await new Promise((done) => setTimeout(done, turn % 5 * 7));
              }
            }"""
        )
        await wait_state(page, "view.dataset.verdict === 'ok' && box.dataset.state === 'shown'")
        frame = await frame_of(page)
        await frame.wait_for_function(f"{RESULTS} > 0", timeout=WAIT_MS)
        assert await frame.evaluate(RESULTS) == 1
        assert len(await view_frames(page)) == 1
        assert view.session is not None
        assert len(here.host.showings._by_ticket) == 1


async def test_fifty_renders_at_once_are_one_attachment(page: Page) -> None:
    sent = Sent(page)
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=f"<main>{view.embed_html()}</main>")
        before = sent.count("attach")
        verdicts = await record(page, "view.dataset.verdict")
        await page.evaluate(
            """() => {
              const view = document.querySelector("fanlight-view");
              const main = document.querySelector("main");
              for (let turn = 0; turn < 50; turn++) { view.remove(); main.append(view); }
            }"""
        )
        await ran_through(page, verdicts, "pending", "ok")
        assert sent.count("attach") == before + 1


async def test_a_view_that_is_moved_by_the_browser_goes_on(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=f"<main>{view.embed_html()}</main><aside></aside>")
        frame = await frame_of(page)
        born = await frame.evaluate("born")
        await page.evaluate(
            """() => {
              const [view] = document.querySelectorAll("fanlight-view");
              for (let turn = 0; turn < 51; turn++)
                document.querySelector(turn % 2 ? "main" : "aside").moveBefore(view, null);
            }"""
        )
        assert await page.evaluate("document.querySelector('aside > fanlight-view') !== null")
        assert await (await frame_of(page)).evaluate("born") == born
        assert await state(page, "view.dataset.verdict") == "ok"


async def test_another_view_id_shows_another_view(page: Page) -> None:
    async with shelf() as here:
        first, second = await here.view(), await here.view()
        await here.open(page, first)
        verdicts = await record(page, "view.dataset.verdict")
        await page.evaluate(
            """([id, token]) => {
              const view = document.querySelector("fanlight-view");
              view.setAttribute("view-id", id);
              view.setAttribute("token", token);
            }""",
            [second.id, second.token],
        )
        await ran_through(page, verdicts, "pending", "ok")
        assert second.session is not None
        frame = await frame_of(page)
        assert await frame.evaluate("context.toolInfo.id") == second.call_id


async def test_a_wrong_token_gets_nothing_until_it_is_right(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, body=view.embed_html().replace(view.token, "guessed"))
        await wait_state(page, "view.dataset.verdict === 'closed'")
        await expect(page.get_by_role("alert")).to_contain_text("no longer available")
        await page.evaluate(
            "(token) => document.querySelector('fanlight-view').setAttribute('token', token)", view.token
        )
        await wait_state(page, "view.dataset.verdict === 'ok' && root.querySelector('.notice').hidden")


async def test_all_views_of_a_page_share_one_socket(page: Page) -> None:
    sent = Sent(page)
    async with shelf() as here:
        await here.open(page, await here.view(), await here.view(), await here.view())
        assert len(sent.sockets) == 1
        assert sent.count("attach") == 3


async def test_a_removed_element_is_forgotten(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, await here.view())
        await page.evaluate(
            """() => {
              const view = document.querySelector("fanlight-view");
              window.gone = new WeakRef(view);
              view.remove();
            }"""
        )
        devtools = await page.context.new_cdp_session(page)
        for _ in range(100):
            await devtools.send("HeapProfiler.collectGarbage")
            if await page.evaluate("gone.deref() === undefined"):
                break
        assert await page.evaluate("gone.deref() === undefined")
        await until(lambda: view.session is None)


async def test_a_view_in_two_places_is_shown_in_the_newer_and_can_be_taken_back(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=view.embed_html())
        await page.evaluate("document.body.append(document.querySelector('fanlight-view').cloneNode())")
        await wait_state(page, "view.dataset.verdict === 'ok'", 1)
        await wait_state(page, "view.dataset.verdict === 'closed'", 0)
        await page.get_by_role("button", name="Show it here").click()
        await wait_state(page, "view.dataset.verdict === 'ok'", 0)
        await wait_state(page, "view.dataset.verdict === 'closed'", 1)


async def test_a_view_that_did_not_come_up_can_be_tried_again(page: Page) -> None:
    html = app_html(script="", modes=None).replace(
        "const ready =",
        "localStorage.seen ??= 0; const ready = localStorage.seen++ === 0 ? Promise.resolve() :",
    )
    async with shelf(html, host=Host(handshake_timeout=2)) as here:
        view = await here.view()
        await here.open(page, view, verdict="handshake-timeout")
        alert = page.get_by_role("alert")
        await expect(alert).to_contain_text("never completed ui/initialize")
        await expect(alert).to_contain_text("Revenue grew by 12 %")
        here.host.handshake_timeout = 30  # this time it is there, however long this machine needs for it
        await alert.get_by_role("button", name="Try again").press("Enter")
        await wait_state(page, "view.dataset.verdict === 'ok'")
        await expect(alert).to_have_count(0)


async def test_nothing_of_a_view_is_seen_before_it_is_there(page: Page) -> None:
    html = app_html(script="").replace("const ready = ask", "const ready = () => ask")
    async with shelf(html) as here:
        await here.open(page, await here.view(), verdict="pending")
        await wait_state(page, "iframe !== null")
        assert await state(page, "getComputedStyle(iframe).opacity") == "0"
        await expect(page.locator("fanlight-view .skeleton")).to_be_visible()
        assert await state(page, "box.getAttribute('aria-busy')") == "true"
        frame = page.frame_locator("fanlight-view iframe").frame_locator("iframe").frame_locator("iframe")
        await frame.locator("h2").evaluate("ready()")
        await frame.locator("h2").evaluate("tell('ui/notifications/initialized')")
        # It never reports a size: it is shown all the same, and has room.
        await wait_state(page, "box.dataset.state === 'shown'")
        assert await state(page, "iframe.offsetHeight") == 400
        await expect(page.locator("fanlight-view .skeleton")).to_be_hidden()


async def test_the_boundary_names_app_and_server_for_everybody(page: Page) -> None:
    """Holds: R69."""
    async with shelf() as here:
        await here.open(page, await here.view())
        group = page.get_by_role("group", name="Report, from sales")
        await expect(group).to_be_visible()
        mark = group.get_by_role("img", name="Content of the server sales, in a sandbox")
        await expect(mark).to_be_visible()
        assert await state(page, "iframe.title") == "sales · Report"


@pytest.mark.parametrize("border", [None, True, False])
async def test_the_border_is_what_the_resource_prefers(page: Page, border: bool | None) -> None:
    async with shelf(border=border) as here:
        await here.open(page, await here.view())
        line = await state(page, "getComputedStyle(box).borderTopColor")
        assert (line == "rgba(0, 0, 0, 0)") is (border is False)
        await expect(page.get_by_text("Report", exact=True)).to_be_visible()


async def test_a_page_that_draws_the_boundary_itself_gets_a_bare_view(page: Page) -> None:
    async with shelf() as here:
        view = await here.view()
        await here.open(page, view, body=view.embed_html().replace(" base=", " bare base="))
        assert await state(page, "getComputedStyle(box).borderTopWidth") == "0px"
        await expect(page.get_by_text("Report", exact=True)).to_be_hidden()
        await expect(page.get_by_role("button", name="in full screen")).to_be_visible()


async def test_a_lost_connection_is_said_and_the_view_stays(page: Page) -> None:
    async with shelf() as here:
        await here.open(page, await here.view())
        await wait_state(page, "box.dataset.state === 'shown'")
        await page.evaluate("document.querySelector('fanlight-view').disconnected(2)")
        lost = page.get_by_role("status").filter(has_text="connection to the host is lost")
        await expect(lost).to_be_visible()
        await expect(page.locator("fanlight-view iframe")).to_be_visible()
        await page.evaluate("document.querySelector('fanlight-view').reconnected()")
        await expect(lost).to_have_count(0)


async def test_the_strictest_page_policy_that_allows_the_element_is_enough(page: Page) -> None:
    """No inline style or script is needed: our own page forbids both."""
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    async with shelf() as here:
        view = await here.view()
        await page.goto(here.url.rstrip("/") + view.url)
        await wait_state(page, "box.dataset.state === 'shown'")
        assert await state(page, "getComputedStyle(box).display") == "flex"
        assert problems == []
