"""Names and origins: ours are answered, everything else gets nothing."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest
from fastapi import FastAPI
from page_client import get, http_client, page, served
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send
from two_servers import make_server
from websockets.exceptions import InvalidStatus

from fanlight.errors import ConfigError
from fanlight.host import Host
from fanlight.host.serve import bind_loopback, serving
from fanlight.sandbox import Origins, development_origins


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
    assert headers["cache-control"] == ("no-cache" if path.endswith(".js") else "no-store")


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
            assert response.status_code == status, name
        # A view's or the proxy's name is known, but these routes are the page's: no such document.
        assert (await _get_exact(port, "/apps/sandbox/x", "box.example")).status_code == 404
        assert (await _get_exact(port, "/apps/view/x", "v1.views.example")).status_code == 404


async def _get_exact(port: int, path: str, host: str, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    async with http_client() as client:
        return await client.get(f"http://127.0.0.1:{port}{path}", headers={"Host": host, **named})


@pytest.mark.parametrize("found", ["/elsewhere", "/v1/apps"])
async def test_a_wrong_mount_path_says_what_to_change(found: str) -> None:
    app = Starlette(routes=[Mount(found, app=Host(mount="/apps").asgi())])
    async with serving(app, bind_loopback(0)) as port:
        response = await get(port, f"{found}/host.js")
    assert response.status_code == 500
    assert f"is mounted at '{found}'; make them the same" in response.text


def nested_starlette(host: Host) -> Starlette:
    return Starlette(routes=[Mount("/v1", routes=[Mount("/apps", app=host.asgi())])])


def nested_fastapi(host: Host) -> FastAPI:
    inner, outer = FastAPI(), FastAPI()
    inner.mount("/apps", host.asgi())
    outer.mount("/v1", inner)
    return outer


@pytest.mark.parametrize("make", [nested_starlette, nested_fastapi])
async def test_nested_mounts_count_from_the_root_of_the_program(make: Callable[[Host], ASGIApp]) -> None:
    host = Host(mount="/v1/apps")
    async with serving(make(host), bind_loopback(0)) as port:
        page = await get(port, "/v1/apps/page")
        assert page.status_code == 200
        assert (await get(port, "/v1/apps/host.js")).status_code == 200


def prefixed_by_framework(host: Host) -> ASGIApp:
    """The framework is told the prefix that the reverse proxy took away; the path lacks it."""
    app = FastAPI()
    app.mount("/apps", host.asgi())

    async def outer(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "root_path": "/base"}, receive, send)

    return outer


def prefixed_by_server(host: Host) -> ASGIApp:
    """The server is told it (`uvicorn --root-path`), and puts it before the path again."""
    app = Starlette(routes=[Mount("/apps", app=host.asgi())])

    async def outer(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "root_path": "/base", "path": f"/base{scope['path']}"}, receive, send)

    return outer


def prefixed_by_nobody(host: Host) -> ASGIApp:
    return Starlette(routes=[Mount("/apps", app=host.asgi())])


@pytest.mark.parametrize("make", [prefixed_by_framework, prefixed_by_server, prefixed_by_nobody])
async def test_a_prefix_that_the_proxy_took_away_is_in_every_address(make: Callable[[Host], ASGIApp]) -> None:
    host = Host(public_url="http://chat.example/base", sandbox_url="http://box.example")
    async with serving(make(host), bind_loopback(0)) as port, host:
        response = await _get_exact(port, "/apps/page", "chat.example")
        assert response.status_code == 200
        assert (await _get_exact(port, "/apps/sandbox/x", "box.example")).status_code == 404
        call = await (await host.connect("one", make_server("one"))).call_tool("show")
        assert call.view is not None
        assert 'src="/base/apps/host.js"' in call.view.embed_html()
        assert 'base="/base/apps"' in call.view.embed_html()


async def test_forwarded_headers_are_ignored_unless_the_proxy_is_trusted() -> None:
    settings = {"public_url": "https://chat.example", "sandbox_url": "https://box.example"}
    claims = {"X-Forwarded-Host": "chat.example", "X-Forwarded-Proto": "https"}
    for trusted, status in (((), 421), (("127.0.0.1",), 200), (("10.0.0.0/8",), 421)):
        async with served(Host(**settings, trusted_proxies=trusted)) as port:  # type: ignore[arg-type]
            assert (await _get_exact(port, "/apps/page", "internal", **claims)).status_code == status


async def test_a_page_elsewhere_may_load_the_scripts_and_strangers_may_not() -> None:
    host = Host(origins=development_origins("localhost:9470"), pages=["http://localhost:5000"])
    async with served(host) as port:
        for origin, status, policy in (
            ("http://localhost:5000", 200, "cross-origin"),
            ("http://localhost:5001", 403, "same-origin"),
        ):
            response = await _get_exact(port, "/apps/host.js", "localhost:9470", Origin=origin)
            assert response.status_code == status
            allowed = origin if status == 200 else None
            assert response.headers.get("access-control-allow-origin") == allowed
            assert response.headers["cross-origin-resource-policy"] == policy
        document = await _get_exact(port, "/apps/page", "localhost:9470", Origin="http://localhost:5000")
        assert "access-control-allow-origin" not in document.headers
        assert document.headers["cross-origin-resource-policy"] == "same-origin"


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
