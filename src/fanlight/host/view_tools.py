"""Tools that a view provides (D11–D15): listed and called from Python, gone with the view, never kept.

What a view says of its tools is as little to be trusted as the view: a tool that does not call itself
read-only passes the policy, and for a model its name and description say where it comes from.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fanlight.errors import RpcError
from fanlight.upstream.telling import tell_each
from fanlight.wire.jsonrpc import ErrorCode

from .policy import ActionKind

if TYPE_CHECKING:
    from .session import Session

__all__ = ["ToolProvider", "ViewTool", "ViewTools", "closed_view"]

_LIST_SECONDS = 10.0
_MAX_PAGES = 50
_CHANGE_SECONDS = 1.0
_MODEL_NAME_LENGTH = 64


@dataclass(frozen=True)
class ViewTool:
    """One tool of a living view: `raw` as the view wrote it, and where it comes from."""

    raw: dict[str, Any]
    view: str
    server: str
    app: str

    @property
    def name(self) -> str:
        return str(self.raw["name"])

    @property
    def read_only(self) -> bool:
        """Whether it says that it changes nothing."""
        return self._annotations.get("readOnlyHint") is True

    @property
    def _annotations(self) -> dict[str, Any]:
        annotations = self.raw.get("annotations")
        return annotations if isinstance(annotations, dict) else {}

    @property
    def model_name(self) -> str:
        """A name that no tool of a server or of another view has, in the letters that models take."""
        own = re.sub(r"[^A-Za-z0-9_-]", "_", self.name)
        return f"view_{self.view[:8]}_{own}"[:_MODEL_NAME_LENGTH]

    def for_model(self) -> dict[str, Any]:
        """The tool in wire form under `model_name`, its description marked as the app's own words."""
        said = str(self.raw.get("description") or "")
        description = f"(Provided by the app {self.app!r} of the server {self.server!r}.) {said}".strip()
        return {**self.raw, "name": self.model_name, "description": description}


class ViewTools:
    """The tools of one showing of a view."""

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        self._session = session
        self._tell = changed
        self._tools: list[ViewTool] | None = None
        self._told_at = -_CHANGE_SECONDS
        self._telling = False

    async def listed(self) -> list[ViewTool]:
        """The tools as they are now; [] for a view that provides none.

        Raises:
            RpcError: the view did not answer, lists more than 50, or is over.
        """
        if not self._session.conversation.provides_tools:
            return []
        if self._tools is None:
            view = self._session.view
            found = await self._read_all()
            self._tools = [ViewTool(raw, view.id, view.server.name, view.tool.title) for raw in found]
        return list(self._tools)

    async def _read_all(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        for _ in range(_MAX_PAGES):
            answer = await self._read_page(cursor)
            found += answer["tools"]
            cursor = answer.get("nextCursor")
            if not isinstance(cursor, str):
                return found
        raise RpcError(ErrorCode.INTERNAL_ERROR, f"the view lists its tools on more than {_MAX_PAGES} pages")

    async def _read_page(self, cursor: str | None) -> dict[str, Any]:
        return await self._session.conversation.ask_view(
            lambda connection, now: connection.list_view_tools(now, timeout=_LIST_SECONDS, cursor=cursor)
        )

    async def call(self, name: str, arguments: dict[str, Any], timeout: float) -> dict[str, Any]:
        """Call one. The policy is asked first, with the view's own annotations of it.

        Raises:
            RpcError: there is no such tool, it is denied, it failed, it took too long, or the view is over.
            LocalProtocolError: the timeout is above what a view's tool may take.
        """
        tools = {tool.name: tool for tool in await self.listed()}
        if name not in tools:
            known = ", ".join(tools) or "none"
            raise RpcError(ErrorCode.TOOL_NOT_FOUND, f"the view provides no tool {name!r} (it has: {known})")
        session = self._session
        await session.gate.permit(
            ActionKind.VIEW_TOOL, name, arguments, annotations=tools[name].raw.get("annotations")
        )
        return await session.conversation.ask_view(
            lambda connection, now: connection.call_view_tool(name, arguments, now, timeout=timeout)
        )

    def changed(self, now: float, later: Callable[[float, Callable[[], None]], None]) -> None:
        """The view says that its tools changed: read them anew when asked; tell at most once a second."""
        self._tools = None
        if self._telling:
            return
        wait = self._told_at + _CHANGE_SECONDS - now
        if wait > 0:
            self._telling = True
            later(wait, self._tell_late)
        else:
            self._told_at = now
            self._tell()

    def _tell_late(self) -> None:
        self._telling = False
        self._told_at += _CHANGE_SECONDS
        self._tell()


class ToolProvider:
    """What a view is to a program that uses its tools."""

    id: str
    _tools_watchers: tuple[Callable[[], None], ...] = ()

    if TYPE_CHECKING:

        @property
        def session(self) -> Session | None: ...

    async def tools(self) -> list[ViewTool]:
        """The tools that this view provides, while it is shown; [] when it provides none.

        Raises:
            RpcError: the view is not shown, or did not answer.
        """
        return await self._shown().view_tools.listed()

    async def call_tool(
        self, name: str, arguments: dict[str, Any] | None = None, *, timeout: float = 30.0
    ) -> dict[str, Any]:
        """Call a tool of this view, if the policy lets it; its result as the view sent it.

        Raises:
            RpcError: the view is not shown, has no such tool, refused it or was too slow, or it was denied.
            LocalProtocolError: `timeout` is more than a view's tool may take.
        """
        return await self._shown().view_tools.call(name, arguments or {}, timeout)

    def on_tools_changed(self, watcher: Callable[[], None]) -> Callable[[], None]:
        """Call `watcher` when the view's tools changed, at most once a second; returns how to stop that."""
        self._tools_watchers += (watcher,)

        def stop() -> None:
            self._tools_watchers = tuple(kept for kept in self._tools_watchers if kept is not watcher)

        return stop

    def tools_changed(self) -> None:
        """Tell whoever watches."""
        tell_each("view.on_tools_changed()", self._tools_watchers)

    def _shown(self) -> Session:
        if self.session is None:
            raise closed_view(self.id)
        return self.session


def closed_view(view: str) -> RpcError:
    """D14: what is told to whoever calls a tool of a view that is over."""
    return RpcError(ErrorCode.CANCELLED, f"view {view} is not shown any more: its tools are gone with it")
