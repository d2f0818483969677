"""The envelope: what a message is, and how ours are built."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.wire.jsonrpc import (
    MAX_SAFE_INTEGER,
    ErrorCode,
    ErrorResponse,
    Malformed,
    Notification,
    Request,
    Response,
    classify,
    error,
    is_request_id,
    notification,
    request,
    response,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "x"])
VALUES = JSON | st.sampled_from(["2.0", 0, 1, "ping", {}, {"code": -1, "message": "no"}])


def test_a_call_with_an_id_is_a_request() -> None:
    assert classify(request(0, "ping", {"a": 1})) == Request(0, "ping", {"a": 1})


def test_the_id_zero_is_an_id() -> None:
    """SDK views start counting at 0."""
    assert classify({"jsonrpc": "2.0", "id": 0, "method": "ui/initialize"}) == Request(0, "ui/initialize", {})


def test_a_call_without_an_id_is_a_notification() -> None:
    assert classify(notification("n")) == Notification("n", {})


@pytest.mark.parametrize("params", [None, [], "x", 1, True])
def test_params_that_are_no_object_keep_the_id_for_an_invalid_params_answer(params: Any) -> None:
    broken = classify({"jsonrpc": "2.0", "id": 0, "method": "ping", "params": params})
    assert broken == Malformed('"params" must be an object', 0, ErrorCode.INVALID_PARAMS)


def test_a_result_is_a_response_of_any_json_value() -> None:
    assert classify(response("a", {"b": 1})) == Response("a", {"b": 1})
    assert classify({"jsonrpc": "2.0", "id": 1, "result": None}) == Response(1, None)


def test_an_error_is_an_error_response() -> None:
    assert classify(error(1, -32000, "no", {"why": 1})) == ErrorResponse(1, -32000, "no", {"why": 1})


@pytest.mark.parametrize("broken", [None, "text", {}, {"code": "x", "message": 3}, {"code": True}])
def test_an_error_that_is_not_spelled_right_still_fails_its_waiter(broken: Any) -> None:
    found = classify({"jsonrpc": "2.0", "id": 4, "error": broken})
    assert isinstance(found, ErrorResponse)
    assert (found.id, found.code) == (4, ErrorCode.INTERNAL_ERROR)
    assert found.message


def test_an_error_answer_may_have_no_id() -> None:
    found = classify({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "parse"}})
    assert found == ErrorResponse(None, -32700, "parse")


@pytest.mark.parametrize(
    ("message", "usable_id", "is_response"),
    [
        (None, None, False),
        ([], None, False),
        ("text", None, False),
        ({}, None, True),
        ({"id": 1, "method": "ping"}, 1, False),
        ({"jsonrpc": "1.0", "id": 1, "result": {}}, 1, True),
        ({"jsonrpc": 2.0, "id": 1, "method": "ping"}, 1, False),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, 1, False),
        ({"jsonrpc": "2.0", "id": 1, "method": None}, 1, False),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, None, False),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, None, False),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, None, False),
        ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, None, False),
        ({"jsonrpc": "2.0", "id": 2**53, "method": "ping"}, None, False),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}, 1, False),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "error": {}}, 1, False),
        ({"jsonrpc": "2.0", "id": 1}, 1, True),
        ({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}, 1, True),
        ({"jsonrpc": "2.0", "result": {}}, None, True),
        ({"jsonrpc": "2.0", "id": [], "result": {}}, None, True),
    ],
)
def test_what_is_no_message_says_why_and_whom_it_concerns(
    message: object, usable_id: object, is_response: bool
) -> None:
    found = classify(message)
    assert isinstance(found, Malformed)
    assert found.reason
    assert found.id == usable_id
    assert found.is_response is is_response


@pytest.mark.parametrize("good", [0, -1, "", "a", MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER])
def test_strings_and_safe_integers_are_ids(good: object) -> None:
    assert is_request_id(good)


@pytest.mark.parametrize("bad", [True, None, 1.0, [], MAX_SAFE_INTEGER + 1])
def test_nothing_else_is_an_id(bad: object) -> None:
    assert not is_request_id(bad)


@given(st.dictionaries(KEYS, VALUES) | JSON | st.just(object()))
def test_no_object_makes_classify_raise(message: object) -> None:
    found = classify(message)
    assert isinstance(found, Request | Notification | Response | ErrorResponse | Malformed)


def test_what_we_build_always_has_params_and_never_null() -> None:
    assert request(1, "m") == {"jsonrpc": "2.0", "id": 1, "method": "m", "params": {}}
    assert notification("m") == {"jsonrpc": "2.0", "method": "m", "params": {}}
    assert notification("m", {"a": 1})["params"] == {"a": 1}
    assert error(1, ErrorCode.DENIED, "no") == {
        "jsonrpc": "2.0",
        "id": 1,
        "error": {"code": -32000, "message": "no"},
    }
    assert type(error(1, ErrorCode.DENIED, "no")["error"]["code"]) is int


def test_the_error_codes_are_those_of_json_rpc_the_spec_and_the_ext_apps_dialect() -> None:
    assert {code.name: code.value for code in ErrorCode} == {
        "PARSE_ERROR": -32700,
        "INVALID_REQUEST": -32600,
        "METHOD_NOT_FOUND": -32601,
        "INVALID_PARAMS": -32602,
        "INTERNAL_ERROR": -32603,
        "DENIED": -32000,
        "TOOL_NOT_FOUND": -32001,
        "TOOL_EXECUTION_FAILED": -32002,
        "NOT_SUPPORTED": -32003,
        "CANCELLED": -32004,
    }
