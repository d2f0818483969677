"""Taking a wall away in a test: answers are changed on their way out. The product has no switch for it."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Edit", "csp", "drop_directive", "drop_header", "edited", "text"]

Message = MutableMapping[str, Any]
App = Callable[[Any, Any, Any], Awaitable[None]]
_INLINE = re.compile(r"<script type=\"module\">(.*)</script>", re.DOTALL)


@dataclass
class Edit:
    """Changes answers whose path contains `path`: headers (lower case names), and the text of the body.

    `/` is the page there and nothing below it.
    """

    path: str
    headers: Callable[[dict[str, str]], None] = field(default=lambda headers: None)
    body: Callable[[str], str] | None = None
    used: bool = False

    def fits(self, path: str) -> bool:
        return path == self.path if self.path == "/" else self.path in path


def csp(path: str, pattern: str, replacement: str = "") -> Edit:
    """Change the policy of these documents; the pattern must be there, or the test attacks nothing."""

    def headers(found: dict[str, str]) -> None:
        text, count = re.subn(pattern, replacement, found["content-security-policy"])
        assert count, f"{pattern} is not in {found['content-security-policy']}"
        found["content-security-policy"] = text

    return Edit(path, headers)


def drop_directive(path: str, name: str) -> Edit:
    """Leave a directive out of the policy of these documents; it must be there."""
    return csp(path, rf"(?:^|; ){name} [^;]*")


def drop_header(path: str, name: str) -> Edit:
    """Leave a header out; it must be there."""

    def headers(found: dict[str, str]) -> None:
        del found[name]

    return Edit(path, headers)


def text(path: str, old: str, new: str) -> Edit:
    """Change the text of these answers; where a document has an inline module, its hash stays true."""

    def body(found: str) -> str:
        assert old in found, f"{old} is not in {path}"
        return found.replace(old, new)

    return Edit(path, body=body)


def edited(app: App, edits_for: Callable[[str], Iterable[Edit]]) -> App:
    """The application behind edits, which depend on the path."""

    async def with_edits(scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        fitting = [edit for edit in edits_for(path) if edit.fits(path)]
        if not fitting:
            await app(scope, receive, send)
            return
        start: Message = {}
        text = b""

        async def collect(message: Message) -> None:
            nonlocal text
            if message["type"] == "http.response.start":
                start.update(message)
                return
            text += message.get("body", b"")
            if not message.get("more_body"):
                await _send_edited(fitting, start, text, send)

        await app(scope, receive, collect)

    return with_edits


async def _send_edited(edits: list[Edit], start: Message, body: bytes, send: Any) -> None:
    headers = {key.decode().lower(): value.decode() for key, value in start["headers"]}
    if start["status"] == 200:
        page = body.decode()
        for edit in edits:
            edit.used = True
            if edit.body is not None:
                before = _digest(page)
                page = edit.body(page)
                policy = headers["content-security-policy"]
                headers["content-security-policy"] = policy.replace(before, _digest(page))
            edit.headers(headers)
        body = page.encode()
    headers["content-length"] = str(len(body))
    await send(
        {**start, "headers": [(key.encode(), value.encode()) for key, value in headers.items()]},
    )
    await send({"type": "http.response.body", "body": body})


def _digest(page: str) -> str:
    """The source expression of the page's inline module; something that stands nowhere if there is none."""
    found = _INLINE.search(page)
    if found is None:
        return "no inline module"
    return f"sha256-{base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode()}"
