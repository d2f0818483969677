"""Core MCP shapes that pass through MCP Apps: content blocks, tools, implementations."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from .base import MetaModel, Number, WireModel

__all__ = [
    "AudioContent",
    "BlobResourceContents",
    "ContentBlock",
    "DownloadContent",
    "EmbeddedResource",
    "ImageContent",
    "Implementation",
    "ResourceContents",
    "ResourceLink",
    "TextContent",
    "TextResourceContents",
    "Tool",
]


class Implementation(WireModel):
    """Who a program is: ``hostInfo`` and ``appInfo``."""

    name: str
    version: str
    title: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: list[dict[str, Any]] | None = None


class TextResourceContents(MetaModel):
    """A resource given as text."""

    uri: str
    text: str
    mime_type: str | None = None


class BlobResourceContents(MetaModel):
    """A resource given as base64."""

    uri: str
    blob: str
    mime_type: str | None = None


ResourceContents: TypeAlias = TextResourceContents | BlobResourceContents


class TextContent(MetaModel):
    """Text for the model or the user."""

    type: Literal["text"]
    text: str
    annotations: dict[str, Any] | None = None


class ImageContent(MetaModel):
    """A picture as base64."""

    type: Literal["image"]
    data: str
    mime_type: str
    annotations: dict[str, Any] | None = None


class AudioContent(MetaModel):
    """A sound as base64."""

    type: Literal["audio"]
    data: str
    mime_type: str
    annotations: dict[str, Any] | None = None


class ResourceLink(MetaModel):
    """A resource by its address."""

    type: Literal["resource_link"]
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: Number | None = None
    annotations: dict[str, Any] | None = None
    icons: list[dict[str, Any]] | None = None


class EmbeddedResource(MetaModel):
    """A resource with its contents."""

    type: Literal["resource"]
    resource: ResourceContents
    annotations: dict[str, Any] | None = None


ContentBlock: TypeAlias = Annotated[
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource,
    Field(discriminator="type"),
]
DownloadContent: TypeAlias = Annotated[EmbeddedResource | ResourceLink, Field(discriminator="type")]


class Tool(MetaModel):
    """A core MCP tool. ``inputSchema`` is mandatory: without it a view refuses the whole handshake."""

    name: str
    input_schema: dict[str, Any]
    title: str | None = None
    description: str | None = None
    output_schema: dict[str, Any] | None = None
    annotations: dict[str, Any] | None = None
    icons: list[dict[str, Any]] | None = None
