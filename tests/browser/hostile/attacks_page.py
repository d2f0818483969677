"""The tables of docs/attacks.md: how they are written, and how a test reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from all_walls import SERVER_WALLS
from fighting import Fight
from mutations import IN_FRAMES
from page_walls import FROM_OUTSIDE, IN_PAGE
from walls import WALLS

from fanlight.demos.hostile.page import catalogue

__all__ = ["LAYOUTS", "PAGE", "outcomes_on", "walls_table", "with_tables"]

PAGE = Path(__file__).parents[3] / "docs" / "attacks.md"
LAYOUTS = ("own origin", "opaque", "reference")
_BETWEEN = "<!-- {0} -->\n(.*?)<!-- end of {0} -->"


def attacks_table(fights: Mapping[str, Fight]) -> str:
    """A row an attack, a column a layout; what got through is bold."""
    lines = [
        "| attack | | views of an own origin | opaque views | reference layout |",
        "|---|---|---|---|---|",
    ]
    group = ""
    for attack in catalogue():
        if attack.group_title != group:
            group = attack.group_title
            lines.append(f"| **{group}** | | | | |")
        words = [fights[layout].outcomes[attack.id][0] for layout in LAYOUTS]
        shown = [f"**{word}**" if word == "through" else word for word in words]
        lines.append(f"| {attack.title} | `{attack.id}` | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def walls_table() -> str:
    """A row a wall: the attack that notices when it is missing, and what had to go with it."""
    lines = ["| wall | noticed by | what stands behind it |", "|---|---|---|"]
    lines.append("| **In a browser** (`tests/browser/hostile/test_mutations.py`) | | |")
    lines += [f"| {one.wall} | `{one.notices}` | {one.behind} |" for one in IN_FRAMES]
    lines += [f"| {one.wall} | {one.notices} | {one.behind} |" for one in WALLS]
    lines += [f"| {one.wall} | {one.notices} | |" for one in FROM_OUTSIDE]
    lines += [f"| {one.wall} | {one.notices} | {one.behind} |" for one in IN_PAGE]
    lines.append("| Connection-Allowlist | `webrtc`, `dns-prefetch`, `preconnect` (`test_hints.py`) | |")
    lines.append("| **Without one** (`tests/host/test_walls.py`) | | |")
    lines += [f"| {one.wall} | {one.notices} | {one.behind} |" for one in SERVER_WALLS]
    return "\n".join(lines) + "\n"


def with_tables(page: str, fights: Mapping[str, Fight], measured: str) -> str:
    """The page with new tables, and the sentence that says when and with what they were made."""
    for name, text in (
        ("attacks", attacks_table(fights)),
        ("walls", walls_table()),
        ("measured", f"{measured}\n"),
    ):
        found = re.search(_BETWEEN.format(name), page, re.DOTALL)
        assert found is not None, f"the page has no place for {name}"
        page = page[: found.start(1)] + text + page[found.end(1) :]
    return page


def outcomes_on(page: str, layout: str) -> dict[str, str]:
    """What the page says came of each attack in one layout."""
    column = LAYOUTS.index(layout)
    found: dict[str, str] = {}
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 5 and cells[1].startswith("`"):
            found[cells[1].strip("`")] = cells[2 + column].strip("*")
    return found
