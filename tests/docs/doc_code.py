"""The Python of a documentation page, ready to run: every block, in the order of the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(name: str, **names: Any) -> dict[str, Any]:
    """Run all blocks of `docs/<name>` in one namespace that begins with `names`, and return it."""
    namespace: dict[str, Any] = dict(names)
    blocks = _BLOCK.findall((DOCS / name).read_text("utf-8"))
    assert blocks, f"{name} has no code"
    for block in blocks:
        exec(compile(block, name, "exec"), namespace)
    return namespace
