"""A wall that no browser is needed for: how it is taken away, and the deed that then succeeds."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Deed", "Patch", "ServerWall", "away"]

Patch = Callable[[pytest.MonkeyPatch], None]
# Makes one attack, with a folder of its own, and says whether it got through.
Deed = Callable[[Path], Awaitable[bool]]


@dataclass(frozen=True)
class ServerWall:
    """A wall, the deed that notices that it is missing, and what stood behind it and had to go as well."""

    wall: str
    notices: str
    deed: Deed
    patch: Patch
    behind: str = ""


def away(*places: tuple[object, str, Any]) -> Patch:
    """Put something that holds nothing in the place of these names."""

    def patch(monkeypatch: pytest.MonkeyPatch) -> None:
        for owner, name, value in places:
            monkeypatch.setattr(owner, name, value)

    return patch
