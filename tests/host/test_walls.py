"""Each wall that no browser is needed for: with it the deed is held, without it the deed succeeds.

The product has no switch for any of it. Walls that only a browser meets: `tests/browser/hostile`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from all_walls import SERVER_WALLS
from wall import ServerWall

by_name = pytest.mark.parametrize("wall", SERVER_WALLS, ids=lambda wall: wall.wall)


@by_name
async def test_with_the_wall_the_deed_is_held(wall: ServerWall, tmp_path: Path) -> None:
    assert not await wall.deed(tmp_path)


@by_name
async def test_without_the_wall_it_succeeds(
    wall: ServerWall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wall.patch(monkeypatch)
    assert await wall.deed(tmp_path), f"without {wall.wall} it is held all the same: {wall.notices}"


def test_no_wall_is_listed_twice() -> None:
    names = [wall.wall for wall in SERVER_WALLS]
    assert len(names) == len(set(names))
