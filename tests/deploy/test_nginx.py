"""Behind a real nginx: several names, a subpath, TLS, the upgrade, with the documented configuration."""

from __future__ import annotations

import types
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from nginx_site import HERE, SITE, WAIT, browser_before, nginx_before
from playwright.async_api import ConsoleMessage, Page, expect
from served import view_frame

from fanlight.errors import ConfigError
from fanlight.host.serve import bind_loopback, serving

PROGRAM = SITE.with_name("program.py")
WILDCARD = 'view_url="https://{app}.views.example.net/base",'
WAIT_MS = 20_000

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("nginx")]


@asynccontextmanager
async def program(*, opaque: bool = False) -> AsyncIterator[tuple[Any, int]]:
    """The documented program on a port of its own; opaque views after the one change that is documented."""
    text = PROGRAM.read_text()
    assert WILDCARD in text
    module: Any = types.ModuleType("deployed_program")
    exec(
        compile(text.replace(WILDCARD, "view_url=None," if opaque else WILDCARD), PROGRAM, "exec"),
        vars(module),
    )
    app = module.app
    async with app.router.lifespan_context(app), serving(app, bind_loopback(0)) as port:
        yield module.host, port


async def click_in_the_view(page: Page) -> list[str]:
    """Open the public page, click in the view, see the tool's answer. Returns the addresses of all frames."""
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type == "error" and not message.location["url"].endswith("/favicon.ico"):
            problems.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: problems.append(str(error)))
    sockets: list[str] = []
    page.on("websocket", lambda opened: sockets.append(opened.url))
    await page.goto("https://chat.example.com/base/")
    await page.locator('fanlight-view[data-verdict="ok"]').wait_for(timeout=WAIT_MS)
    view = await view_frame(page)
    await view.get_by_role("button", name="Ask the server").click()
    await expect(view.locator("#history li")).to_have_count(2, timeout=WAIT_MS)
    assert sockets == ["wss://chat.example.com/base/apps/socket"]
    assert problems == [], "the page's policy must not get in the way"
    return [frame.url for frame in page.frames]


async def test_wildcard_views_work_behind_nginx(tmp_path: Path) -> None:
    async with program() as (host, port), nginx_before(port, tmp_path) as site:
        await host.check_origins(via=(HERE, site.port), ssl=site.trust)
        async with browser_before(site) as context:
            frames = await click_in_the_view(await context.new_page())
    page, proxy, _, view = frames
    assert page == "https://chat.example.com/base/"
    assert proxy.startswith("https://sandbox.example.net/base/apps/sandbox/")
    label, _, rest = view.removeprefix("https://").partition(".")
    assert len(label) == 25
    assert rest.startswith("views.example.net/base/apps/view/")


async def test_opaque_views_work_behind_nginx_without_a_wildcard(tmp_path: Path) -> None:
    async with program(opaque=True) as (host, port), nginx_before(port, tmp_path) as site:
        await host.check_origins(via=(HERE, site.port), ssl=site.trust)
        async with browser_before(site) as context:
            page = await context.new_page()
            frames = await click_in_the_view(page)
            assert frames[2].startswith("https://sandbox.example.net/base/apps/view/")
            assert await page.frames[2].evaluate("self.origin") == "null"


async def test_the_check_tells_what_is_wrong_with_the_proxy(tmp_path: Path) -> None:
    text = SITE.read_text()
    mistakes = {
        "proxy_set_header Host $http_host;": "under another name",
        "proxy_set_header Upgrade $http_upgrade;": "WebSockets do not pass",
        " sandbox.example.net": None,  # nginx then answers with its first server: still ours, still fine
    }
    async with program() as (host, port):
        for number, (line, words) in enumerate(mistakes.items()):
            assert line in text
            folder = tmp_path / str(number)
            folder.mkdir()
            async with nginx_before(port, folder, text.replace(line, "")) as site:
                if words is None:
                    await host.check_origins(via=(HERE, site.port), ssl=site.trust)
                    continue
                with pytest.raises(ConfigError, match=words):
                    await host.check_origins(via=(HERE, site.port), ssl=site.trust)


async def test_the_check_tells_that_a_certificate_is_not_trusted(tmp_path: Path) -> None:
    async with program() as (host, port), nginx_before(port, tmp_path) as site:
        with pytest.raises(ConfigError) as caught:
            await host.check_origins(via=(HERE, site.port))
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert all("certificate that is not trusted" in line for line in lines)
    assert "wildcard" in lines[2]


async def test_strangers_get_nothing_through_nginx(tmp_path: Path) -> None:
    """nginx's default server takes any name; the program refuses what is not its own."""
    async with (
        program() as (_, port),
        nginx_before(port, tmp_path) as site,
        httpx.AsyncClient(verify=site.trust, trust_env=False, timeout=WAIT) as client,
    ):
        for name, status in (("chat.example.com", 200), ("evil.example", 421)):
            answer = await client.get(
                f"https://{HERE}:{site.port}/base/apps/page",
                headers={"Host": name},
                extensions={"sni_hostname": "chat.example.com"},
            )
            assert answer.status_code == status, name
