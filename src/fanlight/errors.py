"""Every exception Fanlight raises on purpose.

::

    FanlightError                 base of all; ``except FanlightError`` catches everything below
    ├── LocalProtocolError        you asked a connection for something the protocol forbids now
    ├── CallCancelledError        the result of a call that your program gave up
    ├── RpcError                  a JSON-RPC error answer, with its code
    ├── MetadataError             a tool's or resource's ``_meta`` says something impossible
    ├── ConfigError               a setting, a target or an argument that cannot work
    ├── UpstreamError             the MCP server could not be reached, or broke
    │   ├── UnknownToolError      the server has no tool of that name
    │   └── NoAppError            the tool is there, but it has no app
    └── BrowserError              no usable browser, or it died

Peer faults (a hostile or broken view) never raise: they become events and error answers.
The facts are attributes; the sentence is built from them in ``__str__``.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "BrowserError",
    "CallCancelledError",
    "ConfigError",
    "FanlightError",
    "LocalProtocolError",
    "MetadataError",
    "NoAppError",
    "RpcError",
    "UnknownToolError",
    "UpstreamError",
]


# A server may list thousands.
_NAMES_SHOWN = 50


class FanlightError(Exception):
    """Base class of every error that Fanlight raises on purpose."""


class LocalProtocolError(FanlightError):
    """The calling program asked for something that the protocol does not allow in this state."""


class CallCancelledError(FanlightError):
    """A tool call has no result because the program cancelled it; ``reason`` is what it gave for that.

    Not `asyncio.CancelledError`, which ends the task that it is raised in: that is for a task that is itself
    cancelled, and nobody wants to end the task of somebody who only waits for a call.
    """

    def __init__(self, tool: str, reason: str) -> None:
        super().__init__(tool, reason)
        self.tool = tool
        self.reason = reason

    def __str__(self) -> str:
        return f"the call of {self.tool!r} has no result: {self.reason}"


class RpcError(FanlightError):
    """A JSON-RPC error answer: ``code``, ``message`` and optional ``data``, as they stand on the wire."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} (code {self.code})"


class MetadataError(FanlightError):
    """``_meta`` of a tool or a resource is there but unusable; names the field, the value and the remedy."""

    def __init__(self, field: str, value: object, remedy: str) -> None:
        super().__init__(field, value, remedy)
        self.field = field
        self.value = value
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.field} is {self.value!r}: {self.remedy}"


class ConfigError(FanlightError):
    """A setting, a target or an argument cannot work; the message says what to change."""


class UpstreamError(FanlightError):
    """The MCP server could not be started, could not be reached, or broke."""

    def __init__(self, server: str, message: str) -> None:
        super().__init__(server, message)
        self.server = server
        self.message = message

    def __str__(self) -> str:
        return f"server {self.server!r}: {self.message}"


class UnknownToolError(UpstreamError):
    """The server has no tool of that name; ``known`` lists the names it has."""

    def __init__(self, server: str, tool: str, known: list[str]) -> None:
        self.tool = tool
        self.known = known
        names = ", ".join(name[:60] for name in known[:_NAMES_SHOWN]) if known else "it has no tools"
        if len(known) > _NAMES_SHOWN:
            names += f" and {len(known) - _NAMES_SHOWN} more"
        super().__init__(server, f"no tool named {tool!r} (known: {names})")


class NoAppError(UpstreamError):
    """The tool exists but is not linked to a `ui://` resource."""

    def __init__(self, server: str, tool: str) -> None:
        self.tool = tool
        super().__init__(server, f"tool {tool!r} has no app: its _meta has no ui.resourceUri")


class BrowserError(FanlightError):
    """No usable browser was found, or the browser died."""
