"""What pages load of ours: a page of one view, whole in one answer, and the script for all other pages."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from fanlight.runtime import read_asset, source_digest
from fanlight.runtime.bundle import bundle

from .headers import page_headers

if TYPE_CHECKING:
    from fanlight.sandbox import Origins

    from .host import Host

__all__ = ["SCRIPTS", "page_of_one_view", "script"]

# What may be loaded by name: the element for pages, with all that it needs, and what a view speaks with. Its
# types are for editors, which look for them beside it.
SCRIPTS = ("host.js", "view.js", "view.d.ts")
_PAGE_STYLE = "page.css"


def page_of_one_view(host: Host, origins: Origins) -> Response:
    """The page that shows the view after `#`. Script and style are inline, by hash: it costs one request."""
    headers = page_headers(
        origins,
        host.allowed_permissions,
        script=" ".join(["'self'", *(f"'{source_digest(script)}'" for script in _page_scripts())]),
        style=f"'{source_digest(read_asset(_PAGE_STYLE))}'",
    )
    return HTMLResponse(_page(), headers=headers)


def _page_scripts() -> tuple[bytes, bytes]:
    """What runs as soon as it is read, and what runs when the page is there."""
    return b"(() => {\n" + bundle("early.js") + b"})();\n", bundle("page.js")


@cache
def _page() -> bytes:
    style = read_asset(_PAGE_STYLE).decode()
    early, script = (text.decode() for text in _page_scripts())
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<script>{early}</script><style>{style}</style></head>"
        f'<body><main></main><script type="module">{script}</script></body></html>'
    ).encode()


def script(host: Host, name: str) -> Callable[[Request], Awaitable[Response]]:
    """Serves one of `SCRIPTS`. A browser keeps it and asks each time whether it is still the same."""
    body = bundle(name) if name == "host.js" else read_asset(name)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'

    async def endpoint(request: Request) -> Response:
        headers = {"Cache-Control": "no-cache", "ETag": tag}
        if host.addresses.pages:  # the same file for everybody; only who may read it differs
            headers |= {"Cross-Origin-Resource-Policy": "cross-origin", "Vary": "Origin"}
            if request.headers.get("origin") in host.addresses.pages:
                headers["Access-Control-Allow-Origin"] = request.headers["origin"]
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        kind = "text/javascript" if name.endswith(".js") else "text/plain"
        return Response(body, media_type=kind, headers=headers)

    return endpoint
