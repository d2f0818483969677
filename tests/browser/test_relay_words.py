"""Reserved words never pass the relay, whatever is around them: some shapes are written as the plain word."""

from __future__ import annotations

from playwright.async_api import Page
from served import WAIT_MS, served_host, view_frame
from test_foreign_proxy import shown_elsewhere
from test_isolation import NAMES, opened

from fanlight.host import Host, Verdict

WORD = "ui/notifications/sandbox-view-navigated"
SHAPES = """(word) => [
  {jsonrpc: "2.0", method: new String(word), params: {}},
  {jsonrpc: "2.0", method: [word], params: {}},
  [{jsonrpc: "2.0", id: "harmless", method: "ping"}, {jsonrpc: "2.0", method: word, params: {}}],
  [{jsonrpc: "2.0", method: new String(word), params: {}}],
  [[{jsonrpc: "2.0", method: word, params: {}}]],
]"""
LISTEN = (
    "() => { self.heard = []; addEventListener('message', ({data}) => heard.push(JSON.stringify(data))); }"
)
# Says them to the window above and waits for the answer to what is said next.
SAY = f"""(word) => new Promise((done) => {{
  addEventListener("message", ({{data}}) => data.id === "after" && done(data.result));
  for (const message of ({SHAPES})(word)) parent.postMessage(message, "*");
  parent.postMessage({{jsonrpc: "2.0", id: "after", method: "ping", params: {{}}}}, "*"); }})"""


@NAMES
async def test_a_wrapped_reserved_word_of_the_view_does_not_reach_the_host(page: Page, name: str) -> None:
    """Holds: R31."""
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port, name=name)
        frame = await view_frame(page)
        await page.evaluate(LISTEN)
        assert await frame.evaluate(SAY, WORD) == {}
        heard: list[str] = await page.evaluate("heard")
        assert [text for text in heard if "after" in text]
        assert not [text for text in heard if WORD in text]
        assert call.view is not None
        assert call.view.verdict is Verdict.OK


@NAMES
async def test_a_wrapped_reserved_word_of_the_host_does_not_reach_the_view(page: Page, name: str) -> None:
    """Holds: R31."""
    host = Host()
    async with served_host(host) as port:
        await opened(page, host, port, name=name)
        frame = await view_frame(page)
        await frame.evaluate(LISTEN)
        await page.evaluate(
            f"""(word) => {{
              const frame = document.querySelector("fanlight-view").shadowRoot.querySelector("iframe");
              for (const message of [...({SHAPES})(word), {{jsonrpc: "2.0", method: "test/last"}}])
                frame.contentWindow.postMessage(message, "*");
            }}""",
            WORD,
        )
        await frame.wait_for_function("heard.some((text) => text.includes('test/last'))", timeout=WAIT_MS)
        assert not [text for text in await frame.evaluate("heard") if WORD in text]


async def test_a_wrapped_reserved_word_that_a_foreign_proxy_passes_on_is_not_taken(page: Page) -> None:
    async with shown_elsewhere(page) as (view, _, frame):
        await page.evaluate(
            """() => {
              self.taken = [];
              document.querySelector("fanlight-view").addEventListener("fanlight-message", ({detail}) =>
                detail.direction === "from-view" && taken.push(JSON.stringify(detail.message)));
            }"""
        )
        assert await frame.evaluate(SAY, WORD) == {}
        taken: list[str] = await page.evaluate("taken")
        assert [text for text in taken if "after" in text]
        assert not [text for text in taken if WORD in text]
        assert view.verdict is Verdict.OK
