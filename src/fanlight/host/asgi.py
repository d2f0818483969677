"""The ASGI application: one callable answers for all names, told apart by the Host header.

A name that is not ours gets 421 and nothing else; that is what stops a rebinding attack. Under the names of
the sandbox and of views there are their documents only.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import TYPE_CHECKING, Any

from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, Router, WebSocketRoute
from starlette.websockets import WebSocket

from fanlight.sandbox import Origins, authority

from .assets import SCRIPTS, page_of_one_view, script
from .documents import Documents
from .guard import Refusal, header, malformed, stranger
from .headers import add_headers
from .origin_check import ANOTHER_PROCESS, THIS_PROCESS, WRONG_NAME
from .socket import PageSocket, refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from .host import Host

__all__ = ["build_app", "page_origins", "refuse_request", "standalone"]

_NOBODY = "Nobody is signed in here. Sign in to the program that gave you this address, then open it again.\n"
_FULL = "Too many pages are connected. Close some, then reload this one.\n"
_FAILED = "This failed here; the program's log says how.\n"
# What belongs to pages and is not under the names of frames.
_OF_PAGES = frozenset({"/page", "/socket", *(f"/{name}" for name in SCRIPTS)})


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
        return page_of_one_view(host, origins)

    async def socket(websocket: WebSocket) -> None:
        name, scheme = _asked(websocket)
        origins = host.addresses.caller_origins(name, scheme, websocket.headers.get("origin"))
        if origins is None:
            await refuse(websocket, "Only a page of this program may connect.\n")
            return
        user = await host.users.of(websocket)
        if not host.users.admits(user):
            await refuse(websocket, _NOBODY)
            return
        checks.check_soon()
        with host.sockets.place(user) as place:
            if place:
                await PageSocket(host, websocket, origins, user).run()
            else:
                await refuse(websocket, _FULL, 503)

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
            *(Route(f"/{name}", script(host, name)) for name in SCRIPTS),
            Route("/sandbox/{ticket}", documents.proxy),
            Route("/proxy", documents.foreign_proxy),
            Route("/proxy/{key}", documents.hand_over, methods=["POST"]),
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
        guarded = add_headers(send)
        refusal = _refusal(host, seen)
        if refusal is not None:
            await refuse_request(refusal, seen, receive, guarded)
            return
        # Without the embedding application in scope, a missing page is answered here, with our headers.
        own = {key: value for key, value in seen.items() if key != "app"}
        own |= {"root_path": "", "path": _own_path(host, seen)}
        await _answer(router, own, receive, guarded)

    return app


def standalone(host: Host) -> ASGIApp:
    """The application at its mount and nothing around it, for a host with a server of its own."""
    app = build_app(host)

    async def alone(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not scope["path"].startswith(f"{host.mount}/"):
            refusal = malformed(scope) or Refusal(404, "There is nothing here.\n")
            await refuse_request(refusal, scope, receive, add_headers(send))
        else:
            await app({**scope, "root_path": host.mount}, receive, send)

    return alone


def page_origins(host: Host, connection: HTTPConnection) -> Origins | None:
    """The origins of a page under this Host header, or None when no page of ours lives there."""
    return host.addresses.page_origins(*_asked(connection))


async def refuse_request(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    """Say no to a request, or to a socket before it is one."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008, "reason": ""})
    else:
        await PlainTextResponse(refusal.text, status_code=refusal.status)(scope, receive, send)


def _refusal(host: Host, scope: Scope) -> Refusal | None:
    """Why this request is not even looked at, if so."""
    root = scope.get("root_path", "")
    if root not in host.addresses.routes_at:
        return Refusal(500, _elsewhere(host, root))
    refusal = malformed(scope)
    name, scheme = _asked(HTTPConnection(scope))
    if refusal is not None or not host.addresses.is_ours(name, scheme):
        return refusal or Refusal(421, WRONG_NAME)
    if _own_path(host, scope) not in _OF_PAGES:
        # A frame is loaded without Origin; a view's reports come from it, or from an opaque one.
        origin = header(scope, "origin") or "null"
        known = origin == "null" or host.addresses.is_ours(authority(origin), scheme)
        return None if known else stranger(scope, ())
    page = host.addresses.page_origins(name, scheme)
    if page is None:
        return Refusal(421, WRONG_NAME)
    return stranger(scope, {page.host, *host.addresses.pages})


async def _answer(router: Router, scope: Scope, receive: Receive, send: Send) -> None:
    """Our own mistakes are answered like everything else, and then said in the server's log."""
    started = False

    async def noticed(message: MutableMapping[str, Any]) -> None:
        nonlocal started
        started = True
        await send(message)

    try:
        await router(scope, receive, noticed)
    except Exception:
        if not started and scope["type"] == "http":
            await PlainTextResponse(_FAILED, status_code=500)(scope, receive, send)
        raise


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
