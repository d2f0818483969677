"""The translator as such: recognition, pass-through, warnings, and what it remembers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fanlight.dialects import DIALECTS, STABLE, DialectWarning, Translator
from fanlight.dialects.base import MAX_AWAITED, Memory
from fanlight.errors import ConfigError


def request(method: str, params: Any = None, id: Any = 1) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {} if params is None else params}


def notice(method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": {} if params is None else params}


def initialize(version: str = "2026-01-26", **more: Any) -> dict[str, Any]:
    params = {"appInfo": {"name": "a", "version": "1"}, "appCapabilities": {}, "protocolVersion": version}
    return request("ui/initialize", {**params, **more}, 0)


def test_a_new_view_is_taken_for_stable() -> None:
    assert Translator().dialect == STABLE


def test_a_message_of_a_stable_view_is_handed_on_as_the_same_object() -> None:
    translator = Translator()
    for message in (initialize(), notice("ui/notifications/initialized"), request("tools/call")):
        (heard,) = translator.inbound(message)
        assert heard is message
    answer = {"jsonrpc": "2.0", "id": 0, "result": {}}
    assert translator.outbound(answer)[0] is answer


@pytest.mark.parametrize(
    "garbage",
    [
        None,
        7,
        "text",
        [],
        [{"method": "ui/openLink"}],
        {},
        {"method": 3},
        {"method": ["ui/openLink"]},
        {"type": "tool"},
        {"type": 3},
        {"type": "webpackOk", "payload": {}},
        {"method": "ui/openLink", "id": 1},
        {"jsonrpc": "2.0", "method": "ui/openLink", "id": 1, "params": None},
        {"jsonrpc": "2.0", "method": "ui/openLink", "id": None},
        {"jsonrpc": "2.0", "type": "tool", "payload": {"toolName": "x"}},
    ],
)
def test_what_is_not_understood_passes_unchanged_and_decides_nothing(garbage: object) -> None:
    translator = Translator()
    assert translator.inbound(garbage) == [garbage]
    assert (translator.dialect, translator.replies(), translator.answers()) == (STABLE, [], [])
    assert translator.warnings() == []


@pytest.mark.parametrize(
    ("message", "dialect"),
    [
        (initialize(appInfo={"name": "FrontMCP Widget", "version": "1.0.0"}), "frontmcp"),
        (initialize(appCapabilities={"supportsPartialInput": True}), "frontmcp"),
        (initialize("2024-11-05", appCapabilities={"tools": {"listChanged": False}}), "frontmcp"),
        (request("ui/initialize", {"clientInfo": {"name": "a", "version": "1"}}), "goose"),
        (request("ui/initialize", {"capabilities": {}, "protocolVersion": "2025-06-18"}), "goose"),
        (initialize("2025-01-01"), "early-docs"),
        (initialize("2025-11-21"), "draft-2025-11"),
        (initialize("2025-06-18"), "draft-2025-11"),
        (request("initialize", {"clientInfo": {"name": "a", "version": "1"}}), "draft-2025-11"),
        (initialize("2024-11-05"), "stable"),
        (initialize(), "stable"),
        (request("ui/initialize"), "stable"),
        (request("ui/openLink", {"url": "https://example.com"}), "frontmcp"),
        (notice("ui/size-change", {"width": 1}), "draft-2025-11"),
        (notice("ui/notifications/sandbox-ready"), "stable"),
        (notice("ui/notifications/teardown"), "stable"),
        (request("ui/message", {"content": "hello"}), "stable"),
        (request("ui/message", {"content": {"type": "text", "text": "hello"}}), "stable"),
        ({"type": "ui-lifecycle-iframe-ready"}, "mcp-ui"),
        ({"type": "tool", "payload": {"toolName": "x", "params": {}}}, "mcp-ui"),
    ],
)
def test_a_view_is_recognised_by_what_it_says(message: dict[str, Any], dialect: str) -> None:
    translator = Translator()
    translator.inbound(message)
    assert translator.dialect == dialect


def test_a_view_is_recognised_late_as_well() -> None:
    translator = Translator()
    translator.inbound(initialize())
    translator.inbound(notice("ui/notifications/initialized"))
    assert translator.inbound(request("ui/openLink", {"url": "u"})) == [request("ui/open-link", {"url": "u"})]
    assert translator.dialect == "frontmcp"


def test_the_first_recognition_stands_but_every_alias_works() -> None:
    translator = Translator()
    translator.inbound(initialize("2025-11-21"))
    assert translator.inbound(request("ui/callServerTool", {"name": "x"}, 5)) == [
        request("tools/call", {"name": "x", "arguments": {}}, 5)
    ]
    assert translator.dialect == "draft-2025-11"


def test_a_dialect_can_be_fixed_beforehand() -> None:
    translator = Translator(dialect="early-docs")
    message = notice("ui/notifications/tool-input", {"arguments": {}})
    assert translator.outbound(message) == [message, notice("ui/toolInput", {"arguments": {}})]


def test_an_unknown_dialect_is_refused_with_the_known_names() -> None:
    with pytest.raises(ConfigError, match=r"'klingon' .*frontmcp, goose"):
        Translator(dialect="klingon")


def test_every_dialect_says_what_it_is_and_how_to_leave_it() -> None:
    for name, dialect in DIALECTS.items():
        assert dialect.name == name
        assert dialect.summary
        assert dialect.remedy


def test_the_stable_dialect_changes_nothing() -> None:
    stable, memory = DIALECTS[STABLE], Memory()
    params, message = initialize()["params"], request("ping")
    result: dict[str, Any] = {"hostContext": {}}
    assert stable.recognise(params) is None
    assert stable.opening(params) is params
    assert stable.welcome(memory, result) is result
    assert stable.outbound(memory, message) == [message]


def test_a_warning_names_dialect_foreign_name_canonical_name_and_remedy() -> None:
    translator = Translator()
    translator.inbound(request("ui/openLink"))
    (warning,) = translator.warnings()
    assert warning == DialectWarning("frontmcp", "ui/openLink", "ui/open-link", DIALECTS["frontmcp"].remedy)
    assert str(warning) == (
        "ui/openLink (frontmcp) was read as ui/open-link. "
        "Use the MCP Apps method names, which every host understands."
    )
    assert translator.warnings() == []


def test_a_warning_without_an_equivalent_says_so() -> None:
    assert str(DialectWarning("mcp-ui", "ui-request-data", None, "Call a tool.")) == (
        "ui-request-data (mcp-ui) has no equivalent in MCP Apps. Call a tool."
    )


def test_each_foreign_spelling_warns_once() -> None:
    translator = Translator()
    for method in ("ui/openLink", "ui/close", "ui/openLink"):
        translator.inbound(request(method))
    assert [warning.foreign for warning in translator.warnings()] == ["ui/openLink", "ui/close"]


def test_an_answer_nobody_waits_for_passes_unchanged() -> None:
    translator = Translator(dialect="frontmcp")
    for answer in ({"jsonrpc": "2.0", "id": 9, "result": {}}, {"id": [1], "result": {}}, {"method": 3}):
        assert translator.outbound(answer) == [answer]


def test_a_refused_handshake_passes_unchanged() -> None:
    translator = Translator()
    translator.inbound(initialize("2025-11-21"))
    refusal = {"jsonrpc": "2.0", "id": 0, "error": {"code": -32602, "message": "no"}}
    assert translator.outbound(refusal) == [refusal]


def test_a_handshake_may_be_repeated() -> None:
    translator = Translator()
    opening = initialize(appInfo={"name": "FrontMCP Widget", "version": "1.0.0"})
    for _ in range(2):
        translator.inbound(opening)
        translator.outbound({"jsonrpc": "2.0", "id": 0, "result": {}})
        assert [message["method"] for message in translator.answers()] == ["ui/notifications/initialized"]
        assert translator.inbound(notice("ui/notifications/initialized")) == []


def test_core_initialized_is_swallowed_where_it_was_said_already() -> None:
    translator = Translator(dialect="frontmcp")
    translator.inbound(initialize())
    translator.outbound({"jsonrpc": "2.0", "id": 0, "result": {}})
    assert translator.inbound(notice("notifications/initialized")) == []


def test_a_cancelled_request_is_no_longer_waited_for() -> None:
    translator = Translator()
    translator.inbound(request("ui/setDisplayMode", {"mode": "pip"}, 4))
    cancelled = notice("notifications/cancelled", {"requestId": 4})
    assert translator.inbound(cancelled) == [cancelled]
    answer = {"jsonrpc": "2.0", "id": 4, "result": {"mode": "pip"}}
    assert translator.outbound(answer) == [answer]


@pytest.mark.parametrize("params", [{}, {"requestId": None}, {"requestId": [1]}, {"requestId": 99}])
def test_a_cancellation_of_nothing_passes(params: dict[str, Any]) -> None:
    message = notice("notifications/cancelled", params)
    assert Translator().inbound(message) == [message]


def test_the_number_of_awaited_answers_is_bounded_and_the_oldest_goes_first() -> None:
    translator = Translator()
    for number in range(MAX_AWAITED + 1):
        translator.inbound(request("ui/setDisplayMode", {"mode": "pip"}, number))
    assert len(translator.snapshot()["awaited"]) == MAX_AWAITED
    forgotten = {"jsonrpc": "2.0", "id": 0, "result": {"mode": "pip"}}
    assert translator.outbound(forgotten) == [forgotten]
    assert translator.outbound({**forgotten, "id": 1}) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


def test_ids_of_different_types_are_different_requests() -> None:
    translator = Translator()
    translator.inbound(request("ui/setDisplayMode", {"mode": "pip"}, "0"))
    other = {"jsonrpc": "2.0", "id": 0, "result": {"mode": "pip"}}
    assert translator.outbound(other) == [other]
    assert translator.outbound({**other, "id": "0"}) == [{"jsonrpc": "2.0", "id": "0", "result": {}}]


def test_a_snapshot_keeps_what_was_not_drained_yet() -> None:
    translator = Translator(tool_name="get_weather")
    translator.inbound(request("ui/close"))
    snapshot = json.loads(json.dumps(translator.snapshot()))
    restored = Translator.restore(snapshot)
    assert restored.snapshot() == snapshot == translator.snapshot()
    assert (restored.replies(), restored.warnings()) == (translator.replies(), translator.warnings())


def test_draining_empties() -> None:
    translator = Translator(dialect="frontmcp")
    translator.inbound(request("ui/close"))
    translator.outbound(request("ping"))
    assert (len(translator.replies()), len(translator.answers())) == (1, 1)
    assert (translator.replies(), translator.answers()) == ([], [])
