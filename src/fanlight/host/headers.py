"""The headers that every answer of ours carries, and those of a page of ours. Strings only, no framework."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, MutableMapping
from typing import Any

from fanlight.sandbox import Origins
from fanlight.sandbox.permissions import FEATURES

__all__ = ["SECURITY_HEADERS", "add_headers", "page_headers", "page_policy"]

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]

# What an answer has that says nothing else: an error, a script, a report. A document brings its own policy.
SECURITY_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_BYTES = [(name.lower().encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
# Features that neither a page of ours nor a view has a use for.
_NEVER = (
    "accelerometer", "display-capture", "gyroscope", "hid", "idle-detection", "magnetometer",
    "midi", "payment", "publickey-credentials-get", "screen-wake-lock", "serial", "usb",
    "xr-spatial-tracking",
)  # fmt: skip


def page_headers(
    origins: Origins, permissions: Collection[str], *, script: str = "'self'", style: str = "'self'"
) -> dict[str, str]:
    """The headers of a host page that we serve; `permissions` is what this host may give to views.

    `script` and `style` are its only sources of these: our files, or what stands in the page, by hash.

    No Cross-Origin-Embedder-Policy: it would ask every app's document to opt in.
    """
    return {
        "Content-Security-Policy": page_policy(origins, script, style),
        "Permissions-Policy": _page_permissions(origins, permissions),
        # A page that opened this one, or that it opens, has no hold on its window.
        "Cross-Origin-Opener-Policy": "same-origin",
    }


def page_policy(origins: Origins, script: str = "'self'", style: str = "'self'") -> str:
    """The policy of a host page of ours: our files, our socket, one foreign frame, no markup from text."""
    return (
        f"default-src 'none'; script-src {script}; style-src {style}; img-src 'self' data:; "
        f"connect-src 'self'; frame-src {origins.sandbox}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _page_permissions(origins: Origins, allowed: Collection[str]) -> str:
    """What a view may be given must pass through the page and the sandbox; everything else is off."""
    rows = [
        f'{feature}=(self "{origins.sandbox}")' if name in allowed else f"{feature}=()"
        for name, feature in FEATURES.items()
    ]
    return ", ".join([*rows, *(f"{feature}=()" for feature in _NEVER)])


def add_headers(send: Send) -> Send:
    """Put the security headers on every HTTP answer that goes through `send`, also to a refused socket."""

    async def with_headers(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            given = list(message.get("headers", ()))
            present = {key.lower() for key, _ in given}
            message = {**message, "headers": given + [pair for pair in _BYTES if pair[0] not in present]}
        await send(message)

    return with_headers
