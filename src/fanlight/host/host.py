"""`Host`: what a program creates once to show MCP Apps. Connects servers, keeps views, answers for them."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from fanlight._version import __version__
from fanlight.errors import ConfigError
from fanlight.sandbox import CspLevel, Origins
from fanlight.sandbox.permissions import FEATURES
from fanlight.stores import MemoryStore
from fanlight.upstream import Catalog, ClientIdentity, ObjectTarget, Target, open_upstream, parse_target
from fanlight.upstream.base import HttpTarget, StdioTarget

from .absent import AbsentServer
from .addresses import Addresses
from .audit import AuditLog, AuditSink
from .contents import MODALITIES
from .forwarded import TrustedProxies
from .grants import Grant, Grants
from .keeping import Keeper
from .limits import ViewLimits
from .link import LinkSettings
from .link_registry import Links
from .origin_check import OriginChecks
from .policy import Policy, default_policy
from .registry import Registry
from .server import Server
from .showing import Showing
from .tap import Tap
from .theme import Theme
from .users import UserOf, Users
from .verdicts import Verdict
from .view import View, element_html

if TYPE_CHECKING:
    from ssl import SSLContext

    from starlette.types import ASGIApp

    from fanlight.stores import ViewStore
    from fanlight.upstream import AppDocument, Change

    from .sync import SyncHost

__all__ = ["AskWhom", "Host", "MessageHandler", "SamplingHandler"]

_logger = logging.getLogger("fanlight.host")

# False says that the message was not taken; the view is told so, and nothing else of the conversation.
MessageHandler = Callable[["View", list[dict[str, Any]]], Awaitable[bool | None] | bool | None]
SamplingHandler = Callable[["View", dict[str, Any]], Awaitable[dict[str, Any]] | dict[str, Any]]
AskWhom = Literal["page", "allow", "deny"]


class Host:
    """Shows the apps of MCP servers in your pages, and decides what they may do.

    Args:
        name, version: how this program introduces itself to servers and views.
        mount: the path under which `asgi()` is mounted, from the root of your program.
        policy: answers for what views ask; see `fanlight.host.policy`.
        ask: where a policy's "ask" goes: to the person at the `page`, or `allow`/`deny` where nobody is.
        limits: how often and how much one view may ask; see `ViewLimits`.
        grants: what persons asked to be remembered; give your own to load and save them.
        audit: a path for JSON lines, or a function that gets each decision as a dict in a thread of its own.
        csp_level: `compat` (default) or `strict`, the letter of the specification.
        theme: the look that views are offered; see `fanlight.host.Theme`.
        permissions: which of camera, microphone, geolocation, clipboardWrite a view may be given.
        public_url: where browsers reach your program, such as `https://chat.example.com/base`; the mount
            follows it. None for development on localhost names.
        sandbox_url: where they reach it under the sandbox proxy's name, such as `https://sandbox.example.net`.
        view_url: the same for views, `https://{app}.views.example.net`; None for opaque views.
        origins: the same three without paths, for a program that computes them.
        pages: origins of your pages that have another name or port than `public_url`.
        trusted_proxies: addresses or networks whose `X-Forwarded-Host` and `-Proto` are believed.
        user: tells whose request or socket it is; then users are kept apart, see `fanlight.host.users`.
        proxy_timeout, handshake_timeout: seconds until a view that does not come up gets a verdict.
        teardown_grace: seconds a view has to save its work before it is taken away.
        link: how long a page may be away, how much may wait for it; see `LinkSettings`.
        store: where views sleep, closed with the host; None for the memory of this process.
        idle_views, idle_seconds: how many views that no page shows stay in memory, and how long.
    """

    def __init__(
        self,
        name: str = "fanlight",
        version: str = __version__,
        *,
        mount: str = "/apps",
        policy: Policy = default_policy,
        ask: AskWhom = "page",
        limits: ViewLimits | None = None,
        grants: Grants | None = None,
        audit: AuditSink | str | Path | None = None,
        csp_level: CspLevel | str = CspLevel.COMPAT,
        theme: Theme | None = None,
        permissions: Iterable[str] = FEATURES,
        public_url: str | None = None,
        sandbox_url: str | None = None,
        view_url: str | None = None,
        origins: Origins | None = None,
        pages: Iterable[str] = (),
        trusted_proxies: Iterable[str] = (),
        user: UserOf | None = None,
        proxy_timeout: float = 15.0,
        handshake_timeout: float = 30.0,
        teardown_grace: float = 2.0,
        link: LinkSettings | None = None,
        store: ViewStore | None = None,
        idle_views: int = 200,
        idle_seconds: float = 3600.0,
    ) -> None:
        unknown = set(permissions) - set(FEATURES)
        if unknown:
            raise ConfigError(f"unknown permissions {sorted(unknown)}: choose from {list(FEATURES)}")
        try:
            self.csp_level = CspLevel(csp_level)
        except ValueError:
            raise ConfigError(f"csp_level is {csp_level!r}: choose strict or compat") from None
        self.info = {"name": name, "version": version}
        self.user_agent = f"{name}/{version}"
        if ask not in ("page", "allow", "deny"):
            raise ConfigError(f"ask is {ask!r}: choose page, allow or deny")
        self.policy = policy
        self.ask = ask
        self.limits = limits or ViewLimits()
        self.grants = Grants() if grants is None else grants
        self.audit = AuditLog(audit)
        self.theme = theme or Theme()
        self.allowed_permissions = frozenset(permissions)
        self.addresses = Addresses.of(
            mount,
            origins=origins,
            public_url=public_url,
            sandbox_url=sandbox_url,
            view_url=view_url,
            pages=pages,
        )
        self.trusted_proxies = TrustedProxies(trusted_proxies)
        self.origin_checks = OriginChecks(self.addresses)
        self.proxy_timeout = proxy_timeout
        self.handshake_timeout = handshake_timeout
        self.teardown_grace = teardown_grace
        self.link = link or LinkSettings()
        self.links = Links(self)
        self.users = Users(user)
        self.tap = Tap()
        self.servers: dict[str, Server] = {}
        self._views = Registry(idle_views, idle_seconds)
        self._keeper = Keeper(MemoryStore() if store is None else store)
        self._showings: dict[str, Showing] = {}
        self.message_handler: MessageHandler | None = None
        self.sampling_handler: SamplingHandler | None = None
        self._sampling_tools = False

    # Servers

    async def connect(self, name: str, target: object) -> Server:
        """Connect a server: a URL, a Python file, `module:object`, words to run, or an object of yours.

        An object is a server of `mcp` or `fastmcp`, a `fastmcp.Client`, or a connection that you have open
        (an `mcp.Client`, a `ClientSession`), which is used and never closed.

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
        catalog.prefetch()
        server = Server(self, name, upstream, catalog)
        self.servers[name] = server
        self._take_back(server)
        return server

    def _take_back(self, server: Server) -> None:
        """The views that waited for a server of this name have it again."""
        for view in self._views.values():
            if isinstance(view.server, AbsentServer) and view.server.name == server.name:
                view.server = server
                if view.document is None:
                    server.read_document(view)
                if view.session is not None:
                    view.session.capabilities_changed()

    def relay_change(self, server: Server, change: Change) -> None:
        """A list of a server changed: the views of that server learn it, and no others."""
        if change.kind == "document":
            return  # what is shown stays; the next showing reads it anew
        for view in self._views.values():
            if view.server is server and view.session is not None:
                view.session.list_changed(change.kind)

    async def let_go(self, server: Server) -> None:
        """Tear down what is shown of a server that is about to be closed; its views wait for it then."""
        views = [view for view in self._views.values() if view.server is server]
        await _tear_down(views, "the server is being closed")
        for view in views:
            view.server = AbsentServer(server.name)
        if self.servers.get(server.name) is server:
            del self.servers[server.name]

    async def aclose(self) -> None:
        """Tear down every view, close every server, save what changed and close the store."""
        for view in self._views.values():
            # A page that is away now cannot come back to a host that is gone: it is not waited for.
            if view.session is not None and not view.session.page_there:
                view.session.page_left = True
        await _tear_down(self._views.values(), "the host is shutting down")
        await self.links.aclose()
        await self.origin_checks.aclose()
        for server in tuple(self.servers.values()):
            await server.aclose()
        self._views.close()
        await self._keeper.aclose()
        await asyncio.to_thread(self.audit.close)

    async def __aenter__(self) -> Host:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    @staticmethod
    def sync(name: str = "fanlight", version: str = __version__, **settings: Any) -> SyncHost:
        """A host for programs without an event loop, with a thread and a local server of its own.

        Takes the settings of `Host`, and `port` and `page_name`; see `fanlight.host.sync`.
        """
        from .sync import SyncHost

        return SyncHost(name=name, version=version, **settings)

    def asgi(self) -> ASGIApp:
        """The ASGI application to mount at `mount`; Host headers tell page, proxy and views apart."""
        from .asgi import build_app

        return build_app(self)

    @property
    def mount(self) -> str:
        return self.addresses.mount

    @property
    def base(self) -> str:
        """What stands before `/host.js` in the address that your pages load it from."""
        return self.addresses.base

    async def check_origins(
        self, *, via: tuple[str, int] | None = None, ssl: SSLContext | None = None
    ) -> None:
        """Ask each public name whether it leads to this very process, and whether sockets pass.

        Args:
            via: connect there instead of where DNS points, when this machine cannot reach its public names.
            ssl: a context that trusts the certificate, if the system's does not.

        Raises:
            ConfigError: a sentence for each name that does not, with the remedy.
        """
        await self.origin_checks.check(via, ssl)

    # What views tell the program

    def on_message(self, handler: MessageHandler) -> MessageHandler:
        """Register who hears `ui/message`: `handler(view, content_blocks)`. Usable as a decorator.

        The blocks are a view's words, not the person's: mark them so for your model. Return False when the
        message was not taken.
        """
        self.message_handler = handler
        return handler

    @overload
    def on_sampling(self, handler: SamplingHandler, *, tools: bool = False) -> SamplingHandler: ...

    @overload
    def on_sampling(self, *, tools: bool = False) -> Callable[[SamplingHandler], SamplingHandler]: ...

    def on_sampling(
        self, handler: SamplingHandler | None = None, *, tools: bool = False
    ) -> Callable[[SamplingHandler], SamplingHandler] | SamplingHandler:
        """Register who answers `sampling/createMessage`: `handler(view, params)` returns the MCP result.

        Usable as a decorator, plain or with `tools=True` for a handler that understands `params["tools"]`.
        """

        def register(given: SamplingHandler) -> SamplingHandler:
            self.sampling_handler, self._sampling_tools = given, tools
            return given

        return register if handler is None else register(handler)

    def remember(self, grant: Grant) -> None:
        """Keep an answer of a person, also for what waits for the same one in other views."""
        self.grants.remember(grant)
        for view in self._views.values():
            if view.session is not None:
                view.session.gate.settle(grant)

    def store_model_context(self, view: View, params: dict[str, Any]) -> None:
        """Keep what a view wants the model to know; each update replaces the view's last one (R47)."""
        kept = {key: params[key] for key in ("content", "structuredContent") if params.get(key)}
        view.model_context = kept or None

    def context_for_next_turn(self, user: str | None = None) -> list[dict[str, Any]]:
        """What views want the model to know, one entry a view; with `user`, only that user's views.

        Each is `{source: "view", view, server, tool, content?, structuredContent?}`: a view's words, to be
        marked as such for the model. Views that were closed have no say any more.

        Raises:
            ConfigError: this host keeps users apart, and no user was given.
        """
        self.users.require(user, "context_for_next_turn()")
        return [
            {
                "source": "view",
                "view": view.id,
                "server": view.server.name,
                "tool": view.tool.name,
                **view.model_context,
            }
            for view in self._views.values()
            if view.model_context is not None
            and view.verdict is not Verdict.CLOSED
            and (user is None or view.user == user)
        ]

    # Views

    def view(self, view_id: str) -> View | None:
        """The view of that id, if there is one."""
        return self._views.get(view_id)

    def add_view(self, view: View) -> None:
        self._views.add(view)
        self._keeper.keep(view)

    async def restore(self, view_id: str, *, user: str | None = None) -> View | None:
        """The view of that id, from memory or from the store; None if there is none (of this user).

        Without its server it is shown as it was, and can use nothing of the server until one of that name is
        connected.

        Raises:
            ConfigError: this host keeps users apart, and no user was given.
            StoreError: the store cannot be read.
        """
        self.users.require(user, "restore()")
        view = self.view(view_id) or await self._keeper.restore(self, view_id)
        return view if view is not None and (user is None or view.user == user) else None

    async def wake(self, view_id: str) -> View | None:
        """The view that a page asks for, whoever asks; a store that fails is said in the log."""
        return self.view(view_id) or await self._keeper.wake(self, view_id)

    async def embed_html(self, view_id: str, *, user: str | None = None) -> str:
        """The tag of a view of an earlier day; where nothing is stored it says that the app is unavailable.

        Raises:
            ConfigError, StoreError: as `restore`.
        """
        view = await self.restore(view_id, user=user)
        return element_html(self.base, view_id, "", "App") if view is None else view.embed_html()

    async def close_view(self, view_id: str) -> bool:
        """Tear a view down and forget it, also in the store; False when there is none of that id."""
        view = self._views.pop(view_id)
        if view is not None and view.session is not None:
            await view.session.teardown("the host closed it")
        return await self._keeper.forget(view_id, view) or view is not None

    def capabilities_for(
        self, view: View, permissions: Mapping[str, Any], csp: Mapping[str, list[str]]
    ) -> dict[str, Any]:
        """What this host really does for this view, derived from what is there (promise 4)."""
        offered: dict[str, Any] = {
            "openLinks": {},
            "downloadFile": {},
            "logging": {},
            "updateModelContext": {**{kind: {} for kind in MODALITIES}, "structuredContent": {}},
        }
        server = view.server.capabilities
        if server.get("tools") is not None:
            offered["serverTools"] = _list_changed(server["tools"])
        if server.get("resources") is not None:
            offered["serverResources"] = _list_changed(server["resources"])
        if self.message_handler is not None:
            offered["message"] = {kind: {} for kind in MODALITIES}
        if self.sampling_handler is not None:
            offered["sampling"] = {"tools": {}} if self._sampling_tools else {}
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
            addresses=self.addresses,
            level=self.csp_level,
            permissions=self.allowed_permissions,
        )
        self._showings[showing.ticket] = showing
        # R16: what was declared and what holds can be reviewed later.
        policy = showing.csp.policy.partition("; report-uri ")[0]  # the rest is the ticket
        _logger.debug("view %s of %r, %s: %s", view.id, view.server.name, document.uri, policy)
        return showing

    def close_showing(self, showing: Showing) -> None:
        self._showings.pop(showing.ticket, None)

    def showing(self, ticket: str) -> Showing | None:
        return self._showings.get(ticket)


async def _tear_down(views: Iterable[View], reason: str) -> None:
    """End the showings of these views, all at the same time."""
    sessions = [view.session for view in views if view.session is not None]
    await asyncio.gather(*(session.teardown(reason) for session in sessions))


def _list_changed(capability: Mapping[str, Any]) -> dict[str, Any]:
    """Only a server that tells of its changes can have them relayed (promise 4)."""
    return {"listChanged": True} if capability.get("listChanged") is True else {}


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
