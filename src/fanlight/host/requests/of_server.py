"""What a view asks of its server: tools and resources, passed on unchanged."""

from __future__ import annotations

from fanlight.errors import RpcError, UnknownToolError
from fanlight.host.policy import ActionKind
from fanlight.wire.jsonrpc import ErrorCode
from fanlight.wire.plain import fault_in

from .base import Asked, Handler, Params

__all__ = ["SERVER_HANDLERS"]


async def _call_tool(asked: Asked) -> Params:
    asked.check_names()
    server, name, params = asked.view.server, asked.params["name"], asked.params
    arguments = params.get("arguments") or {}
    try:
        tool = server.tool(name)
    except UnknownToolError as error:
        raise RpcError(ErrorCode.INVALID_PARAMS, error.message) from error
    if not tool.app_may_call:  # R19
        sentence = f'tool {name!r} is not offered to apps: its visibility lacks "app"'
        raise asked.gate.refused("visibility", sentence, ActionKind.TOOL_CALL, name, arguments)
    await asked.gate.permit(ActionKind.TOOL_CALL, name, arguments, annotations=tool.raw.get("annotations"))

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        asked.session.conversation.progress(asked.id, done, total, message)

    return await server.forward("tools/call", _without_token(params), on_progress=on_progress)


def _without_token(params: Params) -> Params:
    # The view's progress token means nothing to the server; the connection to it has tokens of its own.
    meta = params.get("_meta")
    if not isinstance(meta, dict) or "progressToken" not in meta:
        return params
    rest = {key: value for key, value in meta.items() if key != "progressToken"}
    forwarded = {key: value for key, value in params.items() if key != "_meta"}
    return {**forwarded, "_meta": rest} if rest else forwarded


async def _list_tools(asked: Asked) -> Params:
    asked.gate.take("reads", "tools/list", "")
    return {"tools": [tool.raw for tool in asked.view.server.tools if tool.app_may_call]}


def _forward(method: str) -> Handler:
    async def handler(asked: Asked) -> Params:
        asked.check_names()
        asked.gate.take("reads", method, str(asked.params.get("uri", "")))
        return await asked.view.server.forward(method, asked.params)

    return handler


async def _subscribe(asked: Asked) -> Params:
    asked.check_names()
    fault = fault_in(asked.params["uri"], "uri")
    if fault is not None:
        raise RpcError(ErrorCode.INVALID_PARAMS, f"resources/subscribe: {fault}")
    asked.gate.take("reads", "resources/subscribe", asked.params["uri"])
    asked.view.server.subscriptions.add(asked.session, asked.params["uri"])
    return {}


async def _unsubscribe(asked: Asked) -> Params:
    asked.view.server.subscriptions.discard(asked.session, asked.params["uri"])
    return {}


SERVER_HANDLERS: dict[str, Handler] = {
    "tools/call": _call_tool,
    "tools/list": _list_tools,
    "resources/read": _forward("resources/read"),
    "resources/list": _forward("resources/list"),
    "resources/templates/list": _forward("resources/templates/list"),
    "resources/subscribe": _subscribe,
    "resources/unsubscribe": _unsubscribe,
    "prompts/list": _forward("prompts/list"),
}
