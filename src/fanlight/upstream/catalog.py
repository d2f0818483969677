"""What a server offers: its tools, which of them are apps, and each app's document; kept up to date.

Reading is tolerant (every dialect's metadata), the outcome is canonical. A document that cannot be
shown raises `AppReadError`, whose `kind` is the verdict that a person will see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from fanlight.errors import FanlightError, RpcError, UnknownToolError, UpstreamError
from fanlight.wire.jsonrpc import ErrorCode

from .base import JSONObject, Upstream, UpstreamState
from .documents import AppDocument, AppReadError, document_from
from .limits import ServerLimits
from .paging import read_list
from .telling import tell_each
from .tools import Tool, read_tools

__all__ = ["Catalog", "Change"]

_SETTLE = 0.05  # servers announce changes in bursts
_READS_AT_ONCE = 4
_ASK_AGAIN = 5.0  # after a list that failed; twice as long each time
_LONGEST_PAUSE = 60.0


@dataclass(frozen=True)
class Change:
    """Something is not as it was: the tools, the resources, or one document (whose `uri` is given)."""

    kind: Literal["tools", "resources", "document"]
    uri: str | None = None


ChangeHandler = Callable[[Change], None]


class Catalog:
    """The tools of one server, and its app documents, read once and kept until the server says otherwise."""

    def __init__(self, server: str, upstream: Upstream, limits: ServerLimits | None = None) -> None:
        self._server = server
        self._limits = limits or ServerLimits()
        self._upstream = upstream
        self._tools: dict[str, Tool] = {}
        self._listed_meta: dict[str, JSONObject] | None = None
        self._listing = asyncio.Lock()
        self._list_not_before = 0.0
        self._list_changes = 0
        self._failed_listings = 0
        self._documents: dict[str, AppDocument] = {}
        self._reads: dict[str, asyncio.Task[AppDocument]] = {}
        self._stale: set[Change] = set()
        self._refreshing: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._handlers: list[ChangeHandler] = []
        self._followed: frozenset[str] = frozenset()
        self._closed = False
        upstream.on_notification(self._heard)
        upstream.on_state(self._state_changed)

    async def refresh(self) -> None:
        """List the tools again and forget cached documents."""
        await self._list_tools()
        self._forget_documents()

    @property
    def tools(self) -> list[Tool]:
        return list(self._tools.values())

    def tool(self, name: str) -> Tool:
        """The tool of that name, or UnknownToolError that lists the names there are."""
        try:
            return self._tools[name]
        except KeyError:
            raise UnknownToolError(self._server, name, list(self._tools)) from None

    def on_change(self, handler: ChangeHandler) -> None:
        """Call `handler(change)` after the server said that something changed, and the catalog knows it."""
        self._handlers.append(handler)

    # Documents

    async def document(self, tool: Tool) -> AppDocument:
        """Read the app's HTML (R17), from the cache if it was read before.

        Raises:
            AppReadError: it cannot be shown.
        """
        if tool.problem is not None:
            raise AppReadError(
                self._server, "read-failed", tool.problem, "correct the tool's _meta.ui.resourceUri"
            )
        if tool.resource_uri is None:
            raise AppReadError(
                self._server,
                "no-ui",
                f"tool {tool.name!r} has no app",
                "link the tool to a ui:// resource",
            )
        return await self._document(tool.resource_uri)

    def prefetch(self) -> None:
        """Read the documents of the first apps in the background, a few at a time.

        What fails is told to who asks for it.
        """
        self._start(self._prefetch(sorted(self._app_uris())[: self._limits.documents]))
        self._start(self._watch())

    def follow(self, uris: Iterable[str]) -> None:
        """Hear of changes of these resources too from now on, in the place of those of the last call."""
        self._followed = frozenset(uris)
        self._start(self._watch())

    async def _watch(self) -> None:
        await self._upstream.watch(self._app_uris() | self._followed)

    def _app_uris(self) -> set[str]:
        return {tool.resource_uri for tool in self._tools.values() if tool.resource_uri is not None}

    async def _prefetch(self, uris: list[str]) -> None:
        room = asyncio.Semaphore(_READS_AT_ONCE)

        async def one(uri: str) -> None:
            async with room:
                await self._document(uri)

        await asyncio.gather(*(one(uri) for uri in uris), return_exceptions=True)

    async def _document(self, uri: str) -> AppDocument:
        if uri in self._documents:
            return self._documents[uri]
        reading = self._reads.get(uri)
        if reading is None:
            # One read for all who ask; it goes on when the first of them gives up.
            reading = self._reads[uri] = asyncio.create_task(self._read(uri))
            reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        return await asyncio.shield(reading)

    async def _read(self, uri: str) -> AppDocument:
        me = asyncio.current_task()
        try:
            seconds = self._limits.read_seconds
            result = await self._upstream.request(
                "resources/read", {"uri": uri}, timeout=seconds, limit=seconds
            )
            listed = await self._listed(uri)
            document = document_from(self._server, uri, result, listed, self._limits.document_size)
            # Without its list entry the document is shown, but not kept as if it had none.
            if self._reads.get(uri) is me and self._listed_meta is not None:
                self._keep(document)
            return document
        except (RpcError, UpstreamError) as error:
            if isinstance(error, AppReadError):
                raise
            raise AppReadError(
                self._server,
                "read-failed",
                f"resources/read of {uri} failed: {error}",
                "make the server answer that resource (R07)",
            ) from error
        finally:
            if self._reads.get(uri) is me:
                del self._reads[uri]

    def _keep(self, document: AppDocument) -> None:
        """Have it at hand for the next time; the oldest make room."""
        self._documents[document.uri] = document
        while sum(kept.size for kept in self._documents.values()) > self._limits.kept_size:
            del self._documents[next(iter(self._documents))]

    def _forget_documents(self, uri: str | None = None) -> None:
        """Read again when asked; a read that began before is not trusted either."""
        if uri is None:
            self._documents.clear()
            self._reads.clear()
            self._listed_meta = None
            self._list_not_before = 0.0
            self._list_changes += 1
        else:
            self._documents.pop(uri, None)
            self._reads.pop(uri, None)

    # Changes

    def _heard(self, method: str, params: JSONObject) -> None:
        match method:
            case "notifications/tools/list_changed":
                self._changed(Change("tools"))
            case "notifications/resources/list_changed":
                self._changed(Change("resources"))
            case "notifications/resources/updated":
                self._changed(Change("document", str(params.get("uri"))))

    def _state_changed(self, state: UpstreamState, reason: str | None) -> None:
        if state is UpstreamState.CONNECTED:  # again: whatever changed meanwhile was not told
            followed = [Change("document", uri) for uri in self._followed]
            self._changed(Change("tools"), Change("resources"), *followed)

    def _changed(self, *changes: Change) -> None:
        if self._closed:
            return
        self._stale.update(changes)
        if self._refreshing is None or self._refreshing.done():
            self._refreshing = self._start(self._catch_up())

    async def _catch_up(self) -> None:
        while self._stale:
            await asyncio.sleep(_SETTLE)
            changes, self._stale = self._stale, set()
            for change in changes:
                if change.kind != "tools":
                    self._forget_documents(change.uri)
            if Change("tools") in changes:
                try:
                    await self._list_tools()
                    self._failed_listings = 0
                except FanlightError:
                    changes.discard(Change("tools"))  # the old list stands until the server can be asked
                    self._start(self._list_tools_later())
            self.prefetch()
            for change in sorted(changes, key=lambda change: (change.kind, change.uri or "")):
                tell_each("catalog.on_change()", self._handlers, change)

    async def _list_tools_later(self) -> None:
        pause = min(_LONGEST_PAUSE, _ASK_AGAIN * 2 ** min(self._failed_listings, 10))
        self._failed_listings += 1
        await asyncio.sleep(pause)
        if self._upstream.state is UpstreamState.CONNECTED:  # else it is asked when it is back
            self._changed(Change("tools"))

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled():
            task.exception()

    async def aclose(self) -> None:
        """Stop following the server."""
        self._closed = True
        tasks = [*self._background, *self._reads.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Lists

    async def _list_tools(self) -> None:
        entries = await self._pages("tools/list", "tools") if self._offers("tools") else []
        self._tools = read_tools(entries)

    async def _listed(self, uri: str) -> JSONObject | None:
        """The `resources/list` entry of this URI (D01); a server may hide it or not list at all."""
        async with self._listing:
            now = asyncio.get_running_loop().time
            for _ in range(2):  # once more if it changed meanwhile; a server may say so all the time
                if self._listed_meta is not None or now() < self._list_not_before:
                    break
                changes = self._list_changes
                try:
                    entries = await self._list_resources()
                    if changes == self._list_changes:
                        self._listed_meta = {str(entry.get("uri")): entry for entry in entries}
                except FanlightError:
                    self._list_not_before = now() + _ASK_AGAIN
                    break
            return (self._listed_meta or {}).get(uri)

    async def _list_resources(self) -> list[JSONObject]:
        try:
            return await self._pages("resources/list", "resources") if self._offers("resources") else []
        except RpcError as error:
            if error.code == ErrorCode.METHOD_NOT_FOUND:
                return []
            raise

    async def _pages(self, method: str, key: str) -> list[JSONObject]:
        return await read_list(self._server, self._upstream, method, key, self._limits)

    def _offers(self, capability: str) -> bool:
        # A missing key is a server that did not say; an empty object is a plain yes.
        return self._upstream.capabilities.get(capability) is not None
