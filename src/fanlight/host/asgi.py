"""The ASGI application: one callable answers for all names, told apart by the Host header.

A name that is not ours gets 421 and nothing else; that is what stops a rebinding attack.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape
from pathlib import PurePath
from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, Router, WebSocketRoute
from starlette.websockets import WebSocket

from fanlight.runtime import asset_names, preload_links, read_asset
from fanlight.sandbox import Origins

from .documents import Documents
from .origin_check import ANOTHER_PROCESS, THIS_PROCESS, WRONG_NAME
from .socket import PageSocket, refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .host import Host

__all__ = ["SECURITY_HEADERS", "add_headers", "build_app", "page_origins", "page_policy", "standalone"]

_ASSET_TYPES = {".js": "text/javascript", ".css": "text/css"}
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_NOBODY = "Nobody is signed in here. Sign in to the program that gave you this address, then open it again.\n"
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>'
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
    '<link rel="icon" href="data:,"><link rel="stylesheet" href="{base}/page.css">{preloads}</head>'
    '<body><main></main><script type="module" src="{base}/page.js"></script></body></html>'
)


def build_app(host: Host) -> ASGIApp:
    """Build the application that `Host.asgi()` returns."""
    documents = Documents(host)
    checks = host.origin_checks

    async def page(request: Request) -> Response:
        """A page that shows one view; which one stands after `#`, which only the browser knows."""
        origins = page_origins(host, request)
        if origins is None:
            return PlainTextResponse(WRONG_NAME, status_code=421)
        if not host.users.admits(await host.users.of(request)):
            return PlainTextResponse(_NOBODY, status_code=403)
        checks.check_soon()
        base = escape(host.addresses.page_path)
        return HTMLResponse(
            _PAGE.format(base=base, preloads=preload_links(base, "page.js")),
            headers={"Content-Security-Policy": page_policy(origins)},
        )

    async def socket(websocket: WebSocket) -> None:
        name, scheme = _asked(websocket)
        origins = host.addresses.caller_origins(name, scheme, websocket.headers.get("origin"))
        if origins is None:
            await refuse(websocket)
            return
        user = await host.users.of(websocket)
        if not host.users.admits(user):
            await refuse(websocket)
            return
        checks.check_soon()
        await PageSocket(host, websocket, origins, user).run()

    async def here(request: Request) -> Response:
        """One of our own public names asks whether it leads to this process."""
        known = checks.knows(request.path_params["nonce"])
        return PlainTextResponse(
            THIS_PROCESS if known else ANOTHER_PROCESS, status_code=200 if known else 404
        )

    async def socket_here(websocket: WebSocket) -> None:
        if checks.knows(websocket.path_params["nonce"]):
            await websocket.accept()
        await websocket.close()

    router = Router(
        [
            Route("/page", page),
            *(Route(f"/{name}", _asset(host, name)) for name in asset_names()),
            Route("/sandbox/{ticket}", documents.proxy),
            Route("/shell/{ticket}", documents.shell),
            Route("/view/{ticket}", documents.view),
            Route("/report/{ticket}", documents.report, methods=["POST"]),
            WebSocketRoute("/socket", socket),
            Route("/origin/{nonce}", here),
            WebSocketRoute("/origin/{nonce}", socket_here),
        ]
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await router(scope, receive, send)
            return
        seen = host.trusted_proxies.as_the_browser_asked(scope)
        if seen.get("root_path", "") not in host.addresses.routes_at:
            problem = _elsewhere(host, seen.get("root_path", ""))
            await PlainTextResponse(problem, status_code=500)(seen, receive, send)
        elif seen["type"] == "http" and not host.addresses.is_ours(*_asked(HTTPConnection(seen))):
            await PlainTextResponse(WRONG_NAME, status_code=421)(seen, receive, add_headers(send))
        else:
            # Without the embedding application in scope, a missing page is answered here, with our headers.
            own = {key: value for key, value in seen.items() if key != "app"}
            own |= {"root_path": "", "path": _own_path(host, seen)}
            await router(own, receive, add_headers(send))

    return app


def standalone(host: Host) -> ASGIApp:
    """The application at its mount and nothing around it, for a host with a server of its own."""
    return Router([Mount(host.mount, app=build_app(host))])


def page_origins(host: Host, connection: HTTPConnection) -> Origins | None:
    """The origins of a page under this Host header, or None when no page of ours lives there."""
    return host.addresses.page_origins(*_asked(connection))


def page_policy(origins: Origins) -> str:
    """The policy of a host page that we serve: our files, our socket, one foreign frame."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        f"frame-src {origins.sandbox}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _asked(connection: HTTPConnection) -> tuple[str, str]:
    """The name and the scheme of a request: `("localhost:8000", "http")`."""
    scheme = connection.scope.get("scheme", "http")
    return connection.headers.get("host", "").lower(), "https" if scheme in ("https", "wss") else "http"


def _own_path(host: Host, scope: Scope) -> str:
    """The part of the path that is ours. A proxy may have taken the root path away, a framework the mount."""
    path: str = scope["path"]
    for prefix in (scope.get("root_path", ""), host.mount):
        if prefix and path.startswith(f"{prefix}/"):
            return path[len(prefix) :]
    return path


def _elsewhere(host: Host, found: str) -> str:
    return (
        f"Host(mount={host.mount!r}) is mounted at {found!r}; make them the same: mount is the whole path "
        "from the root of your program. A prefix that only the reverse proxy knows belongs to public_url.\n"
    )


def _asset(host: Host, name: str) -> Callable[[Request], Awaitable[Response]]:
    media_type = _ASSET_TYPES[PurePath(name).suffix]

    async def endpoint(request: Request) -> Response:
        headers = {}
        if host.addresses.pages:  # the same files for everybody; only who may read them differs
            headers = {"Cross-Origin-Resource-Policy": "cross-origin", "Vary": "Origin"}
            if request.headers.get("origin") in host.addresses.pages:
                headers["Access-Control-Allow-Origin"] = request.headers["origin"]
        return Response(read_asset(name), media_type=media_type, headers=headers)

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
