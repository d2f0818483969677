"""The workbench's ASGI application: its page, its small API, and the host mounted beside it.

The API answers only to a browser with a pass (`passes.py`) and only to the page's own origin; nothing here
starts a process because of a request.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from fanlight.errors import ConfigError, FanlightError, UnknownToolError
from fanlight.host import Call, Host
from fanlight.host.arguments import check_arguments
from fanlight.host.asgi import page_origins, refuse_request
from fanlight.host.guard import Refusal, header, malformed, stranger
from fanlight.host.headers import add_headers, page_headers
from fanlight.host.serve import pass_cookie
from fanlight.runtime import read_asset
from fanlight.wire.json_text import MAX_DEPTH, Unwritable, encode, nests_deeper

from .listing import server_json
from .news import News
from .passes import Pass, Passes, Turned

__all__ = ["Workbench"]

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_STATIC = files("fanlight.workbench").joinpath("static")
_MAX_BODY = 8 << 20
_BODY_SECONDS = 30.0
_KEPT_CALLS = 200
_NEWS_SECONDS = 25.0
_FAILED_REMEDY = "Correct what it says, then stop this program in the terminal and start it again."
_NEW_LINK = "Press Enter in the terminal for a new link; where that does nothing, start the program again."
_REFUSED = {
    Turned.WRONG: (401, "This is not the token of this run.", f"Open the link in the terminal. {_NEW_LINK}"),
    Turned.SPENT: (410, "This link was used already, perhaps in another browser. It works once.", _NEW_LINK),
    Turned.OLD: (410, "This link is older than an hour.", _NEW_LINK),
    Turned.OFTEN: (429, "There were too many wrong tokens.", "Wait a minute, then try again."),
}

Handler = Callable[[Request], Awaitable[Response]]


class Workbench:
    """One run of the workbench: a host, its servers (also those that failed), and the calls made here.

    Args:
        token: what stands in the first link, which works once; None for a link that `passes` makes later.
        access_token: a token that works for every browser, in the place of links that work once.
    """

    def __init__(self, host: Host, token: str | None = None, *, access_token: str | None = None) -> None:
        self.host = host
        self.failed: dict[str, str] = {}
        self.passes = Passes(token, access_token=access_token)
        # What `fanlight dev` has to tell; None where nothing is loaded anew.
        self.news: News | None = None
        self._calls: dict[str, tuple[Call, float]] = {}

    def asgi(self) -> ASGIApp:
        app = Starlette(
            routes=[
                Route("/", self._index),
                Route("/api/pass", self._asked_by_page(self._give_pass), methods=["POST"]),
                Route("/api/state", self._guarded(self._state)),
                Route("/api/news/{number:int}", self._guarded(self._wait_news)),
                Route("/api/calls", self._guarded(self._start_call), methods=["POST"]),
                Route("/api/calls/{id}", self._guarded(self._wait_call)),
                Route("/api/views/{id}", self._guarded(self._close_view), methods=["DELETE"]),
                Mount(self.host.mount, app=self.host.asgi()),
                Route("/runtime/visible.js", self._visible),
                Route("/{path:path}", self._static),
            ]
        )

        async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "lifespan":
                await app(scope, receive, send)
                return
            refusal = self._refusal(scope)
            if refusal is None:
                await app(scope, receive, add_headers(send))
            else:
                await refuse_request(refusal, scope, receive, add_headers(send))

        return guarded

    def _refusal(self, scope: Scope) -> Refusal | None:
        refusal = malformed(scope)
        if refusal is not None:
            return refusal
        if scope["path"].startswith(f"{self.host.mount}/"):
            # What is there has guards of its own; who has no pass cannot even hold a socket open.
            known = scope["type"] != "websocket" or self.passes.knows(_pass_cookies(scope))
            return None if known else Refusal(401, "This browser has no pass for this workbench.\n")
        origins = page_origins(self.host, Request(scope)) if scope["type"] == "http" else None
        if origins is None:
            return Refusal(
                421, "This name is not the workbench's; open the link that the terminal printed.\n"
            )
        return stranger(scope, {origins.host})

    # The page

    async def _index(self, request: Request) -> Response:
        origins = page_origins(self.host, request)
        assert origins is not None  # `_refusal` was asked
        return _file("index.html", page_headers(origins, self.host.allowed_permissions))

    async def _visible(self, request: Request) -> Response:
        """What host pages and this one spell out, in the words of one file."""
        return Response(read_asset("visible.js"), media_type=_TYPES[".js"])

    async def _static(self, request: Request) -> Response:
        return _file(request.path_params["path"])

    # The API

    def _asked_by_page(self, handler: Handler) -> Handler:
        """Answer a script of our own page only; what a handler raises becomes an answer too."""

        async def asked(request: Request) -> Response:
            origins = page_origins(self.host, request)
            assert origins is not None
            changes = request.method not in ("GET", "HEAD")
            refusal = stranger(request.scope, {origins.host}, origin_needed=changes)
            if refusal is not None:
                return _problem(refusal.status, "Only the workbench's own page may ask.")
            try:
                return await handler(request)
            except _BadRequest as bad:
                return _problem(bad.status, str(bad))

        return asked

    def _guarded(self, handler: Handler) -> Handler:
        async def admitted(request: Request) -> Response:
            scheme, _, key = request.headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not self.passes.admits(_pass_cookies(request.scope), key):
                return _problem(401, "This browser has no pass for this workbench.", _NEW_LINK)
            return await handler(request)

        return self._asked_by_page(admitted)

    async def _give_pass(self, request: Request) -> Response:
        body = await _json_body(request, 4096)
        caller = request.client.host if request.client else ""
        given = self.passes.redeem(_text(body, "token"), caller)
        if not isinstance(given, Pass):
            status, message, remedy = _REFUSED[given]
            return _problem(status, message, remedy)
        response = _json({"key": given.key}, 201)
        # For this name only, not for those below it, where views live. Without Secure: Safari does not take
        # such a cookie from a loopback address.
        response.set_cookie(
            pass_cookie(header(request.scope, "host") or ""),
            given.cookie,
            httponly=True,
            samesite="strict",
            secure=request.url.scheme == "https",
        )
        return response

    async def _state(self, request: Request) -> Response:
        servers = [server_json(name, server) for name, server in self.host.servers.items()]
        servers += [
            {"name": name, "status": "failed", "error": why, "remedy": _FAILED_REMEDY, "tools": []}
            for name, why in self.failed.items()
        ]
        news = {} if self.news is None else {"news": await self.news.after(-1, 0)}
        return _json({"host": self.host.info, "mount": self.host.mount, "servers": servers, **news})

    async def _wait_news(self, request: Request) -> Response:
        if self.news is None:
            return _problem(404, "Nothing is loaded anew here.", "Start it with `fanlight dev`.")
        return _json(await self.news.after(request.path_params["number"], _NEWS_SECONDS))

    async def _start_call(self, request: Request) -> Response:
        body = await _json_body(request, _MAX_BODY)
        try:
            server = self.host.servers.get(_text(body, "server"))
            if server is None:
                raise ConfigError(f"no server named {body['server']!r} is connected")
            tool = server.tool(_text(body, "tool"))
            arguments = check_arguments(tool, body.get("arguments", {}))
        except (ConfigError, UnknownToolError) as error:
            return _problem(400, str(error))
        call = server.start_call(tool.name, arguments)
        while len(self._calls) >= _KEPT_CALLS:
            self._calls.pop(next(iter(self._calls)))
        self._calls[call.id] = (call, time.monotonic())
        view = None if call.view is None else {"id": call.view.id, "token": call.view.token}
        return _json({"id": call.id, "view": view}, 201)

    async def _wait_call(self, request: Request) -> Response:
        found = self._calls.get(request.path_params["id"])
        if found is None:
            return _problem(404, "That call is no longer kept; run the tool again.")
        call, started = found
        try:
            outcome: dict[str, Any] = {"status": "done", "result": await call.wait()}
        except FanlightError as error:
            outcome = {"status": "failed", "error": {"message": str(error)}}
        took = {"ms": round((time.monotonic() - started) * 1000)}
        try:
            return _json({**outcome, **took})
        except Unwritable as why:
            message = f"The result of the tool cannot be shown: {why}."
            return _json({"status": "failed", "error": {"message": message}, **took})

    async def _close_view(self, request: Request) -> Response:
        await self.host.close_view(request.path_params["id"])
        return Response(status_code=204)


class _BadRequest(Exception):
    """A request that cannot be used, and the status that says so."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def _json_body(request: Request, limit: int) -> dict[str, Any]:
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise _BadRequest(413, f"the request is larger than {limit} bytes")
    except TimeoutError:
        raise _BadRequest(408, f"the request did not end within {_BODY_SECONDS:g} s") from None
    try:
        text = body.decode()
        if nests_deeper(text):
            raise _BadRequest(400, f"the request is nested deeper than {MAX_DEPTH} levels")
        data = json.loads(text)
    except ValueError as error:
        raise _BadRequest(400, f"the request is not valid JSON: {error}") from None
    if not isinstance(data, dict):
        raise _BadRequest(400, "the request must be a JSON object")
    return data


def _text(body: dict[str, Any], field: str) -> str:
    value = body.get(field)
    if not isinstance(value, str):
        raise _BadRequest(400, f"{field} is {value!r}: expected a string")
    return value


def _pass_cookies(scope: Scope) -> list[str]:
    """Every cookie of our name: a view can add others to it, and must not push ours out."""
    name = pass_cookie(header(scope, "host") or "")
    parts = [part for key, value in scope["headers"] if key == b"cookie" for part in value.split(b";")]
    pairs = (part.decode("latin-1").strip().partition("=") for part in parts)
    return [value for key, _, value in pairs if key == name]


def _file(path: str, headers: dict[str, str] | None = None) -> Response:
    resource = _STATIC
    for part in path.split("/"):
        resource = resource.joinpath(part)
    if not path or not resource.is_file():
        return PlainTextResponse("no such file", status_code=404)
    suffix = path[path.rfind(".") :]
    return Response(
        resource.read_bytes(), media_type=_TYPES.get(suffix, "application/octet-stream"), headers=headers
    )


def _json(data: Any, status: int = 200) -> Response:
    return Response(encode(data), status_code=status, media_type="application/json")


def _problem(status: int, message: str, remedy: str | None = None) -> Response:
    more = {} if remedy is None else {"remedy": remedy}
    return _json({"error": {"message": message, **more}}, status)
