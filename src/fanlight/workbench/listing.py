"""What the workbench's page is told of servers and their tools: plain JSON, as the servers said it."""

from __future__ import annotations

from typing import Any

from fanlight.host import Server
from fanlight.upstream import Tool

__all__ = ["server_json"]


def server_json(name: str, server: Server) -> dict[str, Any]:
    """One connected server."""
    facts = {key: server.info[key] for key in ("title", "version") if server.info.get(key)}
    return {
        "name": name,
        **facts,
        "status": "connected",
        "tools": [_tool_json(tool) for tool in server.tools],
    }


def _tool_json(tool: Tool) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "name": tool.name,
        "title": tool.title,
        "inputSchema": tool.input_schema,
        "hasApp": tool.has_app,
        "visibility": [
            who for who, may in (("model", tool.model_may_see), ("app", tool.app_may_call)) if may
        ],
        "readOnly": tool.read_only,
    }
    if tool.description:
        facts["description"] = tool.description
    if tool.problem is not None:
        facts["problem"] = tool.problem
    return facts
