"""What a server offers: its tools, which of them are apps, and each app's document.

Reading is tolerant (every dialect's metadata), the outcome is canonical. A document that cannot be
shown raises `AppReadError`, whose `kind` is the verdict that a person will see.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from typing import Any

from fanlight.dialects import DialectWarning, canonical_mime, canonical_resource_meta, canonical_tool
from fanlight.errors import MetadataError, RpcError, UnknownToolError, UpstreamError
from fanlight.wire.meta import app_may_call, model_may_see, resource_ui_meta, ui_resource_uri
from fanlight.wire.versions import MIME_TYPE

from .base import JSONObject, Upstream

__all__ = ["AppDocument", "AppReadError", "Catalog", "Tool"]

_PAGE_LIMIT = 1000  # a paginator that never ends must not hang us
_READ_TIMEOUT = 30.0
MAX_HTML_BYTES = 32 << 20


class AppReadError(UpstreamError):
    """An app's document cannot be shown; `kind` is the verdict, `remedy` what the server's author can do."""

    def __init__(self, server: str, kind: str, reason: str, remedy: str) -> None:
        super().__init__(server, reason)
        self.kind = kind
        self.reason = reason
        self.remedy = remedy


@dataclass(frozen=True)
class Tool:
    """One tool as the server lists it, with what Fanlight reads from its metadata."""

    raw: JSONObject
    resource_uri: str | None
    problem: str | None = None
    warnings: tuple[DialectWarning, ...] = ()

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def title(self) -> str:
        annotations = self.raw.get("annotations") or {}
        return str(self.raw.get("title") or annotations.get("title") or self.name)

    @property
    def description(self) -> str:
        return str(self.raw.get("description") or "")

    @property
    def input_schema(self) -> JSONObject:
        schema = self.raw.get("inputSchema")
        return schema if isinstance(schema, dict) else {"type": "object"}

    @property
    def has_app(self) -> bool:
        return self.resource_uri is not None

    @property
    def read_only(self) -> bool:
        annotations = self.raw.get("annotations")
        return isinstance(annotations, dict) and annotations.get("readOnlyHint") is True

    @property
    def model_may_see(self) -> bool:
        return model_may_see(self.raw)

    @property
    def app_may_call(self) -> bool:
        return app_may_call(self.raw)


@dataclass(frozen=True)
class AppDocument:
    """The HTML of an app and what its server declared about it."""

    uri: str
    html: str
    meta: JSONObject
    warnings: tuple[DialectWarning, ...] = ()
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "sha256", hashlib.sha256(self.html.encode("utf-8", "surrogatepass")).hexdigest()
        )


class Catalog:
    """The tools of one server, and its app documents, read once and kept until the server says otherwise."""

    def __init__(self, server: str, upstream: Upstream) -> None:
        self._server = server
        self._upstream = upstream
        self._tools: dict[str, Tool] = {}
        self._listed_meta: dict[str, JSONObject] | None = None
        self._documents: dict[str, AppDocument] = {}

    async def refresh(self) -> None:
        """List the tools again and forget cached documents."""
        entries = await self._pages("tools/list", "tools") if self._offers("tools") else []
        self._tools = {tool.name: tool for tool in map(_read_tool, entries) if tool is not None}
        self._documents.clear()
        self._listed_meta = None

    @property
    def tools(self) -> list[Tool]:
        return list(self._tools.values())

    def tool(self, name: str) -> Tool:
        """The tool of that name, or UnknownToolError that lists the names there are."""
        try:
            return self._tools[name]
        except KeyError:
            raise UnknownToolError(self._server, name, list(self._tools)) from None

    async def document(self, tool: Tool) -> AppDocument:
        """Read the app's HTML (R17), from the cache if it was read before.

        Raises:
            AppReadError: it cannot be shown.
        """
        if tool.problem is not None:
            raise self._unreadable("read-failed", tool.problem, "correct the tool's _meta.ui.resourceUri")
        if tool.resource_uri is None:
            raise self._unreadable(
                "no-ui", f"tool {tool.name!r} has no app", "link the tool to a ui:// resource"
            )
        uri = tool.resource_uri
        if uri not in self._documents:
            self._documents[uri] = await self._read(uri)
        return self._documents[uri]

    async def _read(self, uri: str) -> AppDocument:
        try:
            result = await self._upstream.request("resources/read", {"uri": uri}, timeout=_READ_TIMEOUT)
        except (RpcError, UpstreamError) as error:
            raise self._unreadable(
                "read-failed",
                f"resources/read of {uri} failed: {error}",
                "make the server answer that resource (R07)",
            ) from error
        contents = result.get("contents")
        items = [item for item in contents if isinstance(item, dict)] if isinstance(contents, list) else []
        item = next((item for item in items if item.get("uri") == uri), items[0] if items else None)
        if item is None:
            raise self._unreadable(
                "read-failed", f"resources/read of {uri} returned no contents", "return one item"
            )
        mime, mime_warning = canonical_mime(str(item.get("mimeType") or ""))
        if mime is None:
            raise self._unreadable(
                "bad-mime",
                f"{uri} has MIME type {item.get('mimeType')!r}",
                f"serve it as {MIME_TYPE!r} (R03)",
            )
        html = self._html(uri, item)
        meta, warnings = canonical_resource_meta(resource_ui_meta(item, await self._listed(uri)))
        if mime_warning is not None:
            warnings = [mime_warning, *warnings]
        return AppDocument(uri, html, meta, tuple(warnings))

    def _html(self, uri: str, item: JSONObject) -> str:
        text, blob = item.get("text"), item.get("blob")
        if isinstance(text, str):
            html = text
        elif isinstance(blob, str):
            try:
                html = base64.b64decode(blob, validate=True).decode("utf-8")
            except (binascii.Error, UnicodeDecodeError) as error:
                raise self._unreadable(
                    "read-failed",
                    f"the blob of {uri} is not base64 of UTF-8: {error}",
                    "encode the HTML as UTF-8",
                ) from error
        else:
            raise self._unreadable(
                "read-failed", f"{uri} has neither text nor blob", "return the HTML as text (R04)"
            )
        if len(html) > MAX_HTML_BYTES:
            raise self._unreadable(
                "read-failed", f"{uri} is larger than {MAX_HTML_BYTES >> 20} MiB", "make the document smaller"
            )
        return html

    async def _listed(self, uri: str) -> JSONObject | None:
        """The `resources/list` entry of this URI (D01); a server may hide it or not list at all."""
        if self._listed_meta is None:
            try:
                entries = (
                    await self._pages("resources/list", "resources") if self._offers("resources") else []
                )
            except (RpcError, UpstreamError):
                entries = []
            self._listed_meta = {str(entry.get("uri")): entry for entry in entries}
        return self._listed_meta.get(uri)

    async def _pages(self, method: str, key: str) -> list[JSONObject]:
        entries: list[JSONObject] = []
        params: JSONObject = {}
        for _ in range(_PAGE_LIMIT):
            page = await self._upstream.request(method, params, timeout=_READ_TIMEOUT)
            found = page.get(key)
            entries += (
                [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
            )
            cursor = page.get("nextCursor")
            if not isinstance(cursor, str):
                return entries
            params = {"cursor": cursor}
        raise UpstreamError(
            self._server, f"{method} has more than {_PAGE_LIMIT} pages; its nextCursor never ends"
        )

    def _offers(self, capability: str) -> bool:
        # A missing key is a server that did not say; an empty object is a plain yes.
        return self._upstream.capabilities.get(capability) is not None

    def _unreadable(self, kind: str, reason: str, remedy: str) -> AppReadError:
        return AppReadError(self._server, kind, reason, remedy)


def _read_tool(entry: JSONObject) -> Tool | None:
    name: Any = entry.get("name")
    if not isinstance(name, str) or not name:
        return None
    canonical, warnings = canonical_tool(entry)
    try:
        return Tool(canonical, ui_resource_uri(canonical), warnings=tuple(warnings))
    except MetadataError as error:
        return Tool(canonical, None, problem=str(error), warnings=tuple(warnings))
