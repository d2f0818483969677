"""The shared fixtures keep their word: a real browser, a fresh profile, official servers that answer."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "fanlight-tests", "version": "0"},
    },
}


async def test_page_runs_scripts_in_a_real_browser(page: Page) -> None:
    await page.set_content("<p></p><script>document.querySelector('p').textContent = 6 * 7</script>")
    assert await page.inner_text("p") == "42"


@pytest.mark.xdist_group("one browser")
@pytest.mark.parametrize("turn", ["first", "second"])
async def test_each_test_gets_a_profile_of_its_own(context: BrowserContext, turn: str) -> None:
    assert await context.cookies() == []
    await context.add_cookies([{"name": "seen", "value": turn, "url": "http://localhost/"}])
    assert len(await context.cookies()) == 1


@pytest.mark.parametrize("name", ["basic-vanillajs", "basic-react", "budget-allocator"])
def test_official_server_answers_over_stdio(official_server: Callable[[str], list[str]], name: str) -> None:
    run = subprocess.run(
        official_server(name), input=json.dumps(INITIALIZE) + "\n", capture_output=True, text=True, timeout=30
    )
    answer = json.loads(run.stdout.splitlines()[0])
    assert answer["id"] == 0
    assert "serverInfo" in answer["result"]
