"""The files of one folder, as references inside it name them. Nothing outside is ever read.

Reads files and nothing else; what becomes of them is decided by the callers.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from fanlight.errors import ConfigError

from .source_text import Source

__all__ = ["MAX_DOCUMENT_BYTES", "MAX_FILE_BYTES", "Folder", "Reference"]

# One MCP message carries the whole document; hosts and socket servers take about 16 MiB (protocol/limits.py).
MAX_DOCUMENT_BYTES = 12 * 1024 * 1024
MAX_FILE_BYTES = 8 * 1024 * 1024

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_TYPES = {
    ".aac": "audio/aac",
    ".avif": "image/avif",
    ".bmp": "image/bmp",
    ".gif": "image/gif",
    ".ico": "image/x-icon",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".m4a": "audio/mp4",
    ".mp3": "audio/mpeg",
    ".mp4": "video/mp4",
    ".oga": "audio/ogg",
    ".ogg": "audio/ogg",
    ".ogv": "video/ogg",
    ".opus": "audio/ogg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".vtt": "text/vtt",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".webp": "image/webp",
}


@dataclass(frozen=True)
class Reference:
    """A file of the folder as one reference names it: its path from the folder, and what follows `#`."""

    path: PurePosixPath
    fragment: str


class Folder:
    """A folder that one document is made of; remembers what was read and how much went into the document."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise ConfigError(f"{root} is not a folder; give the folder that holds the view's index.html")
        self.root = root
        self.files: list[Path] = []
        self._real_root = root.resolve()
        self._contents: dict[PurePosixPath, bytes] = {}
        self._spent = 0

    def display(self, path: PurePosixPath) -> str:
        """How messages name a file: the folder's own name and the path in it."""
        return f"{self.root.name or self._real_root.name}/{path}"

    def find(self, address: str, base: PurePosixPath, source: Source, offset: int) -> Reference | None:
        """The file that `address` names when it stands in `base`; None when it names no file of the folder.

        Remote addresses, `data:` and other schemes, and a bare `#fragment` name none.

        Raises:
            ConfigError: the address leads out of the folder or to no file.
        """
        address = address.strip("\t\n\f\r ")
        if not address or address.startswith(("#", "//")) or _SCHEME.match(address):
            if address[:5].lower() == "file:":
                raise source.error(
                    offset, f"{address!r} names a file of one machine; write a path inside the folder"
                )
            return None
        if "\\" in address:
            raise source.error(offset, f"{address!r} has a backslash; write '/' between folders")
        parts = urlsplit(address)
        path = unquote(parts.path)
        if not path:
            return None
        steps = [] if path.startswith("/") else list(base.parent.parts)
        for step in path.split("/"):
            if step == "..":
                if not steps:
                    raise source.error(offset, f"{address!r} leads out of the folder; copy the file into it")
                steps.pop()
            elif step not in ("", "."):
                steps.append(step)
        found = PurePosixPath(*steps)
        self._check(found, address, source, offset)
        return Reference(found, parts.fragment)

    def has(self, address: str, base: PurePosixPath) -> bool:
        """Whether `address` names a file that is there; never raises."""
        try:
            return self.find(address, base, Source("", ""), 0) is not None
        except ConfigError:
            return False

    def _check(self, path: PurePosixPath, address: str, source: Source, offset: int) -> None:
        if "\0" in str(path):
            raise source.error(offset, f"{address!r} is no file name")
        try:
            real = (self._real_root / path).resolve()
            size = real.stat().st_size if real.is_file() else -1
        except (OSError, RuntimeError) as error:
            raise source.error(offset, f"{address!r} cannot be read: {error}; correct the file") from None
        if not real.is_relative_to(self._real_root):
            raise source.error(offset, f"{address!r} is a link out of the folder; copy the file into it")
        if size < 0:
            raise source.error(
                offset, f"there is no file {self.display(path)}; correct {address!r} or add the file"
            )
        if size > MAX_FILE_BYTES:
            raise source.error(
                offset,
                f"{self.display(path)} has {size:,} bytes, the most for one file is {MAX_FILE_BYTES:,}; "
                "make it smaller, or load it from an origin that csp= names",
            )

    def bytes_of(self, path: PurePosixPath) -> bytes:
        """The contents of a file that `find` has found; read once."""
        if path not in self._contents:
            try:
                self._contents[path] = (self._real_root / path).read_bytes()
            except OSError as error:
                raise ConfigError(f"cannot read {self.display(path)}: {error.strerror or error}") from None
            self.files.append(self.root / path)
        return self._contents[path]

    def source_of(self, path: PurePosixPath) -> Source:
        """The text of a file, without a byte order mark."""
        try:
            return Source(self.display(path), self.bytes_of(path).decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise ConfigError(
                f"{self.display(path)} is not UTF-8 at byte {error.start}; save it as UTF-8"
            ) from None

    def spend(self, amount: int, source: Source, offset: int) -> None:
        """Count what goes into the document, so that no chain of references can make it endless."""
        self._spent += amount
        if self._spent > MAX_DOCUMENT_BYTES:
            raise source.error(
                offset,
                f"with this the document has more than {MAX_DOCUMENT_BYTES:,} bytes; make its files smaller, "
                "or load them from an origin that csp= names",
            )

    def data_url(self, reference: Reference, source: Source, offset: int) -> str:
        """The file as a `data:` address, which may stand in any attribute and unquoted in `url()`."""
        content = base64.b64encode(self.bytes_of(reference.path)).decode()
        self.spend(len(content), source, offset)
        kind = _TYPES.get(reference.path.suffix.lower(), "application/octet-stream")
        return f"data:{kind};base64,{content}" + (f"#{reference.fragment}" if reference.fragment else "")
