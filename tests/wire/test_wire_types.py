"""The models: strict where official peers are, open where the spec is, and never a null on the wire."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from fanlight.wire import types
from fanlight.wire.styles import STYLE_VARIABLES, closest_style_variable

FULL_CONTEXT: dict[str, Any] = {
    "toolInfo": {"id": 0, "tool": {"name": "t", "inputSchema": {"type": "object", "default": None}}},
    "theme": "dark",
    "styles": {"variables": {"--font-sans": "Inter"}, "css": {"fonts": "@font-face {}"}},
    "displayMode": "inline",
    "availableDisplayModes": ["inline", "pip"],
    "containerDimensions": {"width": 400, "maxHeight": 600.5},
    "locale": "nb-NO",
    "timeZone": "Europe/Oslo",
    "userAgent": "x/1",
    "platform": "web",
    "deviceCapabilities": {"touch": True, "hover": False},
    "safeAreaInsets": {"top": 0, "right": 0, "bottom": 12.5, "left": 0},
    "somethingNew": {"kept": None},
}


def test_a_full_context_goes_through_unchanged_also_what_we_do_not_know() -> None:
    assert types.HostContext.model_validate(FULL_CONTEXT).to_wire() == FULL_CONTEXT


def test_numbers_keep_their_kind() -> None:
    wire = types.HostContext.model_validate(FULL_CONTEXT).to_wire()
    assert type(wire["containerDimensions"]["width"]) is int


def test_empty_fields_are_left_out_and_opaque_data_is_not_touched() -> None:
    context = types.HostContext.model_validate(
        {"theme": None, "styles": {"css": None}, "x": None, "y": {"z": None}}
    )
    assert context.to_wire() == {"styles": {}, "y": {"z": None}}


@pytest.mark.parametrize(
    "wrong",
    [
        {"theme": "blue"},
        {"displayMode": "modal"},
        {"availableDisplayModes": ["inline", "popup"]},
        {"platform": "tv"},
        {"containerDimensions": {"height": "tall"}},
        {"containerDimensions": {"height": float("nan")}},
        {"deviceCapabilities": {"touch": "yes"}},
        {"safeAreaInsets": {"top": 1, "right": 1, "bottom": 1}},
        {"toolInfo": {"tool": {"name": "t"}}},
        {"styles": {"variables": {"--font-comic": "x"}}},
        {"styles": {"variables": {"--font-sans": 3}}},
        {"styles": {"variables": "none"}},
        {"locale": 3},
    ],
)
def test_a_value_that_official_views_reject_is_rejected_here(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        types.HostContext.model_validate(wrong)


def test_there_are_76_style_variables() -> None:
    assert len(STYLE_VARIABLES) == 76
    assert {
        "--color-ring-primary",
        "--font-heading-3xl-line-height",
        "--border-width-regular",
    } <= STYLE_VARIABLES
    assert not {"--color-ring-tertiary", "--spacing-md"} & STYLE_VARIABLES


def test_a_misspelt_variable_is_told_its_nearest_neighbour() -> None:
    assert closest_style_variable("--color-text-primry") == "--color-text-primary"
    assert closest_style_variable("§") is None
    with pytest.raises(ValidationError, match="did you mean '--color-text-primary'"):
        types.Styles.model_validate({"variables": {"--color-text-primry": "red"}})
    with pytest.raises(ValidationError, match="not one of the 76 style variables; remove it"):
        types.Styles.model_validate({"variables": {"§": "red"}})


def test_a_variable_set_to_none_is_absent() -> None:
    styles = types.Styles.model_validate({"variables": {"--font-sans": None, "--font-mono": "x"}})
    assert styles.to_wire() == {"variables": {"--font-mono": "x"}}


@pytest.mark.parametrize(
    "wrong",
    [
        {"openLinks": True},
        {"serverTools": {"listChanged": "yes"}},
        {"experimental": {"x": True}},
        {"message": {"text": True}},
        {"sampling": {"tools": True}},
    ],
)
def test_the_marker_of_a_capability_is_an_object(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        types.HostCapabilities.model_validate(wrong)


def test_a_model_can_be_built_with_python_names() -> None:
    capabilities = types.AppCapabilities(available_display_modes=["pip"])
    assert capabilities.to_wire() == {"availableDisplayModes": ["pip"]}
    meta = types.ResourceUiMeta(csp=types.Csp(connect_domains=[]), prefers_border=False)
    assert meta.to_wire() == {"csp": {"connectDomains": []}, "prefersBorder": False}


def test_models_cannot_be_changed() -> None:
    mode = types.DisplayModeResult(mode="pip")
    with pytest.raises(ValidationError):
        setattr(mode, "mode", "inline")  # noqa: B010


def test_the_answer_to_a_context_update_is_empty_or_meta() -> None:
    assert types.StrictEmptyResult.model_validate({"_meta": {"a": 1}}).to_wire() == {"_meta": {"a": 1}}
    with pytest.raises(ValidationError):
        types.StrictEmptyResult.model_validate({"ok": True})


def test_all_four_fields_of_the_handshake_are_needed() -> None:
    """Holds: R36."""
    full = {
        "protocolVersion": "2026-01-26",
        "hostInfo": {"name": "h", "version": "1"},
        "hostCapabilities": {},
        "hostContext": {},
    }
    assert types.InitializeResult.model_validate(full).to_wire() == full
    for name in full:
        with pytest.raises(ValidationError):
            types.InitializeResult.model_validate({key: value for key, value in full.items() if key != name})


def test_content_blocks_are_told_apart_by_their_type() -> None:
    adapter: TypeAdapter[types.ContentBlock] = TypeAdapter(types.ContentBlock)
    resource = {"type": "resource", "resource": {"uri": "ui://a", "blob": "AA=="}}
    assert isinstance(adapter.validate_python({"type": "text", "text": "x"}), types.TextContent)
    assert isinstance(adapter.validate_python(resource), types.EmbeddedResource)
    with pytest.raises(ValidationError):
        adapter.validate_python({"type": "video", "data": ""})


def test_a_tool_s_resource_is_a_ui_address() -> None:
    """Holds: R01."""
    assert types.ToolUiMeta.model_validate({"resourceUri": "ui://a"}).resource_uri == "ui://a"
    with pytest.raises(ValidationError):
        types.ToolUiMeta.model_validate({"resourceUri": "https://a"})


def test_a_tool_result_has_content_even_when_it_is_left_out() -> None:
    assert types.CallToolResult.model_validate({}).content == []
