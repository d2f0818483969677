"""The ASGI application: one callable answers for all names, told apart by the Host header.

A name that is not ours gets 421 and nothing else; that is what stops a rebinding attack.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, Router, WebSocketRoute
from starlette.websockets import WebSocket

from fanlight.runtime import read_asset
from fanlight.sandbox import Origins, development_origins

from .documents import Documents
from .socket import PageSocket, refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .host import Host

__all__ = ["SECURITY_HEADERS", "add_headers", "build_app", "page_origins", "page_policy"]

_ASSETS = {
    "host.js": "text/javascript",
    "host.css": "text/css",
    "page.js": "text/javascript",
    "page.css": "text/css",
    "sandbox.js": "text/javascript",
    "sandbox.css": "text/css",
}
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_WRONG_NAME = (
    "This host does not answer to that name. In development open http://localhost:PORT or "
    "http://fanlight.localhost:PORT; in a deployment configure Host(origins=…).\n"
)
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<link rel="icon" href="data:,"><link rel="stylesheet" href="{mount}/page.css"></head>'
    '<body><main></main><script type="module" src="{mount}/page.js"></script></body></html>'
)


def build_app(host: Host) -> ASGIApp:
    """Build the application that `Host.asgi()` returns."""
    documents = Documents(host)

    async def page(request: Request) -> Response:
        """A page that shows one view; which one stands after `#`, which only the browser knows."""
        origins = page_origins(host, request)
        if origins is None:
            return PlainTextResponse(_WRONG_NAME, status_code=421)
        return HTMLResponse(
            _PAGE.format(mount=host.mount), headers={"Content-Security-Policy": page_policy(origins)}
        )

    async def socket(websocket: WebSocket) -> None:
        origins = page_origins(host, websocket)
        if origins is None or websocket.headers.get("origin") != origins.host:
            await refuse(websocket)
            return
        await PageSocket(host, websocket, origins).run()

    router = Router(
        [
            Route("/page", page),
            *(Route(f"/{name}", _asset(name, media_type)) for name, media_type in _ASSETS.items()),
            Route("/sandbox/{ticket}", documents.proxy),
            Route("/view/{ticket}", documents.view),
            Route("/report/{ticket}", documents.report, methods=["POST"]),
            WebSocketRoute("/socket", socket),
        ]
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await router(scope, receive, send)
            return
        if not scope.get("root_path", "").endswith(host.mount):
            found = scope.get("root_path", "")
            problem = f"Host(mount={host.mount!r}) is mounted at {found!r}; make them the same.\n"
            await PlainTextResponse(problem, status_code=500)(scope, receive, send)
        elif scope["type"] == "http" and not _is_ours(host, HTTPConnection(scope)):
            await PlainTextResponse(_WRONG_NAME, status_code=421)(scope, receive, add_headers(send))
        else:
            # Without the embedding application in scope, a missing page is answered here, with our headers.
            own = {key: value for key, value in scope.items() if key != "app"}
            await router(own, receive, add_headers(send))

    return app


def page_origins(host: Host, connection: HTTPConnection) -> Origins | None:
    """The origins of a page under this Host header, or None when no page of ours lives there."""
    name = connection.headers.get("host", "").lower()
    if host.origins is not None:
        return host.origins if host.origins.host.partition("://")[2] == name else None
    scheme = {"ws": "http", "wss": "https"}.get(connection.url.scheme, connection.url.scheme)
    return development_origins(name, scheme)


def page_policy(origins: Origins) -> str:
    """The policy of a host page that we serve: our files, our socket, one foreign frame."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        f"frame-src {origins.sandbox}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _is_ours(host: Host, connection: HTTPConnection) -> bool:
    """Is this Host header a page's name, or one level below it (the proxy, a view)?"""
    if page_origins(host, connection) is not None:
        return True
    name = connection.headers.get("host", "").lower()
    if host.origins is not None:
        return f"//{name}" in host.origins.sandbox or (
            host.origins.view is not None and name.partition(".")[2] == host.origins.view.partition(".")[2]
        )
    return development_origins(name.partition(".")[2]) is not None


def _asset(name: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        return Response(read_asset(name), media_type=media_type)

    return endpoint


def add_headers(send: Send) -> Send:
    """Put the security headers on every HTTP response that goes through `send`."""

    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            present = {key.lower() for key, _ in message["headers"]}
            extra = [
                (name.lower().encode(), value.encode())
                for name, value in SECURITY_HEADERS.items()
                if name.lower().encode() not in present
            ]
            message = {**message, "headers": [*message["headers"], *extra]}
        await send(message)

    return with_headers
