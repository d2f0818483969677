"""The official example servers, rendered by the command line and clicked in a real browser."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

OfficialServer = Callable[[str], list[str]]


async def render(command: list[str], tool: str, *options: str) -> tuple[int, dict[str, Any]]:
    """`fanlight render --json …` as a person would type it."""
    words = [
        "-m",
        "fanlight",
        "render",
        "--json",
        "--tool",
        tool,
        "--timeout",
        "60",
        *options,
        "--",
        *command,
    ]
    process = await asyncio.create_subprocess_exec(sys.executable, *words, stdout=asyncio.subprocess.PIPE)
    out, _ = await asyncio.wait_for(process.communicate(), 100)
    assert process.returncode is not None
    return process.returncode, json.loads(out)


@pytest.mark.parametrize(
    ("name", "tool"),
    [("basic-vanillajs", "get-time"), ("basic-react", "get-time"), ("budget-allocator", "get-budget-data")],
)
async def test_an_official_app_renders(
    name: str, tool: str, official_server: OfficialServer, tmp_path: Path
) -> None:
    picture = tmp_path / "view.png"
    code, report = await render(official_server(name), tool, "--screenshot", str(picture))
    assert (code, report["verdict"]) == (0, "ok"), report
    assert report["console_errors"] == []
    stages = [stage["name"] for stage in report["stages"]]
    assert stages.index("initialized") < stages.index("tool-input") < stages.index("tool-result")
    assert report["messages"]["from-view"]["ui/initialize"] == 1
    if tool == "get-time":
        assert report["tool_result"]["content"][0]["text"] in report["text"]
    else:
        assert "Budget" in report["text"]
    assert picture.read_bytes().startswith(b"\x89PNG")


async def test_the_letter_of_the_policy_is_enough_for_a_basic_app(official_server: OfficialServer) -> None:
    code, report = await render(official_server("basic-vanillajs"), "get-time", "--csp", "strict")
    assert (code, report["verdict"]) == (0, "ok"), report


async def test_the_button_of_the_official_view_brings_a_new_server_time(
    page: Page, official_server: OfficialServer
) -> None:
    """Holds: R31, R34."""
    async with Host() as host:
        await host.connect("time", official_server("basic-vanillajs"))
        bench = Workbench(host, "token")
        async with serving(bench.asgi(), bind_loopback(0)) as port:
            await page.goto(f"http://fanlight.localhost:{port}/#token=token")
            await page.get_by_test_id("run-button").click()
            await page.locator('[data-testid="verdict"][data-verdict="ok"]').wait_for(timeout=30_000)
            (frame,) = [frame for frame in page.frames if "/view/" in frame.url]
            time = frame.locator("#server-time")
            await expect(time).to_contain_text("T")
            before = await time.inner_text()
            await frame.get_by_role("button", name="Get Server Time").click()
            await expect(time).not_to_have_text(before)
            assert "T" in await time.inner_text()
