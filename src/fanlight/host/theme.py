"""The look that views are offered: values for the standard style variables, light and dark in one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from fanlight.errors import ConfigError
from fanlight.wire.styles import STYLE_VARIABLES, closest_style_variable

__all__ = ["DEFAULT_VARIABLES", "Theme"]


def _pair(light: str, dark: str) -> str:
    # R65: one value serves both themes; the view's color-scheme chooses.
    return f"light-dark({light}, {dark})"


_TONES = {
    "info": ("#0b62c4", "#6fb1ff"),
    "danger": ("#b3261e", "#ff8a80"),
    "success": ("#1b7a3d", "#6dd58c"),
    "warning": ("#8a5300", "#f5bf4f"),
}
_TONE_FILLS = {
    "info": ("#e8f1fd", "#12263f"),
    "danger": ("#fdecea", "#3b1715"),
    "success": ("#e7f6ec", "#12301d"),
    "warning": ("#fdf3e0", "#36270c"),
}

DEFAULT_VARIABLES: Mapping[str, str] = {
    "--color-background-primary": _pair("#ffffff", "#1b1e24"),
    "--color-background-secondary": _pair("#f5f6f8", "#23272f"),
    "--color-background-tertiary": _pair("#eceef2", "#2c313a"),
    "--color-background-inverse": _pair("#1d2129", "#f2f3f5"),
    "--color-background-ghost": "transparent",
    "--color-background-disabled": _pair("#f0f1f4", "#262a32"),
    **{f"--color-background-{name}": _pair(*fill) for name, fill in _TONE_FILLS.items()},
    "--color-text-primary": _pair("#1d2129", "#e9ebef"),
    "--color-text-secondary": _pair("#4a5160", "#b4bac6"),
    "--color-text-tertiary": _pair("#6b7280", "#8d95a3"),
    "--color-text-inverse": _pair("#ffffff", "#1d2129"),
    "--color-text-ghost": _pair("#6b7280", "#8d95a3"),
    "--color-text-disabled": _pair("#9aa1ad", "#656c79"),
    **{f"--color-text-{name}": _pair(*tone) for name, tone in _TONES.items()},
    "--color-border-primary": _pair("#d8dce3", "#3a404b"),
    "--color-border-secondary": _pair("#e6e9ee", "#2f343e"),
    "--color-border-tertiary": _pair("#f0f2f5", "#282c35"),
    "--color-border-inverse": _pair("#1d2129", "#f2f3f5"),
    "--color-border-ghost": "transparent",
    "--color-border-disabled": _pair("#e6e9ee", "#2f343e"),
    **{f"--color-border-{name}": _pair(*tone) for name, tone in _TONES.items()},
    "--color-ring-primary": _pair("#0b62c4", "#6fb1ff"),
    "--color-ring-secondary": _pair("#6b7280", "#8d95a3"),
    "--color-ring-inverse": _pair("#ffffff", "#1d2129"),
    **{f"--color-ring-{name}": _pair(*tone) for name, tone in _TONES.items()},
    "--font-sans": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif",
    "--font-mono": "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
    "--font-weight-normal": "400",
    "--font-weight-medium": "500",
    "--font-weight-semibold": "600",
    "--font-weight-bold": "700",
    "--font-text-xs-size": "0.75rem",
    "--font-text-sm-size": "0.875rem",
    "--font-text-md-size": "1rem",
    "--font-text-lg-size": "1.125rem",
    "--font-heading-xs-size": "0.875rem",
    "--font-heading-sm-size": "1rem",
    "--font-heading-md-size": "1.25rem",
    "--font-heading-lg-size": "1.5rem",
    "--font-heading-xl-size": "1.875rem",
    "--font-heading-2xl-size": "2.25rem",
    "--font-heading-3xl-size": "3rem",
    "--font-text-xs-line-height": "1.4",
    "--font-text-sm-line-height": "1.45",
    "--font-text-md-line-height": "1.5",
    "--font-text-lg-line-height": "1.55",
    "--font-heading-xs-line-height": "1.4",
    "--font-heading-sm-line-height": "1.35",
    "--font-heading-md-line-height": "1.3",
    "--font-heading-lg-line-height": "1.25",
    "--font-heading-xl-line-height": "1.2",
    "--font-heading-2xl-line-height": "1.15",
    "--font-heading-3xl-line-height": "1.1",
    "--border-radius-xs": "2px",
    "--border-radius-sm": "4px",
    "--border-radius-md": "8px",
    "--border-radius-lg": "12px",
    "--border-radius-xl": "16px",
    "--border-radius-full": "9999px",
    "--border-width-regular": "1px",
    "--shadow-hairline": "0 0 0 1px rgb(0 0 0 / 6%)",
    "--shadow-sm": "0 1px 2px rgb(0 0 0 / 8%)",
    "--shadow-md": "0 4px 12px rgb(0 0 0 / 10%)",
    "--shadow-lg": "0 12px 32px rgb(0 0 0 / 14%)",
}

# Views write values into style sheets of their own; these characters would end the declaration there.
_UNSAFE = re.compile(r"[;{}<\x00-\x1f]")


@dataclass(frozen=True)
class Theme:
    """One look for all views of a host, and for its page if it likes.

    Args:
        variables: values for any of the 76 standard names. A colour may be given as a pair `(light, dark)`.
            Names that are left out keep their default.
        fonts: CSS with `@font-face` or `@import` rules for the families named in `variables`. A view may take
            it or leave it, and its own policy decides what it may load, so `data:` addresses travel best.

    Raises:
        ConfigError: a name is not one of the 76, or a value cannot be a CSS value.
    """

    variables: Mapping[str, str | tuple[str, str]] = field(default_factory=dict)
    fonts: str = ""

    def __post_init__(self) -> None:
        values = {name: _value(name, value) for name, value in self.variables.items()}
        object.__setattr__(self, "variables", MappingProxyType({**DEFAULT_VARIABLES, **values}))

    def styles(self) -> dict[str, Any]:
        """The `styles` of a host context."""
        styles: dict[str, Any] = {"variables": dict(self.variables)}
        if self.fonts:
            styles["css"] = {"fonts": self.fonts}
        return styles

    def css(self, selector: str = ":root") -> str:
        """The same look as a style sheet, so that your page and the frame around its views share it."""
        lines = "".join(f"  {name}: {value};\n" for name, value in self.variables.items())
        return f"{self.fonts}\n{selector} {{\n{lines}}}\n".lstrip()


def _value(name: str, value: str | tuple[str, str]) -> str:
    if name not in STYLE_VARIABLES:
        near = closest_style_variable(name)
        hint = f"did you mean {near!r}?" if near else "see docs/element.md for the names"
        raise ConfigError(f"theme: {name!r} is not one of the 76 style variables; {hint}")
    for text in (value,) if isinstance(value, str) else value:
        if not text.strip() or _UNSAFE.search(text):
            raise ConfigError(f"theme: {name} is {text!r}; give one CSS value without ; {{ }} or <")
    if isinstance(value, str):
        return value
    if not name.startswith("--color-"):
        raise ConfigError(f"theme: {name} is no colour and cannot be a pair; give one value for both themes")
    return _pair(*value)
