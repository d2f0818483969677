"""Users kept apart: whose page asks, and whether the view it asks for is theirs."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from fanlight.errors import ConfigError

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from .view import View

__all__ = ["UserOf", "Users"]

UserOf = Callable[["HTTPConnection"], "Awaitable[str | None] | str | None"]


class Users:
    """Answers who a page belongs to, with the program's own function; without one there is one user only.

    A view is for whoever holds its token *and*, when users are kept apart, is the user that opened it.
    """

    def __init__(self, user_of: UserOf | None) -> None:
        self._user_of = user_of

    @property
    def apart(self) -> bool:
        """Does the program tell users apart?"""
        return self._user_of is not None

    async def of(self, connection: HTTPConnection) -> str | None:
        """The user behind this request or socket; None when nobody is signed in (or there is one user only).

        Raises:
            ConfigError: the program's function returned something that is no name.
        """
        if self._user_of is None:
            return None
        found = self._user_of(connection)
        user: object = await found if inspect.isawaitable(found) else found
        if user is None:
            return None
        if not isinstance(user, str) or not user:
            raise ConfigError(
                f"Host(user=…) returned {user!r}: return the user's name as a string, or None when nobody is "
                "signed in"
            )
        return user

    def admits(self, user: str | None) -> bool:
        """May this user open a page at all? Where users are kept apart, nobody in particular may not."""
        return user is not None or not self.apart

    def may_have(self, view: View, token: object, user: str | None) -> bool:
        """May a page of this user, with this token, have this view?"""
        if not view.accepts(token):
            return False
        return not self.apart or (user is not None and user == view.user)

    def require(self, user: str | None, what: str) -> None:
        """Refuse to mix users up: where they are kept apart, `what` must say whose it is.

        Raises:
            ConfigError: no user was given.
        """
        if self.apart and user is None:
            raise ConfigError(f"this host keeps users apart (Host(user=…)): give {what} a user=")
