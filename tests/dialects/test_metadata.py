"""What servers declare in other spellings, in the canonical form."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.dialects import canonical_mime, canonical_resource_meta, canonical_tool

URI = "ui://weather/card.html"
MIME = "text/html;profile=mcp-app"


def tool(**meta: Any) -> dict[str, Any]:
    return {"name": "get_weather", "inputSchema": {"type": "object"}, "_meta": meta}


def foreign(warnings: list[Any]) -> list[tuple[str, str]]:
    return [(warning.dialect, warning.foreign) for warning in warnings]


class TestTool:
    @pytest.mark.parametrize(
        "entry",
        [
            tool(ui={"resourceUri": URI}),
            tool(ui={"resourceUri": URI, "visibility": ["app"]}, **{"ui/resourceUri": "ui://other"}),
            tool(ui={"resourceUri": None}, **{"openai/outputTemplate": URI}),
            tool(ui="not an object", **{"ui/resourceUri": URI}),
            tool(),
            {"name": "plain"},
            {"name": "odd", "_meta": None},
        ],
    )
    def test_a_canonical_or_plain_entry_passes_as_the_same_object(self, entry: dict[str, Any]) -> None:
        canonical, warnings = canonical_tool(entry)
        assert canonical is entry
        assert warnings == []

    @pytest.mark.parametrize(
        ("key", "dialect"), [("ui/resourceUri", "deprecated"), ("openai/outputTemplate", "openai")]
    )
    def test_the_link_to_the_resource_is_found_in_other_places(self, key: str, dialect: str) -> None:
        given = tool(**{key: URI})
        canonical, warnings = canonical_tool(given)
        assert canonical["_meta"] == {key: URI, "ui": {"resourceUri": URI}}
        assert foreign(warnings) == [(dialect, f"_meta {key}")]
        assert "ui" not in given["_meta"], "the entry that was given must not change"

    def test_the_flat_key_wins_over_openais(self) -> None:
        canonical, _ = canonical_tool(tool(**{"openai/outputTemplate": "ui://b", "ui/resourceUri": URI}))
        assert canonical["_meta"]["ui"] == {"resourceUri": URI}

    def test_a_value_that_cannot_be_right_is_moved_for_its_reader_to_refuse(self) -> None:
        canonical, _ = canonical_tool(tool(**{"openai/outputTemplate": None}))
        assert canonical["_meta"]["ui"] == {"resourceUri": None}

    @pytest.mark.parametrize(
        ("accessible", "visibility", "expected"),
        [
            (True, "public", ["model", "app"]),
            (True, "private", ["app"]),
            (True, None, ["model", "app"]),
            (False, "public", ["model"]),
            (None, "public", ["model"]),
            (None, "private", []),
        ],
    )
    def test_openais_two_switches_are_one_list(
        self, accessible: bool | None, visibility: str | None, expected: list[str]
    ) -> None:
        meta: dict[str, Any] = {}
        if accessible is not None:
            meta["openai/widgetAccessible"] = accessible
        if visibility is not None:
            meta["openai/visibility"] = visibility
        canonical, warnings = canonical_tool(tool(**meta))
        assert canonical["_meta"]["ui"] == {"visibility": expected}
        assert foreign(warnings) == [("openai", f"_meta {key}") for key in meta]

    def test_declared_visibility_wins_over_the_switches(self) -> None:
        given = tool(ui={"visibility": ["app"]}, **{"openai/widgetAccessible": False})
        assert canonical_tool(given) == (given, [])

    def test_what_belongs_to_the_resource_is_reported_and_not_moved(self) -> None:
        given = tool(ui={"resourceUri": URI}, **{"openai/widgetCSP": {}, "ui/mimeType": "text/html+mcp"})
        canonical, warnings = canonical_tool(given)
        assert canonical is given
        assert foreign(warnings) == [
            ("openai", "_meta openai/widgetCSP on a tool"),
            ("frontmcp", "_meta ui/mimeType on a tool"),
        ]
        assert [warning.canonical for warning in warnings] == [
            "_meta.ui.csp of the resource",
            "mimeType of the resource",
        ]


class TestResource:
    @pytest.mark.parametrize(
        "meta",
        [
            {},
            {"ui": {"csp": {"connectDomains": ["https://a.example"]}, "prefersBorder": False}},
            {"ui": {"csp": None}},
            {"ui": ["odd"], "ui/csp": {}},
            {"vendor/key": 1},
        ],
    )
    def test_a_canonical_or_plain_meta_passes_as_the_same_object(self, meta: dict[str, Any]) -> None:
        canonical, warnings = canonical_resource_meta(meta)
        assert canonical is meta
        assert warnings == []

    def test_openais_keys_are_read(self) -> None:
        csp = {
            "connect_domains": ["https://api.example"],
            "resource_domains": ["https://cdn.example"],
            "frame_domains": ["https://f.example"],
            "redirect_domains": ["https://r.example"],
        }
        meta = {
            "openai/widgetCSP": csp,
            "openai/widgetDomain": "https://w",
            "openai/widgetPrefersBorder": True,
        }
        canonical, warnings = canonical_resource_meta(meta)
        assert canonical["ui"]["csp"] == {
            **csp,
            "connectDomains": ["https://api.example"],
            "resourceDomains": ["https://cdn.example"],
            "frameDomains": ["https://f.example"],
        }
        assert (canonical["ui"]["domain"], canonical["ui"]["prefersBorder"]) == ("https://w", True)
        assert {warning.dialect for warning in warnings} == {"openai", "snake_case"}
        assert [warning.foreign for warning in warnings if warning.canonical is None] == [
            "csp.redirect_domains"
        ]

    def test_flat_keys_are_read(self) -> None:
        meta = {
            "ui/csp": {"connectDomains": []},
            "ui/permissions": {"camera": {}},
            "ui/domain": "https://w",
            "ui/prefersBorder": False,
        }
        canonical, warnings = canonical_resource_meta(meta)
        assert canonical["ui"] == {
            "csp": {"connectDomains": []},
            "permissions": {"camera": {}},
            "domain": "https://w",
            "prefersBorder": False,
        }
        assert {warning.dialect for warning in warnings} == {"frontmcp"}

    def test_snake_case_inside_the_nested_policy_is_read(self) -> None:
        meta = {"ui": {"csp": {"connect_domains": ["https://a.example"]}, "domain": "d"}}
        canonical, warnings = canonical_resource_meta(meta)
        assert canonical["ui"]["csp"]["connectDomains"] == ["https://a.example"]
        assert canonical["ui"]["domain"] == "d"
        assert foreign(warnings) == [("snake_case", "csp.connect_domains")]

    def test_a_nested_policy_is_never_widened_by_another_spelling(self) -> None:
        meta = {
            "ui": {"csp": {"connectDomains": [], "connect_domains": ["https://evil.example"]}},
            "ui/csp": {"connectDomains": ["https://evil.example"]},
            "openai/widgetCSP": {"connect_domains": ["https://evil.example"]},
        }
        canonical, _ = canonical_resource_meta(meta)
        assert canonical["ui"]["csp"]["connectDomains"] == []


class TestMime:
    def test_the_canonical_type_passes_without_a_word(self) -> None:
        assert canonical_mime(MIME) == (MIME, None)

    @pytest.mark.parametrize(
        ("mime", "dialect"),
        [
            ("text/html+mcp", "frontmcp"),
            ("text/html+skybridge", "openai"),
            ("Text/HTML+Skybridge; charset=utf-8", "openai"),
            ("text/html; profile=mcp-app", "spelling"),
            ('text/html;profile="mcp-app"', "spelling"),
            ("text/html;charset=utf-8;profile=mcp-app", "spelling"),
            ("TEXT/HTML;Profile=MCP-App;charset=utf-8", "spelling"),
        ],
    )
    def test_other_spellings_are_the_same_type_with_a_warning(self, mime: str, dialect: str) -> None:
        canonical, warning = canonical_mime(mime)
        assert canonical == MIME
        assert warning is not None
        assert warning.dialect == dialect

    @pytest.mark.parametrize(
        "mime", ["text/html", "text/html;profile=mcp-application", "text/html;charset=utf-8"]
    )
    def test_plain_html_is_no_app_and_is_told_why(self, mime: str) -> None:
        canonical, warning = canonical_mime(mime)
        assert canonical is None
        assert warning is not None
        assert MIME in warning.remedy

    @pytest.mark.parametrize(
        "mime", ["", "text/plain", "application/json;profile=mcp-app", "text/html+other"]
    )
    def test_any_other_type_is_no_app(self, mime: str) -> None:
        assert canonical_mime(mime) == (None, None)
