"""The life of a view on `view.js`: buffered events, early calls, the host's look, a host that comes again."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import Page, expect
from runtime_views import PlayedHost, csp, view_html
from served import WAIT_MS

RESULT = {"content": [{"type": "text", "text": "12"}]}


async def test_events_wait_for_handlers_that_are_attached_late_and_keep_their_order(page: Page) -> None:
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html(head=csp()))
    await host.tell("ui/notifications/tool-input", {"arguments": {"city": "Oslo"}})
    await host.tell("ui/notifications/tool-result", RESULT)
    heard = await frame.evaluate(
        """() => new Promise((done) => {
          const heard = [];
          fanlight.on("result", (value) => { heard.push(["result", value]); done(heard); });
          fanlight.on("input", (value) => heard.push(["input", value]));
        })"""
    )
    assert heard == [["input", {"city": "Oslo"}], ["result", RESULT]]


async def test_a_handler_that_fails_or_ends_does_not_stop_the_others(page: Page) -> None:
    lost: list[str] = []
    page.on("pageerror", lambda error: lost.append(str(error)))
    script = """
      window.heard = [];
      fanlight.on("input", () => { throw new Error("a bug of the app"); });
      const stop = fanlight.on("input", () => heard.push("first"));
      fanlight.on("input", () => { heard.push("second"); stop(); });
    """
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html(script=script))
    for _ in range(2):
        await host.tell("ui/notifications/tool-input", {})
    await frame.wait_for_function("heard.length >= 3", timeout=WAIT_MS)
    assert await frame.evaluate("heard") == ["first", "second", "second"]
    assert lost == ["a bug of the app"] * 2


async def test_calls_that_are_made_before_the_connection_wait_for_it(page: Page) -> None:
    """A host that is strict hides a view that calls before its handshake is over."""
    host = await PlayedHost.open(page)
    await host.answer("tools/call", str(RESULT).replace("'", '"'))
    script = "window.early = fanlight.callTool('get'); fanlight.log('here');"
    frame = await host.connected(view_html(script=script))
    assert await frame.evaluate("early") == RESULT
    await host.heard("notifications/message")
    methods = await page.evaluate("heard.map(({ method }) => method)")
    assert methods[:2] == ["ui/initialize", "ui/notifications/initialized"]
    assert {"tools/call", "notifications/message"} <= set(methods[2:])


async def test_every_script_of_the_document_may_still_set_the_view_up(page: Page) -> None:
    body = '<script type="module">fanlight.tool("zoom", {}, () => {});</script>'
    script = "fanlight.setup({ info: { name: 'Map', version: '3' }, modes: ['inline', 'pip'] });"
    host = await PlayedHost.open(page)
    await host.connected(view_html(body, script, head=csp()))
    assert await host.heard("ui/initialize") == [
        {
            "appInfo": {"name": "Map", "version": "3"},
            "appCapabilities": {"availableDisplayModes": ["inline", "pip"], "tools": {"listChanged": True}},
            "protocolVersion": "2026-01-26",
        }
    ]


async def test_a_script_that_is_there_twice_connects_once(page: Page) -> None:
    once = view_html()
    runtime = once[once.index("<script>") : once.index("</head>")]
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html(runtime))
    await frame.evaluate("fanlight.ready.then(() => fanlight.log('on'))")
    await host.heard("notifications/message")
    assert len(await host.heard("ui/initialize")) == 1


async def test_only_the_parent_is_heard(page: Page) -> None:
    host = await PlayedHost.open(page)
    frame = await host.connected(
        view_html(script="window.heard = []; fanlight.on('input', (args) => heard.push(args));")
    )
    await frame.evaluate(
        "(method) => postMessage({ jsonrpc: '2.0', method, params: { arguments: { a: 1 } } }, '*')",
        "ui/notifications/tool-input",
    )
    await page.evaluate("frame.contentWindow.postMessage('noise', '*')")
    await page.evaluate("frame.contentWindow.postMessage({ method: 'ui/notifications/tool-input' }, '*')")
    await host.tell("ui/notifications/tool-input", {"arguments": {"a": 2}})
    await frame.wait_for_function("heard.length > 0", timeout=WAIT_MS)
    assert await frame.evaluate("heard") == [{"a": 2}]


STYLES: dict[str, Any] = {
    "variables": {"--color-text-primary": "rgb(1, 2, 3)", "--font-sans": "Ours"},
    "css": {"fonts": "@font-face { font-family: Ours; src: url(data:font/woff2;base64,AA) }"},
}


async def test_the_hosts_look_is_replaced_whole(page: Page) -> None:
    context = {"theme": "light", "styles": STYLES, "displayMode": "inline"}
    host = await PlayedHost.open(page, hostContext=context)
    frame = await host.connected(view_html(head=csp()))
    root = frame.locator("html")
    await expect(root).to_have_css("--color-text-primary", "rgb(1, 2, 3)", timeout=WAIT_MS)
    assert await frame.evaluate("[...document.fonts].map(({ family }) => family)") == ["Ours"]
    changed = {
        "styles": {"variables": {"--font-sans": "Other"}},
        "theme": "dark",
        "displayMode": "fullscreen",
    }
    await host.tell("ui/notifications/host-context-changed", changed)
    await expect(root).to_have_attribute("data-theme", "dark", timeout=WAIT_MS)
    await expect(root).to_have_attribute("data-display-mode", "fullscreen")
    await expect(root).to_have_css("color-scheme", "dark")
    assert await root.evaluate("({ style }) => [...style].filter((name) => name.startsWith('--'))") == [
        "--font-sans"
    ]
    assert await frame.evaluate("document.fonts.size") == 0


async def test_a_variable_without_a_value_leaves_the_views_own_colour(page: Page) -> None:
    """The official type allows undefined, and what is posted keeps it."""
    host = await PlayedHost.open(page)
    style = "<style>p { color: var(--color-text-primary, rgb(4, 5, 6)) }</style>"
    frame = await host.connected(view_html("<p>text</p>", head=style))
    await page.evaluate(
        "tell('ui/notifications/host-context-changed', { theme: 'light',"
        " styles: { variables: { '--color-text-primary': undefined, '--font-sans': 'Ours' } } })"
    )
    await expect(frame.locator("html")).to_have_css("--font-sans", "Ours", timeout=WAIT_MS)
    await expect(frame.locator("p")).to_have_css("color", "rgb(4, 5, 6)")


async def test_a_host_may_give_ids_back_as_texts(page: Page) -> None:
    host = await PlayedHost.open(page)
    await page.evaluate(
        """() => {
          const numbers = post;
          post = (message) => {
            const id = message.id === undefined ? {} : { id: String(message.id) };
            const { params } = message;
            if (params?.progressToken) params.progressToken = String(params.progressToken);
            numbers({ ...message, ...id });
          };
          answers["tools/call"] = ({ _meta }) => {
            tell("notifications/progress", { progressToken: _meta.progressToken, progress: 1 });
            return { content: [] };
          };
        }"""
    )
    frame = await host.connected(view_html())
    told = await frame.evaluate(
        "() => { const told = []; return fanlight.callTool('get', {}, "
        "{ onProgress: ({ progress }) => told.push(progress) }).then(() => told); }"
    )
    assert told == [1]


async def test_what_the_caller_says_about_a_request_stays_in_it(page: Page) -> None:
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html())
    await frame.evaluate(
        "fanlight.request('tools/call', { name: 'get', _meta: { trace: 'x' } }, { onProgress() {} })"
    )
    ((said),) = await host.heard("tools/call")
    assert said["_meta"]["trace"] == "x"
    assert "progressToken" in said["_meta"]


async def test_a_file_of_bytes_is_not_called_a_text_and_can_be_aborted(page: Page) -> None:
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html())
    await frame.evaluate(
        """async () => {
          await fanlight.download("a.bin", new Uint8Array([1]));
          await fanlight.download("a.png", new Blob(["x"], { type: "image/png" }));
          await fanlight.download("a.txt", "");
          await fanlight.download("a.csv", "a,b", "text/csv");
        }"""
    )
    sent = [said["contents"][0]["resource"] for said in await host.heard("ui/download-file", 4)]
    assert [resource.get("mimeType") for resource in sent] == [None, "image/png", "text/plain", "text/csv"]
    stopped = await frame.evaluate(
        "fanlight.download('a', 'b', undefined, { signal: AbortSignal.abort(new Error('enough')) })"
        ".catch(({ message }) => message)"
    )
    assert stopped == "enough"


async def test_a_view_may_look_after_its_look_itself(page: Page) -> None:
    host = await PlayedHost.open(page, hostContext={"theme": "dark", "styles": STYLES})
    frame = await host.connected(view_html(script="fanlight.setup({ theme: false });"))
    assert await frame.evaluate("fanlight.ready.then(({ context }) => context.theme)") == "dark"
    assert await frame.evaluate("document.documentElement.style.length") == 0
    assert await frame.evaluate("document.documentElement.dataset.theme ?? 'none'") == "none"


async def test_a_view_that_its_host_has_lost_introduces_itself_again(page: Page) -> None:
    script = "window.heard = []; fanlight.on('input', (args) => heard.push(args));"
    host = await PlayedHost.open(page)
    await host.answer("tools/call", '"silence"')
    frame = await host.connected(view_html("<p>content</p>", script))
    await host.heard("ui/notifications/size-changed")
    await frame.evaluate("void (window.under = fanlight.callTool('slow').catch(({ message }) => message))")
    await host.heard("tools/call")
    await page.evaluate("welcome.hostInfo.name = 'new'; welcome.hostContext = { theme: 'light' };")
    assert await frame.evaluate("fanlight.connect().then(({ host }) => host.name)") == "new"
    assert await frame.evaluate("under") == "The view connects again."
    assert await frame.evaluate("fanlight.context") == {"theme": "light"}
    await host.tell("ui/notifications/tool-input", {"arguments": {"n": 2}})
    await frame.wait_for_function("heard.length > 0", timeout=WAIT_MS)
    assert len(await host.heard("ui/notifications/size-changed", 2)) == 2
    assert await frame.evaluate("document.body.textContent.includes('connects again')") is False


async def test_a_second_introduction_replaces_one_that_is_under_way(page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.answer("ui/initialize", '"silence"')
    frame = await host.show(view_html())
    await host.heard("ui/initialize")
    await page.evaluate("delete answers['ui/initialize']")
    assert await frame.evaluate("fanlight.connect().then(({ host }) => host.name)") == "played"
    assert await frame.evaluate("document.body.textContent") == ""


@pytest.mark.parametrize("method", ["ui/resource-teardown", "ping"])
async def test_the_host_is_answered_even_by_a_view_without_handlers(method: str, page: Page) -> None:
    host = await PlayedHost.open(page)
    await host.connected(view_html())
    assert (await host.ask(method, {}))["result"] == {}


async def test_a_view_can_answer_requests_of_its_own(page: Page) -> None:
    host = await PlayedHost.open(page)
    script = """
      fanlight.handlers["x/add"] = ({ a, b }) => ({ sum: a + b });
      fanlight.handlers["x/fail"] = () => { throw Object.assign(new Error("no"), { code: -32050 }); };
    """
    await host.connected(view_html(script=script))
    assert (await host.ask("x/add", {"a": 1, "b": 2}))["result"] == {"sum": 3}
    assert (await host.ask("x/fail", {}))["error"] == {"code": -32050, "message": "no"}


async def test_what_a_framework_wraps_can_be_sent(page: Page) -> None:
    """A proxy cannot be cloned, and a field without a value must not become null."""
    host = await PlayedHost.open(page)
    frame = await host.connected(view_html())
    await frame.evaluate("fanlight.callTool('get', new Proxy({ a: 1, b: undefined, c: null }, {}))")
    assert (await host.heard("tools/call"))[0]["arguments"] == {"a": 1, "c": None}
    refused = await frame.evaluate(
        "() => { const loop = {}; loop.loop = loop;"
        " return fanlight.callTool('get', loop).catch((error) => error.name); }"
    )
    assert refused == "TypeError"
