"""Draw the state diagram and the passage tables of the docs from the tables of the protocol.

``python tools/draw_states.py`` writes ``docs/reference/states.md``; with ``--check`` it only compares, and
exits with 1 when the page is stale.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fanlight.protocol.state import PASSAGES, TRANSITIONS, ConnectionState, Passage, Role
from fanlight.wire.method import Traffic

PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "states.md"

_INTRODUCTION = """\
# States of a connection

Drawn by `tools/draw_states.py` from the tables in `src/fanlight/protocol/state.py`.
Change the tables, not this page.

Both ends of a connection see the same messages cross, so there is one life for both. A message that has no
arrow from the current state is a fault of whoever sent it.
"""

_PASSAGES = """\
## Who may say what

**now**: it may be sent. **later**: it is held back and sent, in order, as soon as it may.
**never**: sending it is a mistake of the program, receiving it a fault of the peer.
"""


def diagram() -> str:
    """The transitions as a Mermaid state diagram."""
    arrows = [f"    [*] --> {ConnectionState.NEW}"]
    for state, row in TRANSITIONS.items():
        arrows += [f"    {state} --> {target}: {signal}" for signal, target in row.items()]
    arrows.append(f"    {ConnectionState.CLOSED} --> [*]")
    return "\n".join(["```mermaid", "stateDiagram-v2", *arrows, "```"])


def passages(sender: Role) -> str:
    """What ``sender`` may say in each state, as a table."""
    states = list(PASSAGES[sender])
    lines = [
        f"### The {sender}",
        "",
        "| | " + " | ".join(states) + " |",
        "|---|" + "---|" * len(states),
    ]
    for traffic in Traffic:
        cells = [PASSAGES[sender][state][traffic] for state in states]
        shown = [f"**{cell}**" if cell is Passage.NOW else str(cell) for cell in cells]
        lines.append(f"| {traffic} | " + " | ".join(shown) + " |")
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    parts = [_INTRODUCTION.rstrip(), diagram(), _PASSAGES.rstrip(), *(passages(role) for role in Role)]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None, target: Path = PAGE) -> int:
    """Write the page, or compare it; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit with 1 when the page is stale")
    if parser.parse_args(arguments).check:
        if target.is_file() and target.read_text("utf-8") == page():
            return 0
        print(f"{target.name} is stale: run python tools/draw_states.py", file=sys.stderr)
        return 1
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
