"""Write docs/reference/requirements.md from the manifest and from what the tests say they hold.

`--check` writes nothing and exits 1 when the page is stale. `--suggest` writes nothing and says where the
manifest and the tests differ: what neither a test nor a gap answers for, and gaps that tests have closed.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

from fanlight.conformance import REQUIREMENTS, Requirement

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "requirements.md"
_HOLDS = re.compile(r"\bHolds:(?P<ids>[^.]*)")  # also after a sentence, or over two lines
_HEAD = """# Requirements

Every requirement of MCP Apps, in our words, and the tests that hold it. R01 to R71 are the stable text of
2026-01-26, D01 to D15 the newer draft. Written by `tools/gen_requirements.py` from
`fanlight.conformance.requirements` and from the tests' own docstrings.

"""


def holding_tests(tests: Path = ROOT / "tests") -> dict[str, list[str]]:
    """Requirement id -> the tests whose docstring says `Holds: …`, read without importing anything."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(tests.rglob("test_*.py")):
        if "node_modules" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or not node.name.startswith(
                "test"
            ):
                continue
            for line in _HOLDS.finditer(ast.get_docstring(node) or ""):
                for id in re.split(r"[,\s]+", line["ids"].strip()):
                    found[id].append(f"{path.relative_to(tests.parent).as_posix()}::{node.name}")
    return found


def page(held: dict[str, list[str]]) -> str:
    rows = [_row(requirement, held.get(requirement.id, [])) for requirement in REQUIREMENTS.values()]
    open_gaps = sum(requirement.gap is not None for requirement in REQUIREMENTS.values())
    count = (
        f"{len(REQUIREMENTS) - open_gaps} of {len(REQUIREMENTS)} are held by tests; {open_gaps} are open.\n\n"
    )
    table = "| id | level | binds | requirement | held by |\n|---|---|---|---|---|\n"
    return _HEAD + count + table + "\n".join(rows) + "\n"


def _row(requirement: Requirement, tests: list[str]) -> str:
    if requirement.gap is not None:
        proof = f"**open**: {requirement.gap}"
    else:
        files = sorted({test.partition("::")[0] for test in tests})
        proof = "<br>".join(f"`{file}` ({sum(t.startswith(file + '::') for t in tests)})" for file in files)
    binds = ", ".join(requirement.binds)
    return f"| {requirement.id} | {requirement.level} | {binds} | {requirement.sentence} | {proof} |"


def suggestions(held: dict[str, list[str]]) -> list[str]:
    """What to change in the manifest or in the tests so that they agree."""
    lines = []
    for id in sorted({*REQUIREMENTS, *held}):
        tests, row = held.get(id, []), REQUIREMENTS.get(id)
        if row is None:
            lines.append(f"{id}: there is no such requirement, but {', '.join(tests)} claims to hold it")
        elif row.gap is None and not tests:
            lines.append(f"{id}: say `Holds: {id}.` in a test, or the gap in the manifest")
        elif row.gap is not None and tests:
            lines.append(f"{id}: take the gap out of the manifest, {', '.join(tests)} holds it")
    return lines


def main(arguments: list[str]) -> int:
    held = holding_tests()
    if "--suggest" in arguments:
        print("\n".join(suggestions(held)) or "manifest and tests agree")
        return 0
    text = page(held)
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is stale: run python tools/gen_requirements.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
