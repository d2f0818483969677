"""The walls, each with the attack that gets through when it is taken away.

`behind` names what stands behind a wall and had to go as well: one of them alone would still have held.
"""

from __future__ import annotations

from dataclasses import dataclass

from arena import OPAQUE, OWN_ORIGIN
from edits import Edit, csp, drop_header, text

__all__ = ["IN_FRAMES", "Mutation"]

VIEW, SHELL, PROXY, PAGE_SCRIPT = "/view/", "/shell/", "/sandbox/", "/apps/host.js"
ALLOWLIST = "Connection-Allowlist"
_OPEN_VIEW = drop_header(VIEW, "connection-allowlist")
_OPEN_SHELL = drop_header(SHELL, "connection-allowlist")
_OPEN_PROXY = drop_header(PROXY, "connection-allowlist")
_ANYTHING = r"\1 * data: blob: 'unsafe-inline'"


@dataclass(frozen=True)
class Mutation:
    """One wall taken away from the frames of one view."""

    wall: str
    notices: str
    edits: tuple[Edit, ...]
    behind: str = ""
    name: str = OWN_ORIGIN


def _directive(name: str, attack: str, *more: Edit, also: str = "") -> Mutation:
    behind = f"{ALLOWLIST}, {also}" if also else ALLOWLIST
    opened = csp(VIEW, rf"({name})(?: [^;]*)", _ANYTHING)
    return Mutation(f"{name} of the view", attack, (opened, _OPEN_VIEW, *more), behind)


IN_FRAMES = [
    _directive("connect-src", "fetch"),
    _directive("script-src", "script"),
    _directive("style-src", "css-link"),
    _directive("img-src", "image"),
    _directive("font-src", "font"),
    _directive("media-src", "video"),
    _directive("frame-src", "frame"),
    _directive(
        "form-action",
        "form-child",
        csp(VIEW, r"(frame-src)(?: [^;]*)", _ANYTHING),
        also="frame-src of the view",
    ),
    Mutation("base-uri of the view", "base", (csp(VIEW, r"(base-uri) [^;]*", r"\1 *"),)),
    Mutation(
        "default-src of the view",
        "prefetch",
        (csp(VIEW, r"default-src [^;]*", "default-src *"), _OPEN_VIEW),
        ALLOWLIST,
    ),
    Mutation(
        "policy of the shell",
        "above-fetch",
        (csp(SHELL, r"default-src 'none'", "connect-src *"), _OPEN_SHELL),
        f"{ALLOWLIST} of the shell",
    ),
    Mutation(
        "script by hash in the shell",
        "above-script",
        (
            csp(SHELL, r"default-src 'none'", "connect-src *"),
            csp(SHELL, r"script-src '[^']*'", "script-src 'unsafe-inline'"),
            _OPEN_SHELL,
        ),
        f"default-src and {ALLOWLIST} of the shell",
    ),
    Mutation(
        "frame-src of the shell",
        "leave-location",
        (csp(SHELL, r"frame-src [^;]*", "frame-src *"), _OPEN_SHELL, _OPEN_VIEW),
        f"{ALLOWLIST} of shell and view",
    ),
    Mutation(
        "frame-src of the proxy",
        "leave-above",
        (csp(PROXY, r"frame-src [^;]*", "frame-src *"), _OPEN_PROXY, _OPEN_SHELL),
        f"{ALLOWLIST} of proxy and shell",
    ),
    Mutation(
        "frame-src of the proxy, opaque",
        "leave-link",
        (csp(PROXY, r"frame-src [^;]*", "frame-src *"), _OPEN_PROXY, _OPEN_VIEW),
        f"{ALLOWLIST} of proxy and view",
        OPAQUE,
    ),
    Mutation(
        "sandbox without allow-same-origin, opaque",
        "proxy-document",
        (
            text(PROXY, 'data-sandbox="', 'data-sandbox="allow-same-origin '),
            text(PROXY, " && origin === viewOrigin", ""),
            csp(VIEW, r"sandbox [^;]*", "sandbox allow-scripts allow-forms allow-same-origin"),
        ),
        "sandbox in the view's own policy, origin check of the proxy",
        OPAQUE,
    ),
    Mutation(
        "reserved words stay in the proxy",
        "forge-reserved",
        (text(PROXY, "if (name === undefined) parent.postMessage", "if (true) parent.postMessage"),),
        name=OPAQUE,
    ),
]
