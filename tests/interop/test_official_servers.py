"""The official example servers, rendered by the command line and used in the workbench in a real browser.

`official_apps` says what is done with each. The host knows none of them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from official_apps import APPS, LINK, App, Step
from playwright.async_api import Frame, Page, Route, expect
from served import TOKEN, WAIT_MS, served_host, view_frame
from watching import WAIT, Watch, colours_in, picture, view_frames

from fanlight.host import Host, View
from fanlight.host.policy import allow_all
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

OfficialServer = Callable[[str], list[str]]


# By the command line


async def render(command: list[str], tool: str, *options: str) -> tuple[int, dict[str, Any]]:
    """`fanlight render --json …` as a person would type it."""
    words = ["-m", "fanlight", "render", "--json", "--tool", tool, "--timeout", "60", *options]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, "--", *command, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(), 100)
    assert process.returncode is not None
    return process.returncode, json.loads(out)


@pytest.mark.parametrize("app", APPS, ids=str)
async def test_an_official_app_renders(app: App, official_server: OfficialServer, tmp_path: Path) -> None:
    picture = tmp_path / "view.png"
    options = ["--args", json.dumps(app.arguments), "--screenshot", str(picture)]
    code, report = await render(official_server(app.name), app.tool, *options)
    assert (code, report["verdict"]) == (0, "ok"), report
    assert report["console_errors"] == []
    stages = [stage["name"] for stage in report["stages"]]
    assert stages.index("initialized") < stages.index("tool-input") < stages.index("tool-result")
    assert report["messages"]["from-view"]["ui/initialize"] == 1
    assert picture.read_bytes().startswith(b"\x89PNG")


async def test_the_letter_of_the_policy_is_enough_for_a_basic_app(official_server: OfficialServer) -> None:
    code, report = await render(official_server("basic-vanillajs"), "get-time", "--csp", "strict")
    assert (code, report["verdict"]) == (0, "ok"), report
    assert report["tool_result"]["content"][0]["text"] in report["text"]


async def test_the_letter_of_the_policy_is_not_enough_for_an_app_that_evaluates_code(
    official_server: OfficialServer,
) -> None:
    _, report = await render(official_server("threejs"), "show_threejs_scene", "--csp", "strict")
    assert "script-src" in {violation["directive"] for violation in report["violations"]}, report


# In the workbench


@dataclass
class Bench:
    """One official app on the workbench's page, and everything that its use brought about."""

    page: Page
    frame: Frame
    view: View
    host: Host
    watch: Watch
    result: dict[str, Any]
    heard: list[str] = field(default_factory=list)
    opened: asyncio.Queue[str] = field(default_factory=asyncio.Queue)


@asynccontextmanager
async def workbench(page: Page, app: App, command: list[str]) -> AsyncIterator[Bench]:
    """Run the app's tool as a person does, and yield its view once it is up."""
    heard: list[str] = []
    opened: asyncio.Queue[str] = asyncio.Queue()

    async def answer_outside(route: Route) -> None:
        opened.put_nowait(route.request.url)
        await route.fulfill(body="outside")

    await page.context.route(LINK + "**", answer_outside)
    if app.before:
        await page.add_init_script(app.before)
    async with Host(policy=allow_all) as host:
        host.on_message(lambda view, content: heard.append(json.dumps(content)))
        watch = Watch(host)
        await host.connect(app.name, command)
        async with serving(Workbench(host, TOKEN).asgi(), bind_loopback(0)) as port:
            await page.goto(f"http://fanlight.localhost:{port}/#token={TOKEN}")
            await page.locator(f'[data-testid="tool-item"][data-tool="{app.tool}"]').click()
            if app.arguments:
                await page.get_by_test_id("mode-json").check(force=True)
                await page.get_by_test_id("json-editor").fill(json.dumps(app.arguments))
            await page.get_by_test_id("run-button").click()
            await page.locator('[data-testid="verdict"][data-verdict="ok"]').wait_for(timeout=WAIT_MS)
            view = host.view(watch.records[0].view)
            assert view is not None
            frame = await view_frame(page)
            result = await watch.until(
                lambda record: (
                    record.direction == "to-view"
                    and record.message.get("method") == "ui/notifications/tool-result"
                )
            )
            yield Bench(page, frame, view, host, watch, result.message["params"], heard, opened)


@pytest.mark.parametrize("app", APPS, ids=str)
async def test_an_official_app_shows_its_data_and_answers_to_its_controls(
    app: App, page: Page, official_server: OfficialServer
) -> None:
    """Holds: R31, R34."""
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    async with workbench(page, app, official_server(app.name)) as bench:
        for text in app.shows:
            await sees(bench.frame, text.format(result=first_text(bench.result)))
        for canvas in app.paints:
            assert await colours_in(bench.frame, await picture(bench.frame, canvas)) > 1, canvas
        for permission in app.permissions:
            assert await bench.frame.evaluate(
                "(name) => document.featurePolicy.allowsFeature(name)", permission
            )
        for step in app.steps:
            await take(step, bench)
        assert bench.view.violations == []
        unexpected = [text for text in complaints if not any(part in text for part in app.complains)]
        assert unexpected == []


async def take(step: Step, bench: Bench) -> None:
    """Do one step, then look for each effect that it names."""
    before = await picture(bench.frame, step.repaints) if step.repaints else b""
    mark = bench.watch.mark
    control = bench.frame.locator(step.at)
    match step.act:
        case "click":
            await control.click()
        case "select":
            await control.select_option(label=step.value)
        case "fill":
            await control.fill(step.value)
        case "drag":
            await control.drag_to(
                control, source_position={"x": 80, "y": 80}, target_position={"x": 200, "y": 120}
            )
    answer: dict[str, Any] = {}
    if step.says:
        said = await bench.watch.said(step.says, step.params, mark)
        if "id" in said:
            answer = await bench.watch.answer(said, mark)
            assert "result" in answer, answer
            assert answer["result"].get("isError") is not True, answer
    if step.shows:
        await sees(bench.frame, step.shows.format(answer=first_text(answer.get("result", {}))))
    if step.repaints:
        await looks_different(bench.frame, step.repaints, before)
    if step.reaches is not None:
        await arrives(*step.reaches, bench, mark)


async def sees(frame: Frame, text: str) -> None:
    await expect(frame.locator("body")).to_contain_text(text, use_inner_text=True, timeout=WAIT_MS)


async def looks_different(frame: Frame, selector: str, before: bytes) -> None:
    element = frame.locator(selector).first
    async with asyncio.timeout(WAIT):
        while await element.screenshot() == before:
            pass  # a screenshot takes its time: this is no busy loop


async def arrives(where: str, what: str, bench: Bench, mark: int) -> None:
    """The step had its effect outside of the view. A request was answered by now, so most of it is there."""
    match where:
        case "program":
            assert any(what in content for content in bench.heard), bench.heard
        case "model":
            assert what in json.dumps(bench.host.context_for_next_turn())
        case "tap":
            await bench.watch.noted(what, mark)
        case "page":
            async with asyncio.timeout(WAIT):
                while what not in await bench.opened.get():
                    pass
        case "height":
            frame = bench.page.locator("fanlight-view iframe")
            await expect(frame).to_have_css("height", f"{what}px", timeout=WAIT_MS)


def first_text(result: dict[str, Any]) -> str:
    return next((str(block["text"]) for block in result.get("content", []) if "text" in block), "")


async def test_equal_tool_names_of_several_servers_on_one_page_are_never_confused(
    page: Page, official_server: OfficialServer
) -> None:
    """Three servers, three frameworks, one tool name: each view talks to its own server only."""
    kinds = ("vanillajs", "react", "preact")
    host = Host(policy=allow_all)
    async with served_host(host) as port:
        servers = await asyncio.gather(
            *(host.connect(kind, official_server(f"basic-{kind}")) for kind in kinds)
        )
        calls = [server.start_call("get-time") for server in servers]
        views = [call.view for call in calls if call.view is not None]
        watch = Watch(host)
        await page.goto(f"http://fanlight.localhost:{port}{views[0].url}")
        for view in views[1:]:
            await page.evaluate(
                """([id, token]) => {
                  const element = document.createElement("fanlight-view");
                  element.setAttribute("view-id", id);
                  element.setAttribute("token", token);
                  document.querySelector("main").append(element);
                }""",
                [view.id, view.token],
            )
        await expect(page.locator('fanlight-view[data-verdict="ok"]')).to_have_count(3, timeout=WAIT_MS)
        frames = await view_frames(page, 3)
        mark = watch.mark
        for frame in frames:
            await frame.get_by_role("button", name="Get Server Time").click()
        times = {}
        for view in views:
            said = await watch.said("tools/call", since=mark, view=view.id)
            times[view.id] = first_text((await watch.answer(said, mark, view=view.id))["result"])
            proxy = page.locator(f'fanlight-view[view-id="{view.id}"]').frame_locator("iframe")
            own = proxy.frame_locator("iframe").frame_locator("iframe")
            await expect(own.locator("body")).to_contain_text(times[view.id], timeout=WAIT_MS)
        texts = [await frame.locator("body").inner_text() for frame in frames]
        for time in times.values():
            assert len([text for text in texts if time in text]) == 1, time
