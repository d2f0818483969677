"""What `view.js` does with a document: calls that elements declare, links, events of the DOM."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.async_api import Page, expect
from runtime_views import PlayedHost, csp, view_html
from served import WAIT_MS

ANSWER = '({ content: [{ type: "text", text: "done" }] })'
FORM = """
<form data-tool-call="add" data-tool-args='{"list": "inbox", "title": "unused"}'>
  <input name="title" value="Tea" required>
  <input name="hours" type="number" value="1.5"><input name="empty" type="number">
  <input name="share" type="range" min="0" max="10" value="4">
  <input name="urgent" type="checkbox"><input name="known" type="checkbox" checked>
  <input name="days" type="checkbox" value="mo" checked><input name="days" type="checkbox" value="tu">
  <input name="kind" type="radio" value="a"><input name="kind" type="radio" value="b" checked>
  <input name="never" type="radio" value="c">
  <select name="one"><option>x</option><option selected>y</option></select>
  <select name="many" multiple><option selected>1<option>2<option selected>3</select>
  <textarea name="note">n</textarea>
  <input name="off" value="o" disabled><input value="nameless"><input type="checkbox" checked>
  <button name="how" value="quick">Add</button><button name="how" value="slow">Add slowly</button>
  <output></output>
</form>
"""
ARGUMENTS = {
    "list": "inbox", "title": "Tea", "hours": 1.5, "share": 4, "urgent": False, "known": True, "days": ["mo"],
    "kind": "b", "one": "y", "many": ["1", "3"], "note": "n", "how": "quick",
}  # fmt: skip


@pytest.mark.parametrize("sandbox", ["allow-scripts allow-forms", "allow-scripts"])
async def test_the_fields_of_a_form_become_the_arguments_of_its_call(sandbox: str, page: Page) -> None:
    """Also in a frame that may not submit forms: there the browser never tells that one was submitted."""
    host = await PlayedHost.open(page)
    await host.answer("tools/call", ANSWER)
    frame = await host.connected(view_html(FORM, head=csp()), sandbox=sandbox)
    await frame.get_by_role("button", name="Add", exact=True).click()
    (call,) = await host.heard("tools/call")
    assert call["name"] == "add"
    assert call["arguments"] == ARGUMENTS
    await expect(frame.locator("output")).to_have_text("done", timeout=WAIT_MS)
    await frame.locator("textarea").fill("m")
    await frame.locator("[name=title]").press("Enter")
    call = (await host.heard("tools/call", 2))[1]
    assert call["arguments"] == {**ARGUMENTS, "note": "m"}
    await frame.locator("[name=title]").fill("")
    await frame.get_by_role("button", name="Add slowly").click()
    assert await frame.evaluate("document.activeElement.name") == "title", (
        "the browser points at what is missing"
    )
    assert len(await host.heard("tools/call")) == 2


async def test_a_form_without_a_button_is_called_by_enter(page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.answer("tools/call", ANSWER)
    body = '<form data-tool-call="find"><input name="q" value="tea"><output></output></form>'
    frame = await host.connected(view_html(body), sandbox="allow-scripts allow-forms")
    await frame.locator("input").press("Enter")
    assert (await host.heard("tools/call"))[0]["arguments"] == {"q": "tea"}
    await expect(frame.locator("output")).to_have_text("done", timeout=WAIT_MS)


BUTTONS = """
<button id="own" data-tool-call="own" data-tool-args='{"n": 1}'>Own</button>
<div id="plain" data-tool-call="plain"><b>Plain</b></div>
<a id="anchor" href="https://example.com/" data-tool-call="anchor">Anchor</a>
<form data-tool-call="form"><input name="x" value="1">
  <button id="other" type="submit" data-tool-call="other">Other</button>
  <button id="bare" type="button" data-tool-call="bare">Bare</button>
  <button id="nothing" type="button">Nothing</button>
</form>
"""


@pytest.mark.parametrize(
    ("press", "call"),
    [
        ("#own", {"name": "own", "arguments": {"n": 1}}),
        ("#plain b", {"name": "plain", "arguments": {}}),
        ("#anchor", {"name": "anchor", "arguments": {}}),
        ("#other", {"name": "other", "arguments": {"x": "1"}}),
        ("#bare", {"name": "bare", "arguments": {}}),
    ],
)
async def test_a_pressed_element_makes_the_call_that_it_declares(
    press: str, call: dict[str, Any], page: Page
) -> None:
    host = await PlayedHost.open(page)
    await host.answer("tools/call", ANSWER)
    frame = await host.connected(view_html(BUTTONS))
    await frame.locator("#nothing").click()
    await frame.locator("input").click()
    await frame.locator(press).click()
    (heard,) = await host.heard("tools/call")
    del heard["_meta"]
    assert heard == call


async def test_a_call_shows_that_it_is_busy_and_gives_the_focus_back(page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.answer(
        "tools/call", f"() => new Promise((done) => {{ window.finish = () => done({ANSWER}); }})"
    )
    frame = await host.connected(view_html('<button data-tool-call="slow">Go</button>'))
    button = frame.get_by_role("button")
    await button.focus()
    await button.press("Enter")
    await host.heard("tools/call")
    await expect(button).to_have_attribute("aria-busy", "true")
    await expect(button).to_be_disabled()
    await frame.evaluate("document.querySelector('button').click()")
    await page.evaluate("finish()")
    await expect(button).to_have_attribute("aria-busy", "false", timeout=WAIT_MS)
    await expect(button).to_be_enabled()
    await expect(button).to_be_focused()
    assert len(await host.heard("tools/call")) == 1


async def test_a_plain_element_is_not_called_again_while_it_is_busy(page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.answer("tools/call", '"silence"')
    frame = await host.connected(view_html('<div data-tool-call="slow">Go</div>'))
    await frame.locator("div").click()
    await frame.locator("div").click()
    await frame.evaluate("fanlight.log('later')")
    await host.heard("notifications/message")
    assert len(await host.heard("tools/call")) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ('({ isError: true, content: [{ type: "text", text: "full" }] })', "full"),
        ('({ error: { code: -32000, message: "not allowed" } })', "not allowed"),
    ],
)
async def test_a_call_that_fails_says_so_on_its_element(answer: str, message: str, page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.answer("tools/call", answer)
    script = (
        "addEventListener('tool:error', ({ target, detail }) => {"
        " window.got = [target.id, detail.name, detail.error.message]; });"
    )
    frame = await host.connected(
        view_html('<form id="f" data-tool-call="add"><button>Go</button><output></output></form>', script)
    )
    form = frame.locator("form")
    await frame.get_by_role("button").click()
    await expect(form).to_have_attribute("data-tool-error", message, timeout=WAIT_MS)
    await expect(frame.locator("output")).to_have_text(message)
    assert await frame.evaluate("got") == ["f", "add", message]
    await host.answer("tools/call", ANSWER)
    await frame.get_by_role("button").click()
    await expect(frame.locator("output")).to_have_text("done", timeout=WAIT_MS)
    await expect(form).not_to_have_attribute("data-tool-error", message)


async def test_arguments_that_are_no_json_are_an_error_of_the_element(page: Page) -> None:
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html('<button data-tool-call="add" data-tool-args="{oops">Go</button>'))
    await frame.get_by_role("button").click()
    await expect(frame.get_by_role("button")).to_have_attribute("data-tool-error", re.compile("JSON"))


async def test_the_events_of_the_dom_bubble_up_to_the_window(page: Page) -> None:
    names = (
        "bridge:ready", "tool:input", "tool:input-partial", "tool:result", "tool:cancelled", "context:change",
        "tool:success",
    )  # fmt: skip
    script = "window.got = {};" + "".join(
        f"addEventListener({name!r}, ({{ detail }}) => {{ got[{name!r}] = detail; }});" for name in names
    )
    host = await PlayedHost.open(page)
    await host.answer("tools/call", ANSWER)
    frame = await host.connected(view_html('<button data-tool-call="add">Go</button>', script))
    assert (await frame.evaluate("got"))["bridge:ready"] == {"host": {"name": "played", "version": "1"}}
    assert (await frame.evaluate("got"))["context:change"]["theme"] == "dark"
    result = {"content": [], "structuredContent": {"n": 1}}
    await host.tell("ui/notifications/tool-input-partial", {"arguments": {"a": 1}})
    await host.tell("ui/notifications/tool-input", {"arguments": {"a": 2}})
    await host.tell("ui/notifications/tool-result", result)
    await host.tell("ui/notifications/tool-cancelled", {"reason": "stop"})
    await frame.get_by_role("button").click()
    await frame.wait_for_function("'tool:success' in got", timeout=WAIT_MS)
    got = await frame.evaluate("got")
    assert got["tool:input-partial"] == {"arguments": {"a": 1}}
    assert got["tool:input"] == {"arguments": {"a": 2}}
    assert got["tool:result"] == result
    assert got["tool:cancelled"] == {"reason": "stop"}
    assert got["tool:success"] == {
        "name": "add",
        "args": {},
        "result": {"content": [{"type": "text", "text": "done"}]},
    }


LINKS = """
<a id="web" href="https://example.com/a?b#c"><b>Web</b></a> <a id="post" href="mailto:a@example.com">Post</a>
<a id="part" href="#part">Part</a> <a id="mine" href="https://example.com/mine">Mine</a>
<a id="script" href="javascript:void 0">Script</a>
"""


async def test_links_go_to_the_host_and_parts_of_the_page_do_not(page: Page) -> None:
    host = await PlayedHost.open(page)
    script = (
        "document.getElementById('mine').addEventListener('click', (event) => event.preventDefault());"
        "window.errors = []; fanlight.on('error', (error) => errors.push(error.message));"
    )
    frame = await host.connected(view_html(LINKS, script))
    for link in ("#part", "#mine", "#script"):
        await frame.locator(link).click()
    await frame.locator("#web b").click()
    await frame.locator("#post").click()
    opened = await host.heard("ui/open-link", 2)
    assert opened == [{"url": "https://example.com/a?b#c"}, {"url": "mailto:a@example.com"}]
    assert await frame.evaluate("location.hash") == "#part", "the document is still there"
    await host.answer("ui/open-link", "({ isError: true })")
    await frame.locator("#web").click()
    await frame.wait_for_function("errors.length > 0", timeout=WAIT_MS)
    assert await frame.evaluate("errors") == ["The host refused ui/open-link."]


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ('<a href=" https://example.com/space">x</a>', "https://example.com/space"),
        ('<a href="HTTPS://EXAMPLE.com/loud">x</a>', "https://example.com/loud"),
        (
            '<base href="https://base.example/"><a href="//example.com/short">x</a>',
            "https://example.com/short",
        ),
        (
            '<svg><a href="https://example.com/drawn"><text y="20">x</text></a></svg>',
            "https://example.com/drawn",
        ),
        (
            '<in-shadow><a href="https://example.com/deep"><b>x</b></a></in-shadow>',
            "https://example.com/deep",
        ),
        (
            '<a href="https://example.com/around"><in-shadow><b>x</b></in-shadow></a>',
            "https://example.com/around",
        ),
    ],
)
async def test_a_link_is_found_however_it_is_written_and_wherever_it_is(
    link: str, url: str, page: Page
) -> None:
    """Otherwise the frame itself would follow it, and the view would be gone."""
    define = """
      customElements.define("in-shadow", class extends HTMLElement {
        connectedCallback() {
          if (!this.shadowRoot) this.attachShadow({ mode: "open" }).append(...this.childNodes);
        }
      });
    """
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html(link, define))
    await frame.get_by_text("x", exact=True).click()
    assert await host.heard("ui/open-link") == [{"url": url}]


async def test_links_may_be_left_alone(page: Page) -> None:
    host = await PlayedHost.open(page)
    script = (
        "fanlight.setup({ links: false });"
        "addEventListener('click', (event) => {"
        " window.left = !event.defaultPrevented; event.preventDefault(); });"
    )
    frame = await host.connected(view_html(LINKS, script))
    await frame.locator("#web").click()
    assert await frame.evaluate("left") is True
    assert await page.evaluate("heard.filter(({ method }) => method === 'ui/open-link').length") == 0
