"""What a person asked to be remembered: yes or no, for one user, one server, one tool or kind of action."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from fanlight.errors import ConfigError

__all__ = ["Grant", "Grants"]

_log = logging.getLogger("fanlight.grants")
_MAX_GRANTS = 10_000


@dataclass(frozen=True)
class Grant:
    """One remembered answer. `subject` is a tool's name, a site, or "" for the whole kind.

    `identity` tells servers of one name apart; None where the name is all there is.
    """

    user: str | None
    server: str
    kind: str
    subject: str
    allowed: bool
    identity: str | None = None

    @property
    def whose(self) -> str:
        """The identity of the server."""
        return self.identity or self.server

    def as_json(self) -> dict[str, Any]:
        """Plain JSON for your own storage; what is None is absent."""
        return {key: value for key, value in asdict(self).items() if value is not None}


class Grants:
    """Remembered answers, in memory. `saved` fills them again, `on_change` gets them all after each change.

    `on_change` is called on the event loop: hand the list to your storage and return.
    """

    def __init__(
        self,
        saved: Iterable[dict[str, Any]] = (),
        on_change: Callable[[list[dict[str, Any]]], None] | None = None,
    ) -> None:
        self._on_change = on_change
        self._grants: dict[tuple[str | None, str, str, str], Grant] = {}
        for entry in saved:
            try:
                grant = Grant(**{"user": None, **entry})
            except TypeError as error:
                raise ConfigError(f"a saved grant is {entry!r}: give what Grant.as_json() made") from error
            self._grants[_key(grant)] = grant

    def list(self, user: str | None = None) -> list[Grant]:
        """Every remembered answer, or only those of one user."""
        return [grant for grant in self._grants.values() if user is None or grant.user == user]

    def find(self, user: str | None, identity: str, kind: str, subject: str) -> Grant | None:
        """The remembered answer for exactly this, if there is one; `identity` is that of the server."""
        return self._grants.get((user, identity, kind, subject))

    def remember(self, grant: Grant) -> None:
        """Keep an answer, in the place of an earlier one for the same; of too many, the oldest goes."""
        key = _key(grant)
        self._grants.pop(key, None)
        while len(self._grants) >= _MAX_GRANTS:
            del self._grants[next(iter(self._grants))]
        self._grants[key] = grant
        self._changed()

    def revoke(self, grant: Grant) -> bool:
        """Forget an answer: the next time the person is asked again. False if it was not there."""
        found = self._grants.pop(_key(grant), None) is not None
        if found:
            self._changed()
        return found

    def revoke_all(self, user: str | None = None) -> None:
        """Forget everything, or everything of one user."""
        gone = self.list(user)
        for grant in gone:
            del self._grants[_key(grant)]
        if gone:
            self._changed()

    def _changed(self) -> None:
        if self._on_change is None:
            return
        try:
            self._on_change([grant.as_json() for grant in self._grants.values()])
        except Exception:
            _log.exception("remembered answers could not be saved")


def _key(grant: Grant) -> tuple[str | None, str, str, str]:
    return (grant.user, grant.whose, grant.kind, grant.subject)
