"""Which parts of a document stand in a `<template>`: browsers load nothing of it until a script copies it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .html_tokens import EndTag, StartTag, Token

__all__ = ["with_templates"]


def with_templates(found: Iterable[Token]) -> Iterator[tuple[Token, bool]]:
    """Each token, and whether it is only a template's content. A declared shadow root is shown at once."""
    open_templates: list[bool] = []
    for token in found:
        if isinstance(token, EndTag) and token.name == "template" and open_templates:
            open_templates.pop()
        yield token, any(open_templates)
        if isinstance(token, StartTag) and token.name == "template":
            open_templates.append(token.attribute("shadowrootmode") is None)
