"""docs/view.md: its code runs in a browser, and its tables name exactly what `fanlight` has."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from doc_code import DOCS
from playwright.async_api import Page, expect
from runtime_views import PlayedHost, view_html
from served import WAIT_MS

from fanlight.server.embedding import embed_runtime

PAGE = (DOCS / "view.md").read_text("utf-8")
TYPES = files("fanlight.runtime").joinpath("view.d.ts").read_text("utf-8")
SOURCE = files("fanlight.runtime").joinpath("view.js").read_text("utf-8")


def code(language: str, containing: str) -> str:
    """The one block of the page in this language that contains these words."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (found,) = [block for block in blocks if containing in block]
    return str(found)


def table(heading: str) -> set[str]:
    """The words of the first column of the table with this heading, without their arguments."""
    rows = PAGE.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    assert rows, heading
    return {word for row in rows for word in re.findall(r"`([\w:.-]+)[`(]", row.split(" | ")[0])}


def members(interface: str) -> set[str]:
    """The names that an interface of the types has."""
    body = TYPES.partition(f"interface {interface} {{")[2].partition("\n}")[0]
    return set(re.findall(r"^  (?:readonly )?(\w+)[?(<:]", body, re.MULTILINE))


async def test_the_first_example_shows_its_call_and_calls_again(page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.answer("tools/call", "({ content: [], structuredContent: { degrees: 13 } })")
    frame = await host.connected(embed_runtime(code("html", "Weather")))
    await host.tell("ui/notifications/tool-input", {"arguments": {"city": "Oslo"}})
    await host.tell("ui/notifications/tool-result", {"content": [], "structuredContent": {"degrees": 12}})
    await expect(frame.locator("#city")).to_have_text("Oslo", timeout=WAIT_MS)
    await expect(frame.locator("#degrees")).to_have_text("12 degrees", timeout=WAIT_MS)
    await frame.get_by_role("button").click()
    await expect(frame.locator("#degrees")).to_have_text("13 degrees", timeout=WAIT_MS)
    assert (await host.heard("ui/initialize"))[0]["appInfo"]["name"] == "Weather"


async def test_the_other_examples_run(page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.answer("tools/call", '({ content: [{ type: "text", text: "drawn" }] })')
    body = code("html", "data-tool-call")
    frame = await host.connected(view_html(body, code("js", "fanlight.tool(")))
    assert (await host.ask("tools/call", {"name": "zoom", "arguments": {"level": 3}}))["result"] == {
        "content": [{"type": "text", "text": "The map is at level 3."}]
    }
    await frame.evaluate(f"async () => {{ {code('js', 'onProgress')} }}")
    await expect(frame.locator("body")).to_contain_text("drawn", timeout=WAIT_MS)
    await frame.evaluate(f"async () => {{ {code('js', 'fanlight.state')} }}")
    assert await frame.evaluate("fanlight.state.get('columns')") == ["Done"]
    await frame.locator("[name=title]").fill("Tea")
    await frame.get_by_role("button", name="Add").click()
    (_, call) = await host.heard("tools/call", 2)
    assert call["arguments"] == {"list": "inbox", "title": "Tea", "urgent": False}
    await expect(frame.locator("output")).to_have_text("drawn", timeout=WAIT_MS)


async def test_the_examples_that_speak_with_person_and_model_run(page: Page) -> None:
    host = await PlayedHost.open(
        page, hostCapabilities={"message": {}, "updateModelContext": {}, "sampling": {}}
    )
    await host.answer(
        "sampling/createMessage",
        '({ role: "x", model: "m", content: { type: "text", text: "By the door." } })',
    )
    frame = await host.connected(view_html())
    await frame.evaluate(f"async () => {{ {code('js', 'fanlight.message')} }}")
    text = {"type": "text", "text": "Please book seat 4A."}
    assert await host.heard("ui/message") == [{"role": "user", "content": [text]}]
    assert (await host.heard("ui/update-model-context"))[0]["structuredContent"] == {"seat": "4A"}
    await frame.evaluate(f"async () => {{ {code('js', 'fanlight.sample')} }}")
    await expect(frame.locator("body")).to_have_text("By the door.", timeout=WAIT_MS)
    await host.answer("ui/message", "({ isError: true })")
    await frame.evaluate(f"async () => {{ {code('js', 'fanlight.message')} }}")
    await expect(frame.locator("body")).to_contain_text(
        "It was not sent: The host refused ui/message.", timeout=WAIT_MS
    )


async def test_the_examples_for_files_and_the_screen_run(page: Page) -> None:
    offered: dict[str, object] = {"serverResources": {}, "downloadFile": {}, "logging": {}}
    host = await PlayedHost.open(page, hostCapabilities=offered)
    await host.answer("resources/list", '({ resources: [{ uri: "note://a", name: "a.csv" }] })')
    await host.answer(
        "resources/read", '({ contents: [{ uri: "note://a", mimeType: "text/csv", text: "1,2" }] })'
    )
    await host.answer("ui/request-display-mode", "({ mode: 'fullscreen' })")
    frame = await host.connected(view_html(script=code("js", "fanlight.requestMode")))
    assert (await host.heard("ui/initialize"))[0]["appCapabilities"]["availableDisplayModes"] == [
        "inline",
        "fullscreen",
    ]
    await frame.evaluate(f"async () => {{ {code('js', 'fanlight.listResources')} }}")
    (file,) = (await host.heard("ui/download-file"))[0]["contents"]
    assert file["resource"] == {"uri": "file:///a.csv", "mimeType": "text/csv", "text": "1,2"}
    assert await host.heard("notifications/message") == [
        {"level": "notice", "data": {"saved": 1}, "logger": "export"}
    ]
    larger = frame.get_by_role("button", name="Larger")
    await larger.click()
    await expect(larger).to_be_hidden(timeout=WAIT_MS)
    assert await host.heard("ui/request-display-mode") == [{"mode": "fullscreen"}]


async def test_the_sample_data_of_the_page_is_previewed(page: Page, tmp_path: Path) -> None:
    document = code("html", "Weather").replace("</html>", code("html", "fanlight-sample") + "</html>")
    file = tmp_path / "view.html"
    file.write_text(embed_runtime(document), "utf-8")
    await page.goto(file.as_uri())
    await expect(page.locator("#degrees")).to_have_text("12 degrees", timeout=WAIT_MS)
    await expect(page.locator("html")).to_have_attribute("data-theme", "dark", timeout=WAIT_MS)


async def test_page_types_and_object_have_the_same_names(page: Page) -> None:
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html())
    there = set(await frame.evaluate("fanlight.ready.then((view) => Object.keys(view))"))
    assert members("Fanlight") == there
    assert table("call") | table("value") | {"on", "setup", "connect", "state"} == there


def test_the_tables_of_options_and_events_are_complete() -> None:
    assert (
        table("option")
        == members("SetupOptions")
        == set(re.findall(r"\boptions\.(\w+)", SOURCE)) | {"info", "modes"}
    )
    assert table("event") == members("Events")


def test_every_event_of_the_dom_is_described() -> None:
    fired = set(re.findall(r'\bfire\("([\w:]+)"', SOURCE))
    assert table("DOM event") == fired | {
        f"tool:{what}" for what in ("input", "input-partial", "result", "cancelled")
    }
