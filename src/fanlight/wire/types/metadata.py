"""``_meta.ui`` of tools and resources, and what a sandbox is told: CSP, permissions, domain."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from .base import WireModel

__all__ = ["Csp", "Permissions", "ResourceUiMeta", "ToolUiMeta"]

Marker = dict[str, Any]


class Csp(WireModel):
    """Origins a view declares: for fetching, for assets, for frames, for ``<base>``."""

    connect_domains: list[str] | None = None
    resource_domains: list[str] | None = None
    frame_domains: list[str] | None = None
    base_uri_domains: list[str] | None = None


class Permissions(WireModel):
    """Browser features a view asks for; ``{}`` is the only value that says yes."""

    camera: Marker | None = None
    microphone: Marker | None = None
    geolocation: Marker | None = None
    clipboard_write: Marker | None = None


class ResourceUiMeta(WireModel):
    """``_meta.ui`` on a ``ui://`` resource."""

    csp: Csp | None = None
    permissions: Permissions | None = None
    domain: str | None = None
    prefers_border: bool | None = None


class ToolUiMeta(WireModel):
    """``_meta.ui`` on a tool. Absent ``visibility`` means both; ``[]`` hides the tool from both."""

    resource_uri: Annotated[str, Field(pattern=r"^ui://")] | None = None
    visibility: list[Literal["model", "app"]] | None = None
