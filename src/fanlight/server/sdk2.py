"""The doors to mcp 2.x: its `MCPServer`, and its `Apps` extension before it is given to one."""

from __future__ import annotations

import inspect
from typing import Any

from mcp.server.apps import Apps
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.mcpserver.resources import FunctionResource
from mcp_types import CallToolResult

from fanlight.errors import ConfigError
from fanlight.wire.versions import EXTENSION_ID

from .registration import DocumentPlan, ToolPlan
from .wrapping import answering

__all__ = ["ExtensionDoor", "ServerDoor", "function_of", "reader_of"]


def function_of(plan: ToolPlan) -> Any:
    """The function of a tool, in the form that this SDK calls and answers with."""
    return answering(
        plan,
        result=CallToolResult.model_validate,
        result_type=CallToolResult,
        failure=ToolError,
        context=Context,
    )


def reader_of(plan: DocumentPlan) -> Any:
    """How this SDK reads the document; only a `ResourceError` reaches the client with its text."""

    async def read() -> str:
        try:
            return await plan.read()
        except ConfigError as error:
            raise ResourceError(str(error)) from error

    return read


class ServerDoor:
    """An `MCPServer`. Without waiting, what is registered can be seen only in its private managers."""

    def __init__(self, server: MCPServer[Any]) -> None:
        self._server = server

    def has_tool(self, name: str) -> bool:
        return self._server._tool_manager.get_tool(name) is not None

    def mime_type_at(self, uri: str) -> str | None:
        listed = self._server._resource_manager.list_resources()
        return next((resource.mime_type for resource in listed if resource.uri == uri), None)

    def add_tool(self, plan: ToolPlan) -> None:
        self._server.add_tool(
            function_of(plan),
            name=plan.name,
            title=plan.title,
            description=plan.description,
            meta=plan.meta,
            structured_output=False,
            **plan.options,
        )

    def add_document(self, plan: DocumentPlan) -> None:
        read = reader_of(plan)
        for uri in plan.uris:
            self._server.add_resource(FunctionResource(uri=uri, fn=read, **plan.fields()))
        if plan.template is not None:

            async def read_version(version: str) -> str:
                return str(await read())

            self._server.resource(plan.template, **plan.fields())(read_version)
        # What `MCPServer(extensions=[Apps()])` says; extensions themselves cannot be added later.
        self._server._lowlevel_server.extensions.setdefault(EXTENSION_ID, {})


class ExtensionDoor:
    """An `Apps` extension, for apps that are declared before there is a server."""

    def __init__(self, apps: Apps) -> None:
        self._apps = apps

    def has_tool(self, name: str) -> bool:
        return any((tool.kwargs.get("name") or tool.fn.__name__) == name for tool in self._apps.tools())

    def mime_type_at(self, uri: str) -> str | None:
        listed = (binding.resource for binding in self._apps.resources())
        return next((resource.mime_type for resource in listed if resource.uri == uri), None)

    def add_tool(self, plan: ToolPlan) -> None:
        # The extension takes everything, and the server that it is given to later would refuse it.
        inspect.signature(MCPServer.add_tool).bind(None, plan.fn, **plan.options)
        meta = dict(plan.meta)
        ui = meta.pop("ui")
        tie = self._apps.tool(
            resource_uri=ui["resourceUri"],
            visibility=ui.get("visibility"),
            meta=meta,
            name=plan.name,
            title=plan.title,
            description=plan.description,
            structured_output=False,
            **plan.options,
        )
        tie(function_of(plan))

    def add_document(self, plan: DocumentPlan) -> None:
        if plan.template is not None:
            raise ConfigError(
                "an Apps extension cannot answer old versions: leave out versioned=True, or tie the app to "
                "the MCPServer itself"
            )
        for uri in plan.uris:
            self._apps.add_resource(FunctionResource(uri=uri, fn=reader_of(plan), **plan.fields()))
