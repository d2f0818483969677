"""The documents of the hostile app, put together from the small files in `view`: no bundler, no address.

One inline script a file, because a view is one document and the strictest policy of the specification still
lets inline scripts run.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

__all__ = ["Attack", "attack_page", "catalogue", "neighbour_page"]

_FILES = files("fanlight.demos.hostile").joinpath("view")
# In the order in which they are run and shown.
_GROUPS = (
    "reach", "above", "storage", "neighbours", "secrets", "relay", "requests", "elements", "hints", "workers",
    "documents", "clicks", "leaving", "floods",
)  # fmt: skip
_TITLE = re.compile(r'^  hostile\.group\("[\w-]+", "([^"]+)"\);', re.MULTILINE)
_ENTRY = re.compile(r'^  (attack|clickAttack|lastAttack)\("([\w-]+)", "([^"]+)"', re.MULTILINE)
_WHEN: dict[str, Literal["load", "click", "last"]] = {
    "attack": "load",
    "clickAttack": "click",
    "lastAttack": "last",
}


@dataclass(frozen=True)
class Attack:
    """One attack: `load` runs by itself, `click` with a person's click, `last` alone: it may end the view."""

    id: str
    title: str
    group: str
    group_title: str
    when: Literal["load", "click", "last"]


@cache
def catalogue() -> tuple[Attack, ...]:
    """Every attack that the view knows, in its order."""
    attacks: list[Attack] = []
    for group in _GROUPS:
        text = _read(f"attacks/{group}.js")
        (title,) = _TITLE.findall(text)
        attacks += [
            Attack(found[2], found[3], group, title, _WHEN[found[1]]) for found in _ENTRY.finditer(text)
        ]
    return tuple(attacks)


def attack_page(facts: dict[str, Any]) -> str:
    """The view that attacks; `facts` is what the listener tells of itself."""
    attacks = [f"attacks/{group}.js" for group in _GROUPS]
    return _document("attack.html", ["speak.js", "kit.js", *attacks, "table.js", "run.js"], facts)


def neighbour_page() -> str:
    """The view of an innocent app beside it."""
    return _document("neighbour.html", ["speak.js", "neighbour.js"], {})


def _document(name: str, scripts: list[str], facts: dict[str, Any]) -> str:
    text = json.dumps(facts).replace("<", "\\u003c")
    parts = [f'<script type="application/json" id="facts">{text}</script>']
    parts += [f"<script>\n{_read(script)}</script>" for script in scripts]
    style = f"<style>\n{_read('view.css')}</style>"
    return _read(name).replace("<!-- style -->", style).replace("<!-- scripts -->", "\n".join(parts))


def _read(name: str) -> str:
    return _FILES.joinpath(name).read_text(encoding="utf-8")
