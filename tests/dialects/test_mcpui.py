"""Legacy mcp-ui, beyond its conversation: odd beginnings, odd shapes, and views of two worlds."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.dialects import Translator

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "ui/initialize",
    "params": {
        "appInfo": {"name": "a", "version": "1"},
        "appCapabilities": {},
        "protocolVersion": "2026-01-26",
    },
}
INITIALIZED = {"jsonrpc": "2.0", "method": "ui/notifications/initialized", "params": {}}


def notice(method: str, params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def methods(messages: list[Any]) -> list[str]:
    return [message["method"] for message in messages]


def opened() -> Translator:
    view = Translator()
    (initialize, _) = view.inbound({"type": "ui-lifecycle-iframe-ready"})
    assert isinstance(initialize, dict)
    view.outbound({"jsonrpc": "2.0", "id": initialize["id"], "result": {"hostContext": {"theme": "dark"}}})
    return view


def test_a_view_that_acts_first_is_introduced_first() -> None:
    heard = Translator().inbound({"type": "prompt", "payload": {"prompt": "hello"}})
    assert methods(heard) == ["ui/initialize", "ui/notifications/initialized", "ui/message"]


def test_a_view_that_asks_for_render_data_first_is_answered_with_the_hosts_welcome() -> None:
    view = Translator()
    (initialize, _) = view.inbound({"type": "ui-request-render-data", "messageId": "m1"})
    assert view.replies() == []
    assert isinstance(initialize, dict)
    welcome = {"jsonrpc": "2.0", "id": initialize["id"], "result": {"hostContext": {"theme": "dark"}}}
    assert view.outbound(welcome) == [
        {
            "type": "ui-lifecycle-iframe-render-data",
            "messageId": "m1",
            "payload": {"renderData": {"theme": "dark"}},
        }
    ]


def test_a_dialect_fixed_beforehand_still_introduces_the_view() -> None:
    view = Translator(dialect="mcp-ui")
    heard = view.inbound({"type": "ui-lifecycle-iframe-ready"})
    assert methods(heard) == ["ui/initialize", "ui/notifications/initialized"]


def test_a_view_that_loads_again_is_told_everything_again() -> None:
    view = opened()
    view.outbound(notice("ui/notifications/tool-input-partial", {"arguments": {"n": 1}}))
    assert view.inbound({"type": "ui-lifecycle-iframe-ready"}) == []
    (told,) = view.replies()
    assert told["payload"]["renderData"] == {"theme": "dark", "toolInput": {"n": 1}}


@pytest.mark.parametrize(
    "message",
    [
        {"type": "tool", "payload": {"toolName": 3}},
        {"type": "tool", "payload": "get_weather"},
        {"type": "prompt", "payload": {"text": "hello"}},
        {"type": "intent"},
        {"type": "link", "payload": {"href": "https://example.com"}},
        {"type": "notify", "payload": {}},
        {"type": "ui-size-change", "payload": {"width": "wide"}},
        {"type": "ui-unheard-of", "payload": {}},
    ],
)
def test_a_message_without_what_its_type_needs_is_somebody_elses(message: dict[str, Any]) -> None:
    view = Translator()
    assert view.inbound(message) == [message]
    assert (view.dialect, view.replies(), view.warnings()) == ("stable", [], [])


def test_an_intent_without_parameters_is_its_name() -> None:
    heard = opened().inbound({"type": "intent", "payload": {"intent": "refresh"}})
    assert heard[0]["params"]["content"][0]["text"] == "refresh"  # type: ignore[index]


def test_the_height_of_a_fixed_container_is_its_maximum() -> None:
    view = opened()
    (told,) = view.outbound(
        notice("ui/notifications/host-context-changed", {"containerDimensions": {"height": 300}})
    )
    assert told["payload"]["renderData"] == {"theme": "dark", "maxHeight": 300}


class TestTwoWorlds:
    def test_a_view_that_shook_hands_itself_may_use_a_single_action(self) -> None:
        view = Translator()
        view.inbound(INITIALIZE)
        heard = view.inbound({"type": "tool", "messageId": "m1", "payload": {"toolName": "x"}})
        assert methods(heard) == ["tools/call"]
        assert heard[0]["params"] == {"name": "x", "arguments": {}}  # type: ignore[index]
        assert view.dialect == "stable"
        message = notice("ui/notifications/tool-input", {"arguments": {}})
        assert view.outbound(message) == [message]

    @pytest.mark.parametrize("kind", ["ui-lifecycle-iframe-ready", "ui-request-render-data"])
    def test_a_view_that_shook_hands_itself_gets_no_render_data(self, kind: str) -> None:
        view = Translator()
        view.inbound(INITIALIZE)
        assert view.inbound({"type": kind}) == []
        assert view.replies() == []

    def test_a_view_that_was_ready_in_mcp_ui_first_is_told_in_mcp_apps_what_it_missed(self) -> None:
        view = opened()
        view.outbound(notice("ui/notifications/tool-input", {"arguments": {"n": 1}}))
        view.outbound(notice("ui/notifications/tool-result", {"content": []}))
        assert view.inbound(INITIALIZE) == [INITIALIZE]
        assert view.dialect == "stable"
        assert view.inbound(INITIALIZED) == [INITIALIZED]
        assert view.replies() == [
            notice("ui/notifications/tool-input", {"arguments": {"n": 1}}),
            notice("ui/notifications/tool-result", {"content": []}),
        ]
        view.inbound(INITIALIZED)
        assert view.replies() == []

    def test_a_handshake_of_its_own_outweighs_a_dialect_fixed_beforehand(self) -> None:
        view = Translator(dialect="mcp-ui")
        assert view.inbound(INITIALIZE) == [INITIALIZE]
        assert view.dialect == "stable"

    def test_a_view_that_missed_nothing_is_told_nothing(self) -> None:
        view = opened()
        view.inbound(INITIALIZE)
        view.inbound(INITIALIZED)
        assert view.replies() == []
