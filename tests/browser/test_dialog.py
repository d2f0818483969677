"""The dialog in which a person allows or denies: keyboard, names, hostile text, hostile views."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Frame, Page, expect
from served import WAIT_MS, app_server, served_host, shown, view_frame

from fanlight.host import Host, ViewLimits, allow_all

# A view that asks for what it is told to, and keeps the answers.
HTML = """<!doctype html><title>v</title><style>html{color-scheme:light dark}</style>
<p>hello</p><button id="own">in the view</button>
<script>
let next = 1; const waiting = new Map(); window.answers = [];
window.say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
window.request = (method, params) => new Promise((done) => {
  const id = next++; waiting.set(id, done); say({ id, method, params });
});
addEventListener("message", ({ data }) => {
  if (data.id !== undefined && waiting.has(data.id)) waiting.get(data.id)(data);
});
window.want = (method, params) => { request(method, params).then((answer) => window.answers.push(answer)); };
const hello = { appInfo: { name: "v", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" };
request("ui/initialize", hello)
  .then(() => say({ method: "ui/notifications/initialized" }));
</script>"""
DIALOG = "[data-fanlight-dialog] dialog"


@dataclass
class Shown:
    page: Page
    frame: Frame
    host: Host

    async def want(self, method: str, **params: Any) -> None:
        await self.frame.evaluate("([method, params]) => want(method, params)", [method, params])

    async def call(self, tool: str = "change", **arguments: Any) -> None:
        await self.want("tools/call", name=tool, arguments=arguments)

    async def answers(self, count: int = 1) -> list[dict[str, Any]]:
        await self.frame.wait_for_function("(count) => answers.length >= count", arg=count, timeout=WAIT_MS)
        found: list[dict[str, Any]] = await self.frame.evaluate("answers")
        return found


def change(value: Any = None) -> str:
    """Change something."""
    return f"changed to {value}"


@asynccontextmanager
async def view_in(page: Page, **options: Any) -> AsyncIterator[Shown]:
    host = Host(**options)
    async with served_host(host) as port:
        server = await host.connect("bank", app_server(HTML, change=change))
        await shown(page, port, await server.call_tool("show"))
        yield Shown(page, await view_frame(page), host)


class Asked:
    """The dialogs that a page has shown since, for however short a time; `press` presses them at once."""

    WATCH = """(press) => {
      window.asked = 0;
      new MutationObserver((changes) => {
        for (const {addedNodes} of changes)
          for (const added of addedNodes)
            if (added.dataset?.fanlightDialog !== undefined) {
              asked += 1;
              if (press) added.shadowRoot.querySelector(".yes").click();
            }
      }).observe(document.body, {childList: true});
    }"""

    def __init__(self, page: Page) -> None:
        self.page = page

    @classmethod
    async def watch(cls, page: Page, *, press: bool = False) -> Asked:
        await page.evaluate(cls.WATCH, press)
        return cls(page)

    async def times(self, count: int) -> None:
        await self.page.wait_for_function("(count) => asked === count", arg=count, timeout=WAIT_MS)


async def has_the_keys(app: Shown) -> None:
    """Wait until the browser has taken the keyboard from the view: until then a key still goes there."""
    await app.frame.wait_for_function("!document.hasFocus()", timeout=WAIT_MS)


async def test_a_tool_call_waits_for_the_person_and_allow_lets_it_through(page: Page) -> None:
    async with view_in(page) as app:
        await app.call(value=3)
        dialog = page.get_by_role("alertdialog", name="Let this app call a tool?")
        await expect(dialog).to_be_visible()
        await expect(dialog).to_contain_text("bank")
        await expect(dialog).to_contain_text("change")
        await expect(dialog.get_by_role("region", name="Details")).to_contain_text('"value": 3')
        await expect(dialog).to_contain_text("Denied by itself in")
        assert await app.frame.evaluate("answers.length") == 0
        await dialog.get_by_role("button", name="Allow once").click()
        (answer,) = await app.answers()
        assert answer["result"]["content"][0]["text"] == "changed to 3"
        await expect(dialog).to_have_count(0)
        # Once means once.
        await app.call(value=4)
        await expect(dialog).to_be_visible()


async def test_the_keyboard_alone_is_enough_and_denies_by_default(page: Page) -> None:
    async with view_in(page) as app:
        await app.frame.locator("#own").focus()
        await app.call()
        deny = page.get_by_role("button", name="Deny")
        await expect(deny).to_be_focused()
        await expect(deny).to_be_enabled()
        await has_the_keys(app)
        stops = []
        for _ in range(5):
            await page.keyboard.press("Tab")
            stops.append(await page.evaluate(FOCUSED))
        assert stops == ["Allow once", "checkbox", "Deny", "Allow once", "checkbox"]
        await page.keyboard.press("Shift+Tab")
        assert await page.evaluate(FOCUSED) == "Allow once"
        await page.keyboard.press("Shift+Tab")
        await page.keyboard.press("Enter")
        (answer,) = await app.answers()
        assert answer["error"]["code"] == -32000
        # The focus is where it was: in the view.
        await app.frame.wait_for_function("document.hasFocus()", timeout=WAIT_MS)
        await app.call()
        await expect(deny).to_be_focused()
        await has_the_keys(app)
        await page.keyboard.press("Escape")
        assert "said no" in (await app.answers(2))[1]["error"]["message"]
        # And the view is no trap: the keyboard leaves it in both directions.
        await app.frame.wait_for_function("document.hasFocus()", timeout=WAIT_MS)
        await page.keyboard.press("Shift+Tab")
        await app.frame.wait_for_function("!document.hasFocus()", timeout=WAIT_MS)


FOCUSED = """() => {
  const element = document.activeElement.shadowRoot.activeElement;
  return element.type === "checkbox" ? "checkbox" : element.textContent;
}"""


async def test_remember_is_for_this_server_and_tool(page: Page) -> None:
    async with view_in(page) as app:
        await app.call()
        words = "Remember my answer for the tool “change” of the server “bank”"
        await page.get_by_role("checkbox", name=words).check()
        await page.get_by_role("button", name="Always allow").click()
        await app.call()
        assert ["result" in answer for answer in await app.answers(2)] == [True, True]
        assert [grant.subject for grant in app.host.grants.list()] == ["change"]


async def test_a_second_question_waits_for_the_first(page: Page) -> None:
    async with view_in(page) as app:
        for value in (1, 2):
            await app.call(value=value)
        dialogs = page.locator(DIALOG)
        await expect(dialogs).to_have_count(1)
        await expect(dialogs).to_contain_text("1 more to answer")
        await page.get_by_role("button", name="Allow once").click()
        await expect(page.get_by_role("region", name="Details")).to_contain_text('"value": 2')
        await page.get_by_role("button", name="Deny").click()
        assert sorted("result" in answer for answer in await app.answers(2)) == [False, True]
        await expect(dialogs).to_have_count(0)


async def test_the_dialog_goes_when_the_view_takes_its_request_back(page: Page) -> None:
    async with view_in(page) as app:
        await app.call()
        await expect(page.locator(DIALOG)).to_be_visible()
        await app.frame.evaluate("say({method: 'notifications/cancelled', params: {requestId: 2}})")
        await expect(page.locator(DIALOG)).to_have_count(0)
        assert await app.frame.evaluate("answers.length") == 0


async def test_the_dialog_goes_when_the_time_is_up(page: Page) -> None:
    async with view_in(page, limits=ViewLimits(question_seconds=1.5)) as app:
        asked = await Asked.watch(page)
        await app.call()
        await asked.times(1)
        assert "nobody answered" in (await app.answers())[0]["error"]["message"]
        await expect(page.locator(DIALOG)).to_have_count(0)


async def test_a_view_that_leaves_the_page_takes_its_question_along(page: Page) -> None:
    async with view_in(page) as app:
        await app.call()
        await expect(page.locator(DIALOG)).to_be_visible()
        await page.evaluate("document.querySelector('fanlight-view').remove()")
        await expect(page.locator(DIALOG)).to_have_count(0)


async def test_hostile_text_is_shown_as_it_is_and_never_as_markup(page: Page) -> None:
    evil = "<img src=x onerror=\"document.title='hit'\">\u202egnp.exe\u200b\x07\nnext"
    async with view_in(page) as app:
        await app.call(value=evil, **{"\u2066key": "x" * 50_000})
        details = page.get_by_role("region", name="Details")
        await expect(details).to_contain_text("<img src=x onerror=")
        text = await details.inner_text()
        assert "\u202e" not in text
        assert "⟨U+202E⟩gnp.exe" in text
        assert "⟨U+2066⟩key" in text
        assert "more characters" in text
        assert await page.locator(f"{DIALOG} img").count() == 0
        assert await page.title() != "hit"
        box = await details.bounding_box()
        assert box is not None
        assert box["height"] < 300  # folded: it scrolls inside
        await expect(page.get_by_role("button", name="Deny")).to_be_in_viewport()


async def test_a_view_cannot_press_cover_or_unfocus_the_dialog(page: Page) -> None:
    async with view_in(page) as app:
        await app.call()
        await expect(page.get_by_role("button", name="Allow once")).to_be_enabled()
        await app.frame.evaluate("""() => {
          for (const key of ["Enter", " ", "Escape"]) {
            for (const target of [window, document, document.body]) {
              target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            }
          }
          const cover = document.createElement("dialog");
          cover.style = "width:100vw;height:100vh;max-width:none;max-height:none;margin:0";
          document.body.append(cover);
          cover.showModal();
          window.focus();
          document.querySelector("#own").focus();
          document.querySelector("#own").click();
          try { parent.document.body.click(); } catch {}
          try { top.document.body.click(); } catch {}
          for (const op of ["decision", "ask-over"]) {
            parent.postMessage({ op, answer: "allow" }, "*");
            top.postMessage({ op, answer: "allow" }, "*");
          }
        }""")
        # What the person would hit in the middle of the button is the button.
        hit = await page.evaluate("""() => {
          const root = document.querySelector("[data-fanlight-dialog]").shadowRoot;
          const { x, y, width, height } = root.querySelector(".yes").getBoundingClientRect();
          return root.elementFromPoint(x + width / 2, y + height / 2).className;
        }""")
        assert hit == "yes"
        # Keys still go to the dialog, not to the view.
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.shadowRoot !== null")
        assert await app.frame.evaluate("answers.length") == 0
        # Nothing was decided before the person does it.
        await page.keyboard.press("Escape")
        assert "said no" in (await app.answers())[0]["error"]["message"]


async def test_in_fullscreen_the_dialog_is_above_and_escape_answers_only_it(page: Page) -> None:
    async with view_in(page) as app:
        await app.want("ui/request-display-mode", mode="fullscreen")
        assert (await app.answers())[0]["result"] == {"mode": "fullscreen"}
        await app.call()
        deny = page.get_by_role("button", name="Deny")
        await expect(deny).to_be_focused()
        await deny.click(trial=True)  # nothing lies over it
        await page.keyboard.press("Escape")
        assert "error" in (await app.answers(2))[1]
        # The view is still as large as the page.
        viewport = page.viewport_size
        assert viewport is not None
        assert await app.frame.evaluate("innerWidth") > viewport["width"] * 0.9


async def test_a_click_meant_for_the_view_does_not_hit_a_button_that_has_just_appeared(page: Page) -> None:
    async with view_in(page) as app:
        # By the page itself: from here the press might come when the button is one.
        asked = await Asked.watch(page, press=True)
        await app.call()
        await asked.times(1)
        assert await page.locator(DIALOG).count() == 1
        await page.get_by_role("button", name="Allow once").click()
        assert "result" in (await app.answers())[0]


async def test_a_link_is_asked_once_a_site_and_opens_without_an_opener(page: Page) -> None:
    # Or the tab is on its way to the browser's own page for names that nobody has.
    await page.context.route("https://xn--exmple-cua.invalid/**", lambda route: route.fulfill(body="outside"))
    async with view_in(page) as app:
        await app.want("ui/open-link", url="https://xn--exmple-cua.invalid/a?b=c")
        dialog = page.get_by_role("alertdialog", name="Let this app open a link?")
        await expect(dialog).to_contain_text("xn--exmple-cua.invalid")
        async with page.context.expect_page() as opening:
            await dialog.get_by_role("button", name="Allow once").click()
        popup = await opening.value
        await popup.wait_for_url("https://xn--exmple-cua.invalid/a?b=c")
        assert await popup.evaluate("window.opener") is None
        assert (await app.answers())[0]["result"] == {}
        async with page.context.expect_page():
            await app.want("ui/open-link", url="https://xn--exmple-cua.invalid/second")
        assert (await app.answers(2))[1]["result"] == {}


async def test_without_a_press_of_the_person_the_address_is_given_to_press(page: Page) -> None:
    # Every step of this driver counts as a press, so the browser's own answer is taken away.
    await page.add_init_script(
        "Object.defineProperty(navigator, 'userActivation', { value: { isActive: false } })"
    )
    async with view_in(page, policy=allow_all) as app:
        await app.want("ui/open-link", url="https://example.invalid/first")
        press = page.get_by_role("alertdialog", name="Press to open")
        async with page.context.expect_page():
            await press.get_by_role("link", name="https://example.invalid/first").click()
        assert (await app.answers())[0]["result"] == {}
        await app.want("ui/open-link", url="https://example.invalid/second")
        await press.get_by_role("button", name="Do not open").click()
        assert (await app.answers(2))[1]["result"] == {"isError": True}


async def test_files_are_saved_under_safe_names_after_the_person_agreed(page: Page, tmp_path: Path) -> None:
    """Holds: D04, D05, D06."""
    contents = [
        {"type": "resource", "resource": {"uri": "file:///../../etc/no\u202etes.txt", "text": "grüße"}},
        {"type": "resource", "resource": {"uri": "data/x%2F..%2Fpixel.bin", "blob": "AAEC/w=="}},
    ]
    async with view_in(page) as app:
        saved: list[Any] = []
        page.on("download", lambda download: saved.append(download))
        await app.want("ui/download-file", contents=contents)
        dialog = page.get_by_role("alertdialog", name="Let this app save files?")
        await expect(dialog).to_contain_text("notes.txt (7 bytes)")
        await dialog.get_by_role("button", name="Allow once").click()
        assert (await app.answers())[0]["result"] == {}
        async with asyncio.timeout(WAIT_MS / 1000):
            while len(saved) < 2:
                await page.wait_for_event("download")
        assert sorted(download.suggested_filename for download in saved) == ["notes.txt", "pixel.bin"]
        read = {}
        for download in saved:
            await download.save_as(tmp_path / download.suggested_filename)
            read[download.suggested_filename] = (tmp_path / download.suggested_filename).read_bytes()
        assert read == {"notes.txt": "grüße".encode(), "pixel.bin": b"\x00\x01\x02\xff"}


@pytest.mark.parametrize(("scheme", "width"), [("light", 900), ("dark", 900), ("light", 340), ("dark", 340)])
async def test_the_dialog_fits_and_can_be_read(
    browser: Browser, scheme: Any, width: int, tmp_path: Path
) -> None:
    context = await browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 640})
    try:
        page = await context.new_page()
        async with view_in(page) as app:
            await app.call(to="ann@example.com", amount=1200, lines=[f"line {n}" for n in range(40)])
            dialog = page.locator(DIALOG)
            await expect(page.get_by_role("button", name="Allow once")).to_be_enabled()
            await page.screenshot(path=tmp_path / f"dialog-{scheme}-{width}.png")
            box = await dialog.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] + box["height"] <= 640
            await expect(page.get_by_role("button", name="Deny")).to_be_in_viewport()
            assert await dialog.evaluate("(dialog) => dialog.scrollWidth <= dialog.clientWidth")
            colors = await dialog.evaluate(
                "(d) => [getComputedStyle(d).color, getComputedStyle(d).backgroundColor]"
            )
            assert colors[0] != colors[1]
    finally:
        await context.close()
