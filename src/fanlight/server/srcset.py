"""The candidates of a `srcset`, split as browsers split them."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["srcset_candidates"]

_CANDIDATE = re.compile(
    r"[\t\n\f\r ,]*(?P<address>[^\t\n\f\r ,][^\t\n\f\r ]*)(?P<descriptor>(?:\([^)]*\)|[^,(])*)"
)


def srcset_candidates(value: str) -> Iterator[tuple[str, str]]:
    """Address and descriptor (`2x`, `300w` or nothing) of each candidate."""
    at = 0
    while (match := _CANDIDATE.match(value, at)) is not None:
        address = match["address"]
        if address.endswith(","):
            # A comma right behind the address ends the candidate; inside it belongs to the address.
            at = match.end("address")
            yield address.rstrip(","), ""
        else:
            at = match.end()
            yield address, match["descriptor"].strip()
