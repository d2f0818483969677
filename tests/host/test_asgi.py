"""Names and origins: ours are answered, everything else gets nothing."""

from __future__ import annotations

import httpx
import pytest
from page_client import get, page, served
from starlette.applications import Starlette
from starlette.routing import Mount
from two_servers import make_server
from websockets.exceptions import InvalidStatus

from fanlight.errors import ConfigError
from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.sandbox import Origins


@pytest.mark.parametrize(
    "path", ["/apps/host.js", "/apps/page", "/apps/sandbox.js", "/apps/view/x", "/apps/sandbox/x"]
)
@pytest.mark.parametrize(
    "name", ["evil.example", "localhost.evil.example", "a.b.fanlight.localhost", "127.0.0.1.nip.io"]
)
async def test_a_rebinding_name_gets_nothing(path: str, name: str) -> None:
    async with served(Host()) as port:
        response = await get(port, path, host=name)
    assert response.status_code == 421
    assert "does not answer" in response.text


@pytest.mark.parametrize("name", ["fanlight.localhost", "localhost", "127.0.0.1"])
async def test_a_page_under_our_names_is_served_with_a_policy_without_inline_script(name: str) -> None:
    async with served(Host()) as port:
        response = await get(port, "/apps/page", host=name)
    assert response.status_code == 200
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize("path", ["/apps/host.js", "/apps/page", "/apps/nothing"])
async def test_every_answer_carries_the_security_headers(path: str) -> None:
    async with served(Host()) as port:
        headers = (await get(port, path)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("origin", ["http://evil.example", "http://localhost:1", "null", ""])
async def test_a_foreign_page_cannot_open_the_socket(origin: str) -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        call = await server.call_tool("show")
        assert call.view is not None
        with pytest.raises(InvalidStatus) as caught:
            async with page(port, call.view, origin=origin):
                pass
        assert caught.value.response.status_code == 403


async def test_a_deployment_answers_to_its_own_names_only() -> None:
    origins = Origins("http://chat.example", "http://box.example", "http://{app}.views.example")
    async with served(Host(origins=origins)) as port:
        for name, status in (("chat.example", 200), ("fanlight.localhost", 421)):
            response = await _get_exact(port, "/apps/host.js", name)
            assert response == status, name
        # A view's or the proxy's name is known, but these routes are the page's: no such document.
        assert await _get_exact(port, "/apps/sandbox/x", "box.example") == 404
        assert await _get_exact(port, "/apps/view/x", "v1.views.example") == 404


async def _get_exact(port: int, path: str, host: str) -> int:
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.get(f"http://127.0.0.1:{port}{path}", headers={"Host": host})).status_code


async def test_a_wrong_mount_path_says_what_to_change() -> None:
    app = Starlette(routes=[Mount("/elsewhere", app=Host(mount="/apps").asgi())])
    async with serving(app, bind_loopback(0)) as port:
        response = await get(port, "/elsewhere/host.js")
    assert response.status_code == 500
    assert "make them the same" in response.text


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"mount": "apps"}, "mount"),
        ({"mount": "/apps/"}, "mount"),
        ({"permissions": ["usb"]}, "usb"),
        ({"csp_level": "lax"}, "lax"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_at_once(arguments: dict[str, object], word: str) -> None:
    with pytest.raises(ConfigError, match=word):
        Host(**arguments)  # type: ignore[arg-type]
