"""``_meta.ui`` in both spellings, visibility, and precedence between listing and content."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.errors import MetadataError
from fanlight.wire.meta import (
    app_may_call,
    meta_of,
    model_may_see,
    resource_ui_meta,
    tool_ui_meta,
    ui_resource_uri,
)


def tool(ui: object = None, **flat: object) -> dict[str, Any]:
    return {"name": "t", "_meta": {**({"ui": ui} if ui is not None else {}), **flat}}


def test_the_nested_key_names_the_app() -> None:
    """Holds: R01."""
    assert ui_resource_uri(tool({"resourceUri": "ui://a/b"})) == "ui://a/b"


def test_the_flat_key_of_old_servers_is_read() -> None:
    assert ui_resource_uri(tool(**{"ui/resourceUri": "ui://old"})) == "ui://old"
    assert ui_resource_uri(tool("no object", **{"ui/resourceUri": "ui://old"})) == "ui://old"


def test_the_nested_key_wins_over_the_flat_one() -> None:
    both = tool({"resourceUri": "ui://new"}, **{"ui/resourceUri": "ui://old"})
    assert ui_resource_uri(both) == "ui://new"


@pytest.mark.parametrize("plain", [{}, {"_meta": {}}, {"_meta": None}, {"_meta": {"ui": {}}}])
def test_a_tool_without_either_is_a_plain_tool(plain: dict[str, Any]) -> None:
    """Holds: R70."""
    assert ui_resource_uri(plain) is None


@pytest.mark.parametrize("value", [None, 3, "https://a", "", []])
def test_a_value_that_is_no_ui_address_is_an_error_that_says_what_to_do(value: object) -> None:
    """Holds: R01."""
    with pytest.raises(MetadataError) as nested:
        ui_resource_uri({"_meta": {"ui": {"resourceUri": value}, "ui/resourceUri": "ui://x"}})
    assert nested.value.field == "_meta.ui.resourceUri"
    assert nested.value.value == value
    assert "ui://" in str(nested.value)
    with pytest.raises(MetadataError) as flat:
        ui_resource_uri(tool(**{"ui/resourceUri": value}))
    assert flat.value.field == '_meta["ui/resourceUri"]'


def test_the_meta_spelling_of_old_python_servers_is_read() -> None:
    assert ui_resource_uri({"meta": {"ui": {"resourceUri": "ui://a"}}}) == "ui://a"
    assert meta_of({"_meta": {"a": 1}, "meta": {"b": 2}}) == {"a": 1}


@pytest.mark.parametrize(
    ("visibility", "model", "app"),
    [
        (["model", "app"], True, True),
        (["model"], True, False),
        (["app"], False, True),
        ([], False, False),
        (["elsewhere"], False, False),
        (None, True, True),
    ],
)
def test_visibility_is_what_the_list_contains(visibility: object, model: bool, app: bool) -> None:
    """Holds: R18, R19."""
    subject = {"_meta": {"ui": {"visibility": visibility}}}
    assert model_may_see(subject) is model
    assert app_may_call(subject) is app


def test_no_visibility_means_both() -> None:
    """Holds: R18, R19, R20."""
    for plain in ({}, tool({"resourceUri": "ui://a"}), {"_meta": {"ui": None}}):
        assert model_may_see(plain)
        assert app_may_call(plain)


def test_a_visibility_that_is_no_list_is_not_guessed() -> None:
    with pytest.raises(MetadataError, match="visibility"):
        model_may_see(tool({"visibility": "app"}))


def test_the_content_item_wins_over_the_listing_as_a_whole() -> None:
    """Holds: D01."""
    item = {"_meta": {"ui": {"prefersBorder": True}}}
    listing = {"_meta": {"ui": {"domain": "x", "csp": {}}}}
    assert resource_ui_meta(item, listing) == {"prefersBorder": True}


def test_the_listing_counts_where_the_content_item_is_silent() -> None:
    """Holds: D01."""
    listing = {"meta": {"ui": {"domain": "x"}}}
    silent_items: list[dict[str, Any]] = [{}, {"_meta": {}}, {"_meta": {"ui": None}}]
    for silent in silent_items:
        assert resource_ui_meta(silent, listing) == {"domain": "x"}
    assert resource_ui_meta({}, None) == {}


def test_resource_metadata_that_is_no_object_is_an_error() -> None:
    with pytest.raises(MetadataError, match=r"_meta\.ui"):
        resource_ui_meta({"_meta": {"ui": "none"}})


def test_we_write_both_keys_and_read_them_back() -> None:
    written = tool_ui_meta("ui://a", ["app"])
    assert written == {"ui": {"resourceUri": "ui://a", "visibility": ["app"]}, "ui/resourceUri": "ui://a"}
    assert ui_resource_uri({"_meta": written}) == "ui://a"
    assert tool_ui_meta("ui://a")["ui"] == {"resourceUri": "ui://a"}


def test_an_address_of_another_scheme_is_not_written() -> None:
    """Holds: R01."""
    with pytest.raises(MetadataError, match="ui://"):
        tool_ui_meta("https://a")
