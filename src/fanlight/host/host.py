"""`Host`: what a program creates once to show MCP Apps. Connects servers, keeps views, answers for them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from fanlight._version import __version__
from fanlight.errors import ConfigError
from fanlight.sandbox import CspLevel, Origins
from fanlight.sandbox.permissions import FEATURES
from fanlight.upstream import Catalog, ClientIdentity, ObjectTarget, Target, open_upstream, parse_target
from fanlight.upstream.base import HttpTarget, StdioTarget

from .policy import Policy, default_policy
from .server import Server
from .showing import Showing
from .tap import Tap

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from fanlight.upstream import AppDocument

    from .view import View

__all__ = ["Host", "MessageHandler"]

MessageHandler = Callable[["View", list[dict[str, Any]]], Awaitable[None] | None]


class Host:
    """Shows the apps of MCP servers in your pages, and decides what they may do.

    Args:
        name, version: how this program introduces itself to servers and views.
        mount: the path under which `asgi()` is mounted.
        policy: answers for what views ask; see `fanlight.host.policy`.
        csp_level: `compat` (default) or `strict`, the letter of the specification.
        permissions: which of camera, microphone, geolocation, clipboardWrite a view may be given.
        origins: the three origins of a deployment; None for development on localhost names.
        proxy_timeout, handshake_timeout: seconds until a view that does not come up gets a verdict.
    """

    def __init__(
        self,
        name: str = "fanlight",
        version: str = __version__,
        *,
        mount: str = "/apps",
        policy: Policy = default_policy,
        csp_level: CspLevel | str = CspLevel.COMPAT,
        permissions: Iterable[str] = FEATURES,
        origins: Origins | None = None,
        proxy_timeout: float = 15.0,
        handshake_timeout: float = 30.0,
    ) -> None:
        if mount and (not mount.startswith("/") or mount.endswith("/")):
            raise ConfigError(
                f'mount is {mount!r}: it starts with "/" and does not end with it, such as "/apps"'
            )
        unknown = set(permissions) - set(FEATURES)
        if unknown:
            raise ConfigError(f"unknown permissions {sorted(unknown)}: choose from {list(FEATURES)}")
        try:
            self.csp_level = CspLevel(csp_level)
        except ValueError:
            raise ConfigError(f"csp_level is {csp_level!r}: choose strict or compat") from None
        self.info = {"name": name, "version": version}
        self.user_agent = f"{name}/{version}"
        self.mount = mount
        self.policy = policy
        self.allowed_permissions = frozenset(permissions)
        self.origins = origins
        self.proxy_timeout = proxy_timeout
        self.handshake_timeout = handshake_timeout
        self.tap = Tap()
        self.servers: dict[str, Server] = {}
        self._views: dict[str, View] = {}
        self._showings: dict[str, Showing] = {}
        self._message_handler: MessageHandler | None = None

    # Servers

    async def connect(self, name: str, target: object) -> Server:
        """Connect a server: a URL, a Python file, `module:object`, a server object, or words to run.

        Raises:
            ConfigError: the target or the name cannot be used.
            UpstreamError: the server could not be reached.
        """
        if name in self.servers:
            raise ConfigError(f"a server named {name!r} is connected already; choose another name")
        identity = ClientIdentity(self.info["name"], self.info["version"])
        upstream = await open_upstream(name, _as_target(target), identity)
        catalog = Catalog(name, upstream)
        try:
            await catalog.refresh()
        except BaseException:
            await upstream.aclose()
            raise
        server = Server(self, name, upstream, catalog)
        self.servers[name] = server
        return server

    async def aclose(self) -> None:
        """End every view and close every server."""
        sessions = [view.session for view in self._views.values() if view.session is not None]
        await asyncio.gather(*(session.teardown("the host is shutting down") for session in sessions))
        for server in tuple(self.servers.values()):
            await server.aclose()
        self.servers.clear()

    async def __aenter__(self) -> Host:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def asgi(self) -> ASGIApp:
        """The ASGI application to mount at `mount`; Host headers tell page, proxy and views apart."""
        from .asgi import build_app

        return build_app(self)

    # What views tell the program

    def on_message(self, handler: MessageHandler) -> MessageHandler:
        """Register who hears `ui/message`: `handler(view, content_blocks)`. Usable as a decorator."""
        self._message_handler = handler
        return handler

    async def deliver_message(self, view: View, params: dict[str, Any]) -> None:
        assert self._message_handler is not None  # not advertised otherwise, so the core refuses it
        outcome = self._message_handler(view, params["content"])
        if inspect.isawaitable(outcome):
            await outcome

    def store_model_context(self, view: View, params: dict[str, Any]) -> None:
        """Keep what a view wants the model to know; each update replaces the view's last one (R47)."""
        kept = {key: params[key] for key in ("content", "structuredContent") if params.get(key)}
        view.model_context = kept or None

    def context_for_next_turn(self) -> list[dict[str, Any]]:
        """What views want the model to know, one entry a view.

        Each is `{view, server, tool, content?, structuredContent?}`.
        """
        return [
            {"view": view.id, "server": view.server.name, "tool": view.tool.name, **view.model_context}
            for view in self._views.values()
            if view.model_context is not None
        ]

    # Views

    def view(self, view_id: str) -> View | None:
        """The view of that id, if there is one."""
        return self._views.get(view_id)

    def add_view(self, view: View) -> None:
        self._views[view.id] = view

    async def close_view(self, view_id: str) -> bool:
        """Tear a view down and forget it; False when there is none of that id."""
        view = self._views.pop(view_id, None)
        if view is None:
            return False
        if view.session is not None:
            await view.session.teardown("the host closed it")
        return True

    def capabilities_for(
        self, view: View, permissions: Mapping[str, Any], csp: Mapping[str, list[str]]
    ) -> dict[str, Any]:
        """What this host really does for this view, derived from what is there (promise 4)."""
        offered: dict[str, Any] = {
            "openLinks": {},
            "logging": {},
            "updateModelContext": {"text": {}, "image": {}, "structuredContent": {}},
        }
        server = view.server.capabilities
        if server.get("tools") is not None:
            offered["serverTools"] = {}
        if server.get("resources") is not None:
            offered["serverResources"] = {}
        if self._message_handler is not None:
            offered["message"] = {"text": {}, "image": {}}
        sandbox = {key: dict(value) for key, value in (("permissions", permissions), ("csp", csp)) if value}
        if sandbox:
            offered["sandbox"] = sandbox
        return offered

    # Showings: a view in a page, found by the ticket in its frames' addresses

    def open_showing(self, view: View, document: AppDocument, origins: Origins) -> Showing:
        showing = Showing(
            view,
            document,
            origins,
            mount=self.mount,
            level=self.csp_level,
            permissions=self.allowed_permissions,
        )
        self._showings[showing.ticket] = showing
        return showing

    def close_showing(self, showing: Showing) -> None:
        self._showings.pop(showing.ticket, None)

    def showing(self, ticket: str) -> Showing | None:
        return self._showings.get(ticket)


def _as_target(target: object) -> Target:
    match target:
        case HttpTarget() | StdioTarget() | ObjectTarget():
            return target
        case str():
            found = parse_target(target)
            if len(found) != 1:
                raise ConfigError(f"{target} names {len(found)} servers; connect them one by one")
            return next(iter(found.values()))
        case [str(command), *args]:
            return StdioTarget(command, tuple(str(arg) for arg in args))
        case _:
            return ObjectTarget(target)
