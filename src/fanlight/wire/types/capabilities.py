"""What each side says it can do. An empty object is the marker for yes; ``true`` and ``null`` are invalid."""

from __future__ import annotations

from typing import Any

from .base import DisplayMode, WireModel
from .metadata import Csp, Permissions

__all__ = [
    "AppCapabilities",
    "HostCapabilities",
    "ListCapability",
    "Modalities",
    "SamplingCapability",
    "SandboxCapability",
]

Marker = dict[str, Any]


class ListCapability(WireModel):
    """A list of tools or resources, and whether changes of it are announced."""

    list_changed: bool | None = None


class Modalities(WireModel):
    """Which kinds of content are taken. ``{}`` states no restriction."""

    text: Marker | None = None
    image: Marker | None = None
    audio: Marker | None = None
    resource: Marker | None = None
    resource_link: Marker | None = None
    structured_content: Marker | None = None


class SamplingCapability(WireModel):
    """``sampling/createMessage``; ``tools`` when the view may send tools along (D02)."""

    tools: Marker | None = None


class SandboxCapability(WireModel):
    """What the sandbox really granted, which may be less than what was asked."""

    permissions: Permissions | None = None
    csp: Csp | None = None


class HostCapabilities(WireModel):
    """``hostCapabilities`` of the initialize result."""

    experimental: dict[str, dict[str, Any]] | None = None
    open_links: Marker | None = None
    download_file: Marker | None = None
    server_tools: ListCapability | None = None
    server_resources: ListCapability | None = None
    logging: Marker | None = None
    sandbox: SandboxCapability | None = None
    update_model_context: Modalities | None = None
    message: Modalities | None = None
    sampling: SamplingCapability | None = None


class AppCapabilities(WireModel):
    """``appCapabilities`` of the initialize request (R35, R38)."""

    experimental: dict[str, dict[str, Any]] | None = None
    tools: ListCapability | None = None
    available_display_modes: list[DisplayMode] | None = None
