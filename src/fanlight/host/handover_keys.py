"""Keys that say themselves what they are for and until when: whoever asks for one leaves nothing behind."""

from __future__ import annotations

import hashlib
import hmac
import secrets

__all__ = ["HandOverKeys"]

_HEX = 48


class HandOverKeys:
    """Makes and reads the keys of one process; nobody else can make one."""

    def __init__(self) -> None:
        self._secret = secrets.token_bytes(32)

    def issue(self, place: str, until: float) -> str:
        """A new key for this place, `number.until.proof`."""
        said = f"{secrets.token_hex(24)}.{int(until)}"
        return f"{said}.{self._proof(said, place)}"

    def read(self, key: str, place: str, now: float) -> str | None:
        """The number of a key that was made here for this place and still holds."""
        said, _, proof = key.rpartition(".")
        if not hmac.compare_digest(proof.encode("utf-8", "replace"), self._proof(said, place).encode()):
            return None
        number, _, until = said.partition(".")
        return number if now <= int(until) else None

    def derive(self, purpose: str, number: str) -> str:
        """Always the same for one number; from it neither the number nor another purpose's can be told."""
        return self._proof(number, purpose)

    def _proof(self, said: str, place: str) -> str:
        text = f"{len(place)}:{place}:{said}".encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, text, hashlib.sha256).hexdigest()[:_HEX]
