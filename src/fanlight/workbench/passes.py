"""Who may use a workbench: a link that works once, and the pass that a browser gets for it.

A pass has two halves. The cookie says which browser it is: scripts cannot read it, and it goes with the
handshake of a socket, which can carry nothing else. But cookies do not know ports, so every other server of
this name is sent it, and a view may set one of the same name. The key says that it is our page: it is kept in
the storage of the page's origin, port included, where no view and no other port reads it. Neither half opens
anything alone.

Only hashes are kept, and they are compared in constant time.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from fanlight.errors import ConfigError
from fanlight.host.limits import Meter, Rate

__all__ = ["MIN_ACCESS_TOKEN", "Pass", "Passes", "Turned", "check_access_token"]

MIN_ACCESS_TOKEN = 16
# A person who started the program and went for coffee; longer than that, the link may have been seen.
_LINK_SECONDS = 3600.0
_MAX_PASSES = 32
_MAX_SPENT = 100
# A token that a person chose must not be found by trying; nobody mistypes it more often.
_TRIES = Rate(10, 0.1)
_MAX_CALLERS = 1000
# A browser keeps at most 180 cookies for one site, so ours is among these whatever a view has added.
_MAX_COOKIES = 200


@dataclass(frozen=True)
class Pass:
    """What a browser is given: the value of its cookie, and the key of its page."""

    cookie: str
    key: str


class Turned(Enum):
    """Why a token got no pass."""

    WRONG = "wrong"
    SPENT = "spent"
    OLD = "old"
    OFTEN = "often"


class Passes:
    """The link of one run and the passes that were given for it.

    With `access_token` there is no link that works once: whoever knows the token gets a pass.
    """

    def __init__(self, token: str | None = None, *, access_token: str | None = None) -> None:
        self._access = None if access_token is None else _hash(access_token)
        self._link: bytes | None = None
        self._link_until = 0.0
        self._spent: list[bytes] = []
        self._passes: list[tuple[bytes, bytes]] = []
        self._tries: dict[str, Meter] = {}
        if token is not None:
            self.new_token(token)

    def new_token(self, token: str | None = None) -> str:
        """The token of a new link; one that nobody used yet stops working."""
        token = secrets.token_urlsafe(24) if token is None else token
        self._spend()
        self._link, self._link_until = _hash(token), time.monotonic() + _LINK_SECONDS
        return token

    def redeem(self, token: str, caller: str = "") -> Pass | Turned:
        """Give a pass for a token, or say why not; `caller` is the address that it came from."""
        given = _hash(token)
        refusal = self._by_link(given) if self._access is None else self._by_access(given, caller)
        if refusal is not None:
            return refusal
        made = Pass(secrets.token_urlsafe(24), secrets.token_urlsafe(24))
        self._passes = [*self._passes, (_hash(made.cookie), _hash(made.key))][-_MAX_PASSES:]
        return made

    def _by_link(self, given: bytes) -> Turned | None:
        if self._link is None or not hmac.compare_digest(given, self._link):
            return Turned.SPENT if _among(given, self._spent) else Turned.WRONG
        in_time = time.monotonic() < self._link_until
        self._spend()
        return None if in_time else Turned.OLD

    def _by_access(self, given: bytes, caller: str) -> Turned | None:
        now = time.monotonic()
        meter = self._tries.pop(caller, None) or Meter(_TRIES, now)
        self._tries[caller] = meter
        while len(self._tries) > _MAX_CALLERS:
            del self._tries[next(iter(self._tries))]
        # Each try counts, also a right one: else trying on while refused would tell it.
        if meter.take(now):
            return Turned.OFTEN
        return None if hmac.compare_digest(given, self._access or b"") else Turned.WRONG

    def admits(self, cookies: Iterable[str], key: str) -> bool:
        """Are a cookie of this browser and this key the halves of one pass?"""
        halves, given = _hashes(cookies), _hash(key)
        found = False
        for cookie, known in self._passes:
            found |= _among(cookie, halves) & hmac.compare_digest(given, known)
        return found

    def knows(self, cookies: Iterable[str]) -> bool:
        """Is this a browser with a pass? Enough to connect, not to ask for anything."""
        halves = _hashes(cookies)
        found = False
        for cookie, _ in self._passes:
            found |= _among(cookie, halves)
        return found

    def _spend(self) -> None:
        if self._link is not None:
            self._spent = [*self._spent, self._link][-_MAX_SPENT:]
            self._link = None


def check_access_token(token: str) -> None:
    """Refuse a token that could be guessed.

    Raises:
        ConfigError: it is too short.
    """
    if len(token) < MIN_ACCESS_TOKEN:
        raise ConfigError(
            f"the access token has {len(token)} characters: give at least {MIN_ACCESS_TOKEN}, for example "
            "those that `python -c 'import secrets; print(secrets.token_urlsafe())'` prints"
        )


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _hashes(cookies: Iterable[str]) -> list[bytes]:
    return [_hash(cookie) for cookie, _ in zip(cookies, range(_MAX_COOKIES), strict=False)]


def _among(given: bytes, known: Iterable[bytes]) -> bool:
    found = False
    for each in known:
        found |= hmac.compare_digest(given, each)
    return found
