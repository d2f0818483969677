"""What a view may say at once: the proxy weighs it before the host page has to read and write it."""

from __future__ import annotations

import pytest
from playwright.async_api import Page
from served import WAIT_MS, served_host, view_frame
from test_isolation import NAMES, opened

from fanlight.host import Host, Verdict

# Each is more than may be said at once; most are small where they are made.
TOO_MUCH = {
    "shared members": "(() => { let a = []; for (let i = 0; i < 26; i += 1) a = [a, a]; return a; })()",
    "a circle": "(() => { const a = {}; a.a = a; return a; })()",
    "a name": "({ ['x'.repeat(4e7)]: 1 })",
    "a name in a list": "Object.assign([], { ['x'.repeat(4e7)]: 1 })",
    "a text beside a list": "Object.assign([], { x: 'x'.repeat(4e7) })",
    "an empty list": "Object.assign([], { length: 4e9 })",
    "lies about its size": "({ byteLength: -1e15, length: -1e15, size: -1e15, text: 'x'.repeat(4e7) })",
    "a boxed text": "new String('x'.repeat(4e7))",
    "a map": "new Map([[{}, new Map([[1, 'x'.repeat(4e7)]])]])",
    "a set": "new Set(['x'.repeat(4e7)])",
    "an error": "new Error('x'.repeat(4e7))",
    "bytes": "new Uint8Array(4e6)",
    "a buffer": "new ArrayBuffer(4e7)",
    "a number without an end": "1n << 100000000n",
    "pixels": "new ImageData(10, 10)",
}
# What an app may say by mistake, or because JSON has a word for it after all.
HARMLESS = """({
  date: new Date(), error: new Error("x"), map: new Map([[1, 2]]), set: new Set([1]),
  bytes: new Uint8Array(9), rect: new DOMRect(1, 2, 3, 4), file: new File(["x"], "x.txt"),
  nothing: undefined, boxed: new String("x"),
  hole: [, 1], number: new Number(1), pattern: /x/ })"""
ASK = """async (thing) => {
  const params = { level: "info", data: eval(thing) };
  parent.postMessage({ jsonrpc: "2.0", method: "notifications/message", params }, "*");
  await new Promise((done) => {
    addEventListener("message", ({ data }) => data.id === "after" && done());
    parent.postMessage({ jsonrpc: "2.0", id: "after", method: "ping", params: {} }, "*");
  });
}"""


@pytest.mark.parametrize("thing", TOO_MUCH.values(), ids=TOO_MUCH)
async def test_one_message_that_is_too_much_ends_its_view(page: Page, thing: str) -> None:
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port)
        frame = await view_frame(page)
        await frame.evaluate(
            # Later: the frame may be gone before it has answered.
            """(thing) => { setTimeout(() =>
              parent.postMessage({ jsonrpc: "2.0", method: "x", params: eval(thing) }, "*")); }""",
            thing,
        )
        assert call.view is not None
        outcome = await call.view.until(Verdict.CRASHED, timeout=WAIT_MS / 1000)
        assert "said so much" in str(outcome.reason)


@NAMES
async def test_a_bare_text_that_is_too_much_ends_its_view_where_the_proxy_reads_it(
    page: Page, name: str
) -> None:
    """Between a view of an own origin and the proxy is the shell, which passes no bare text on."""
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port, name=name)
        frame = await view_frame(page)
        await frame.evaluate("() => { parent.postMessage('x'.repeat(4e7), '*'); }")
        assert call.view is not None
        if name == "127.0.0.1":
            await call.view.until(Verdict.CRASHED, timeout=WAIT_MS / 1000)
        else:
            await frame.evaluate(ASK, "'x'")
            assert call.view.verdict is Verdict.OK


@pytest.mark.parametrize("above", ["parent.parent", "top"], ids=["proxy", "page"])
async def test_a_flood_past_the_channel_ends_its_view(page: Page, above: str) -> None:
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port)
        frame = await view_frame(page)
        await frame.evaluate(
            """(above) => {
              const {port1, port2} = new MessageChannel();
              const window = eval(above);
              port1.onmessage = () => {
                for (let count = 0; count < 200; count += 1) window.postMessage(0, "*");
                port2.postMessage(0);
              };
              port2.postMessage(0);
            }""",
            above,
        )
        assert call.view is not None
        await call.view.until(Verdict.CRASHED, timeout=WAIT_MS / 1000)


@NAMES
async def test_what_is_not_json_and_not_much_harms_no_view(page: Page, name: str) -> None:
    host = Host()
    async with served_host(host) as port:
        call = await opened(page, host, port, name=name)
        frame = await view_frame(page)
        await frame.evaluate(ASK, HARMLESS)
        await frame.evaluate(ASK, "1n")
        await frame.evaluate(ASK, "Array.from({ length: 1e6 }, (_, number) => number)")
        assert call.view is not None
        assert call.view.verdict is Verdict.OK
