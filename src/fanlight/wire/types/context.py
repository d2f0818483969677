"""The host context: theme, styles, sizes, place and manner of showing.

Enumerations and style variables are closed because official views reject the whole handshake for one
unknown value. Unknown fields at the top level are allowed and kept.
"""

from __future__ import annotations

from pydantic import field_validator

from fanlight.wire.jsonrpc import RequestId
from fanlight.wire.styles import STYLE_VARIABLES, closest_style_variable

from .base import DisplayMode, Number, Platform, Theme, WireModel
from .content import Tool

__all__ = [
    "ContainerDimensions",
    "DeviceCapabilities",
    "HostContext",
    "SafeAreaInsets",
    "StyleCss",
    "Styles",
    "ToolInfo",
]


class ToolInfo(WireModel):
    """The tool call this view belongs to."""

    tool: Tool
    id: RequestId | None = None


class StyleCss(WireModel):
    """CSS the view may inject: fonts only."""

    fonts: str | None = None


class Styles(WireModel):
    """Values for any of the 76 variables; they should use ``light-dark()`` (R65)."""

    variables: dict[str, str] | None = None
    css: StyleCss | None = None

    @field_validator("variables", mode="before")
    @classmethod
    def _only_standard_names(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        for name in value:
            if name not in STYLE_VARIABLES:
                near = closest_style_variable(str(name))
                hint = f"did you mean {near!r}? " if near else ""
                raise ValueError(f"{name!r} is not one of the 76 style variables; {hint}remove it")
        # A variable set to None is an absent one.
        return {name: text for name, text in value.items() if text is not None}


class ContainerDimensions(WireModel):
    """The room a view has. Fixed (``height``, ``width``), or up to a maximum, or unbounded when absent."""

    height: Number | None = None
    max_height: Number | None = None
    width: Number | None = None
    max_width: Number | None = None


class DeviceCapabilities(WireModel):
    """How the person points."""

    touch: bool | None = None
    hover: bool | None = None


class SafeAreaInsets(WireModel):
    """Pixels that something else covers; all four are required."""

    top: Number
    right: Number
    bottom: Number
    left: Number


class HostContext(WireModel):
    """``hostContext`` of the initialize result, and the params of ``host-context-changed``."""

    tool_info: ToolInfo | None = None
    theme: Theme | None = None
    styles: Styles | None = None
    display_mode: DisplayMode | None = None
    available_display_modes: list[DisplayMode] | None = None
    container_dimensions: ContainerDimensions | None = None
    locale: str | None = None
    time_zone: str | None = None
    user_agent: str | None = None
    platform: Platform | None = None
    device_capabilities: DeviceCapabilities | None = None
    safe_area_insets: SafeAreaInsets | None = None
