"""What is said in the place of a message that cannot be carried: too deep to be read, or not JSON at all."""

from __future__ import annotations

import json
import re
from typing import Any

from fanlight.wire.json_text import MAX_DEPTH, shallow
from fanlight.wire.jsonrpc import ErrorCode, JSONObject, Request, classify, error, notification

__all__ = ["TOO_DEEP", "answer_to", "instead_of", "read_shallow"]

TOO_DEEP = f"the message is nested deeper than {MAX_DEPTH} levels"
_TOOL_RESULT = "ui/notifications/tool-result"
# Looking for what can be answered in a message that is nested too deeply takes time.
_LONGEST_UNREAD = 1 << 20
# How `runtime/link.js` begins a frame.
_HEAD = re.compile(r'\{"session":"([\w-]{8,64})","n":(\d{1,15}),"got":(\d{1,15}),')


def read_shallow(text: str) -> Any:
    """A frame whose message is nested too deeply, with as much of it as is needed to answer.

    Raises:
        ValueError: it is no JSON.
    """
    if len(text) > _LONGEST_UNREAD:
        head = _HEAD.match(text)
        return head and {"session": head[1], "n": int(head[2]), "got": int(head[3]), "op": "too-deep"}
    frame = json.loads(shallow(text, 2))
    return {**frame, "op": "too-deep"} if isinstance(frame, dict) and frame.get("op") == "message" else frame


def answer_to(message: Any, why: str) -> JSONObject | None:
    """The answer to a message of a view that was not read; None when nobody waits for one."""
    seen = classify({**message, "params": {}} if isinstance(message, dict) else message)
    return error(seen.id, ErrorCode.INVALID_REQUEST, why) if isinstance(seen, Request) else None


def instead_of(message: JSONObject, why: str) -> JSONObject | None:
    """What a view is told instead of this message to it; None for what it can do without."""
    if "method" not in message and "id" in message:
        return error(message["id"], ErrorCode.INTERNAL_ERROR, f"the server's answer cannot be carried: {why}")
    if message.get("method") == _TOOL_RESULT:
        text = f"The tool's result cannot be shown: {why}."
        return notification(_TOOL_RESULT, {"content": [{"type": "text", "text": text}], "isError": True})
    return None
