"""The theme: one look for all views, checked when it is made."""

from __future__ import annotations

import pytest

from fanlight.errors import ConfigError
from fanlight.host import Theme
from fanlight.protocol.context import SharedContext
from fanlight.wire.styles import STYLE_VARIABLES


def test_the_default_has_a_value_for_each_of_the_76_names() -> None:
    assert set(Theme().styles()["variables"]) == STYLE_VARIABLES
    assert len(STYLE_VARIABLES) == 76


def test_a_pair_is_one_value_for_both_themes() -> None:
    """Holds: R65."""
    styles = Theme({"--color-text-primary": ("#111", "#eee")}).styles()
    assert styles["variables"]["--color-text-primary"] == "light-dark(#111, #eee)"


def test_official_views_take_what_a_theme_says() -> None:
    styles = Theme({"--font-sans": "Ours, serif"}, fonts="@font-face { font-family: Ours }").styles()
    assert SharedContext({"styles": styles}).current["styles"] == styles


def test_an_unknown_name_is_refused_and_the_nearest_is_named() -> None:
    with pytest.raises(ConfigError, match="did you mean '--color-text-primary'"):
        Theme({"--color-text-primry": "red"})


@pytest.mark.parametrize("value", ["", " ", "red; } body { display: none", "</style>", "a\nb"])
def test_a_value_that_would_end_the_declaration_is_refused(value: str) -> None:
    with pytest.raises(ConfigError, match="--color-text-primary"):
        Theme({"--color-text-primary": value})


def test_only_a_colour_can_be_a_pair() -> None:
    with pytest.raises(ConfigError, match="no colour"):
        Theme({"--border-radius-md": ("8px", "12px")})


def test_a_theme_cannot_be_changed_afterwards() -> None:
    with pytest.raises(TypeError):
        Theme().variables["--font-sans"] = "x"  # type: ignore[index]


def test_the_same_look_is_a_style_sheet_for_the_page() -> None:
    sheet = Theme({"--font-sans": "Ours"}, fonts="@import 'x';").css("main")
    assert sheet.startswith("@import 'x';\nmain {\n")
    assert "  --font-sans: Ours;\n" in sheet
