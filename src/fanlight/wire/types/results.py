"""Results of every request."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field

from .base import DisplayMode, MetaModel
from .capabilities import HostCapabilities
from .content import ContentBlock, Implementation, ResourceContents, Tool
from .context import HostContext

__all__ = [
    "ActionResult",
    "CallToolResult",
    "CreateMessageResult",
    "DisplayModeResult",
    "EmptyResult",
    "InitializeResult",
    "ListPromptsResult",
    "ListResourceTemplatesResult",
    "ListResourcesResult",
    "ListToolsResult",
    "ReadResourceResult",
    "StrictEmptyResult",
]


class EmptyResult(MetaModel):
    """``{}``, and whatever else the peer adds."""


class StrictEmptyResult(MetaModel):
    """Exactly ``{}``: any key but ``_meta`` makes an official view reject ``ui/update-model-context``."""

    model_config = ConfigDict(extra="forbid")


class InitializeResult(MetaModel):
    """Answer to ``ui/initialize``. Official views refuse it if one of the four is missing."""

    protocol_version: str
    host_info: Implementation
    host_capabilities: HostCapabilities
    host_context: HostContext


class ActionResult(MetaModel):
    """Answer to ``ui/open-link``, ``ui/download-file`` and ``ui/message``."""

    is_error: bool | None = None


class DisplayModeResult(MetaModel):
    """Answer to ``ui/request-display-mode``: the mode that now is (R42)."""

    mode: DisplayMode


class CallToolResult(MetaModel):
    """A tool's result; also the params of ``tool-result``."""

    content: list[ContentBlock] = Field(default_factory=list)
    structured_content: Any = None
    is_error: bool | None = None


class ListToolsResult(MetaModel):
    """Answer to ``tools/list``."""

    tools: list[Tool]
    next_cursor: str | None = None


class ReadResourceResult(MetaModel):
    """Answer to ``resources/read``."""

    contents: list[ResourceContents]


class ListResourcesResult(MetaModel):
    """Answer to ``resources/list``."""

    resources: list[dict[str, Any]]
    next_cursor: str | None = None


class ListResourceTemplatesResult(MetaModel):
    """Answer to ``resources/templates/list``."""

    resource_templates: list[dict[str, Any]]
    next_cursor: str | None = None


class ListPromptsResult(MetaModel):
    """Answer to ``prompts/list``."""

    prompts: list[dict[str, Any]]
    next_cursor: str | None = None


class CreateMessageResult(MetaModel):
    """Answer to ``sampling/createMessage``; content is a list when tools were sent."""

    role: Literal["user", "assistant"]
    content: dict[str, Any] | list[dict[str, Any]]
    model: str
    stop_reason: str | None = None
