"""Nothing is lost in a real page: cut sockets, reloads, moved elements, second tabs."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer
from playwright.async_api import BrowserContext, Frame, Page, expect
from served import WAIT_MS, app_server, shown, view_frame, view_frames
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fanlight.host import Call, Host, TapRecord, View
from fanlight.host.limits import UNLIMITED
from fanlight.host.link import LinkSettings
from fanlight.host.serve import ServeLimits, bind_loopback, serving

WAIT = WAIT_MS / 1000

# A view that counts aloud. Its counters are in its own storage, so that the next document goes on where the
# last one stopped. Each number it says is a tool call; each number it hears must be the one after the last.
COUNTER = """<!doctype html><title>counter</title><p id=state>counting</p>
<script>
const say = (message) => parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
const number = (key) => Number(localStorage.getItem(key) ?? 0);
const fault = (text) => localStorage.setItem("faults", (localStorage.getItem("faults") ?? "") + text + "; ");
const open = new Set();
let goal = 0, paused = false, ready = false;
function go() {
  while (ready && !paused && open.size < 8 && number("said") < goal) {
    const n = number("said") + 1;
    localStorage.setItem("said", n);
    open.add(`call-${n}`);
    say({ id: `call-${n}`, method: "tools/call", params: { name: "count", arguments: { n } } });
  }
}
function count(upTo) { goal = upTo; go(); }
function pause() { paused = true; return number("said"); }
addEventListener("message", ({ data }) => {
  if (data.id === "hello" && data.result) {
    say({ method: "ui/notifications/initialized" });
    ready = true;
    go();
  } else if (data.method === "ui/notifications/host-context-changed" && data.params.number) {
    const { number: heard } = data.params;
    if (heard !== number("heard") + 1) fault(`heard ${heard} after ${number("heard")}`);
    localStorage.setItem("heard", heard);
  } else if (data.method === "ui/resource-teardown") {
    say({ id: data.id, result: {} });
  } else if (data.id !== undefined && !data.method) {
    if (!open.delete(data.id)) fault(`an answer to ${data.id}, which nobody asked`);
    if (data.error) fault(JSON.stringify(data.error));
    else if (data.result.content[0].text !== data.id) fault(`${data.id} got ${data.result.content[0].text}`);
    localStorage.setItem("answers", number("answers") + 1);
    go();
  }
});
say({ id: "hello", method: "ui/initialize", params: {
  appInfo: { name: "counter", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" } });
</script>"""

# Lets a test reach the page's sockets, and see how far the view's words came.
KEEP_SOCKETS = """
globalThis.sockets = [];
globalThis.WebSocket = class extends WebSocket {
  constructor(...args) {
    super(...args);
    sockets.push(this);
    this.addEventListener("message", ({ data }) => {
      this.joined ||= /^{"op":"(attached|resumed)"/.test(data);
    });
  }
};
globalThis.said = 0;
addEventListener("fanlight-message", ({ detail: { direction, message } }) => {
  if (direction === "from-view" && message.method === "tools/call") said = message.params.arguments.n;
}, true);
"""

# Not before the page has heard that it is joined: what breaks earlier is a failed try, and the page pauses.
CLOSE = "() => sockets.at(-1).joined && (sockets.at(-1).close(), true)"
_JOINED = re.compile(r'\{"op":"(attached|resumed)"')


class Cutter:
    """Between server and host: breaks the sockets that are open, without a goodbye."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._cuts: set[asyncio.Event] = set()
        self._changed = asyncio.Condition()
        self.sockets = 0
        self.joined = 0

    def cut(self) -> None:
        for cut in self._cuts:
            cut.set()

    async def until_socket(self, number: int) -> None:
        """Wait until the page has come with its socket of this number; it may not have said a word."""
        async with asyncio.timeout(WAIT), self._changed:
            await self._changed.wait_for(lambda: self.sockets >= number)

    async def until_joined(self, number: int) -> None:
        """Wait until so many sockets have carried the view: cut earlier than that, one was a failed try."""
        async with asyncio.timeout(WAIT), self._changed:
            await self._changed.wait_for(lambda: self.joined >= number)

    async def _count(self, *, sockets: int = 0, joined: int = 0) -> None:
        async with self._changed:
            self.sockets += sockets
            self.joined += joined
            self._changed.notify_all()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        cut = asyncio.Event()

        async def receive_until_cut() -> Message:
            waiting = [asyncio.ensure_future(receive()), asyncio.ensure_future(cut.wait())]
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                if cut.is_set():
                    return {"type": "websocket.disconnect", "code": 1006}
                return await waiting[0]  # type: ignore[return-value]
            finally:
                for task in waiting:
                    task.cancel()

        async def send_and_count(message: Message) -> None:
            await send(message)
            if message["type"] == "websocket.accept":
                self._cuts.add(cut)
                await self._count(sockets=1)
            elif _JOINED.match(message.get("text") or ""):
                await self._count(joined=1)

        try:
            await self._app(scope, receive_until_cut, send_and_count)
        finally:
            self._cuts.discard(cut)


class Conversation:
    """What Python sees of a counting view: each number it said, in the order in which they came."""

    def __init__(self, host: Host, view: View) -> None:
        self.view = view
        self.came: list[int] = []
        self.told = 0
        self.quiet = False
        self._news = asyncio.Event()
        host.tap.listen(self._record)

    def _record(self, record: TapRecord) -> None:
        message = record.message
        if record.direction == "from-view" and str(message.get("id", "")).startswith("call-"):
            self.came.append(message["params"]["arguments"]["n"])
            self._news.set()

    def tell(self) -> None:
        """Say the next number to the view."""
        session = self.view.session
        assert session is not None
        conversation = session.conversation
        assert conversation._connection is not None
        self.told += 1
        conversation._connection.update_context({"number": self.told})
        conversation._drain()

    async def until(self, check: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT):
            while not check():
                self._news.clear()
                await self._news.wait()


@dataclass
class Counting:
    """A counting view on a page, and who can cut the line."""

    host: Host
    port: int
    call: Call
    talk: Conversation
    cutter: Cutter
    counted: list[int]


def counting_server() -> tuple[MCPServer[Any], list[int]]:
    counted: list[int] = []

    def count(n: int) -> str:
        counted.append(n)
        return f"call-{n}"

    return app_server(COUNTER, count=count), counted


@asynccontextmanager
async def counting(page: Page, serve: ServeLimits | None = None, **link: Any) -> AsyncIterator[Counting]:
    await page.add_init_script(KEEP_SOCKETS)
    server, counted = counting_server()
    async with Host(ask="allow", limits=UNLIMITED, teardown_grace=0.5, link=LinkSettings(**link)) as host:
        cutter = Cutter(Starlette(routes=[Mount(host.mount, app=host.asgi())]))
        async with serving(cutter, bind_loopback(0), serve) as port:
            call = await (await host.connect("one", server)).call_tool("show")
            assert call.view is not None
            await shown(page, port, call)
            yield Counting(host, port, call, Conversation(host, call.view), cutter, counted)


async def stored(frame: Frame, key: str) -> str | None:
    value: str | None = await frame.evaluate("(key) => localStorage.getItem(key)", key)
    return value


async def until_stored(frame: Frame, key: str, value: int) -> None:
    await frame.wait_for_function(
        "([key, value]) => localStorage.getItem(key) === value", arg=[key, str(value)], timeout=WAIT_MS
    )


async def silence(page: Page, cutter: Cutter) -> None:
    """The line is dead and stays dead, until the page is loaded again."""
    await page.evaluate(
        """() => {
          globalThis.LivingSocket = WebSocket;
          globalThis.WebSocket = class { static OPEN = 1; readyState = 0; close() {} };
        }"""
    )
    cutter.cut()


async def line_back(page: Page) -> None:
    await page.evaluate("() => { globalThis.WebSocket = LivingSocket; dispatchEvent(new Event('online')); }")


async def move(page: Page, times: int) -> None:
    """Put the element elsewhere in the page, each time as a script of its own that comes to rest."""
    await page.evaluate(
        """async (times) => {
          const element = document.querySelector("fanlight-view");
          for (let time = 0; time < times; time += 1) {
            document.body.append(document.createElement("section"));
            document.body.lastChild.append(element);
            await new Promise((done) => setTimeout(done));
          }
        }""",
        times,
    )


async def all_in_page(page: Page, said: int) -> None:
    """Wait until the page has heard everything that the view said."""
    await page.wait_for_function("(said) => globalThis.said >= said", arg=said, timeout=WAIT_MS)


async def up(page: Page) -> Frame:
    await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS, state="attached")
    return await view_frame(page)


async def count(page: Page, up_to: int) -> None:
    await (await view_frame(page)).evaluate(f"count({up_to})")


async def reload_in_mid_sentence(page: Page, talk: Conversation, cutter: Cutter, up_to: int) -> None:
    """Load the page again while words of the view are in it and nowhere else."""
    frame = await view_frame(page)
    await until_stored(frame, "heard", talk.told)
    await silence(page, cutter)
    await count(page, up_to)
    said = await frame.evaluate("pause()")
    await all_in_page(page, said)
    await page.reload()
    await talk.until(lambda: len(talk.came) >= said)
    await up(page)


@pytest.mark.timeout(300)  # four thousand messages through three browser processes, on a busy machine
async def test_two_hundred_cuts_and_five_reloads_lose_nothing_and_repeat_nothing(page: Page) -> None:
    dice = random.Random(20260731)
    total, cuts = 2000, 200
    async with counting(page) as here:
        talk, cutter = here.talk, here.cutter
        moments = sorted(dice.sample(range(1, total - 20), cuts))
        reloads = set(dice.sample(range(10, cuts - 10), 5))
        failures = set(dice.sample(range(cuts), 5))
        for index, moment in enumerate(moments):
            # A little further than to the moment, so that something is under way when it comes.
            await count(page, moment + 8)
            await talk.until(lambda moment=moment: len(talk.came) >= moment)  # type: ignore[misc]
            while talk.told < len(talk.came):
                talk.tell()
            if index in reloads:
                await reload_in_mid_sentence(page, talk, cutter, moment + 20)
                continue
            joined, sockets = cutter.joined, cutter.sockets
            if dice.random() < 0.5:
                cutter.cut()
            else:
                await page.wait_for_function(CLOSE, timeout=WAIT_MS)
            if index in failures:
                await cutter.until_socket(sockets + 1)
                cutter.cut()
            await cutter.until_joined(joined + 1)
        await count(page, total)
        await talk.until(lambda: len(talk.came) >= total)
        while talk.told < total:
            talk.tell()
        frame = await view_frame(page)
        await until_stored(frame, "heard", total)
        await frame.wait_for_function("() => open.size === 0", timeout=WAIT_MS)
        assert await stored(frame, "faults") is None
        assert talk.came == list(range(1, total + 1))
        assert sorted(here.counted) == list(range(1, total + 1))
        assert cutter.sockets > cuts


@pytest.mark.parametrize("moves", [1, 2, 20])
async def test_a_moved_element_comes_back_by_itself_and_loses_nothing(page: Page, moves: int) -> None:
    async with counting(page) as here:
        frame = await view_frame(page)
        session = here.talk.view.session
        await silence(page, here.cutter)
        await frame.evaluate("count(5)")
        await all_in_page(page, 5)
        # The browser loads a moved frame anew; the line is back only afterwards.
        await move(page, moves)
        await line_back(page)
        await here.talk.until(lambda: len(here.talk.came) >= 5)
        frame = await up(page)
        await frame.evaluate("count(8)")
        await here.talk.until(lambda: len(here.talk.came) >= 8)
        await frame.wait_for_function("() => open.size === 0", timeout=WAIT_MS)
        assert here.talk.came == list(range(1, 9))
        assert sorted(here.counted) == list(range(1, 9))
        assert await stored(frame, "faults") is None
        assert here.talk.view.session is not session


async def test_an_element_that_is_moved_and_then_removed_loses_nothing(page: Page) -> None:
    async with counting(page) as here:
        frame = await view_frame(page)
        await silence(page, here.cutter)
        await frame.evaluate("count(5)")
        await all_in_page(page, 5)
        await move(page, 2)
        await page.evaluate("document.querySelector('fanlight-view').remove()")
        await line_back(page)
        await here.talk.until(lambda: len(here.talk.came) >= 5)
        assert here.talk.came == [1, 2, 3, 4, 5]


async def test_what_was_handed_over_to_nobody_is_handed_over_again(page: Page) -> None:
    """A socket opens, takes everything and is dead; who spoke on it is gone when that is noticed."""
    async with counting(page) as here:
        frame = await view_frame(page)
        await silence(page, here.cutter)
        await frame.evaluate("count(5)")
        await all_in_page(page, 5)
        await page.evaluate(
            """() => new Promise((opened) => {
              globalThis.WebSocket = class {
                static OPEN = 1;
                readyState = 0;
                constructor() { setTimeout(() => { this.readyState = 1; this.onopen(); opened(); }); }
                send() {}
                close() {}
              };
              dispatchEvent(new Event("online"));
            })"""
        )
        await move(page, 2)
        await page.evaluate("document.querySelector('fanlight-view').remove()")
        await line_back(page)
        await here.talk.until(lambda: len(here.talk.came) >= 5)
        assert here.talk.came == [1, 2, 3, 4, 5]


async def test_fifty_moves_in_a_row_end_in_one_living_view(page: Page) -> None:
    async with counting(page) as here:
        await page.evaluate(
            """async () => {
              const element = document.querySelector("fanlight-view");
              for (let move = 0; move < 50; move += 1) {
                const section = document.createElement("section");
                document.body.append(section);
                section.append(element);
                if (move % 3 === 0) await new Promise(requestAnimationFrame);
              }
            }"""
        )
        frame = await up(page)
        await frame.evaluate("count(3)")
        await here.talk.until(lambda: len(here.talk.came) >= 3)
        await expect(page.locator("fanlight-view iframe")).to_have_count(1)
        session = here.talk.view.session
        assert [linked.session for linked in here.host.links._linked.values()].count(session) == 1


async def test_the_newer_tab_wins_and_the_older_says_so_and_leaves_it_alone(
    page: Page, context: BrowserContext
) -> None:
    async with counting(page) as here:
        other = await context.new_page()
        await shown(other, here.port, here.call)
        await page.locator('fanlight-view[data-verdict="closed"]').wait_for(timeout=WAIT_MS)
        await expect(page.get_by_text("now shown in another place")).to_be_visible()
        session = here.talk.view.session
        # Whatever the older page does by itself, it takes nothing back: a re-render, a new socket, a glance.
        await page.evaluate(
            """() => {
              const element = document.querySelector("fanlight-view");
              document.body.append(element);
              element.replaceWith(element.cloneNode());
              dispatchEvent(new Event("online"));
              document.dispatchEvent(new Event("visibilitychange"));
            }"""
        )
        await expect(page.get_by_text("now shown in another place")).to_be_visible()
        frame = await view_frame(other)
        await frame.evaluate("count(3)")
        await here.talk.until(lambda: len(here.talk.came) >= 3)
        assert here.talk.view.session is session


async def test_a_dead_line_is_noticed_by_the_page_and_replaced(page: Page) -> None:
    """Half open: the page's socket looks alive, and nobody is at the other end."""
    async with counting(page, heartbeat=0.2) as here:
        await page.evaluate("() => { sockets.at(-1).onmessage = null; sockets.at(-1).send = () => {}; }")
        frame = await view_frame(page)
        await frame.evaluate("count(3)")
        await here.talk.until(lambda: len(here.talk.came) >= 3)
        await frame.wait_for_function("() => open.size === 0", timeout=WAIT_MS)
        assert here.talk.came == [1, 2, 3]
        assert here.cutter.sockets >= 2


async def test_a_message_that_is_too_big_is_answered_and_breaks_nothing(page: Page) -> None:
    # The server breaks a socket over a larger frame, for every view of the page.
    async with counting(page, ServeLimits(message_size=200_000), message_limit=100_000) as here:
        frame = await view_frame(page)
        await frame.evaluate(
            """() => {
              globalThis.answers = {};
              addEventListener("message", ({ data }) => { answers[data.id] = data.error?.message; });
              const text = "é".repeat(60_000);
              open.add("big");
              say({ id: "big", method: "tools/call", params: { name: "count", arguments: { text } } });
              // Too big as a whole, and every part of it is small.
              const parts = Array.from({ length: 500 }, (_, number) => [`part-${number}`, "x".repeat(900)]);
              open.add("parts");
              say({ id: "parts", method: "ping", ...Object.fromEntries(parts) });
            }"""
        )
        await frame.wait_for_function("() => answers.big && answers.parts", timeout=WAIT_MS)
        answers = await frame.evaluate("answers")
        assert "at most 100000" in answers["big"]
        assert "1201" in answers["big"], "the size in bytes of what was said"
        assert "at most 100000" in answers["parts"]
        await frame.evaluate("count(2)")
        await here.talk.until(lambda: len(here.talk.came) >= 2)
        assert here.cutter.sockets == 1


async def test_a_view_that_floods_delays_no_other_view_of_the_page(page: Page) -> None:
    flood = 2000
    async with counting(page) as here:
        other = (await here.host.servers["one"].call_tool("show")).view
        assert other is not None
        await page.evaluate(
            """([id, token, base]) => {
              const view = document.createElement("fanlight-view");
              for (const [name, value] of Object.entries({"view-id": id, token, base}))
                view.setAttribute(name, value);
              document.body.append(view);
            }""",
            [other.id, other.token, "/apps"],
        )
        await expect(page.locator('fanlight-view[data-verdict="ok"]')).to_have_count(2, timeout=WAIT_MS)
        frames = await view_frames(page, 2)
        assert len(frames) == 2
        for frame in frames:
            await frame.evaluate(
                """() => {
                  globalThis.pongs = [];
                  addEventListener("message", ({ data }) => {
                    if (!String(data.id).startsWith("ping-")) return;
                    open.add(data.id);
                    pongs.push(Number(data.id.slice(5)));
                  }, true);
                }"""
            )
        # The two views talk to each other, so that nothing of the test's own way to them counts.
        await frames[1].evaluate(
            """() => {
              const between = new BroadcastChannel("flood");
              between.onmessage = () => say({ id: "ping-0", method: "ping" });
              addEventListener("message", ({ data }) => {
                if (data.id === "ping-0") between.postMessage("answered");
              });
            }"""
        )
        await frames[0].evaluate(
            """(count) => {
              const between = new BroadcastChannel("flood");
              between.onmessage = () => { globalThis.behind = pongs.length; };
              for (let n = 0; n < count; n += 1) say({ id: `ping-${n}`, method: "ping" });
              between.postMessage("go");
            }""",
            flood,
        )
        await frames[0].wait_for_function("() => globalThis.behind !== undefined", timeout=WAIT_MS)
        behind = await frames[0].evaluate("behind")
        await frames[0].wait_for_function("(count) => pongs.length === count", arg=flood, timeout=4 * WAIT_MS)
        assert behind < flood
        assert await frames[0].evaluate("pongs.every((n, index) => n === index)")
