"""What an HTTP status says, as the JSON-RPC error that a server should have sent with it.

Of a message that is refused with a page of HTML one SDK only says that there was an error, and the other
ends the session of everybody; both hand on a JSON-RPC error. Nothing here imports either.
"""

from __future__ import annotations

import json
from http.client import responses as PHRASES
from typing import Any

from fanlight.wire.jsonrpc import ErrorCode

__all__ = ["error_for_status"]

_REMEDIES = {
    401: "give the headers or the auth that it wants",
    403: "what it was given does not allow this",
    413: "send less at once",
    429: "ask less often",
}


async def error_for_status(response: Any) -> bytes | None:
    """The JSON-RPC error for a refused request: the server's own, or one that says the status.

    None for what is no refusal of a request. Nor is 404, which means a lost session or an unknown method to
    the SDKs.
    """
    status = response.status_code
    if status < 400 or status == 404 or response.request.method != "POST":
        return None
    request_id = _json_rpc(response.request.content).get("id")
    if request_id is None:
        return None
    error = await _said(response) or {
        "code": int(ErrorCode.INTERNAL_ERROR),
        "message": _sentence(status),
        "data": {"status": status},
    }
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode()


async def _said(response: Any) -> dict[str, Any] | None:
    """The error that the server put into its answer, if it is one."""
    if not response.headers.get("content-type", "").lower().startswith("application/json"):
        return None
    try:
        error = _json_rpc(await response.aread()).get("error")
    except Exception:  # cut off, or too large: then only the status is known
        return None
    if not isinstance(error, dict) or not isinstance(error.get("code"), int):
        return None
    return error if isinstance(error.get("message"), str) else None


def _json_rpc(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and "jsonrpc" in value else {}


def _sentence(status: int) -> str:
    # Python's words for it: the server's own are a stranger's.
    sentence = f"the server answered with HTTP status {status} {PHRASES.get(status, '')}".rstrip()
    return f"{sentence}: {_REMEDIES[status]}" if status in _REMEDIES else sentence
