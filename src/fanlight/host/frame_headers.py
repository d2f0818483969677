"""The headers of the documents in frames: what each may load, connect to and use. Strings only.

The proxy and the shell carry the same walls as the view: a view can act in the shell's name, and a wall that
one of them lacks is a way around it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanlight.sandbox import connection_allowlist, permissions_policy

if TYPE_CHECKING:
    from .showing import Frames

__all__ = ["proxy_headers", "shell_headers", "view_headers"]


def proxy_headers(frames: Frames, *own: str) -> dict[str, str]:
    """For the sandbox proxy; `own` are addresses of ours that its script asks. It has no use for features."""
    return {
        "Content-Security-Policy": frames.proxy_csp,
        "Connection-Allowlist": connection_allowlist([], [*frames.held.split(), *own]),
    }


def shell_headers(frames: Frames) -> dict[str, str]:
    """For the document that holds a view on the view's own origin."""
    return {
        "Content-Security-Policy": frames.shell_csp,
        "Connection-Allowlist": connection_allowlist([], [frames.view_url]),
        "Permissions-Policy": permissions_policy(frames.permissions),
        "Origin-Agent-Cluster": "?1",
    }


def view_headers(frames: Frames) -> dict[str, str]:
    """For the app's own document."""
    csp = frames.csp
    reports = frames.view_url.replace("/view/", "/report/")
    headers = {
        "Content-Security-Policy": csp.policy,
        "Connection-Allowlist": connection_allowlist(csp.sources(), [reports]),
        "Permissions-Policy": permissions_policy(frames.permissions),
        # Asks for a process of its own: a view that loops never freezes the host page.
        "Origin-Agent-Cluster": "?1",
    }
    if csp.beyond_strict is not None:
        headers["Content-Security-Policy-Report-Only"] = csp.beyond_strict
    return headers
