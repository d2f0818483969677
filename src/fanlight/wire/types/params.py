"""Params of every method. What a message may carry when it is sent; reading is more tolerant."""

from __future__ import annotations

from typing import Any, Literal

from fanlight.wire.jsonrpc import RequestId

from .base import DisplayMode, LogLevel, MetaModel, Number
from .capabilities import AppCapabilities
from .content import ContentBlock, DownloadContent, Implementation
from .metadata import Csp, Permissions

__all__ = [
    "CallToolParams",
    "CancelledParams",
    "CreateMessageParams",
    "DownloadFileParams",
    "EmptyParams",
    "InitializeParams",
    "LogParams",
    "MessageParams",
    "OpenLinkParams",
    "PageParams",
    "ProgressParams",
    "ReadResourceParams",
    "RequestDisplayModeParams",
    "SandboxResourceReadyParams",
    "SetStateParams",
    "SizeChangedParams",
    "TeardownParams",
    "ToolCancelledParams",
    "ToolInputParams",
    "UpdateModelContextParams",
]


class EmptyParams(MetaModel):
    """Nothing to say."""


class PageParams(MetaModel):
    """One page of a list."""

    cursor: str | None = None


class InitializeParams(MetaModel):
    """``ui/initialize``; ``appCapabilities`` is required and may be ``{}`` (R35)."""

    app_info: Implementation
    app_capabilities: AppCapabilities
    protocol_version: str


class OpenLinkParams(MetaModel):
    """``ui/open-link``."""

    url: str


class DownloadFileParams(MetaModel):
    """``ui/download-file``."""

    contents: list[DownloadContent]


class MessageParams(MetaModel):
    """``ui/message``; content is an array on the wire although the spec's text shows an object."""

    role: Literal["user"]
    content: list[ContentBlock]


class UpdateModelContextParams(MetaModel):
    """``ui/update-model-context``; replaces what this view said before."""

    content: list[ContentBlock] | None = None
    structured_content: dict[str, Any] | None = None


class SetStateParams(MetaModel):
    """``fanlight/set-state``; replaces what was kept before."""

    state: dict[str, Any]


class RequestDisplayModeParams(MetaModel):
    """``ui/request-display-mode``."""

    mode: DisplayMode


class CallToolParams(MetaModel):
    """``tools/call``."""

    name: str
    arguments: dict[str, Any] | None = None


class ReadResourceParams(MetaModel):
    """``resources/read``."""

    uri: str


class CreateMessageParams(MetaModel):
    """``sampling/createMessage``."""

    messages: list[dict[str, Any]]
    max_tokens: int
    tools: list[dict[str, Any]] | None = None
    tool_choice: dict[str, Any] | None = None


class SizeChangedParams(MetaModel):
    """``ui/notifications/size-changed``."""

    width: Number | None = None
    height: Number | None = None


class LogParams(MetaModel):
    """``notifications/message``; ``data`` is any JSON value."""

    level: LogLevel
    data: Any
    logger: str | None = None


class CancelledParams(MetaModel):
    """``notifications/cancelled``."""

    request_id: RequestId
    reason: str | None = None


class ProgressParams(MetaModel):
    """``notifications/progress``."""

    progress_token: RequestId
    progress: Number
    total: Number | None = None
    message: str | None = None


class TeardownParams(MetaModel):
    """``ui/resource-teardown``."""

    reason: str | None = None


class ToolInputParams(MetaModel):
    """``ui/notifications/tool-input`` and ``tool-input-partial``."""

    arguments: dict[str, Any] | None = None


class ToolCancelledParams(MetaModel):
    """``ui/notifications/tool-cancelled``."""

    reason: str | None = None


class SandboxResourceReadyParams(MetaModel):
    """``ui/notifications/sandbox-resource-ready``: host to proxy, never to the view."""

    html: str
    sandbox: str | None = None
    csp: Csp | None = None
    permissions: Permissions | None = None
