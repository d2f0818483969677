"""What `fanlight.state` keeps, and where: the host, `window.openai`, the storage, or only the document."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Frame, Page
from runtime_views import HELD_TIMERS, PlayedHost, view_html
from served import WAIT_MS

# A page of an origin with storage; the frame of a view may have the same.
ORIGIN = "http://state.example/"
SANDBOX = "allow-scripts allow-same-origin"
KEPT = "fanlight/state"


def call(tool: str, number: str | int | None = None) -> dict[str, Any]:
    info: dict[str, Any] = {"tool": {"name": tool, "inputSchema": {"type": "object"}}}
    return {"toolInfo": info if number is None else {**info, "id": number}}


async def shown(page: Page, context: dict[str, Any], script: str = "") -> tuple[PlayedHost, Frame]:
    """A view of an origin that has storage, in a new page of its host."""
    await page.context.route(ORIGIN, lambda route: route.fulfill(body="", content_type="text/html"))
    await page.goto(ORIGIN)
    host = await PlayedHost.open(page, hostContext=context)
    frame = await host.connected(view_html(script=script), sandbox=SANDBOX)
    await frame.evaluate("fanlight.ready.then(() => 0)")
    return host, frame


async def test_the_storage_is_by_tool_and_call(page: Page) -> None:
    for number in (0, "x"):
        _, frame = await shown(page, call("board", number))
        await frame.evaluate("fanlight.state.set('a', 1)")
        _, frame = await shown(page, call("board", number))
        assert await frame.evaluate("fanlight.state.get('a')") == 1
    for other in (call("map", 0), call("board", 2)):
        _, frame = await shown(page, other)
        assert await frame.evaluate("fanlight.state.get('a', 'nothing')") == "nothing"


async def test_a_call_without_an_id_is_not_stored(page: Page) -> None:
    """All such calls of an origin would share one name."""
    for context in ({}, call("board")):
        _, frame = await shown(page, context)
        await frame.evaluate("fanlight.state.set('a', 1)")
        assert await frame.evaluate("[fanlight.state.get('a'), localStorage.length]") == [1, 0]
    _, frame = await shown(page, {}, "fanlight.setup({ stateKey: 'mine' });")
    await frame.evaluate("fanlight.state.set('a', 2)")
    _, frame = await shown(page, call("board"), "fanlight.setup({ stateKey: 'mine' });")
    assert await frame.evaluate("fanlight.state.get('a')") == 2


async def test_what_the_storage_cannot_take_is_still_known(page: Page) -> None:
    _, frame = await shown(page, call("board", 1), "fanlight.state.set('early', 0);")
    known = await frame.evaluate(
        """async () => {
          fanlight.state.set("small", 1);
          fanlight.state.set("large", "x".repeat(6_000_000));
          await 0;
          fanlight.state.set("last", 3);
          const { get } = fanlight.state;
          return [get("early"), get("small"), get("large").length, get("last")];
        }"""
    )
    assert known == [0, 1, 6_000_000, 3]


async def test_window_openai_may_be_slow_to_show_what_it_was_given(page: Page) -> None:
    openai = (
        "const given = window.given = [];"
        "window.openai = { widgetState: { old: 0 }, setWidgetState: (all) => given.push(all) };"
    )
    # With its timers held: it is about a host that answered, however late.
    _, frame = await shown(page, {}, HELD_TIMERS + openai)
    await frame.evaluate("(fanlight.state.set('a', 1), fanlight.state.set('b', 2))")
    assert await frame.evaluate("[fanlight.state.get('a'), fanlight.state.get('b')]") == [1, 2]
    assert (await frame.evaluate("given"))[-1] == {"old": 0, "a": 1, "b": 2}


async def test_a_host_that_keeps_state_gets_the_newest_and_not_every_step(page: Page) -> None:
    host, frame = await shown(page, {**call("board", 1), KEPT: {"old": 0, "a": 0}})
    assert await frame.evaluate("[fanlight.state.get('old'), fanlight.state.get('a')]") == [0, 0]
    await frame.evaluate(
        """async () => {
          for (let step = 1; step <= 200; step += 1) {
            fanlight.state.set("a", step);
            await 0;
          }
        }"""
    )
    await page.wait_for_function(
        "heard.some(({ method, params }) => method === 'fanlight/set-state' && params.state.a === 200)",
        timeout=WAIT_MS,
    )
    told = await host.heard("fanlight/set-state")
    assert told[-1]["state"] == {"old": 0, "a": 200}
    assert len(told) < 100
    assert await frame.evaluate("localStorage.length") == 0


async def test_what_is_set_at_the_end_is_told_before_the_view_is_over(page: Page) -> None:
    script = "fanlight.on('teardown', () => { for (const a of [1, 2]) fanlight.state.set('a', a); });"
    host, frame = await shown(page, {KEPT: {}}, script)
    await frame.evaluate("fanlight.state.set('a', 0)")
    await host.ask("ui/resource-teardown", {})
    assert (await host.heard("fanlight/set-state"))[-1] == {"state": {"a": 2}}


async def test_a_view_hears_that_its_host_does_not_keep_it(page: Page) -> None:
    script = "window.errors = []; fanlight.on('error', ({ message }) => errors.push(message));"
    host, frame = await shown(page, {KEPT: {}}, script)
    await host.answer("fanlight/set-state", "({ error: { code: -32000, message: 'too large' } })")
    await frame.evaluate("fanlight.state.set('a', 1)")
    await frame.wait_for_function("errors.length", timeout=WAIT_MS)
    assert await frame.evaluate("[...errors, fanlight.state.get('a')]") == ["too large", 1]


async def test_what_the_host_tells_later_never_replaces_what_the_view_set(page: Page) -> None:
    host, frame = await shown(page, {KEPT: {}})
    await frame.evaluate("fanlight.state.set('a', 'mine')")
    await host.tell("ui/notifications/host-context-changed", {KEPT: {"a": "old", "b": "theirs"}})
    await frame.wait_for_function("fanlight.state.get('b') === 'theirs'", timeout=WAIT_MS)
    assert await frame.evaluate("fanlight.state.get('a')") == "mine"
