"""`Host`: what a program creates once to show MCP Apps. Connects servers, keeps views, answers for them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

from fanlight._version import __version__
from fanlight.errors import ConfigError
from fanlight.sandbox import CspLevel, DomainRules, Origins
from fanlight.sandbox.permissions import FEATURES
from fanlight.stores import MemoryStore
from fanlight.upstream import (
    Catalog,
    Change,
    ClientIdentity,
    ServerLimits,
    as_target,
    identity_of,
    open_upstream,
)
from fanlight.upstream.doors import CONNECT_TIMEOUT

from .absent import AbsentServer
from .addresses import Addresses, Domains
from .audit import AuditLog, AuditSink
from .forwarded import TrustedProxies
from .grants import Grant, Grants
from .handover import HandOvers
from .keeping import Keeper
from .limits import ViewLimits
from .link import LinkSettings
from .link_registry import Links
from .model_context import context_of
from .origin_check import OriginChecks
from .pins import Pins
from .policy import Policy, default_policy
from .registry import Registry
from .returning import Returning
from .server import Server
from .showings import Showings
from .sockets import Sockets
from .tap import Tap
from .theme import Theme
from .users import UserOf, Users
from .view import View, element_html

if TYPE_CHECKING:
    from ssl import SSLContext

    from starlette.types import ASGIApp

    from fanlight.stores import ViewStore
    from fanlight.upstream import Upstream

    from .sync import SyncHost

__all__ = ["AskWhom", "Host", "MessageHandler", "SamplingHandler"]

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
        server_limits: how much of a server is read and how long that may take; see `ServerLimits`.
        grants: what persons asked to be remembered; give your own to load and save them.
        audit: a path for JSON lines, or a function that gets each decision as a dict in a thread of its own.
        pins: what apps were when they were first shown; a changed one is shown only after a yes.
        csp_level: `compat` (default) or `strict`, the letter of the specification.
        theme: the look that views are offered; see `fanlight.host.Theme`.
        permissions: which of camera, microphone, geolocation, clipboardWrite a view may be given.
        allow_domains: of the domains that servers declare, only these are let through; None: all.
        block_domains: these never are, whatever is allowed. Both hold sources such as `https://*.example.com`.
        public_url: where browsers reach your program, such as `https://chat.example.com/base`; the mount
            follows it. None for development on localhost names.
        sandbox_url: where they reach it under the sandbox proxy's name, such as `https://sandbox.example.net`.
        view_url: the same for views, `https://{app}.views.example.net`; None for opaque views.
        origins: the same three without paths, for a program that computes them.
        pages: origins of your pages that have another name or port than `public_url`.
        view_domains: for each server, which of your origins an app gets that declares a domain.
        proxy_for: origins of hosts that are not Fanlight and may use its sandbox proxy, at `/proxy`.
        sandbox_proxy: the page of another sandbox proxy to show views in, instead of ours.
        trusted_proxies: addresses or networks whose `X-Forwarded-Host` and `-Proto` are believed.
        user: tells whose request or socket it is; then users are kept apart, see `fanlight.host.users`.
        proxy_timeout, handshake_timeout: seconds until a view that does not come up gets a verdict.
        teardown_grace: seconds a view has to save its work before it is taken away; a person who is asked
            whether it may gets up to 15 more.
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
        server_limits: ServerLimits | None = None,
        grants: Grants | None = None,
        audit: AuditSink | str | Path | None = None,
        pins: Pins | None = None,
        csp_level: CspLevel | str = CspLevel.COMPAT,
        theme: Theme | None = None,
        permissions: Iterable[str] = FEATURES,
        allow_domains: Iterable[str] | None = None,
        block_domains: Iterable[str] = (),
        public_url: str | None = None,
        sandbox_url: str | None = None,
        view_url: str | None = None,
        origins: Origins | None = None,
        pages: Iterable[str] = (),
        view_domains: Domains | None = None,
        proxy_for: Iterable[str] = (),
        sandbox_proxy: str | None = None,
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
        self.allowed_permissions = frozenset(permissions)
        unknown = self.allowed_permissions - set(FEATURES)
        if unknown:
            raise ConfigError(f"unknown permissions {sorted(unknown)}: choose from {list(FEATURES)}")
        self.domain_rules = DomainRules.of(allow_domains, block_domains)
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
        self.server_limits = server_limits or ServerLimits()
        self.grants = Grants() if grants is None else grants
        self.audit = AuditLog(audit)
        self.pins = pins
        self.theme = theme or Theme()
        self.addresses = Addresses.of(
            mount,
            origins=origins,
            public_url=public_url,
            sandbox_url=sandbox_url,
            view_url=view_url,
            pages=pages,
            view_domains=view_domains,
            proxy_for=proxy_for,
            sandbox_proxy=sandbox_proxy,
        )
        self.trusted_proxies = TrustedProxies(trusted_proxies)
        self.origin_checks = OriginChecks(self.addresses)
        self.proxy_timeout = proxy_timeout
        self.handshake_timeout = handshake_timeout
        self.teardown_grace = teardown_grace
        self.link = link or LinkSettings()
        self.links = Links(self)
        self.sockets = Sockets(self.link)
        self.users = Users(user)
        self.tap = Tap()
        self.servers: dict[str, Server] = {}
        self.returning = Returning(self.servers)
        self._connecting: set[str] = set()
        self._closed = False
        self._views = Registry(idle_views, idle_seconds)
        self._keeper = Keeper(MemoryStore() if store is None else store)
        self.showings = Showings(self)
        self.hand_overs = HandOvers(self)
        self.message_handler: MessageHandler | None = None
        self.sampling_handler: SamplingHandler | None = None
        self.sampling_tools = False

    # Servers

    async def connect(
        self, name: str, target: object, *, identity: str | None = None, timeout: float = CONNECT_TIMEOUT
    ) -> Server:
        """Connect a server: a URL, a Python file, `module:object`, words to run, or an object of yours.

        An object is a server of `mcp` or `fastmcp`, a `fastmcp.Client`, or a connection that you have open
        (an `mcp.Client`, a `ClientSession`), which is used and never closed. Opening it may take `timeout`
        seconds; give more where a person signs in meanwhile or a package is downloaded.

        Storage of apps, remembered answers and stored views belong to this name and target. `identity` names
        the server instead: give it where the target changes and the server is the same to you.

        Raises:
            ConfigError: the target or the name cannot be used.
            UpstreamError: the server could not be reached.
        """
        if name in self.servers or name in self._connecting:
            raise ConfigError(f"a server named {name!r} is connected already; choose another name")
        found = as_target(target)
        self._connecting.add(name)
        try:
            opened = await self.open_upstream(name, found, timeout)
        finally:
            self._connecting.discard(name)
        server = Server(self, name, *opened, identity or identity_of(name, found))
        self.servers[name] = server
        await self.returning.connected(server, self._views.values())
        return server

    async def open_upstream(
        self, name: str, target: object, timeout: float = CONNECT_TIMEOUT
    ) -> tuple[Upstream, Catalog]:
        """Connect to a server and list what it offers.

        Raises:
            ConfigError: this host is closed, perhaps since it was asked.
        """
        self._require_open()
        identity = ClientIdentity(self.info["name"], self.info["version"])
        upstream = await open_upstream(name, as_target(target), identity, timeout=timeout)
        catalog = Catalog(name, upstream, self.server_limits)
        try:
            await catalog.refresh()
            self._require_open()
        except BaseException:
            await upstream.aclose()
            raise
        catalog.prefetch()
        return upstream, catalog

    async def show_anew(self, server: Server) -> None:
        """A server runs anew: its views learn of its lists, and show what differs."""
        views = [view for view in self._views.values() if view.server is server]
        for view in views:
            if view.session is not None:
                view.session.conversation.capabilities_changed()
        for kind in ("tools", "resources"):
            self.relay_change(server, Change(kind))
        await asyncio.gather(*(server.read_anew(view) for view in views))

    def relay_change(self, server: Server, change: Change) -> None:
        """A list of a server changed: the views of that server learn it, and no others."""
        if change.kind == "document":
            # An app that is shown stays; its next showing reads it anew.
            server.subscriptions.updated(str(change.uri))
            return
        for view in self._views.values():
            if view.server is server and view.session is not None:
                view.session.conversation.list_changed(change.kind)

    async def let_go(self, server: Server) -> None:
        """Tear down what is shown of a server that is about to be closed; its views wait for it then."""
        views = [view for view in self._views.values() if view.server is server]
        await _tear_down(views, "the server is being closed")
        for view in views:
            view.server = AbsentServer(server.name, server.identity)
        if self.servers.get(server.name) is server:
            del self.servers[server.name]

    def _require_open(self) -> None:
        if self._closed:
            raise ConfigError("this host is closed and connects to nothing any more; make a new Host")

    async def aclose(self) -> None:
        """Tear down every view, close every server, save what changed and close the store.

        A closed host stays closed. What is being connected meanwhile is closed too.
        """
        self._closed = True
        for view in self._views.values():
            # A page that is away now cannot come back to a host that is gone: it is not waited for.
            if view.session is not None and not view.session.page_there:
                view.session.page_left = True
        await _tear_down(self._views.values(), "the host is shutting down")
        await self.links.aclose()
        await self.returning.aclose()
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

        Takes the settings of `Host`, and `port`, `page_name` and `messages`; see `fanlight.host.sync`.
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
            self.sampling_handler, self.sampling_tools = given, tools
            return given

        return register if handler is None else register(handler)

    def remember(self, grant: Grant) -> None:
        """Keep an answer of a person, also for what waits for the same one in other views."""
        self.grants.remember(grant)
        for view in self._views.values():
            if view.session is not None:
                view.session.gate.settle(grant)

    def context_for_next_turn(self, user: str | None = None) -> list[dict[str, Any]]:
        """What views want the model to know, one entry a view; with `user`, only that user's views.

        Each is `{source: "view", view, server, tool, content?, structuredContent?}`: a view's words, to be
        marked as such for the model. Views that were closed have no say any more.

        Raises:
            ConfigError: this host keeps users apart, and no user was given.
        """
        self.users.require(user, "context_for_next_turn()")
        return context_of(self._views.values(), user)

    # Views

    def view(self, view_id: str, *, user: str | None = None) -> View | None:
        """The view of that id, if there is one in memory (of this user, where one is given)."""
        view = self._views.get(view_id)
        return view if view is not None and (user is None or view.user == user) else None

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
        """The view that a page asks for, whoever asks; a store that fails is said in the log.

        Raises:
            StoreError: nobody knows whether there is one.
        """
        return self.view(view_id) or await self._keeper.wake(self, view_id)

    async def embed_html(self, view_id: str, *, user: str | None = None) -> str:
        """The tag of a view of an earlier day; where nothing is stored it says that the app is unavailable.

        Raises:
            ConfigError, StoreError: as `restore`.
        """
        view = await self.restore(view_id, user=user)
        return element_html(self.base, view_id, "", "App") if view is None else view.embed_html()

    async def close_view(self, view_id: str, *, user: str | None = None) -> bool:
        """Tear a view down and forget it, also in the store; it never comes back.

        False when there is none of that id (of this user, where one is given).
        """
        if user is not None and await self.restore(view_id, user=user) is None:
            return False
        self._keeper.refuse(view_id)
        view = self._views.pop(view_id)
        if view is not None and view.session is not None:
            await view.session.ending.teardown("the host closed it")
        return await self._keeper.forget(view_id, view) or view is not None


async def _tear_down(views: Iterable[View], reason: str) -> None:
    """End the showings of these views, all at the same time."""
    sessions = [view.session for view in views if view.session is not None]
    await asyncio.gather(*(session.ending.teardown(reason) for session in sessions))
