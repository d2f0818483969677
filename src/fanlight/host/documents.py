"""The documents of frames: the proxy page, the shell and the view itself, each served once to the right name.

The policy is what Python kept under the ticket. Nothing in the request chooses it.
"""

from __future__ import annotations

import asyncio
from html import escape
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from fanlight.runtime import read_asset
from fanlight.sandbox import allow_attribute

from .frame_headers import proxy_headers, shell_headers, view_headers
from .guard import Refusal, stranger
from .handover import HandOver
from .reported import MAX_REPORTS

if TYPE_CHECKING:
    from .host import Host
    from .showing import DocumentKind, Frames

__all__ = ["Documents"]

_MAX_REPORT_BYTES = 64 * 1024
_REPORT_SECONDS = 30.0
# An opaque view is of no origin: the browser would write an error into its console for each report it sent.
_REPORTED = {"Cross-Origin-Resource-Policy": "cross-origin"}
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
            "hosts": showing.hosts,
            "view": showing.shell_url or showing.view_url,
            "view-origin": showing.view_origin or "null",
            "shell": "yes" if showing.shell_url else "",
            **_frame_facts(showing),
        }
        return _proxy_page(showing, facts)

    async def foreign_proxy(self, request: Request) -> Response:
        """The proxy's page for a host that is not ours; it gets its view by the specification's handshake."""
        if not _for_a_frame(request):
            return _gone()
        made = self._host.hand_overs.open(request.headers.get("host", "").lower(), request.url.scheme)
        if isinstance(made, Refusal):
            return _refused(made)
        return _proxy_page(made, {"hosts": made.hosts, "handover": made.url}, made.url)

    async def hand_over(self, request: Request) -> Response:
        """The proxy's page brings the HTML that its host gave it. Only that page can: it has the key."""
        length = request.headers.get("content-length", "")
        refusal = stranger(request.scope, self._sandbox_names(request), origin_needed=True)
        if refusal is None and request.headers.get("content-type") != "application/json":
            refusal = Refusal(415, "The HTML of an app comes as application/json.\n")
        if refusal is not None:
            return _refused(refusal)
        facts = await self._host.hand_overs.take(
            request.headers.get("host", "").lower(),
            request.url.scheme,
            request.path_params["key"],
            int(length) if length.isdecimal() else None,
            request.stream(),
        )
        return _refused(facts) if isinstance(facts, Refusal) else JSONResponse(facts)

    async def shell(self, request: Request) -> Response:
        """The document on the view's origin that holds the view."""
        showing = self._take(request, "shell")
        if showing is None:
            return _gone()
        facts = {"proxy": showing.origins.sandbox, "view": showing.view_url, **_frame_facts(showing)}
        page = _relay_page("App", facts, "shell.js")
        return HTMLResponse(page, headers=shell_headers(showing))

    async def view(self, request: Request) -> Response:
        """The app's own document, byte for byte, under its policy."""
        showing = self._take(request, "view")
        if showing is None:
            return _gone()
        if isinstance(showing, HandOver):
            self._host.hand_overs.forget(showing)
        return HTMLResponse(showing.html.encode("utf-8", "replace"), headers=view_headers(showing))

    async def report(self, request: Request) -> Response:
        """The browser reports what a view's policy refused."""
        showing = self._host.showings.reporting(request.path_params["ticket"])
        if showing is None or showing.reports >= MAX_REPORTS:
            return Response(status_code=204, headers=_REPORTED)
        showing.reports += 1
        body = b""
        try:
            async with asyncio.timeout(_REPORT_SECONDS):
                async for chunk in request.stream():
                    body += chunk
                    if len(body) > _MAX_REPORT_BYTES:
                        return PlainTextResponse("report too large", status_code=413)
        except TimeoutError:
            return PlainTextResponse(f"the report did not end within {_REPORT_SECONDS:g} s", status_code=408)
        self._host.showings.report(showing, body)
        return Response(status_code=204, headers=_REPORTED)

    def _take(self, request: Request, kind: DocumentKind) -> Frames | None:
        """The frames of this ticket, if this document may be served to this name now."""
        ticket = request.path_params["ticket"]
        frames = self._host.showings.get(ticket) or self._host.hand_overs.get(ticket)
        if frames is None or not _for_a_frame(request):
            return None
        return frames if frames.take(kind, request.headers.get("host", "")) else None

    def _sandbox_names(self, request: Request) -> set[str]:
        """The origin that a proxy page for foreign hosts has under the name of this request."""
        name = request.headers.get("host", "").lower()
        return {one.sandbox for one in self._host.addresses.proxy_origins(name, request.url.scheme)}


def _for_a_frame(request: Request) -> bool:
    """Browsers say what they want a document for: ours are shown in frames and nowhere else."""
    return request.headers.get("sec-fetch-dest", "iframe") == "iframe"


def _frame_facts(frames: Frames) -> dict[str, str]:
    """What the frame below may do, for the proxy's script and the shell's."""
    return {"allow": allow_attribute(frames.permissions), "sandbox": " ".join(frames.flags)}


def _proxy_page(frames: Frames, facts: dict[str, str], *own: str) -> Response:
    """The proxy's page; `own` are addresses of ours that its script asks."""
    page = _relay_page("App sandbox", facts, "sandbox.js")
    return HTMLResponse(page, headers=proxy_headers(frames, *own))


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


def _refused(refusal: Refusal) -> Response:
    return PlainTextResponse(refusal.text, status_code=refusal.status)
