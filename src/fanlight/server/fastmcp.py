"""The door to FastMCP 4 (extra `fastmcp`)."""

from __future__ import annotations

from typing import Any

from fastmcp import FastMCP
from fastmcp.exceptions import ResourceError, ToolError
from fastmcp.resources import FunctionResource, Resource, ResourceTemplate
from fastmcp.server.dependencies import get_context
from fastmcp.tools import Tool
from mcp_types import CallToolResult

from fanlight.errors import ConfigError

from .registration import DocumentPlan, ToolPlan
from .wrapping import answering

__all__ = ["FastMcpDoor"]


class FastMcpDoor:
    """A `FastMCP`. Without waiting, what is registered can be seen only in its private local provider."""

    def __init__(self, server: FastMCP[Any]) -> None:
        self._server = server

    def has_tool(self, name: str) -> bool:
        return any(isinstance(part, Tool) and part.name == name for part in self._parts())

    def mime_type_at(self, uri: str) -> str | None:
        listed = (part for part in self._parts() if isinstance(part, Resource))
        return next((resource.mime_type for resource in listed if str(resource.uri) == uri), None)

    def _parts(self) -> list[Any]:
        return list(self._server._local_provider._components.values())

    def add_tool(self, plan: ToolPlan) -> None:
        function = answering(
            plan,
            result=CallToolResult.model_validate,
            result_type=CallToolResult,
            failure=ToolError,
            context=_context,
        )
        self._server.add_tool(
            Tool.from_function(
                function,
                name=plan.name,
                title=plan.title,
                description=plan.description,
                meta=plan.meta,
                output_schema=None,
                **plan.options,
            )
        )

    def add_document(self, plan: DocumentPlan) -> None:
        async def read() -> str:
            try:
                return await plan.read()
            except ConfigError as error:
                raise ResourceError(str(error)) from error

        async def read_version(version: str) -> str:
            return await read()

        for uri in plan.uris:
            self._server.add_resource(FunctionResource.from_function(read, uri=uri, **plan.fields()))
        if plan.template is not None:
            self._server.add_template(
                ResourceTemplate.from_function(read_version, uri_template=plan.template, **plan.fields())
            )


def _context() -> Any:
    try:
        return get_context()
    except RuntimeError:  # a tool that is run without a request
        return None
