"""The link of the workbench in real browsers: once, in one of them, and worth nothing to anybody else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from bench_attack import state_with_cookie
from playwright.async_api import Browser, BrowserContext, Page, expect
from served import TOKEN, WAIT_MS, served_workbench, view_frame
from starlette.types import Receive, Scope, Send

from fanlight.demos.clock import server as clock
from fanlight.host.serve import bind_loopback, serving


async def run_the_clock(page: Page) -> None:
    await page.get_by_test_id("run-button").click()
    await page.locator('[data-testid="verdict"][data-verdict="ok"]').wait_for(timeout=WAIT_MS)


async def test_a_link_opens_one_browser_and_there_as_often_as_wanted(
    context: BrowserContext, browser: Browser
) -> None:
    async with served_workbench(clock=clock) as (link, bench):
        first = await context.new_page()
        await first.goto(link)
        await expect(first.get_by_test_id("run-button")).to_be_visible()
        assert "token" not in first.url
        assert not await first.evaluate("navigation.entries().some((entry) => entry.url.includes('token'))")
        # The same link again, and the bare address, in another tab of the same browser.
        for address in (link, link.partition("#")[0]):
            tab = await context.new_page()
            await tab.goto(address)
            await expect(tab.get_by_test_id("run-button")).to_be_visible()
        other = await browser.new_context()
        try:
            stranger = await other.new_page()
            await stranger.goto(link)
            reason = stranger.get_by_test_id("gate-reason")
            await expect(reason).to_contain_text("used already")
            await expect(stranger.get_by_text("Press Enter in the terminal")).to_be_visible()
            # A new link, pasted there, lets that browser in; the first one stays.
            fresh = bench.passes.new_token()
            await stranger.get_by_test_id("gate-token").fill(link.replace(TOKEN, fresh))
            await stranger.get_by_role("button", name="Open").click()
            await run_the_clock(stranger)
        finally:
            await other.close()
        await run_the_clock(first)


async def test_no_script_sees_the_cookie_and_no_view_gets_either_half(page: Page) -> None:
    async with served_workbench(clock=clock) as (link, _):
        await page.goto(link)
        await run_the_clock(page)
        (cookie,) = await page.context.cookies()
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Strict"
        assert cookie["domain"] == "fanlight.localhost"  # without a dot: this name and none below it
        assert await page.evaluate("document.cookie") == ""
        key = await page.evaluate("localStorage.getItem('fanlight.key')")
        frame = await view_frame(page)
        seen = await frame.evaluate("document.cookie + JSON.stringify({...localStorage})")
        assert cookie["value"] not in seen
        assert key not in seen


@asynccontextmanager
async def another_server(heard: list[str]) -> AsyncIterator[int]:
    """Another program on this machine, with a page on another port of the workbench's name."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        heard.extend(value.decode() for name, value in scope["headers"] if name == b"cookie")
        headers = [(b"content-type", b"text/html")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"<!doctype html>other"})

    async with serving(app, bind_loopback(0)) as port:
        yield port


async def test_a_page_on_another_port_is_sent_the_cookie_and_can_do_nothing_with_it(page: Page) -> None:
    """Cookies do not know ports: that is why the key exists, and why the Origin is checked everywhere."""
    heard: list[str] = []
    async with served_workbench(clock=clock) as (link, bench), another_server(heard) as other:
        await page.goto(link)
        await expect(page.get_by_test_id("run-button")).to_be_visible()
        (cookie,) = await page.context.cookies()
        base = link.partition("/#")[0]
        await page.goto(f"http://fanlight.localhost:{other}/")
        assert any(cookie["value"] in said for said in heard)
        assert await page.evaluate("localStorage.getItem('fanlight.key')") is None
        outcome = await page.evaluate(
            """async (base) => {
                const attempt = async (path, init) => {
                  try { return (await fetch(base + path, {credentials: "include", ...init})).status; }
                  catch (error) { return error.name; }
                };
                const socket = await new Promise((done) => {
                  const opened = new WebSocket(base.replace("http", "ws") + "/apps/socket");
                  opened.onopen = () => done("open");
                  opened.onerror = () => done("refused");
                });
                const image = await new Promise((done) => {
                  const shown = new Image();
                  shown.onload = () => done("shown");
                  shown.onerror = () => done("refused");
                  shown.src = base + "/favicon.svg";
                });
                return {
                  state: await attempt("/api/state"),
                  call: await attempt("/api/calls", {method: "POST", body: "{}"}),
                  blind: await attempt("/api/calls", {method: "POST", body: "{}", mode: "no-cors"}),
                  pass: await attempt("/api/pass", {method: "POST", body: '{"token":"x"}'}),
                  socket, image,
                };
            }""",
            base,
        )
        assert outcome == {
            "state": "TypeError", "call": "TypeError", "blind": "TypeError", "pass": "TypeError",
            "socket": "refused", "image": "refused",
        }  # fmt: skip
        # With the stolen cookie and without a browser's honesty: the socket opens, and shows nothing; the
        # API wants the key.
        assert await state_with_cookie(base, cookie["name"], cookie["value"]) == 401
        assert bench.host._views.values() == []


@pytest.mark.parametrize(("count", "size"), [(40, 4000), (120, 40)], ids=["large", "small"])
async def test_a_view_that_fills_the_cookies_of_its_site_locks_nobody_out(
    page: Page, count: int, size: int
) -> None:
    async with served_workbench(clock=clock) as (link, _):
        await page.goto(link)
        await run_the_clock(page)
        frame = await view_frame(page)
        name = (await page.context.cookies())[0]["name"]
        filled = await frame.evaluate(
            """([name, count, size]) => {
                const toss = (cookie, path) =>
                  (document.cookie = `${cookie}; domain=fanlight.localhost; path=${path}; max-age=9999`);
                for (let number = 0; number < count; number += 1) toss(`c${number}=${"x".repeat(size)}`, "/");
                for (const path of ["/", "/api", "/apps", "/apps/socket"]) toss(`${name}=tossed`, path);
                return document.cookie.length;
            }""",
            [name, count, size],
        )
        assert filled > count * size
        await page.reload()
        await run_the_clock(page)
    # They outlive the program, and must not outlast its next link.
    async with served_workbench(clock=clock) as (link, _):
        await page.goto(link)
        await run_the_clock(page)


async def test_the_page_runs_under_trusted_types_and_says_nothing_wrong(page: Page) -> None:
    problems: list[str] = []
    bad = ("error", "warning")
    page.on("console", lambda message: problems.append(message.text) if message.type in bad else None)
    page.on("pageerror", lambda error: problems.append(str(error)))
    async with served_workbench(clock=clock) as (link, _):
        await page.goto(link)
        await run_the_clock(page)
        refused = await page.evaluate(
            """() => {
                try { document.createElement("div").innerHTML = "<b>x</b>"; return "set"; }
                catch (error) { return error.name; }
            }"""
        )
        assert refused == "TypeError"
        assert [problem for problem in problems if "Trusted" not in problem] == []
