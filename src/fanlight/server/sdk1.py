"""The door to the `FastMCP` of mcp 1.30."""

from __future__ import annotations

from typing import Any

from mcp.server.fastmcp import FastMCP
from mcp.server.fastmcp.exceptions import ToolError
from mcp.server.fastmcp.resources import FunctionResource
from mcp.types import CallToolResult

from .registration import DocumentPlan, ToolPlan
from .wrapping import answering

__all__ = ["Sdk1Door"]


class Sdk1Door:
    """A `FastMCP`. Without waiting, what is registered can be seen only in its private managers."""

    def __init__(self, server: FastMCP[Any]) -> None:
        self._server = server

    def has_tool(self, name: str) -> bool:
        return self._server._tool_manager.get_tool(name) is not None

    def mime_type_at(self, uri: str) -> str | None:
        listed = self._server._resource_manager.list_resources()
        return next((resource.mime_type for resource in listed if str(resource.uri) == uri), None)

    def add_tool(self, plan: ToolPlan) -> None:
        function = answering(
            plan,
            result=CallToolResult.model_validate,
            result_type=CallToolResult,
            failure=ToolError,
            context=self._server.get_context,
        )
        self._server.add_tool(
            function,
            name=plan.name,
            title=plan.title,
            description=plan.description,
            meta=plan.meta,
            structured_output=False,
            **plan.options,
        )

    def add_document(self, plan: DocumentPlan) -> None:
        for uri in plan.uris:
            self._server.add_resource(FunctionResource(uri=uri, fn=plan.read, **plan.fields()))
        if plan.template is not None:

            async def read_version(version: str) -> str:
                return await plan.read()

            self._server.resource(plan.template, **plan.fields())(read_version)
