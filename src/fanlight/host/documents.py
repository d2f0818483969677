"""The documents of a showing: the proxy page and the view itself, each served once to the right name.

The policy is what Python kept under the ticket. Nothing in the request chooses it.
"""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from fanlight.runtime import read_asset
from fanlight.sandbox import allow_attribute, permissions_policy

if TYPE_CHECKING:
    from .host import Host
    from .showing import DocumentKind, Showing

__all__ = ["Documents"]

_MAX_REPORT_BYTES = 64 * 1024
_MAX_VIOLATIONS = 200
_GONE = "This address was used already or never existed. Open the app again from its host page."


class Documents:
    """Serves the frames of live showings."""

    def __init__(self, host: Host) -> None:
        self._host = host

    async def proxy(self, request: Request) -> Response:
        """The sandbox proxy's page; what its script needs stands in the document."""
        showing = self._take(request, "proxy")
        if showing is None:
            return _gone()
        facts = {
            "host": showing.origins.host,
            "view": showing.shell_url or showing.view_url,
            "view-origin": showing.view_origin or "null",
            "shell": "yes" if showing.shell_url else "",
            **_frame_facts(showing),
        }
        page = _relay_page("App sandbox", facts, "sandbox.js")
        return HTMLResponse(page, headers={"Content-Security-Policy": showing.proxy_csp})

    async def shell(self, request: Request) -> Response:
        """The document on the view's origin that holds the view."""
        showing = self._take(request, "shell")
        if showing is None:
            return _gone()
        facts = {"proxy": showing.origins.sandbox, "view": showing.view_url, **_frame_facts(showing)}
        page = _relay_page("App", facts, "shell.js")
        headers = {"Content-Security-Policy": showing.shell_csp, "Origin-Agent-Cluster": "?1"}
        return HTMLResponse(page, headers=headers)

    async def view(self, request: Request) -> Response:
        """The app's own document, byte for byte, under its policy."""
        showing = self._take(request, "view")
        if showing is None:
            return _gone()
        headers = {
            "Content-Security-Policy": showing.csp.policy,
            "Permissions-Policy": permissions_policy(showing.permissions),
            # Asks for a process of its own: a view that loops never freezes the host page.
            "Origin-Agent-Cluster": "?1",
        }
        return HTMLResponse(showing.document.html.encode("utf-8", "replace"), headers=headers)

    async def report(self, request: Request) -> Response:
        """The browser reports what a view's policy refused."""
        showing = self._host.showing(request.path_params["ticket"])
        if showing is None or len(showing.view.violations) >= _MAX_VIOLATIONS:
            return Response(status_code=204)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MAX_REPORT_BYTES:
                return PlainTextResponse("report too large", status_code=413)
        violation = _violation(body)
        if violation is not None:
            showing.view.violated(violation)
        return Response(status_code=204)

    def _take(self, request: Request, kind: DocumentKind) -> Showing | None:
        """The showing of this ticket, if this document may be served to this name now."""
        showing = self._host.showing(request.path_params["ticket"])
        if showing is None or not showing.take(kind, request.headers.get("host", "")):
            return None
        return showing


def _frame_facts(showing: Showing) -> dict[str, str]:
    """What the frame below may do, for the proxy's script and the shell's."""
    return {
        "allow": allow_attribute(showing.permissions),
        # `allow-forms` lets a view handle submit events; `form-action 'none'` stops every real post.
        "sandbox": "allow-scripts allow-forms" + (" allow-same-origin" if showing.view_origin else ""),
    }


def _relay_page(title: str, facts: dict[str, str], script: str) -> str:
    """A document of ours that holds one frame; script and style are inline, by hash, to cost no request."""
    data = " ".join(f'data-{name}="{escape(value)}"' for name, value in facts.items())
    style, code = read_asset("sandbox.css").decode(), read_asset(script).decode()
    return (
        f'<!doctype html><html lang="en" {data}><head><meta charset="utf-8"><title>{title}</title>'
        f'<style>{style}</style></head><body><script type="module">{code}</script></body></html>'
    )


def _gone() -> Response:
    return PlainTextResponse(_GONE, status_code=404)


def _violation(body: bytes) -> dict[str, Any] | None:
    try:
        report = json.loads(body)["csp-report"]
        directive = report.get("effective-directive") or report.get("violated-directive")
        facts = {
            "directive": directive,
            "blocked": report.get("blocked-uri"),
            "sample": report.get("script-sample"),
        }
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
    return {key: value[:500] for key, value in facts.items() if isinstance(value, str) and value}
