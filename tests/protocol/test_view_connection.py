"""What a view may ask of its host, and what it must look up before."""

from __future__ import annotations

import json
from typing import Any

import pytest
from talk import HOST_ANSWER, drain, hear, new_view, ready_view, tell

from fanlight.errors import ConfigError, LocalProtocolError
from fanlight.protocol import ConnectionState, ResponseReceived, ViewConnection
from fanlight.wire import notification, response

TEXT = {"type": "text", "text": "hi"}


def sent(view: ViewConnection) -> dict[str, Any]:
    (message,) = drain(view)[0]
    return message


def test_the_introduction_says_who_we_are_and_what_we_can_do() -> None:
    """Holds: R35, R38."""
    view = new_view({"availableDisplayModes": ["inline", "pip"], "tools": None})
    view.initialize(0.0, timeout=60)
    assert sent(view) == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "ui/initialize",
        "params": {
            "appInfo": {"name": "view", "version": "1"},
            "appCapabilities": {"availableDisplayModes": ["inline", "pip"]},
            "protocolVersion": "2026-01-26",
        },
    }
    assert view.capabilities == {"availableDisplayModes": ["inline", "pip"]}


def test_an_empty_declaration_is_still_sent() -> None:
    """Holds: R35."""
    view = new_view()
    view.initialize(0.0, timeout=60)
    assert sent(view)["params"]["appCapabilities"] == {}


def test_what_official_hosts_reject_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match=r"app info\.version is missing"):
        ViewConnection(app_info={"name": "v"})
    with pytest.raises(ConfigError, match="availableDisplayModes"):
        new_view({"availableDisplayModes": ["huge"]})


def test_one_handshake_at_a_time_and_another_one_later() -> None:
    view = new_view()
    first = view.initialize(0.0, timeout=60)
    with pytest.raises(LocalProtocolError, match="waits for its answer"):
        view.initialize(0.0, timeout=60)
    hear(view, response(first, HOST_ANSWER))
    second = view.initialize(0.0, timeout=60)
    assert view.state is ConnectionState.INITIALIZING
    messages, _ = hear(view, response(second, HOST_ANSWER))
    assert messages[-1]["method"] == "ui/notifications/initialized"


CALLS: list[tuple[str, list[Any], dict[str, Any], str, dict[str, Any]]] = [
    ("call_tool", ["t", {"a": 1}], {}, "tools/call", {"name": "t", "arguments": {"a": 1}}),
    ("call_tool", ["t", None], {}, "tools/call", {"name": "t", "arguments": {}}),
    ("list_tools", [], {"cursor": "c"}, "tools/list", {"cursor": "c"}),
    ("list_tools", [], {}, "tools/list", {}),
    ("read_resource", ["ui://a"], {}, "resources/read", {"uri": "ui://a"}),
    ("list_resources", [], {}, "resources/list", {}),
    ("list_resource_templates", [], {}, "resources/templates/list", {}),
    ("list_prompts", [], {}, "prompts/list", {}),
    ("open_link", ["https://a"], {}, "ui/open-link", {"url": "https://a"}),
    ("download_file", [[]], {}, "ui/download-file", {"contents": []}),
    ("send_message", ["hi"], {}, "ui/message", {"role": "user", "content": [TEXT]}),
    ("send_message", [TEXT], {}, "ui/message", {"role": "user", "content": [TEXT]}),
    ("update_model_context", [], {"content": "hi"}, "ui/update-model-context", {"content": [TEXT]}),
    (
        "update_model_context",
        [],
        {"structured_content": {"a": None}},
        "ui/update-model-context",
        {"structuredContent": {"a": None}},
    ),
    ("request_display_mode", ["fullscreen"], {}, "ui/request-display-mode", {"mode": "fullscreen"}),
    (
        "create_message",
        [{"messages": [], "maxTokens": 5, "tools": []}],
        {},
        "sampling/createMessage",
        {"messages": [], "maxTokens": 5, "tools": []},
    ),
]


@pytest.mark.parametrize(("name", "positional", "named", "method", "params"), CALLS)
def test_every_request_of_a_view_has_a_name(
    name: str, positional: list[Any], named: dict[str, Any], method: str, params: dict[str, Any]
) -> None:
    view = ready_view()
    request_id = getattr(view, name)(*positional, 0.0, timeout=5, **named)
    message = sent(view)
    if method == "tools/call":
        assert message["params"].pop("_meta") == {"progressToken": request_id}
    assert (message["id"], message["method"], message["params"]) == (request_id, method, params)
    assert view.next_deadline() == 5.0


def test_ping_is_possible_before_the_handshake() -> None:
    view = new_view()
    request_id = view.ping(0.0, timeout=5)
    assert sent(view)["method"] == "ping"
    assert hear(view, response(request_id, {}))[1] == [ResponseReceived(request_id, "ping", {})]


@pytest.mark.parametrize("begun", [False, True])
def test_nothing_else_is_possible_before_the_handshake_is_over(begun: bool) -> None:
    view = new_view()
    if begun:
        view.initialize(0.0, timeout=60)
        drain(view)
    with pytest.raises(LocalProtocolError, match="cannot be sent: the connection is"):
        view.call_tool("t", None, 0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="cannot be sent: the connection is"):
        view.request("prompts/get", {"name": "p"}, 0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="cannot be sent: the connection is"):
        view.send_size(1, 2)
    assert drain(view)[0] == []


@pytest.mark.parametrize(
    ("name", "positional"),
    [
        ("call_tool", ["t", None]),
        ("list_tools", []),
        ("read_resource", ["u"]),
        ("list_resources", []),
        ("open_link", ["https://a"]),
        ("download_file", [[]]),
        ("create_message", [{"messages": [], "maxTokens": 1}]),
    ],
)
def test_what_the_host_did_not_advertise_is_not_asked(name: str, positional: list[Any]) -> None:
    """Holds: D02."""
    view = ready_view(host_capabilities={})
    with pytest.raises(LocalProtocolError, match="was not advertised"):
        getattr(view, name)(*positional, 0.0, timeout=5)
    assert drain(view)[0] == []


def test_stable_methods_whose_capability_only_the_draft_knows_are_sent_and_the_host_decides() -> None:
    view = ready_view(host_capabilities={})
    view.send_message("hi", 0.0, timeout=5)
    view.update_model_context(0.0, timeout=5)
    assert [message["method"] for message in drain(view)[0]] == ["ui/message", "ui/update-model-context"]


@pytest.mark.parametrize("sampling", [{}, True])
def test_tools_are_not_sent_for_sampling_unless_that_was_advertised(sampling: Any) -> None:
    """Holds: D02."""
    view = ready_view(host_capabilities={"sampling": sampling})
    view.create_message({"messages": [], "maxTokens": 1}, 0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match=r"sampling\.tools"):
        view.create_message({"messages": [], "maxTokens": 1, "tools": []}, 0.0, timeout=5)


def test_a_mode_is_asked_for_only_if_the_host_offers_it_and_we_declared_it() -> None:
    """Holds: R38, R39."""
    with pytest.raises(LocalProtocolError, match="does not offer"):
        ready_view().request_display_mode("pip", 0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="did not declare"):
        ready_view({"availableDisplayModes": ["inline"]}).request_display_mode("fullscreen", 0.0, timeout=5)


def test_a_request_of_the_wrong_shape_or_kind_is_the_programs_fault() -> None:
    view = ready_view()
    for method, params in (
        ("tools/call", {}),
        ("ui/open-link", {"url": 3}),
        ("ui/nonsense", {}),
        ("ui/initialize", {}),
        ("ui/notifications/size-changed", {}),
    ):
        with pytest.raises(LocalProtocolError):
            view.request(method, params, 0.0, timeout=5)
    with pytest.raises(LocalProtocolError, match="no content"):
        view.send_message([{}], 0.0, timeout=5)
    assert drain(view)[0] == []


def test_core_methods_outside_the_table_may_be_asked() -> None:
    view = ready_view()
    view.request("prompts/get", None, 0.0, timeout=5)
    assert sent(view)["params"] == {}


def test_notifications_of_a_view() -> None:
    """Holds: R57, D09."""
    view = ready_view({"tools": {}})
    view.send_size(400, 124.5)
    view.send_size(height=10)
    view.send_log("info", {"a": None})
    view.request_teardown()
    view.notify_tools_changed()
    assert drain(view)[0] == [
        notification("ui/notifications/size-changed", {"width": 400, "height": 124.5}),
        notification("ui/notifications/size-changed", {"height": 10}),
        notification("notifications/message", {"level": "info", "data": {"a": None}}),
        notification("ui/notifications/request-teardown"),
        notification("notifications/tools/list_changed"),
    ]


def test_notifications_nobody_may_send_are_the_programs_fault() -> None:
    view = ready_view(host_capabilities={})
    for method in ("tools/call", "ui/notifications/initialized", "ui/notifications/sandbox-proxy-ready"):
        with pytest.raises(LocalProtocolError, match="no notification"):
            view.notify(method)
    with pytest.raises(LocalProtocolError, match="logging was not advertised"):
        view.send_log("info", "x")
    with pytest.raises(LocalProtocolError, match="tools was not advertised"):
        view.notify_tools_changed()
    with pytest.raises(LocalProtocolError, match="'width' must be a number"):
        view.notify("ui/notifications/size-changed", {"width": "x"})
    with pytest.raises(LocalProtocolError, match="nothing to log"):
        view.send_log("info", None)
    assert drain(view)[0] == []


def test_what_is_known_is_handed_out_as_copies() -> None:
    view = ready_view()
    view.host_context["theme"] = "x"
    view.host_capabilities["logging"]["x"] = 1
    view.host_info["name"] = "x"
    view.capabilities["x"] = 1
    assert view.host_context["theme"] == "light"
    assert view.host_capabilities["logging"] == {}
    assert view.host_info["name"] == "host"
    assert view.capabilities == {}


def test_a_sleeping_view_goes_on_where_it_was() -> None:
    view = ready_view({"tools": {}})
    tell(view, "ui/notifications/tool-input", {"arguments": {}})
    tell(view, "ui/notifications/host-context-changed", {"theme": "dark"})
    request_id = view.call_tool("t", None, 0.0, timeout=5)
    woken = ViewConnection.restore(json.loads(json.dumps(view.snapshot())))
    assert woken.snapshot() == view.snapshot()
    assert woken.host_context == view.host_context
    for message in (
        notification("ui/notifications/tool-input", {}),
        notification("notifications/tools/list_changed"),
        response(request_id, {}),
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    ):
        assert hear(woken, message) == hear(view, message)
