"""FrontMCP widgets: what its calls mean, what it is answered, and what is answered for it."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.dialects import Translator
from fanlight.dialects.frontmcp import MAX_TOOLS

TOOL = {"name": "zoom", "description": "Zoom", "inputSchema": {"type": "object"}}


@pytest.fixture
def widget() -> Translator:
    return Translator(dialect="frontmcp")


def say(widget: Translator, method: str, params: dict[str, Any], id: Any = 1) -> list[Any]:
    return widget.inbound({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def announce(widget: Translator, method: str, params: dict[str, Any]) -> list[Any]:
    return widget.inbound({"jsonrpc": "2.0", "method": method, "params": params})


def answer(widget: Translator, id: Any = 1, **outcome: Any) -> Any:
    (heard,) = widget.outbound({"jsonrpc": "2.0", "id": id, **outcome})
    return heard.get("result", heard.get("error"))


def ask(widget: Translator, method: str, params: Any = None) -> Any:
    message = {"jsonrpc": "2.0", "id": 0, "method": method, "params": {} if params is None else params}
    assert widget.outbound(message) == []
    (stood_in,) = widget.answers()
    assert stood_in["id"] == 0
    return stood_in.get("result", stood_in.get("error"))


def test_a_handshake_with_everything_missing_is_completed(widget: Translator) -> None:
    (heard,) = say(widget, "ui/initialize", {})
    assert heard["params"] == {
        "appInfo": {"name": "FrontMCP Widget", "version": "0"},
        "appCapabilities": {"tools": {"listChanged": True}},
        "protocolVersion": "2024-11-05",
    }


def test_only_capabilities_the_host_has_are_spelled_twice(widget: Translator) -> None:
    say(widget, "ui/initialize", {})
    result = answer(widget, result={"hostCapabilities": {"openLinks": {}}, "hostContext": {"theme": "dark"}})
    assert result == {
        "hostCapabilities": {"openLinks": {}, "openLink": True, "widgetTools": True},
        "hostContext": {"theme": "dark"},
    }


def test_a_widget_that_never_says_initialized_is_ready_after_its_handshake(widget: Translator) -> None:
    say(widget, "ui/initialize", {})
    answer(widget, result={})
    assert widget.answers() == [{"jsonrpc": "2.0", "method": "ui/notifications/initialized", "params": {}}]


def test_a_denied_call_stays_an_error(widget: Translator) -> None:
    for method in ("ui/openLink", "ui/setDisplayMode", "ui/updateModelContext"):
        say(widget, method, {"url": "https://example.com", "mode": "pip", "context": {}})
        assert answer(widget, error={"code": -32000, "message": "no"}) == {"code": -32000, "message": "no"}


def test_a_void_call_is_answered_with_an_empty_object_whatever_the_host_adds(widget: Translator) -> None:
    say(widget, "ui/openLink", {"url": "https://example.com"})
    assert answer(widget, result={"status": "success"}) == {}


def test_a_mode_that_was_not_granted_fails_the_call(widget: Translator) -> None:
    say(widget, "ui/setDisplayMode", {"mode": "pip"})
    refusal = answer(widget, result={"mode": "inline"})
    assert refusal == {"code": -32003, "message": "The host did not grant that display mode"}


def test_a_call_without_an_id_stays_without_one(widget: Translator) -> None:
    (heard,) = announce(widget, "ui/openLink", {"url": "https://example.com"})
    assert heard == {"jsonrpc": "2.0", "method": "ui/open-link", "params": {"url": "https://example.com"}}
    assert announce(widget, "ui/close", {}) != []
    assert announce(widget, "ui/log", {}) == []
    assert widget.replies() == []


class TestModelContext:
    def update(self, widget: Translator, id: int, context: Any, **more: Any) -> Any:
        (heard,) = say(widget, "ui/updateModelContext", {"context": context, **more}, id)
        assert heard["method"] == "ui/update-model-context"
        return heard["params"]

    def test_merging_is_the_default_and_shallow(self, widget: Translator) -> None:
        self.update(widget, 1, {"a": {"x": 1}, "b": 1})
        answer(widget, 1, result={})
        assert self.update(widget, 2, {"a": {"y": 2}}) == {"structuredContent": {"a": {"y": 2}, "b": 1}}

    def test_without_merge_the_context_is_replaced(self, widget: Translator) -> None:
        self.update(widget, 1, {"a": 1})
        answer(widget, 1, result={})
        assert self.update(widget, 2, {"b": 2}, merge=False) == {"structuredContent": {"b": 2}}

    def test_updates_under_way_are_merged_too(self, widget: Translator) -> None:
        self.update(widget, 1, {"a": 1})
        say(widget, "ui/openLink", {"url": "https://example.com"}, 2)
        assert self.update(widget, 3, {"b": 2}) == {"structuredContent": {"a": 1, "b": 2}}

    def test_a_refused_update_is_forgotten(self, widget: Translator) -> None:
        self.update(widget, 1, {"too": "large"})
        answer(widget, 1, error={"code": -32000, "message": "no"})
        assert self.update(widget, 2, {"b": 2}) == {"structuredContent": {"b": 2}}

    def test_answers_in_another_order_lose_nothing(self, widget: Translator) -> None:
        self.update(widget, 1, {"a": 1})
        self.update(widget, 2, {"b": 2})
        answer(widget, 2, result={})
        answer(widget, 1, result={})
        assert self.update(widget, 3, {}) == {"structuredContent": {"a": 1, "b": 2}}

    @pytest.mark.parametrize(
        ("context", "text"), [("plain words", "plain words"), ([1, 2], "[1, 2]"), (None, "null")]
    )
    def test_what_is_no_object_becomes_text_and_ends_the_merging(
        self, widget: Translator, context: Any, text: str
    ) -> None:
        self.update(widget, 1, {"a": 1})
        assert self.update(widget, 2, context) == {"content": [{"type": "text", "text": text}]}
        assert self.update(widget, 3, {"b": 2}) == {"structuredContent": {"b": 2}}


class TestSizeAndLog:
    def test_only_numbers_are_sizes(self, widget: Translator) -> None:
        (heard,) = say(widget, "ui/setSize", {"height": 10.5, "width": "100%"})
        assert heard["params"] == {"height": 10.5}

    def test_a_size_without_a_number_says_nothing_and_is_answered(self, widget: Translator) -> None:
        assert say(widget, "ui/setSize", {"aspectRatio": 2, "width": True}) == []
        assert widget.replies() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]

    @pytest.mark.parametrize(
        ("given", "level"),
        [("debug", "debug"), ("error", "error"), (None, "info"), ("loud", "info"), (7, "info")],
    )
    def test_levels_are_those_of_mcp(self, widget: Translator, given: Any, level: str) -> None:
        (heard,) = say(widget, "ui/log", {"level": given, "message": "m"})
        assert heard["params"] == {"level": level, "logger": "FrontMCP", "data": "m"}

    @pytest.mark.parametrize("message", [None, "", 3])
    def test_a_log_without_a_message_is_refused(self, widget: Translator, message: Any) -> None:
        assert say(widget, "ui/log", {"message": message}) == []
        (refusal,) = widget.replies()
        assert refusal["error"] == {"code": -32602, "message": "Log message is required"}


class TestTools:
    def test_registered_tools_can_be_read(self, widget: Translator) -> None:
        say(widget, "ui/registerTool", TOOL)
        assert widget.registered_tools() == [TOOL]
        assert ask(widget, "tools/list") == {"tools": [TOOL]}

    def test_a_tool_registered_again_is_replaced(self, widget: Translator) -> None:
        say(widget, "ui/registerTool", TOOL)
        say(widget, "ui/registerTool", {**TOOL, "description": "Zoom in"})
        assert [tool["description"] for tool in widget.registered_tools()] == ["Zoom in"]

    @pytest.mark.parametrize(
        ("wrong", "reason"),
        [
            ({"name": ""}, "Tool name is required"),
            ({"description": None}, "Tool description is required"),
            ({"inputSchema": []}, "Tool input schema must be a non-null object"),
        ],
    )
    def test_an_unusable_registration_is_refused(
        self, widget: Translator, wrong: dict[str, Any], reason: str
    ) -> None:
        assert say(widget, "ui/registerTool", {**TOOL, **wrong}) == []
        assert widget.replies()[0]["error"] == {"code": -32602, "message": reason}
        assert widget.registered_tools() == []

    def test_the_number_of_tools_is_bounded(self, widget: Translator) -> None:
        for number in range(MAX_TOOLS):
            say(widget, "ui/registerTool", {**TOOL, "name": f"t{number}"})
        widget.replies()
        assert say(widget, "ui/registerTool", TOOL) == []
        assert widget.replies()[0]["error"]["code"] == -32003
        assert say(widget, "ui/registerTool", {**TOOL, "name": "t0"}) != []

    def test_unregistering_what_is_not_there_changes_nothing(self, widget: Translator) -> None:
        assert say(widget, "ui/unregisterTool", {"name": "zoom"}) == []
        assert widget.replies() == [{"jsonrpc": "2.0", "id": 1, "result": {}}]

    def test_unregistering_without_a_name_is_refused(self, widget: Translator) -> None:
        say(widget, "ui/unregisterTool", {})
        assert widget.replies()[0]["error"]["code"] == -32602

    @pytest.mark.parametrize("params", [{"name": "zoom"}, {"name": ["zoom"]}, {}, None])
    def test_a_call_of_an_unknown_tool_fails_at_once(self, widget: Translator, params: Any) -> None:
        assert ask(widget, "tools/call", params)["code"] == -32001

    def test_a_call_of_a_registered_tool_fails_at_once(self, widget: Translator) -> None:
        say(widget, "ui/registerTool", TOOL)
        assert ask(widget, "tools/call", {"name": "zoom"})["code"] == -32003


def test_a_ping_fails_at_once_instead_of_timing_out(widget: Translator) -> None:
    assert ask(widget, "ping")["code"] == -32601


def test_a_notification_it_understands_passes_unchanged(widget: Translator) -> None:
    message = {"jsonrpc": "2.0", "method": "ui/notifications/tool-input", "params": {"arguments": {}}}
    assert widget.outbound(message) == [message]
