"""The tokens of one view: who holds one may show the view. Only their hashes are ever stored.

A token has 192 random bits, so a plain hash of it gives nothing away and needs no salt.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterable

__all__ = ["ViewTokens", "fingerprint"]

# A page that stays open over restarts keeps its token; older ones than these stop working.
_KEPT = 4


class ViewTokens:
    """The token that is handed out now, and the hashes of all that are accepted."""

    def __init__(self, accepted: Iterable[str] = ()) -> None:
        self.current = ""
        self._accepted = list(accepted)
        self._issue()

    @property
    def hashes(self) -> list[str]:
        """What may be written down."""
        return list(self._accepted)

    def accepts(self, token: object) -> bool:
        """Whether this is one of them; takes the same time for a near miss."""
        given = fingerprint(token) if isinstance(token, str) else ""
        found = False
        for known in self._accepted:
            found |= hmac.compare_digest(given, known)
        return found

    def renew(self) -> None:
        """Hand out another token from now on; every earlier one is worthless."""
        self._accepted.clear()
        self._issue()

    def _issue(self) -> None:
        self.current = secrets.token_urlsafe(24)
        self._accepted = [*self._accepted, fingerprint(self.current)][-_KEPT:]


def fingerprint(token: str) -> str:
    """What a secret is found by: how long that takes says nothing about the secret."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
