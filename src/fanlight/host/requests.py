"""What a view may ask of the host, one handler a method. Policy first, then the work, then the answer.

A view talks only to its own server (R20): there is no server name in any of these requests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from fanlight.errors import RpcError, UnknownToolError, UpstreamError
from fanlight.wire.jsonrpc import ErrorCode

from .policy import Action, ActionKind

if TYPE_CHECKING:
    from .host import Host
    from .session import Session

__all__ = ["HANDLED_METHODS", "serve_request"]

Params = dict[str, Any]


async def serve_request(
    host: Host, session: Session, request_id: str | int, method: str, params: Params
) -> None:
    """Do what the view asked and answer it; every failure becomes an error answer."""
    handler = _HANDLERS.get(method)
    try:
        if handler is None:
            raise RpcError(ErrorCode.METHOD_NOT_FOUND, f"this host does not serve {method}")
        session.answer(request_id, await handler(host, session, request_id, params))
    except RpcError as error:
        session.refuse(request_id, error.code, error.message, error.data)
    except UpstreamError as error:
        session.refuse(request_id, ErrorCode.INTERNAL_ERROR, str(error))


async def _permit(host: Host, session: Session, kind: ActionKind, subject: str, detail: Params) -> None:
    view = session.view
    answer = await host.policy(Action(kind, view.id, view.server.name, subject, detail))
    if answer is not True:
        raise RpcError(ErrorCode.DENIED, answer)


async def _call_tool(host: Host, session: Session, request_id: str | int, params: Params) -> Params:
    server = session.view.server
    name = params["name"]
    try:
        tool = server.tool(name)
    except UnknownToolError as error:
        raise RpcError(ErrorCode.INVALID_PARAMS, error.message) from error
    if not tool.app_may_call:  # R19
        raise RpcError(ErrorCode.DENIED, f'tool {name!r} is not offered to apps: its visibility lacks "app"')
    arguments = params.get("arguments") or {}
    await _permit(host, session, "tool-call", name, arguments)

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        session.progress(request_id, done, total, message)

    return await server.forward("tools/call", _without_token(params), on_progress=on_progress)


def _without_token(params: Params) -> Params:
    # The view's progress token means nothing to the server; the connection to it has tokens of its own.
    meta = params.get("_meta")
    if not isinstance(meta, dict) or "progressToken" not in meta:
        return params
    rest = {key: value for key, value in meta.items() if key != "progressToken"}
    forwarded = {key: value for key, value in params.items() if key != "_meta"}
    return {**forwarded, "_meta": rest} if rest else forwarded


async def _list_tools(host: Host, session: Session, request_id: str | int, params: Params) -> Params:
    return {"tools": [tool.raw for tool in session.view.server.tools if tool.app_may_call]}


def _forward(method: str) -> Handler:
    async def handler(host: Host, session: Session, request_id: str | int, params: Params) -> Params:
        return await session.view.server.forward(method, params)

    return handler


async def _open_link(host: Host, session: Session, request_id: str | int, params: Params) -> Params:
    url = params["url"]
    await _permit(host, session, "open-link", url, {})
    session.open_link(url)
    return {}


async def _message(host: Host, session: Session, request_id: str | int, params: Params) -> Params:
    await _permit(host, session, "message", session.view.tool.name, params)
    await host.deliver_message(session.view, params)
    return {}


async def _update_model_context(
    host: Host, session: Session, request_id: str | int, params: Params
) -> Params:
    host.store_model_context(session.view, params)
    return {}  # the official view rejects any other key here


Handler = Callable[["Host", "Session", str | int, Params], Awaitable[Params]]

_HANDLERS: dict[str, Handler] = {
    "tools/call": _call_tool,
    "tools/list": _list_tools,
    "resources/read": _forward("resources/read"),
    "resources/list": _forward("resources/list"),
    "resources/templates/list": _forward("resources/templates/list"),
    "prompts/list": _forward("prompts/list"),
    "ui/open-link": _open_link,
    "ui/message": _message,
    "ui/update-model-context": _update_model_context,
}
HANDLED_METHODS = frozenset(_HANDLERS)
