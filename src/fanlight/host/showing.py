"""The frames of one view in one page: their addresses, their policies, and that each is served once."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Literal

from fanlight.runtime import inline_digest
from fanlight.sandbox import (
    CspLevel,
    CspReport,
    DomainRules,
    Origins,
    allow_attribute,
    app_label,
    authority,
    granted_permissions,
    refused_permissions,
    relay_policy,
    view_policy,
)

if TYPE_CHECKING:
    from fanlight.upstream import AppDocument

    from .addresses import Addresses
    from .view import View

__all__ = ["DocumentKind", "Frames", "Showing"]

DocumentKind = Literal["proxy", "shell", "view"]


class Frames:
    """What Python keeps under one ticket. Nothing in a request can change any of it.

    `hosts` are the origins that the host page may have; `view_origin` is None for an opaque view. What the
    view's document is, and its policy, is set once it is known.
    """

    html: str
    csp: CspReport
    permissions: dict[str, dict[str, object]]

    def __init__(
        self,
        origins: Origins,
        view_origin: str | None,
        addresses: Addresses,
        hosts: Collection[str],
        ticket: str | None = None,
    ) -> None:
        self.origins = origins
        self.view_origin = view_origin
        self.hosts = " ".join(hosts)
        # Unguessable, and worthless once the documents were served.
        self.ticket = ticket or secrets.token_urlsafe(24)
        # An opaque view is served under the proxy's name; its own header takes that origin away from it.
        self.view_url = f"{view_origin or origins.sandbox}{addresses.view_path}/view/{self.ticket}"
        # What the proxy holds: the shell, or an opaque view itself, whose parent can never be of its origin.
        self.shell_url = f"{view_origin}{addresses.view_path}/shell/{self.ticket}" if view_origin else None
        # The address that the proxy may show, and so the only one that the frame in it can ever go to.
        self.held = self.shell_url or self.view_url
        # `allow-forms` lets a view handle submit events; `form-action 'none'` stops every real post.
        self.flags = ["allow-scripts", "allow-forms", *(["allow-same-origin"] if view_origin else [])]
        self._above = f"{origins.sandbox} {self.hosts}"
        self._style = inline_digest("sandbox.css")
        self._served: set[DocumentKind] = set()

    @property
    def frame_ancestors(self) -> str:
        """Inside of whom the view's document may be shown."""
        return f"{self.view_origin} {self._above}" if self.view_origin else self._above

    @property
    def proxy_csp(self) -> str:
        return relay_policy(
            frame_url=self.held,
            frame_ancestors=self.hosts,
            script=inline_digest("sandbox.js"),
            style=self._style,
        )

    @property
    def shell_csp(self) -> str:
        return relay_policy(
            frame_url=self.view_url,
            frame_ancestors=self._above,
            script=inline_digest("shell.js"),
            style=self._style,
        )

    def take(self, kind: DocumentKind, host_header: str) -> bool:
        """May this document be served to this name? Once only: a reloaded or replaced frame finds nothing."""
        origin = self.origins.sandbox if kind == "proxy" else self.view_origin or self.origins.sandbox
        if kind in self._served or host_header.lower() != authority(origin):
            return False
        self._served.add(kind)
        return True


class Showing(Frames):
    """The frames of a view of ours in a page of ours."""

    def __init__(
        self,
        view: View,
        document: AppDocument,
        origins: Origins,
        *,
        addresses: Addresses,
        level: CspLevel,
        permissions: Collection[str],
        rules: DomainRules,
    ) -> None:
        declared = document.meta.get("domain")
        chosen = addresses.domain_origin(view.server.name, declared, origins)
        # Stable for one app of one server, so its storage survives.
        own = chosen or origins.view_origin(app_label(view.server.identity, document.uri))
        super().__init__(origins, own, addresses, [origins.host])
        self.domain_problem: str | None = None
        if declared is not None and chosen is None:
            self.domain_problem = (
                f"_meta.ui.domain {str(declared)[:100]!r} is not mapped for server {view.server.name!r}: the "
                "view has its usual origin; map it with Host(view_domains={server: {domain: origin}})"
            )
        self.view = view
        self.document = document
        self.html = document.html
        # What a view in a proxy that is not ours has, that proxy decides.
        opaque = self.view_origin is None and addresses.foreign_proxy is None
        self.permissions = granted_permissions(document.meta.get("permissions"), permissions, opaque=opaque)
        self._foreign_proxy = addresses.foreign_proxy
        self._proxy_url = f"{origins.sandbox}{addresses.sandbox_path}/sandbox/{self.ticket}"
        self.csp = view_policy(
            document.meta.get("csp"),
            level=level,
            frame_ancestors=self.frame_ancestors,
            report_uri=f"{addresses.view_path}/report/{self.ticket}",
            opaque=opaque,
            rules=rules,
        )
        # Every declared thing that does not hold, with the reason.
        self.dropped = [
            *(f"csp {source}" for source in self.csp.dropped),
            *refused_permissions(document.meta.get("permissions"), permissions, opaque=opaque),
        ]
        # How many reports of the browser were read.
        self.reports = 0

    def mount_facts(self) -> dict[str, Any]:
        """What the page needs to make the frame; `resource` is what it hands to a proxy that is not ours."""
        facts = {"origin": self.origins.sandbox, "allow": allow_attribute(self.permissions)}
        if self._foreign_proxy is None:
            return {"src": self._proxy_url, **facts}
        declared = (("csp", self.csp.applied), ("permissions", self.permissions))
        resource = {"html": self.html, **{name: value for name, value in declared if value}}
        return {"src": self._foreign_proxy.url, **facts, "resource": resource}
