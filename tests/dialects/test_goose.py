"""Early goose, beyond its conversation."""

from __future__ import annotations

from typing import Any

from fanlight.dialects import Translator


def notice(method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def test_the_tool_name_may_be_given_beforehand() -> None:
    view = Translator(dialect="goose", tool_name="get_weather")
    (heard,) = view.outbound(notice("ui/notifications/tool-input", {"arguments": {}}))
    assert heard["params"] == {"arguments": {}, "toolName": "get_weather"}


def test_an_unknown_tool_name_is_left_out() -> None:
    view = Translator(dialect="goose")
    (heard,) = view.outbound(notice("ui/notifications/tool-result", {"content": []}))
    assert heard["params"] == {"content": [], "result": {"content": []}}


def test_the_tool_name_is_learnt_from_a_changed_context() -> None:
    view = Translator(dialect="goose")
    view.outbound(notice("ui/notifications/host-context-changed", {"toolInfo": {"tool": {"name": "n"}}}))
    (heard,) = view.outbound(notice("ui/notifications/tool-input", {}))
    assert heard["params"] == {"toolName": "n"}


def test_what_is_canonical_in_the_handshake_wins() -> None:
    view = Translator(dialect="goose")
    params = {"clientInfo": {"name": "old"}, "appInfo": {"name": "new"}}
    (heard,) = view.inbound({"jsonrpc": "2.0", "id": 1, "method": "ui/initialize", "params": params})
    assert heard == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "ui/initialize",
        "params": {"appInfo": {"name": "new"}, "appCapabilities": {}},
    }


def test_only_capabilities_the_host_has_are_named() -> None:
    view = Translator(dialect="goose")
    view.inbound({"jsonrpc": "2.0", "id": 1, "method": "ui/initialize", "params": {}})
    (heard,) = view.outbound({"jsonrpc": "2.0", "id": 1, "result": {"hostCapabilities": {}}})
    assert heard["result"] == {"hostCapabilities": {}, "hostContext": {}}
