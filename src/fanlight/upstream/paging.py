"""A whole list of a server, page by page: bounded in pages, entries and time, since a cursor need not end."""

from __future__ import annotations

import asyncio

from fanlight.errors import UpstreamError

from .base import JSONObject, Upstream
from .limits import ServerLimits

__all__ = ["read_list"]

# Servers send tens to hundreds of entries a page.
_MAX_PAGES = 1000


async def read_list(
    server: str, upstream: Upstream, method: str, key: str, limits: ServerLimits
) -> list[JSONObject]:
    """Every entry of the list that `method` pages through, under `key` of each page.

    Raises:
        RpcError: the server refused a page.
        UpstreamError: the list has no end, or no more than the limits allow was read by then.
    """
    entries: list[JSONObject] = []
    seen: set[int] = set()
    params: JSONObject = {}
    try:
        async with asyncio.timeout(limits.list_seconds):
            while True:
                seconds = limits.read_seconds
                page = await upstream.request(method, params, timeout=seconds, limit=seconds)
                found, cursor = page.get(key), page.get("nextCursor")
                if isinstance(found, list):
                    entries += [entry for entry in found if isinstance(entry, dict)]
                if len(entries) > limits.entries:
                    raise UpstreamError(server, f"{method} lists more than {limits.entries} entries")
                if not isinstance(cursor, str):
                    return entries
                if hash(cursor) in seen or len(seen) >= _MAX_PAGES:
                    raise UpstreamError(
                        server,
                        f"{method} never ends: after {len(seen) + 1} pages there is still a nextCursor",
                    )
                seen.add(hash(cursor))
                params = {"cursor": cursor}
    except TimeoutError:
        raise UpstreamError(
            server, f"{method} did not end within {limits.list_seconds:g} s ({len(seen) + 1} pages)"
        ) from None
