"""Requests that no browser of the person would send: each is refused before a route is looked up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from page_client import served
from raw_request import ask, send_raw
from starlette.types import Receive, Scope, Send
from two_servers import make_server

from fanlight.host import Host
from fanlight.host.asgi import standalone
from fanlight.host.headers import SECURITY_HEADERS
from fanlight.host.serve import bind_loopback, serving
from fanlight.workbench.app import Workbench

FILES = {"host": "/apps/host.js", "workbench": "/workbench.js"}


@asynccontextmanager
async def running(kind: str) -> AsyncIterator[int]:
    """A host alone, or a workbench around one."""
    async with Host() as host:
        app: Any = standalone(host) if kind == "host" else Workbench(host, "token").asgi()
        async with serving(app, bind_loopback(0)) as port:
            yield port


BOTH = pytest.mark.parametrize("kind", ["host", "workbench"])


@BOTH
@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["fanlight.localhost:{port}"], 200),
        (["localhost:{port}"], 200),
        (["127.0.0.1:{port}"], 200),
        (["FANLIGHT.LocalHost:{port}"], 200),
        (["evil.example:{port}"], 421),
        (["fanlight.localhost.evil.example:{port}"], 421),
        (["127.0.0.1.nip.io:{port}"], 421),
        (["fanlight.localhost.:{port}"], 421),
        (["127.1:{port}"], 421),
        (["0.0.0.0:{port}"], 421),
        (["2130706433:{port}"], 421),
        (["[::1]:{port}"], 421),
        (["[::ffff:127.0.0.1]:{port}"], 421),
        (["user@fanlight.localhost:{port}"], 421),
        (["sandbox.fanlight.localhost:{port}"], 421),
        (["v0123456789abcdef01234567.fanlight.localhost:{port}"], 421),
        (["fanlight.localhost:{port}", "evil.example"], 400),
        (["fanlight.localhost:{port}", "fanlight.localhost:{port}"], 400),
        (["fanlight.localhost:{port}, evil.example"], 421),
        ([""], 421),
        ([], 400),
    ],
)
async def test_a_file_is_served_under_the_names_of_pages_only(
    kind: str, names: list[str], status: int
) -> None:
    """The DNS-rebinding, the IPv6, the trailing-dot, the upper-case and the duplicate Host header."""
    async with running(kind) as port:
        lines = [f"Host: {name.format(port=port)}" for name in names]
        answer = await ask(port, FILES[kind], *lines)
    assert answer.status == status
    assert answer.headers["x-content-type-options"] == "nosniff"


@BOTH
@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("http://fanlight.localhost/apps/host.js", 400),
        ("http://evil.example/workbench.js", 400),
        ("*", 400),
        ("/apps//host.js", 404),
        ("//apps/host.js", 404),
        ("//workbench.js", 404),
        ("/apps/./host.js", 404),
        ("/apps/../apps/host.js", 404),
        ("/../workbench.js", 404),
        ("/panels/../workbench.js", 404),
        ("/apps/%2e%2e/apps/host.js", 404),
        ("/%2e%2e/app.py", 404),
        ("/..%2fapp.py", 404),
        ("/apps%2fhost.js", 404),
        ("/%61pps/host.js", 404),
        ("/workbench.j%73", 404),
        ("/apps\\host.js", 404),
        ("/apps/%5c..%5chost.js", 404),
        ("/workbench.js%00", 404),
        ("/apps/host.js%00.css", 404),
        ("/apps/view/", 404),
        ("/apps/view/../../etc/passwd", 404),
    ],
)
async def test_an_address_that_two_readers_could_read_differently_leads_nowhere(
    kind: str, target: str, status: int
) -> None:
    async with running(kind) as port:
        answer = await ask(port, target, f"Host: fanlight.localhost:{port}")
    assert answer.status == status
    assert "import" not in answer.body


@BOTH
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ([], 200),
        (["Origin: http://fanlight.localhost:{port}"], 200),
        (["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"], 200),
        (["Origin: http://evil.example"], 403),
        (["Origin: http://fanlight.localhost:1"], 403),
        (["Origin: https://fanlight.localhost:{port}"], 403),
        (["Origin: http://v1.fanlight.localhost:{port}"], 403),
        (["Origin: null"], 403),
        (["Origin: "], 403),
        (["Origin: http://fanlight.localhost:{port}", "Origin: http://evil.example"], 400),
        (["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"], 403),
        (["Sec-Fetch-Site: same-site", "Sec-Fetch-Mode: no-cors"], 403),
        (["Sec-Fetch-Site: cross-site"], 403),
    ],
)
async def test_a_page_of_another_origin_gets_no_file(kind: str, headers: list[str], status: int) -> None:
    """Another local port, another name, a view, an opaque document; with and without an Origin header."""
    async with running(kind) as port:
        lines = [line.format(port=port) for line in headers]
        answer = await ask(port, FILES[kind], f"Host: fanlight.localhost:{port}", *lines)
    assert answer.status == status
    assert "access-control-allow-origin" not in answer.headers


@BOTH
async def test_a_person_may_come_to_the_page_by_a_link_on_another_site(kind: str) -> None:
    page = {"host": "/apps/page", "workbench": "/"}[kind]
    foreign = ("Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate")
    async with running(kind) as port:
        answer = await ask(port, page, f"Host: fanlight.localhost:{port}", *foreign)
    assert answer.status == 200
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


@BOTH
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
async def test_other_methods_are_refused(kind: str, method: str) -> None:
    async with running(kind) as port:
        answer = await ask(port, FILES[kind], f"Host: fanlight.localhost:{port}", method=method)
    assert answer.status == 405
    assert "access-control-allow-methods" not in answer.headers


@pytest.mark.parametrize(
    ("path", "method"), [("/apps/view/x", "GET"), ("/apps/sandbox/x", "GET"), ("/apps/report/x", "POST")]
)
async def test_the_documents_of_frames_are_not_for_foreign_origins_either(path: str, method: str) -> None:
    async with running("host") as port:
        name = f"Host: sandbox.fanlight.localhost:{port}"
        for origin, status in (
            ("http://evil.example", 403),
            ("null", 404),
            ("http://fanlight.localhost:1", 404),
        ):
            answer = await ask(port, path, name, f"Origin: {origin}", "Content-Length: 0", method=method)
            assert answer.status in (status, 204), (origin, answer.status)


@pytest.mark.parametrize(
    ("status", "head"),
    [
        (400, "GET /apps/host.js HTTP/1.1\r\n\r\n"),
        (400, "nonsense\r\n\r\n"),
        (400, "GET /apps/host.js HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
        (403, "GET /apps/host.js HTTP/1.1\r\nHost: {name}\r\nOrigin: null\r\nConnection: close\r\n\r\n"),
        (404, "GET /apps/nothing HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"),
        (404, "GET /elsewhere HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"),
        (405, "POST /apps/page HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"),
        (413, "POST /api/pass HTTP/1.1\r\nHost: {name}\r\nOrigin: http://{name}\r\nContent-Length: 9000\r\n"
              "Connection: close\r\n\r\n" + "x" * 9000),
        (421, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
        (401, "GET /api/state HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"),
        (200, "GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"),
        (200, "GET /workbench.js HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"),
        (200, "GET /apps/page HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"),
    ],
)  # fmt: skip
async def test_every_answer_has_the_security_headers_errors_too(status: int, head: str) -> None:
    async with running("workbench") as port:
        answer = await send_raw(port, head.format(name=f"fanlight.localhost:{port}").encode())
    assert answer.status == status
    for name in SECURITY_HEADERS:
        assert answer.headers.get(name.lower()), name
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy


async def test_a_failure_of_ours_is_answered_with_the_headers_and_without_its_reason() -> None:
    async def fails(_: object) -> str:
        raise ValueError("the secret reason")

    async with Host(user=fails) as host, serving(standalone(host), bind_loopback(0)) as port:
        answer = await ask(port, "/apps/page", f"Host: fanlight.localhost:{port}")
    assert answer.status == 500
    assert "secret" not in answer.body
    for name in SECURITY_HEADERS:
        assert answer.headers.get(name.lower()), name


@pytest.mark.parametrize(
    ("header", "status"),
    [
        ("Host: evil.example", 421),
        ("Origin: http://evil.example", 403),
        ("Origin: null", 403),
        ("X-None: 1", 403),
    ],
)
async def test_a_refused_socket_has_the_headers_too(header: str, status: int) -> None:
    """Missing Origin: only browsers have one, and only pages open sockets; so there must be one."""
    async with Host() as host, served(host) as port:
        name = header if header.startswith("Host") else f"Host: fanlight.localhost:{port}"
        more = [] if header.startswith("Host") else [header]
        answer = await ask(
            port, "/apps/socket", name, *more, "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        )  # fmt: skip
    assert answer.status == status
    assert answer.headers["x-content-type-options"] == "nosniff"


async def test_a_server_that_cannot_refuse_with_an_answer_closes_the_socket() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async with Host() as host:
        scope: Scope = {
            "type": "websocket", "path": "/apps/socket", "root_path": "/apps", "scheme": "ws",
            "headers": [(b"host", b"evil.example")], "client": None,
        }  # fmt: skip
        await host.asgi()(scope, receive, send)
    assert [message["type"] for message in sent] == ["websocket.close"]


async def test_the_page_may_not_be_opened_by_another_and_has_no_features_but_those_of_views() -> None:
    async with Host(permissions=["camera"]) as host, served(host) as port:
        headers = (await ask(port, "/apps/page", f"Host: fanlight.localhost:{port}")).headers
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    features = headers["permissions-policy"]
    assert f'camera=(self "http://sandbox.fanlight.localhost:{port}")' in features
    assert "microphone=()" in features
    assert "usb=()" in features
    policy = headers["content-security-policy"]
    assert "require-trusted-types-for 'script'" in policy
    assert "trusted-types 'none'" in policy


async def test_a_program_around_the_host_keeps_its_own_answers() -> None:
    """Only what is ours is guarded: an embedding program decides for its own pages."""
    async with Host() as host:
        inner = host.asgi()

        async def program(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and not scope["path"].startswith("/apps/"):
                await send({"type": "http.response.start", "status": 204, "headers": []})
                await send({"type": "http.response.body"})
                return
            await inner({**scope, "root_path": "/apps"}, receive, send)

        async with serving(program, bind_loopback(0)) as port:
            assert (await ask(port, "/own%20page", "Host: anything")).status == 204
            assert (await ask(port, "/apps/host.js", "Host: anything")).status == 421


async def test_a_known_ticket_serves_each_document_once_and_to_its_own_name() -> None:
    """A replayed one-time address finds nothing."""
    from page_client import page

    async with Host() as host, served(host) as port:
        call = await (await host.connect("one", make_server("one"))).call_tool("show")
        assert call.view is not None
        async with page(port, call.view) as client:
            await client.attach()
            src = str((await client.op("mount"))["src"])
            target = src.partition(f":{port}")[2]
            own = f"Host: sandbox.fanlight.localhost:{port}"
            assert (await ask(port, target, f"Host: fanlight.localhost:{port}")).status == 404
            assert (await ask(port, target, own)).status == 200
            assert (await ask(port, target, own)).status == 404
