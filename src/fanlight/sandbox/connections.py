"""The Connection-Allowlist header: the browser's firewall around a document, from the same declared domains.

It stops what no Content-Security-Policy can: WebRTC. Chromium enforces it (seen in 156); other browsers
ignore it, and there the policy stands alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from .sources import SCHEMES, Source

__all__ = ["connection_allowlist"]

# What browsers take for a source of the policy, as patterns that match one scheme each.
_MEANT = {"http": ("http", "https"), "https": ("https",), "ws": ("ws", "wss"), "wss": ("wss",)}


def connection_allowlist(sources: Iterable[Source], urls: Iterable[str] = ()) -> str:
    """A document may connect to these sources and to exactly these addresses of ours, and to nothing else.

    Redirects are let through here because the policy checks where they lead.
    """
    patterns = [
        f"{scheme}://{'*.' if source.wildcard else ''}{source.host}{f':{source.port}' if source.port else ''}"
        for source in sources
        for scheme in (_MEANT[source.scheme] if source.scheme else SCHEMES)
    ]
    written = " ".join(f'"{pattern}"' for pattern in dict.fromkeys([*patterns, *urls]))
    return f"({written});redirects=allow;webrtc=block"
