"""What a view asks of the program behind the host: hear a message, tell or ask the model, keep."""

from __future__ import annotations

from fanlight.errors import RpcError
from fanlight.host.contents import blocks_fault, readable
from fanlight.host.kept_state import keep_state
from fanlight.host.model_context import store_context
from fanlight.host.policy import ActionKind
from fanlight.wire.jsonrpc import ErrorCode

from .base import Asked, Handler, Params

__all__ = ["PROGRAM_HANDLERS"]


async def _message(asked: Asked) -> Params:
    content = asked.params["content"]
    fault = "a message needs at least one content block" if not content else blocks_fault(content)
    if fault is not None:
        raise RpcError(ErrorCode.INVALID_PARAMS, f"ui/message: {fault}")
    asked.check_size(ActionKind.MESSAGE, "", asked.gate.limits.message_size)
    await asked.gate.permit(
        ActionKind.MESSAGE, asked.view.tool.name, {"content": content}, detail=readable(content)
    )
    handler = asked.host.message_handler
    assert handler is not None  # not advertised otherwise, so the connection refuses it
    taken = await asked.hand_over(handler, content)
    # Nothing of the conversation is told back, only that it was not taken.
    return {"isError": True} if taken is False else {}


async def _update_model_context(asked: Asked) -> Params:
    kind = "ui/update-model-context"
    asked.gate.take("context_updates", kind, "")
    content = asked.params.get("content", [])
    structured = asked.params.get("structuredContent")
    fault = blocks_fault(content)
    if structured is not None and not isinstance(structured, dict):
        fault = "'structuredContent' must be an object"
    if fault is not None:
        raise RpcError(ErrorCode.INVALID_PARAMS, f"{kind}: {fault}")
    asked.check_size(kind, "", asked.gate.limits.context_size)
    store_context(asked.view, asked.params)
    return {}  # the official view rejects any other key here


async def _set_state(asked: Asked) -> Params:
    kind = "fanlight/set-state"
    asked.gate.take("state_updates", kind, "")
    asked.check_size(kind, "", asked.gate.limits.state_size)
    keep_state(asked.view, asked.params["state"], asked.session)
    return {}


async def _sample(asked: Asked) -> Params:
    params = asked.params
    asked.check_size(ActionKind.SAMPLING, "", asked.gate.limits.sampling_size)
    shown = {key: value for key, value in params.items() if key != "_meta"}
    await asked.gate.permit(ActionKind.SAMPLING, "", shown)
    handler = asked.host.sampling_handler
    assert handler is not None  # not advertised otherwise, so the connection refuses it
    result = await asked.hand_over(handler, params)
    missing = [
        key for key in ("role", "content", "model") if not isinstance(result, dict) or key not in result
    ]
    if missing:
        # An official view rejects such an answer in a way that nobody can read.
        raise TypeError(f"the sampling handler returned no {', '.join(missing)}")
    return dict(result)


PROGRAM_HANDLERS: dict[str, Handler] = {
    "ui/message": _message,
    "ui/update-model-context": _update_model_context,
    "sampling/createMessage": _sample,
    "fanlight/set-state": _set_state,
}
