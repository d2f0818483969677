"""The frames of one view in one page: their addresses, their policies, and that each is served once."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

from fanlight.runtime import inline_digest
from fanlight.sandbox import (
    CspLevel,
    Origins,
    app_label,
    authority,
    granted_permissions,
    relay_policy,
    view_policy,
)

if TYPE_CHECKING:
    from fanlight.upstream import AppDocument

    from .addresses import Addresses
    from .view import View

__all__ = ["DocumentKind", "Showing"]

DocumentKind = Literal["proxy", "shell", "view"]


class Showing:
    """What Python keeps under one ticket. Nothing in a request can change any of it."""

    def __init__(
        self,
        view: View,
        document: AppDocument,
        origins: Origins,
        *,
        addresses: Addresses,
        level: CspLevel,
        permissions: Collection[str],
    ) -> None:
        self.view = view
        self.document = document
        self.origins = origins
        # Unguessable, and worthless once the documents were served.
        self.ticket = secrets.token_urlsafe(24)
        self.permissions = granted_permissions(document.meta.get("permissions"), permissions)
        # Stable for one app of one server, so its storage survives; None when views are opaque.
        self.view_origin = origins.view_origin(app_label(view.server.name, document.uri))
        self.proxy_url = f"{origins.sandbox}{addresses.sandbox_path}/sandbox/{self.ticket}"
        # An opaque view is served under the proxy's name; its own header takes that origin away from it.
        self.view_url = f"{self.view_origin or origins.sandbox}{addresses.view_path}/view/{self.ticket}"
        # What the proxy holds: the shell, or an opaque view itself, whose parent can never be of its origin.
        self.shell_url = (
            f"{self.view_origin}{addresses.view_path}/shell/{self.ticket}" if self.view_origin else None
        )
        above = f"{origins.sandbox} {origins.host}"
        self.csp = view_policy(
            document.meta.get("csp"),
            level=level,
            frame_ancestors=f"{self.view_origin} {above}" if self.view_origin else above,
            report_uri=f"{addresses.view_path}/report/{self.ticket}",
            opaque=self.view_origin is None,
        )
        style = inline_digest("sandbox.css")
        self.proxy_csp = relay_policy(
            frame_url=self.shell_url or self.view_url,
            frame_ancestors=origins.host,
            script=inline_digest("sandbox.js"),
            style=style,
        )
        self.shell_csp = relay_policy(
            frame_url=self.view_url,
            frame_ancestors=above,
            script=inline_digest("shell.js"),
            style=style,
        )
        self._served: set[DocumentKind] = set()

    def take(self, kind: DocumentKind, host_header: str) -> bool:
        """May this document be served to this name? Once only: a reloaded or replaced frame finds nothing."""
        origin = self.origins.sandbox if kind == "proxy" else self.view_origin or self.origins.sandbox
        if kind in self._served or host_header.lower() != authority(origin):
            return False
        self._served.add(kind)
        return True
