"""Where an error happened, as the one line of a traceback that its reader wrote."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path

__all__ = ["place_of"]


def place_of(error: BaseException, folders: Iterable[Path]) -> str | None:
    """`file:line` of the last step below one of the folders; None if there is none.

    A `SyntaxError` happened where it says itself: the file was never run, so it is in no step.
    """
    if isinstance(error, SyntaxError) and error.lineno is not None and _is_file(error.filename):
        return f"{error.filename}:{error.lineno}"
    roots = [folder.resolve() for folder in folders]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if _is_file(frame.filename) and _is_below(Path(frame.filename).resolve(), roots):
            return f"{frame.filename}:{frame.lineno}"
    return None


def _is_file(name: str | None) -> bool:
    """Code without a file is called such as `<string>` or `<frozen importlib._bootstrap>`."""
    return bool(name) and not str(name).startswith("<")


def _is_below(path: Path, roots: Iterable[Path]) -> bool:
    return "site-packages" not in path.parts and any(path.is_relative_to(root) for root in roots)
