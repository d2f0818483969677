"""How many pages are connected, in all and for each user; one more than allowed finds no place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from .link import LinkSettings

__all__ = ["Sockets"]


class Sockets:
    """Counts the page sockets of a host."""

    def __init__(self, settings: LinkSettings) -> None:
        self._settings = settings
        self._of_user: Counter[str] = Counter()
        self._all = 0

    @contextmanager
    def place(self, user: str | None) -> Iterator[bool]:
        """Whether there is a place for one more page of this user, which is taken while the block runs."""
        settings = self._settings
        full = self._all >= settings.sockets
        crowded = user is not None and self._of_user[user] >= settings.sockets_per_user
        if full or crowded:
            yield False
            return
        self._all += 1
        if user is not None:
            self._of_user[user] += 1
        try:
            yield True
        finally:
            self._all -= 1
            if user is not None:
                self._of_user[user] -= 1
                self._of_user += Counter()  # forgets those at nought
