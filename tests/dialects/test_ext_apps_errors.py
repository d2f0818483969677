"""What a callback of ``ExtAppsHandler`` may raise, and what the widget is told."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.dialects import (
    ExtAppsContext,
    ExtAppsError,
    ExtAppsHandler,
    ExtAppsInvalidParamsError,
    ExtAppsMethodNotFoundError,
    ExtAppsNotSupportedError,
    ExtAppsToolNotFoundError,
)
from fanlight.errors import FanlightError, RpcError


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (ExtAppsError("base"), -32603, "base"),
        (ExtAppsMethodNotFoundError("method"), -32601, "method"),
        (ExtAppsInvalidParamsError("params"), -32602, "params"),
        (ExtAppsNotSupportedError("support"), -32003, "support"),
        (ExtAppsToolNotFoundError("tool"), -32001, "tool"),
        (RpcError(-32000, "denied"), -32000, "denied"),
        (ValueError("broken"), -32603, "broken"),
        (KeyError(), -32603, "KeyError"),
    ],
)
async def test_what_a_callback_raises_is_answered_and_never_raised(
    raised: Exception, code: int, message: str
) -> None:
    def fail(name: str, arguments: Any) -> None:
        raise raised

    context = ExtAppsContext(session_id="s1", call_tool=fail)
    handler = ExtAppsHandler(context=context, host_capabilities={"serverToolProxy": True})
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
    answer = await handler.handle_request(request)
    assert answer is not None
    assert answer["error"] == {"code": code, "message": message}


async def test_data_given_with_an_error_is_passed_on() -> None:
    def fail(name: str, arguments: Any) -> None:
        raise ExtAppsToolNotFoundError("gone", {"known": ["a"]})

    context = ExtAppsContext(session_id="s1", call_tool=fail)
    handler = ExtAppsHandler(context=context, host_capabilities={"serverToolProxy": True})
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}
    answer = await handler.handle_request(request)
    assert answer is not None
    assert answer["error"] == {"code": -32001, "message": "gone", "data": {"known": ["a"]}}


def test_they_are_all_errors_of_fanlight() -> None:
    assert issubclass(ExtAppsToolNotFoundError, ExtAppsError)
    assert issubclass(ExtAppsError, RpcError)
    assert issubclass(RpcError, FanlightError)
