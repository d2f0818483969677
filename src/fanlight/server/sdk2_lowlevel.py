"""The door to the low-level `Server` of mcp 2.x: handlers that answer for apps and leave the rest alone."""

from __future__ import annotations

import logging
import re
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import mcp_types as mcp
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from fanlight.errors import ConfigError
from fanlight.wire.versions import EXTENSION_ID, MIME_TYPE

from .registration import DocumentPlan, ToolPlan
from .sdk2 import function_of

__all__ = ["LowLevelDoor"]

logger = logging.getLogger(__name__)

Request = ServerRequestContext[Any, Any]
Result = TypeVar("Result", bound=BaseModel)


class LowLevelDoor:
    """A low-level `Server`. Its own handlers must be there first: they are asked for what is not an app's."""

    def __init__(self, server: Server[Any]) -> None:
        if server not in _SHELVES:
            _SHELVES[server] = _Shelf(server)
        self._shelf = _SHELVES[server]

    def has_tool(self, name: str) -> bool:
        """Only the apps' own tools are known: the server's handler can be asked only in a request."""
        return name in self._shelf.tools

    def mime_type_at(self, uri: str) -> str | None:
        """Only the apps' own documents are known, for the same reason."""
        return MIME_TYPE if self._shelf.document_at(uri) else None

    def add_tool(self, plan: ToolPlan) -> None:
        self._shelf.tools[plan.name] = Tool.from_function(
            function_of(plan),
            name=plan.name,
            title=plan.title,
            description=plan.description,
            meta=plan.meta,
            structured_output=False,
            **plan.options,
        )

    def add_document(self, plan: DocumentPlan) -> None:
        self._shelf.documents.append(plan)


class _Shelf:
    """The apps of one server. It holds the server's earlier handlers, never the server."""

    def __init__(self, server: Server[Any]) -> None:
        self.tools: dict[str, Tool] = {}
        self.documents: list[DocumentPlan] = []
        handlers: list[tuple[str, type[BaseModel], Any]] = [
            ("tools/list", mcp.PaginatedRequestParams, self._list_tools),
            ("tools/call", mcp.CallToolRequestParams, self._call_tool),
            ("resources/list", mcp.PaginatedRequestParams, self._list_resources),
            ("resources/templates/list", mcp.PaginatedRequestParams, self._list_templates),
            ("resources/read", mcp.ReadResourceRequestParams, self._read_resource),
        ]
        self._earlier = {method: server.get_request_handler(method) for method, _, _ in handlers}
        for method, params_type, handler in handlers:
            server.add_request_handler(method, params_type, handler)
        server.extensions.setdefault(EXTENSION_ID, {})

    def document_at(self, uri: str) -> DocumentPlan | None:
        return next((plan for plan in self.documents if _answers(plan, uri)), None)

    async def _asked(self, kind: type[Result], request: Request, params: BaseModel) -> Result | None:
        """What the server's own handler says; None if it has none."""
        entry = self._earlier[request.method]
        if entry is None:
            return None
        return kind.model_validate(await entry.handler(request, params))

    async def _list_tools(self, request: Request, params: mcp.PaginatedRequestParams) -> mcp.ListToolsResult:
        page = await self._asked(mcp.ListToolsResult, request, params) or mcp.ListToolsResult(tools=[])
        return (
            page
            if params.cursor
            else page.model_copy(update={"tools": [*page.tools, *map(_listed, self._own())]})
        )

    def _own(self) -> list[Tool]:
        return list(self.tools.values())

    async def _call_tool(self, request: Request, params: mcp.CallToolRequestParams) -> Any:
        tool = self.tools.get(params.name)
        if tool is None:
            entry = self._earlier["tools/call"]
            return await entry.handler(request, params) if entry else _failed(f"Unknown tool: {params.name}")
        try:
            context = Context(request_context=request, input_params=params)
            return await tool.run(params.arguments or {}, context, convert_result=True)
        except ToolError as error:
            if isinstance(error, UnexpectedToolError):
                logger.exception("tool %r broke", params.name)
            return _failed(str(error))

    async def _list_resources(
        self, request: Request, params: mcp.PaginatedRequestParams
    ) -> mcp.ListResourcesResult:
        page = await self._asked(mcp.ListResourcesResult, request, params) or mcp.ListResourcesResult(
            resources=[]
        )
        own = [mcp.Resource(uri=uri, **_fields(plan)) for plan in self.documents for uri in plan.uris]
        return page if params.cursor else page.model_copy(update={"resources": [*page.resources, *own]})

    async def _list_templates(
        self, request: Request, params: mcp.PaginatedRequestParams
    ) -> mcp.ListResourceTemplatesResult:
        empty = mcp.ListResourceTemplatesResult(resource_templates=[])
        page = await self._asked(mcp.ListResourceTemplatesResult, request, params) or empty
        own = [
            mcp.ResourceTemplate(uri_template=plan.template, **_fields(plan))
            for plan in self.documents
            if plan.template is not None
        ]
        listed = [*page.resource_templates, *own]
        return page if params.cursor else page.model_copy(update={"resource_templates": listed})

    async def _read_resource(self, request: Request, params: mcp.ReadResourceRequestParams) -> Any:
        uri = str(params.uri)
        plan = self.document_at(uri)
        if plan is None:
            entry = self._earlier["resources/read"]
            if entry is None:
                raise MCPError(mcp.INVALID_PARAMS, f"Unknown resource: {uri}", {"uri": uri})
            return await entry.handler(request, params)
        try:
            html = await plan.read()
        except ConfigError as error:
            raise MCPError(mcp.INTERNAL_ERROR, str(error), {"uri": uri}) from error
        item = mcp.TextResourceContents(uri=uri, text=html, mime_type=MIME_TYPE, _meta=plan.meta or None)
        return mcp.ReadResourceResult(contents=[item])


_SHELVES: WeakKeyDictionary[Server[Any], _Shelf] = WeakKeyDictionary()


def _answers(plan: DocumentPlan, uri: str) -> bool:
    if uri in plan.uris:
        return True
    return plan.template is not None and bool(
        re.fullmatch(re.escape(plan.template).replace(re.escape("{version}"), "[^/]+"), uri)
    )


def _listed(tool: Tool) -> mcp.Tool:
    return mcp.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.parameters,
        annotations=tool.annotations,
        icons=tool.icons,
        _meta=tool.meta,
    )


def _fields(plan: DocumentPlan) -> dict[str, Any]:
    fields = plan.fields()
    return {**fields, "_meta": fields.pop("meta")}


def _failed(text: str) -> mcp.CallToolResult:
    return mcp.CallToolResult(content=[mcp.TextContent(type="text", text=text)], is_error=True)
