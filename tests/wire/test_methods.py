"""The method table: complete, consistent, and its cheap checks agree with its full shapes."""

from __future__ import annotations

import pytest

from fanlight.wire.method import Direction, Gate, Kind, Method, Source, Traffic
from fanlight.wire.methods import FROM_HOST, FROM_VIEW, METHODS, find

VIEW_REQUESTS = {
    "ui/initialize",
    "ui/open-link",
    "ui/download-file",
    "ui/message",
    "ui/update-model-context",
    "ui/request-display-mode",
    "tools/call",
    "tools/list",
    "resources/read",
    "resources/list",
    "resources/templates/list",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/list",
    "sampling/createMessage",
    "fanlight/set-state",
    "ping",
}
VIEW_NOTIFICATIONS = {
    "ui/notifications/initialized",
    "ui/notifications/size-changed",
    "ui/notifications/request-teardown",
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/cancelled",
    "notifications/progress",
}
HOST_REQUESTS = {"ui/resource-teardown", "tools/call", "tools/list", "ping"}
HOST_NOTIFICATIONS = {
    "ui/notifications/tool-input-partial",
    "ui/notifications/tool-input",
    "ui/notifications/tool-result",
    "ui/notifications/tool-cancelled",
    "ui/notifications/host-context-changed",
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/prompts/list_changed",
    "notifications/resources/updated",
    "notifications/cancelled",
    "notifications/progress",
}


def names(direction: Direction, kind: Kind) -> set[str]:
    return {row.name for row in METHODS if row.direction is direction and row.kind is kind}


def test_the_table_has_every_method_in_both_directions() -> None:
    assert names(Direction.VIEW_TO_HOST, Kind.REQUEST) == VIEW_REQUESTS
    assert names(Direction.VIEW_TO_HOST, Kind.NOTIFICATION) == VIEW_NOTIFICATIONS
    assert names(Direction.HOST_TO_VIEW, Kind.REQUEST) == HOST_REQUESTS
    assert names(Direction.HOST_TO_VIEW, Kind.NOTIFICATION) == HOST_NOTIFICATIONS
    assert {row.name for row in METHODS} - {*FROM_VIEW, *FROM_HOST} == {
        "ui/notifications/sandbox-proxy-ready",
        "ui/notifications/sandbox-resource-ready",
    }


def test_a_method_has_one_row_per_direction() -> None:
    keys = [(row.name, row.direction) for row in METHODS]
    assert len(keys) == len(set(keys))


def test_rows_are_found_by_name_and_direction() -> None:
    assert find("tools/call", Direction.HOST_TO_VIEW) is FROM_HOST["tools/call"]
    assert find("tools/call", Direction.VIEW_TO_HOST) is FROM_VIEW["tools/call"]
    assert find("tools/call", Direction.SANDBOX_TO_HOST) is None


@pytest.mark.parametrize(
    ("method", "gate"),
    [
        ("ui/open-link", "hostCapabilities.openLinks"),
        ("ui/download-file", "hostCapabilities.downloadFile"),
        ("ui/message", "hostCapabilities.message"),
        ("ui/update-model-context", "hostCapabilities.updateModelContext"),
        ("tools/call", "hostCapabilities.serverTools"),
        ("tools/list", "hostCapabilities.serverTools"),
        ("resources/read", "hostCapabilities.serverResources"),
        ("resources/list", "hostCapabilities.serverResources"),
        ("resources/templates/list", "hostCapabilities.serverResources"),
        ("resources/subscribe", "hostCapabilities.experimental.resourceSubscriptions"),
        ("fanlight/set-state", "hostCapabilities.experimental.fanlight/state"),
        ("sampling/createMessage", "hostCapabilities.sampling"),
        ("notifications/message", "hostCapabilities.logging"),
        ("notifications/tools/list_changed", "appCapabilities.tools"),
    ],
)
def test_a_view_uses_only_what_its_capability_allows(method: str, gate: str) -> None:
    assert str(FROM_VIEW[method].gate) == gate


def test_a_host_uses_the_tools_of_a_view_only_if_it_declared_them() -> None:
    assert str(FROM_HOST["tools/call"].gate) == str(FROM_HOST["tools/list"].gate) == "appCapabilities.tools"


@pytest.mark.parametrize(
    ("capabilities", "is_open"),
    [
        ({"a": {"b": {}}}, True),
        ({"a": {"b": True}}, True),
        ({"a": {"b": False}}, False),
        ({"a": {"b": None}}, False),
        ({"a": {}}, False),
        ({"a": True}, False),
        ({}, False),
    ],
)
def test_a_gate_is_open_when_its_capability_is_there(capabilities: dict[str, object], is_open: bool) -> None:
    assert Gate("hostCapabilities", ("a", "b")).is_open(capabilities) is is_open


def test_requests_have_a_result_and_notifications_have_none() -> None:
    assert all((row.result is not None) is (row.kind is Kind.REQUEST) for row in METHODS)


def test_only_what_goes_from_host_to_view_waits_for_initialized() -> None:
    """Holds: R32."""
    waiting = {row.direction for row in METHODS if row.queued_until_initialized}
    assert waiting == {Direction.HOST_TO_VIEW}
    assert all(row.queued_until_initialized for row in FROM_HOST.values())


def test_the_source_of_each_row_is_named() -> None:
    by_source = {source: {row.name for row in METHODS if row.source is source} for source in Source}
    assert {"ui/download-file", "sampling/createMessage", "ui/notifications/request-teardown"} <= by_source[
        Source.DRAFT
    ]
    assert "prompts/list" in by_source[Source.SDK]
    assert all(row.since for row in METHODS)


def test_the_handshake_and_the_ping_are_traffic_of_their_own() -> None:
    special = {row.name: row.traffic for row in METHODS if row.traffic not in list(Traffic)[2:4]}
    assert special == {
        "ui/initialize": Traffic.HANDSHAKE,
        "ui/notifications/initialized": Traffic.HANDSHAKE,
        "ping": Traffic.PING,
    }
    assert {row.name for row in METHODS if row.answered_inside} == {"ui/initialize", "ping"}


@pytest.mark.parametrize("row", METHODS, ids=lambda row: f"{row.direction}: {row.name}")
def test_the_cheap_check_knows_the_fields_of_the_full_shape(row: Method) -> None:
    fields = {field.alias or name: field for name, field in row.params.model_fields.items()}
    required = {name for name, field in fields.items() if field.is_required()}
    checked = {name for name, _ in row.required}
    optional = {name for name, _ in row.optional}
    assert checked | optional <= set(fields)
    # Reading forgives a handshake with gaps, a message without role, a log line's level and data.
    forgiven = {
        "ui/initialize": {"appInfo", "appCapabilities", "protocolVersion"},
        "ui/message": {"role"},
        "notifications/message": {"level", "data"},
    }.get(row.name, set())
    assert checked == required - forgiven


@pytest.mark.parametrize(
    ("method", "params", "fault"),
    [
        ("tools/call", {"name": "x", "arguments": {}}, None),
        ("tools/call", {"name": "x", "arguments": None, "_meta": None}, None),
        ("tools/call", {}, "'name' is missing"),
        ("tools/call", {"name": 3}, "'name' must be a string"),
        ("tools/call", {"name": None}, "'name' must be a string"),
        ("tools/call", {"name": "x", "arguments": []}, "'arguments' must be an object"),
        ("ui/message", {"content": 3}, "'content' must be an array or an object or a string"),
        ("ui/notifications/size-changed", {"width": 1.5, "height": 2}, None),
        ("ui/notifications/size-changed", {"width": True}, "'width' must be a number"),
        ("notifications/progress", {"progressToken": 0, "progress": 1}, None),
    ],
)
def test_params_are_checked_as_far_as_their_own_types_go(
    method: str, params: dict[str, object], fault: str | None
) -> None:
    """Holds: R67."""
    assert FROM_VIEW[method].params_fault(params) == fault
