"""The same fight behind the documented nginx: public names, TLS, a subpath; with a wildcard and without."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from arena import HOST_SECRET, Arena, arena
from bench import addresses_of
from fighting import COOKIES, LEAVING, fight, flood, leave, look_ahead
from foreign_page import Target, foreign_page, intrude
from playwright.async_api import Browser

from fanlight.host import Host

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("nginx")]

DEPLOY = Path(__file__).parents[2] / "deploy"
PAGE = "chat.example.com"
PUBLIC = f"https://{PAGE}/base"
WILDCARD = "https://{app}.views.example.net/base"
PATIENCE = 60.0
both = pytest.mark.parametrize("view_url", [WILDCARD, None], ids=["wildcard", "opaque"])
Behind = Callable[[str | None], AbstractAsyncContextManager[tuple[Arena, Any]]]


@pytest.fixture
def nginx(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The helper of the deployment tests, which live in a folder of their own."""
    monkeypatch.syspath_prepend(DEPLOY)
    import nginx_site

    return nginx_site


@pytest.fixture
def behind(nginx: Any, tmp_path: Path) -> Behind:
    """An arena and the nginx before it."""

    @asynccontextmanager
    async def made(view_url: str | None) -> AsyncIterator[tuple[Arena, Any]]:
        host = Host(public_url=PUBLIC, sandbox_url="https://sandbox.example.net/base", view_url=view_url)
        async with (
            arena(host=host, url=f"{PUBLIC}/") as place,
            nginx.nginx_before(place.port, tmp_path) as site,
        ):
            yield place, site

    return made


@both
async def test_nothing_gets_out_behind_a_reverse_proxy(
    view_url: str | None, nginx: Any, behind: Behind
) -> None:
    """Holds: R15, R62."""
    async with behind(view_url) as (place, site), nginx.browser_before(site) as context:
        found = await fight(await context.new_page(), place)
        assert found.through() == {}
        assert HOST_SECRET not in found.readable
        left = await leave(await context.new_page(), place, LEAVING)
        assert left.through() == {}
        assert place.hostile.listener.hits == []


@both
async def test_another_page_gets_nothing(view_url: str | None, nginx: Any, behind: Behind) -> None:
    """The page itself is the program's own: whom it lets frame it is not for us to say."""
    async with (
        behind(view_url) as (place, site),
        nginx.browser_before(site) as context,
        foreign_page() as foreign,
    ):
        documents = addresses_of(place.host, await place.view("neighbour"), PAGE, "https")
        stranger = await context.new_page()
        await stranger.goto(f"http://127.0.0.1:{foreign.port}/")
        pages = {"page of a view": "/apps/page"}
        assert await intrude(stranger, Target(PUBLIC, documents=documents, pages=pages)) == []


async def test_a_view_that_loops_does_not_freeze_the_page(nginx: Any, behind: Behind) -> None:
    async with behind(WILDCARD) as (place, site), nginx.browser_before(site) as context:
        assert await flood(await context.new_page(), place, "flood-loop", PATIENCE) == (
            "held",
            "the host page works on",
        )


async def test_in_a_persons_browser_apps_share_cookies_and_nothing_else(
    nginx: Any, behind: Behind, browser: Browser, tmp_path: Path
) -> None:
    """Peers, names and connections too. A browser that takes cookies of frames takes them for the name above.

    That name is not the page's; browsers refuse it only where it is on their list of public suffixes.
    """
    async with behind(WILDCARD) as (place, site):
        folder = tmp_path / "browser"
        folder.mkdir()
        found = await look_ahead(place, browser, folder, nginx.flags_before(site))
        assert set(found.through()) == set(COOKIES)
        assert place.hostile.listener.hits == []


async def test_cookies_that_an_app_left_for_the_names_above_shut_nobody_out(
    nginx: Any, behind: Behind
) -> None:
    """As many as a browser keeps for one site."""
    async with (
        behind(WILDCARD) as (place, site),
        httpx.AsyncClient(verify=site.trust, trust_env=False, timeout=PATIENCE) as client,
    ):
        cookies = "; ".join(f"hostile-{number}={'x' * 3900}" for number in range(180))
        for name, address in addresses_of(place.host, await place.view("neighbour"), PAGE, "https").items():
            url = httpx.URL(address)
            answer = await client.get(
                f"https://{nginx.HERE}:{site.port}{url.path}",
                headers={"Host": url.host, "Cookie": cookies},
                extensions={"sni_hostname": url.host},
            )
            assert answer.status_code == 200, name
