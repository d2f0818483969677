"""Tools as servers list them: odd entries stay tools, or are left out, and never break the list."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.errors import UnknownToolError
from fanlight.upstream.tools import read_tool, read_tools


def entry(name: Any = "t", **fields: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **fields}


def app(uri: Any) -> dict[str, Any]:
    return entry(_meta={"ui": {"resourceUri": uri}})


@pytest.mark.parametrize("name", [None, "", 5, [], {"a": 1}])
def test_a_tool_without_a_name_is_left_out(name: Any) -> None:
    assert read_tool(entry(name)) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"annotations": []},
        {"annotations": "x"},
        {"annotations": {"title": 5, "readOnlyHint": "true"}},
        {"title": {"a": 1}},
        {"description": ["x"]},
        {"inputSchema": "x"},
        {"_meta": 5},
        {"_meta": {"ui": 5}},
        {"_meta": {"ui": {"visibility": "model"}}},
        {"_meta": {"ui": {"visibility": {"model": True}}}},
        {"_meta": {"ui": {"resourceUri": None}}},
        {"icons": "javascript:alert(1)"},
    ],
)
def test_odd_fields_leave_a_tool_that_can_be_listed(fields: dict[str, Any]) -> None:
    tool = read_tool(entry(**fields))
    assert tool is not None
    assert isinstance(tool.title, str)
    assert isinstance(tool.description, str)
    assert isinstance(tool.input_schema, dict)
    assert tool.read_only is False
    assert tool.has_app is False


@pytest.mark.parametrize("visibility", ["model", "app", 5, {"app": True}])
def test_a_tool_whose_visibility_cannot_be_read_is_hidden_from_both(visibility: Any) -> None:
    """Holds: R18, R19."""
    tool = read_tool(entry(_meta={"ui": {"visibility": visibility}}))
    assert tool is not None
    assert not tool.model_may_see
    assert not tool.app_may_call


@pytest.mark.parametrize(
    "uri",
    [
        "https://x/y", "javascript:alert(1)", "ui:/x", "UI://x", "ui://x\r\ny", "ui://x y", "ui://\u202ex", "ui://x\x00",
        "ui://" + "x" * 3000, "ui://\ud800", 5, ["ui://x"],
    ],
)  # fmt: skip
def test_an_address_that_is_no_plain_ui_address_is_a_problem(uri: Any) -> None:
    tool = read_tool(app(uri))
    assert tool is not None
    assert tool.problem
    assert not tool.has_app
    assert len(tool.problem) < 4000


@pytest.mark.parametrize("uri", ["ui://x", "ui://srv/view.html", "ui://srv/ø?x=1#y", "ui://srv/{id}"])
def test_plain_addresses_are_fine(uri: str) -> None:
    tool = read_tool(app(uri))
    assert tool is not None
    assert tool.resource_uri == uri


def test_a_tool_that_cannot_be_written_as_json_keeps_only_its_name() -> None:
    """A program hands tools to a model, the workbench to a page: both write JSON."""
    deep: Any = 0
    for _ in range(10_000):
        deep = [deep]
    for poison in (float("nan"), deep, b"x"):
        tool = read_tool(entry(inputSchema={"default": poison}))
        assert tool is not None
        assert tool.raw == {"name": "t"}
        assert tool.problem


def test_of_several_tools_with_one_name_the_first_counts_and_says_so() -> None:
    entries = [entry("a", title="first"), entry("b"), entry("a", title="second"), entry("a", title="third")]
    tools = read_tools(entries)
    assert list(tools) == ["a", "b"]
    assert tools["a"].title == "first"
    (warning,) = tools["a"].warnings
    assert "Only the first is used" in str(warning)
    assert tools["b"].warnings == ()


def test_an_unknown_tool_names_some_of_thousands() -> None:
    error = UnknownToolError("s", "x", ["y" * 10_000] * 10_000)
    assert len(str(error)) < 5000
    assert "and 9950 more" in str(error)
