"""Which showings follow which resources of one server: only they hear that one of them has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fanlight.errors import RpcError
from fanlight.wire.jsonrpc import ErrorCode

if TYPE_CHECKING:
    from fanlight.upstream import Catalog

    from .session import Session

__all__ = ["Subscriptions"]

_MAX_FOLLOWED = 100


class Subscriptions:
    """The resources that showings follow. The server is asked for each of them once."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._followed: dict[Session, set[str]] = {}

    def add(self, session: Session, uri: str) -> None:
        """Follow one more resource.

        Raises:
            RpcError: the view follows too many already.
        """
        uris = self._followed.setdefault(session, set())
        if len(uris) >= _MAX_FOLLOWED:
            sentence = f"a view may follow {_MAX_FOLLOWED} resources; end one with resources/unsubscribe"
            raise RpcError(ErrorCode.INVALID_PARAMS, sentence)
        uris.add(uri)
        self._tell_server()

    def discard(self, session: Session, uri: str) -> None:
        """Follow it no longer; nothing if it was not followed."""
        self._followed.get(session, set()).discard(uri)
        self._tell_server()

    def drop(self, session: Session) -> None:
        """The showing is over: it follows nothing."""
        if self._followed.pop(session, None):
            self._tell_server()

    def move_to(self, catalog: Catalog) -> None:
        """Another connection takes the place of this one: follow the same there.

        Its resources may be others than before, and nobody else tells the views.
        """
        self._catalog = catalog
        if self._followed:
            self._tell_server()
        for uri in set().union(*self._followed.values()):
            self.updated(uri)

    def updated(self, uri: str) -> None:
        """The server says that a resource has changed."""
        for session, uris in tuple(self._followed.items()):
            if uri in uris:
                session.conversation.resource_updated(uri)

    def _tell_server(self) -> None:
        self._catalog.follow(uri for uris in self._followed.values() for uri in uris)
