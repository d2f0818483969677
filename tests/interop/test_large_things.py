"""Things of unusual size in a real browser: a huge result, a long wait, a flood, a huge message."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context
from playwright.async_api import Error, Frame, Page, expect
from playwright.async_api import TimeoutError as Timeout
from served import WAIT_MS, served_host, shown, view_frame
from view_server import official_page, view_page, view_server
from watching import WAIT, view_frames

from fanlight.host import Host, Verdict, View
from fanlight.host.policy import allow_all

MEGABYTE = 1_000_000
LARGE = 20 * MEGABYTE
FLOOD = 10_000
PATIENCE_MS = 60_000


async def shown_beside(page: Page, view: View) -> Frame:
    """A second view on a page that shows one already; returns its frame."""
    (first,) = await view_frames(page, 1)
    await page.evaluate(
        """([id, token]) => {
          const element = document.createElement("fanlight-view");
          element.setAttribute("view-id", id);
          element.setAttribute("token", token);
          document.querySelector("main").append(element);
        }""",
        [view.id, view.token],
    )
    await page.locator(f'fanlight-view[view-id="{view.id}"][data-verdict="ok"]').wait_for(timeout=WAIT_MS)
    (frame,) = [frame for frame in await view_frames(page, 2) if frame is not first]
    return frame


async def answers(frame: Frame) -> None:
    """The view's button works: its tool call reaches the server and comes back."""
    await frame.evaluate("document.querySelector('#answer').textContent = ''")
    await frame.locator("#call").click()
    await expect(frame.locator("#answer")).to_have_text("echo hello", timeout=PATIENCE_MS)


async def test_a_result_of_20_megabytes_reaches_the_view_whole(page: Page) -> None:
    text = "".join(f"{number:07x}\n" for number in range(LARGE // 8))
    assert len(text) == LARGE

    def large() -> str:
        return text

    host = Host(policy=allow_all)
    async with served_host(host) as port:
        server = await host.connect("large", view_server(view_page("handwritten"), large=large))
        await shown(page, port, server.start_call("show"))
        frame = await view_frame(page)
        digest = await frame.evaluate(
            """async () => {
              const {result} = await ask("tools/call", {name: "large", arguments: {}});
              const bytes = new TextEncoder().encode(result.content[0].text);
              const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
              return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
            }"""
        )
        assert digest == hashlib.sha256(text.encode()).hexdigest()
        await answers(frame)


async def test_the_first_result_of_20_megabytes_reaches_the_view_whole(page: Page) -> None:
    """The same as the tool result that the view is made for."""

    def show() -> str:
        return "x" * LARGE

    host = Host(policy=allow_all)
    async with served_host(host) as port:
        server = await host.connect("large", view_server(view_page("handwritten"), show=show))
        await shown(page, port, server.start_call("show"))
        frame = await view_frame(page)
        await frame.wait_for_function("window.toolResult !== undefined", timeout=PATIENCE_MS)
        length = await frame.evaluate("window.toolResult.content[0].text.length")
        assert length == LARGE
        await answers(frame)


async def test_a_tool_that_tells_its_progress_is_waited_for_however_long_it_takes(
    page: Page, peers: Path
) -> None:
    """The view's clock runs far beyond its patience (60 s); each progress gives it new patience.

    Holds: R34.
    """
    steps = 4
    released: asyncio.Queue[None] = asyncio.Queue()

    async def long(ctx: Context[Any, Any]) -> str:
        for step in range(1, steps + 1):
            await released.get()
            await ctx.report_progress(step, steps, f"step {step}")
        await released.get()
        return "at last"

    host = Host(policy=allow_all)
    async with served_host(host) as port:
        html = official_page(peers, "@modelcontextprotocol/ext-apps")
        server = await host.connect("long", view_server(html, long=long))
        await page.clock.install()
        await shown(page, port, server.start_call("show"))
        frame = await view_frame(page)
        await frame.locator("#wait").click()
        for step in range(1, steps + 1):
            released.put_nowait(None)
            await expect(frame.locator("#progress")).to_have_text(f"{step} of {steps}", timeout=WAIT_MS)
            await page.clock.fast_forward(50_000)
        released.put_nowait(None)
        await expect(frame.locator("#answer")).to_have_text("at last", timeout=WAIT_MS)


async def test_a_tool_that_tells_no_progress_runs_into_the_patience_of_the_view(
    page: Page, peers: Path
) -> None:
    """The control for the test above; the view's cancellation reaches the server."""
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def long() -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return "never"

    host = Host(policy=allow_all)
    async with served_host(host) as port:
        html = official_page(peers, "@modelcontextprotocol/ext-apps")
        server = await host.connect("long", view_server(html, long=long))
        await page.clock.install()
        await shown(page, port, server.start_call("show"))
        frame = await view_frame(page)
        await frame.locator("#wait").click()
        await asyncio.wait_for(begun.wait(), WAIT)
        await page.clock.fast_forward(61_000)
        await expect(frame.locator("#answer")).to_contain_text("failed", timeout=WAIT_MS)
        await asyncio.wait_for(cancelled.wait(), WAIT)
        await answers(frame)


async def test_a_view_that_floods_leaves_the_page_and_other_views_working(page: Page) -> None:
    """Ten thousand messages at once: each call is answered or refused, or the view ends with a reason."""
    host = Host(policy=allow_all)
    async with served_host(host) as port:
        server = await host.connect("flood", view_server(view_page("handwritten")))
        calls = [server.start_call("show", {"city": city}) for city in ("flooding", "quiet")]
        await shown(page, port, calls[0])
        flooding = await view_frame(page)
        view, neighbour = calls[0].view, calls[1].view
        assert view is not None
        assert neighbour is not None
        quiet = await shown_beside(page, neighbour)
        await flooding.evaluate(
            """(pairs) => {
              window.outcomes = {answered: 0, refused: 0};
              for (let number = 0; number < pairs; number += 1) {
                notify("notifications/message", {level: "info", data: `${number}`});
                ask("tools/call", {name: "echo", arguments: {word: `${number}`}})
                  .then(({result}) => { outcomes[result ? "answered" : "refused"] += 1; });
              }
            }""",
            FLOOD // 2,
        )
        await answers(quiet)
        if not await every_call_has_an_outcome(flooding):
            # The frame goes at once; word of it comes behind what the view had said before.
            outcome = await view.until(Verdict.CRASHED, timeout=PATIENCE_MS / 1000)
            assert outcome.verdict is Verdict.CRASHED
            assert str(outcome.reason).startswith("The app said ")
        assert neighbour.verdict is Verdict.OK
        await answers(quiet)


async def every_call_has_an_outcome(flooding: Frame) -> bool:
    """False when the view was ended before that: its frame is gone then."""
    try:
        await flooding.wait_for_function(
            "(pairs) => outcomes.answered + outcomes.refused === pairs", arg=FLOOD // 2, timeout=PATIENCE_MS
        )
    except Timeout:
        raise
    except Error:
        return False
    return True


async def test_a_message_that_is_too_large_harms_only_the_view_that_sent_it(page: Page) -> None:
    host = Host(policy=allow_all)
    async with served_host(host) as port:
        server = await host.connect("large", view_server(view_page("handwritten")))
        calls = [server.start_call("show", {"city": city}) for city in ("large", "quiet")]
        await shown(page, port, calls[0])
        sender = await view_frame(page)
        assert calls[1].view is not None
        quiet = await shown_beside(page, calls[1].view)
        await answers(quiet)
        await sender.evaluate(
            """(size) => {
              ask("tools/call", {name: "echo", arguments: {word: "x".repeat(size)}})
                .then((answer) => { window.outcome = answer.error ?? answer.result; });
            }""",
            LARGE,
        )
        await answers(quiet)
        await sender.wait_for_function("window.outcome !== undefined", timeout=PATIENCE_MS)
        assert "at most" in (await sender.evaluate("window.outcome.message"))
        await answers(quiet)
