"""The workbench's ASGI application: its page, its small API, and the host mounted beside it.

The API answers only to the run's token (from the link that the terminal printed) and only to the page's
own origin; nothing here starts a process because of a request.
"""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route

from fanlight.errors import ConfigError, FanlightError, UnknownToolError
from fanlight.host import Call, Host
from fanlight.host.arguments import check_arguments
from fanlight.host.asgi import add_headers, page_origins, page_policy
from fanlight.upstream import Tool

__all__ = ["Workbench"]

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
_STATIC = files("fanlight.workbench").joinpath("static")
_MAX_BODY = 8 << 20
_KEPT_CALLS = 200
_FAILED_REMEDY = "Correct what it says, then stop this program in the terminal and start it again."


class Workbench:
    """One run of the workbench: a host, its servers (also those that failed), and the calls made here."""

    def __init__(self, host: Host, token: str) -> None:
        self.host = host
        self.failed: dict[str, str] = {}
        self.token = token
        self._calls: dict[str, tuple[Call, float]] = {}

    def asgi(self) -> Callable[..., Awaitable[None]]:
        app = Starlette(
            routes=[
                Route("/", self._index),
                Route("/api/state", self._guarded(self._state)),
                Route("/api/calls", self._guarded(self._start_call), methods=["POST"]),
                Route("/api/calls/{id}", self._guarded(self._wait_call)),
                Route("/api/views/{id}", self._guarded(self._close_view), methods=["DELETE"]),
                Mount(self.host.mount, app=self.host.asgi()),
                Route("/{path:path}", self._static),
            ]
        )

        async def with_headers(scope: Any, receive: Any, send: Any) -> None:
            await app(scope, receive, add_headers(send) if scope["type"] == "http" else send)

        return with_headers

    # The page

    async def _index(self, request: Request) -> Response:
        origins = page_origins(self.host, request)
        if origins is None:
            return _problem(421, "This name is not the workbench's; open the link that the terminal printed.")
        return _file("index.html", {"Content-Security-Policy": page_policy(origins)})

    async def _static(self, request: Request) -> Response:
        if page_origins(self.host, request) is None:
            return _problem(421, "This name is not the workbench's.")
        return _file(request.path_params["path"])

    # The API

    def _guarded(
        self, handler: Callable[[Request], Awaitable[Response]]
    ) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            origins = page_origins(self.host, request)
            if origins is None:
                return _problem(421, "This name is not the workbench's.")
            origin = request.headers.get("origin")
            # Browsers leave Origin off same-origin GETs; Sec-Fetch-Site tells those apart from foreign ones.
            if origin not in (None, origins.host) or request.headers.get(
                "sec-fetch-site", "same-origin"
            ) not in (
                "same-origin",
                "none",
            ):
                return _problem(403, "Only the workbench's own page may ask.")
            scheme, _, token = request.headers.get("authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(token.encode(), self.token.encode()):
                return _problem(
                    401, "The token is missing or wrong; open the link that the terminal printed."
                )
            return await handler(request)

        return guarded

    async def _state(self, request: Request) -> Response:
        servers: list[dict[str, Any]] = []
        for name, server in self.host.servers.items():
            facts = {key: server.info[key] for key in ("title", "version") if server.info.get(key)}
            tools = [_tool_json(tool) for tool in server.tools]
            servers.append({"name": name, **facts, "status": "connected", "tools": tools})
        servers += [
            {"name": name, "status": "failed", "error": why, "remedy": _FAILED_REMEDY, "tools": []}
            for name, why in self.failed.items()
        ]
        return JSONResponse({"host": self.host.info, "mount": self.host.mount, "servers": servers})

    async def _start_call(self, request: Request) -> Response:
        try:
            body = await _json_body(request)
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
        return JSONResponse({"id": call.id, "view": view}, status_code=201)

    async def _wait_call(self, request: Request) -> Response:
        found = self._calls.get(request.path_params["id"])
        if found is None:
            return _problem(404, "That call is no longer kept; run the tool again.")
        call, started = found
        try:
            outcome: dict[str, Any] = {"status": "done", "result": await call.wait()}
        except FanlightError as error:
            outcome = {"status": "failed", "error": {"message": str(error)}}
        return JSONResponse({**outcome, "ms": round((time.monotonic() - started) * 1000)})

    async def _close_view(self, request: Request) -> Response:
        await self.host.close_view(request.path_params["id"])
        return Response(status_code=204)


def _tool_json(tool: Tool) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "inputSchema": tool.input_schema,
        "hasApp": tool.has_app,
        "visibility": [
            who for who, may in (("model", tool.model_may_see), ("app", tool.app_may_call)) if may
        ],
        "readOnly": tool.read_only,
    }
    if tool.description:
        facts["description"] = tool.description
    if tool.problem is not None:
        facts["problem"] = tool.problem
    return facts


async def _json_body(request: Request) -> dict[str, Any]:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY:
            raise ConfigError(f"the request is larger than {_MAX_BODY >> 20} MiB")
    try:
        data = json.loads(body)
    except ValueError as error:
        raise ConfigError(f"the request is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError("the request must be a JSON object")
    return data


def _text(body: dict[str, Any], field: str) -> str:
    value = body.get(field)
    if not isinstance(value, str):
        raise ConfigError(f"{field} is {value!r}: expected a string")
    return value


def _file(path: str, headers: dict[str, str] | None = None) -> Response:
    resource = _STATIC
    for part in path.split("/"):
        if part in ("", ".", "..") or "\\" in part:
            return PlainTextResponse("no such file", status_code=404)
        resource = resource.joinpath(part)
    if not resource.is_file():
        return PlainTextResponse("no such file", status_code=404)
    suffix = path[path.rfind(".") :]
    return Response(
        resource.read_bytes(), media_type=_TYPES.get(suffix, "application/octet-stream"), headers=headers
    )


def _problem(status: int, message: str) -> Response:
    return JSONResponse({"error": {"message": message}}, status_code=status)
