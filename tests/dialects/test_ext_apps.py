"""``ExtAppsHandler``: the table of its methods, the order of its checks, and both spellings."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.dialects import (
    ExtAppsContext,
    ExtAppsHandler,
)

ALL = {
    "serverToolProxy": True,
    "openLink": True,
    "modelContextUpdate": True,
    "widgetTools": True,
    "logging": True,
}
CALLBACKS = (
    "update_model_context",
    "open_link",
    "set_display_mode",
    "close",
    "register_tool",
    "unregister_tool",
    "send_message",
    "log",
)


class Host:
    """Records what the handler asked for."""

    def __init__(self, capabilities: dict[str, Any] | None = None, without: tuple[str, ...] = ()) -> None:
        self.asked: list[tuple[Any, ...]] = []
        callbacks = {name: self.recorder(name) for name in CALLBACKS if name not in without}
        context = ExtAppsContext(session_id="s1", call_tool=self.call_tool, **callbacks)
        self.handler = ExtAppsHandler(
            context=context, host_capabilities=ALL if capabilities is None else capabilities
        )

    def recorder(self, name: str) -> Any:
        async def record(*arguments: Any) -> None:
            self.asked.append((name, *arguments))

        return record

    async def call_tool(self, name: str, arguments: Any) -> Any:
        self.asked.append(("call_tool", name, arguments))
        return {"content": [], "structuredContent": {"n": 1}}

    async def says(self, method: Any, params: Any = None) -> Any:
        request = {"jsonrpc": "2.0", "id": 7, "method": method}
        if params is not None:
            request["params"] = params
        answer = await self.handler.handle_request(request)
        assert answer is not None
        assert (answer["jsonrpc"], answer["id"]) == ("2.0", 7)
        return answer.get("result", answer.get("error"))

    async def code(self, method: Any, params: Any = None) -> int:
        refusal = await self.says(method, params)
        assert isinstance(refusal["code"], int)
        return refusal["code"]


TOOL = {"name": "zoom", "description": "Zoom", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("method", "params", "asked"),
    [
        ("ui/updateModelContext", {"context": {"a": 1}}, ("update_model_context", {"a": 1}, True)),
        ("ui/updateModelContext", {"context": 3, "merge": False}, ("update_model_context", 3, False)),
        (
            "ui/update-model-context",
            {"structuredContent": {"a": 1}, "_meta": {}},
            ("update_model_context", {"structuredContent": {"a": 1}}, False),
        ),
        ("ui/openLink", {"url": "https://a.example/?q=1"}, ("open_link", "https://a.example/?q=1")),
        ("ui/open-link", {"url": "http://a.example"}, ("open_link", "http://a.example")),
        ("ui/setDisplayMode", {"mode": "pip"}, ("set_display_mode", "pip")),
        ("ui/close", {"reason": "done"}, ("close", "done")),
        ("ui/close", {}, ("close", None)),
        ("ui/notifications/request-teardown", {}, ("close", None)),
        ("ui/log", {"message": "m"}, ("log", "info", "m", None)),
        ("ui/log", {"message": "m", "level": "warn", "data": 1}, ("log", "warn", "m", 1)),
        ("notifications/message", {"level": "warning", "data": "m"}, ("log", "warn", "m", None)),
        ("notifications/message", {"level": "debug", "data": {"a": 1}}, ("log", "debug", "", {"a": 1})),
        ("ui/registerTool", TOOL, ("register_tool", "zoom", "Zoom", {"type": "object"})),
        ("ui/unregisterTool", {"name": "zoom"}, ("unregister_tool", "zoom")),
        ("ui/message", {"content": "hi"}, ("send_message", [{"type": "text", "text": "hi"}])),
        ("ui/message", {"content": {"type": "text"}}, ("send_message", [{"type": "text"}])),
        ("ui/message", {"role": "user", "content": []}, ("send_message", [])),
    ],
)
async def test_a_void_method_reaches_its_callback_and_is_answered_with_an_empty_object(
    method: str, params: dict[str, Any], asked: tuple[Any, ...]
) -> None:
    host = Host()
    assert await host.says(method, params) == {}
    assert host.asked == [asked]


@pytest.mark.parametrize("method", ["ui/callServerTool", "tools/call"])
async def test_a_tool_call_is_answered_with_what_the_callback_returned(method: str) -> None:
    host = Host()
    result = await host.says(method, {"name": "any name at all/é", "arguments": {"a": 1}})
    assert result == {"content": [], "structuredContent": {"n": 1}}
    await host.says(method, {"name": "x"})
    assert host.asked == [("call_tool", "any name at all/é", {"a": 1}), ("call_tool", "x", {})]


async def test_the_standard_display_mode_request_is_answered_with_the_mode() -> None:
    assert await Host().says("ui/request-display-mode", {"mode": "inline"}) == {"mode": "inline"}


async def test_callbacks_may_be_plain_functions() -> None:
    context = ExtAppsContext(session_id="s1", call_tool=lambda name, arguments: {"name": name})
    handler = ExtAppsHandler(context=context, host_capabilities={"serverToolProxy": True})
    request = {"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {"name": "x"}}
    assert await handler.handle_request(request) == {"jsonrpc": "2.0", "id": 0, "result": {"name": "x"}}


class TestInitialize:
    async def test_the_version_is_echoed_and_both_spellings_are_advertised(self) -> None:
        result = await Host({"openLink": True, "logging": True}).says(
            "ui/initialize", {"protocolVersion": "2026-01-26"}
        )
        assert result == {
            "protocolVersion": "2026-01-26",
            "hostInfo": {"name": "fanlight", "version": "1"},
            "hostCapabilities": {"openLink": True, "openLinks": {}, "logging": {}},
            "hostContext": {},
        }

    async def test_everything_may_be_missing(self) -> None:
        result = await Host({}).says("ui/initialize")
        assert (result["protocolVersion"], result["hostCapabilities"]) == ("2024-11-05", {})

    def test_the_flags_are_handed_out_as_a_copy(self) -> None:
        handler = Host({"openLink": True}).handler
        handler.get_host_capabilities()["openLink"] = False
        assert handler.get_host_capabilities() == {"openLink": True}


class TestOrderOfChecks:
    @pytest.mark.parametrize("params", [[], "x", 3, True])
    async def test_params_that_are_no_object_come_before_an_unknown_method(self, params: Any) -> None:
        refusal = await Host().says("ui/unheard-of", params)
        assert refusal == {"code": -32602, "message": "Invalid params: expected object"}

    async def test_null_params_are_no_object(self) -> None:
        answer = await Host().handler.handle_request(
            {"jsonrpc": "2.0", "id": 1, "method": "ui/close", "params": None}
        )
        assert answer is not None
        assert answer["error"]["code"] == -32602

    @pytest.mark.parametrize("method", ["ui/unheard-of", "ui/setSize", None, 3, ["ui/close"]])
    async def test_an_unknown_method_is_named(self, method: Any) -> None:
        refusal = await Host().says(method)
        assert refusal == {"code": -32601, "message": f"Unknown ext-apps method: {method}"}

    @pytest.mark.parametrize(
        ("method", "message"),
        [
            ("ui/callServerTool", "Server tool proxy not supported by host"),
            ("ui/updateModelContext", "Model context update not advertised by host"),
            ("ui/openLink", "Open link not advertised by host"),
            ("ui/log", "Logging not supported by host"),
            ("notifications/message", "Logging not supported by host"),
            ("ui/registerTool", "Widget tools not advertised by host"),
            ("ui/unregisterTool", "Widget tools not advertised by host"),
        ],
    )
    async def test_the_capability_comes_first(self, method: str, message: str) -> None:
        host = Host({})
        assert await host.says(method, {}) == {"code": -32003, "message": message}
        assert host.asked == []

    @pytest.mark.parametrize(
        ("method", "message"),
        [
            ("ui/updateModelContext", "Model context update not supported by host"),
            ("ui/openLink", "Open link not supported by host"),
            ("ui/close", "Widget close not supported by host"),
            ("ui/registerTool", "Widget tool registration not supported by host"),
            ("ui/unregisterTool", "Widget tool unregistration not supported by host"),
            ("ui/message", "Messages not supported by host"),
        ],
    )
    async def test_the_callback_comes_before_the_params(self, method: str, message: str) -> None:
        assert await Host(without=CALLBACKS).says(method, {}) == {"code": -32003, "message": message}

    async def test_a_display_mode_is_judged_before_anything_else(self) -> None:
        host = Host({"displayModes": ["inline"]}, without=CALLBACKS)
        assert await host.says("ui/setDisplayMode", {"mode": "huge"}) == {
            "code": -32602,
            "message": "Invalid display mode. Must be inline, fullscreen, or pip",
        }
        assert await host.says("ui/setDisplayMode", {"mode": "pip"}) == {
            "code": -32003,
            "message": "Display mode 'pip' not advertised by host",
        }
        assert await host.says("ui/setDisplayMode", {"mode": "inline"}) == {
            "code": -32003,
            "message": "Display mode change not supported by host",
        }

    async def test_without_a_log_callback_messages_are_accepted_and_dropped(self) -> None:
        assert await Host(without=("log",)).says("ui/log", {"message": "m"}) == {}


@pytest.mark.parametrize(
    ("method", "params", "message"),
    [
        ("ui/callServerTool", {}, "Tool name is required"),
        ("ui/callServerTool", {"name": ""}, "Tool name is required"),
        ("ui/openLink", {"url": 3}, "URL is required"),
        ("ui/openLink", {"url": "not a url"}, "Invalid URL format"),
        (
            "ui/openLink",
            {"url": "javascript:alert(1)"},
            "URL scheme 'javascript:' not allowed. Only http: and https: are permitted.",
        ),
        ("ui/setDisplayMode", {}, "Invalid display mode. Must be inline, fullscreen, or pip"),
        ("ui/log", {"level": "info"}, "Log message is required"),
        (
            "ui/log",
            {"level": "loud", "message": "m"},
            "Invalid log level 'loud'. Must be one of: debug, info, warn, error",
        ),
        ("notifications/message", {"level": "loud", "data": "m"}, "Invalid log level 'loud'"),
        ("notifications/message", {"data": "m"}, "Invalid log level 'None'"),
        ("ui/registerTool", {}, "Tool name is required"),
        ("ui/registerTool", {"name": "x"}, "Tool description is required"),
        (
            "ui/registerTool",
            {"name": "x", "description": "d", "inputSchema": []},
            "Tool input schema must be a non-null object",
        ),
        ("ui/unregisterTool", {"name": None}, "Tool name is required"),
        ("ui/message", {}, "Message content is required"),
    ],
)
async def test_params_that_are_missing_or_wrong_are_refused(
    method: str, params: dict[str, Any], message: str
) -> None:
    host = Host()
    assert await host.says(method, params) == {"code": -32602, "message": message}
    assert host.asked == []


@pytest.mark.parametrize(
    "message",
    [
        None,
        3,
        "ui/close",
        [],
        {},
        {"jsonrpc": "2.0", "method": "ui/close"},
        {"id": True, "method": "ui/close"},
    ],
)
async def test_what_has_no_usable_id_gets_no_answer(message: object) -> None:
    assert await Host().handler.handle_request(message) is None


async def test_a_notification_is_carried_out_all_the_same() -> None:
    host = Host()
    request = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "alert", "data": "m"}}
    assert await host.handler.handle_request(request) is None
    assert host.asked == [("log", "error", "m", None)]
