"""Folders for the tests of inlining: a dict becomes files, and what came out is taken apart again."""

from __future__ import annotations

from pathlib import Path

from fanlight.server.html_tokens import StartTag, Text, tokens
from fanlight.server.inline import inline_folder

__all__ = ["inlined", "raw_texts", "start_tags", "written"]


def written(root: Path, files: dict[str, str | bytes]) -> Path:
    """The folder `view` with these files."""
    folder = root / "view"
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def inlined(root: Path, files: dict[str, str | bytes]) -> str:
    """The one document that these files make."""
    return inline_folder(written(root, files)).html


def raw_texts(html: str, of: str) -> list[str]:
    """The contents of all elements of this name that hold raw text."""
    found = [token for token in tokens(html) if isinstance(token, Text) and token.of == of]
    return [html[token.start : token.end] for token in found]


def start_tags(html: str, name: str) -> list[StartTag]:
    """All start tags of this name."""
    return [token for token in tokens(html) if isinstance(token, StartTag) and token.name == name]
