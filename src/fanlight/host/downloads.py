"""What a view wants to save, as files: safe names (D05, D06), bounded number and size, http links only."""

from __future__ import annotations

import base64
import re
import unicodedata
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from .contents import is_base64
from .links import link_fault

__all__ = ["DownloadFile", "file_name", "files_of"]

_MAX_NAME = 120
_FORBIDDEN = re.compile(r'[\\/:*?"<>|]')
# Windows opens a device for these, whatever stands after the dot.
_DEVICES = re.compile(r"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)")


@dataclass(frozen=True)
class DownloadFile:
    """One file: `text` or `blob` (base64) with a MIME type, or the `url` of a page to open."""

    name: str
    size: int
    mime_type: str = ""
    text: str | None = None
    blob: str | None = None
    url: str | None = None

    @property
    def label(self) -> str:
        """How a person is shown it."""
        if self.url is not None:
            return f"{self.name} (from {self.url})"
        kind = f", {self.mime_type}" if self.mime_type else ""
        return f"{self.name} ({_bytes(self.size)}{kind})"

    def as_json(self) -> dict[str, Any]:
        facts = {
            "name": self.name,
            "mimeType": self.mime_type,
            "text": self.text,
            "blob": self.blob,
            "url": self.url,
        }
        return {key: value for key, value in facts.items() if value is not None}


def files_of(contents: list[dict[str, Any]], max_items: int, max_bytes: int) -> list[DownloadFile] | str:
    """The files of a `ui/download-file` (its shape was checked by the connection), or why there are none."""
    if not contents:
        return "there is nothing to download"
    if len(contents) > max_items:
        return f"{len(contents)} files are too many: at most {max_items} at once"
    files: list[DownloadFile] = []
    taken: set[str] = set()
    for item in contents:
        file = _link(item) if item["type"] == "resource_link" else _embedded(item["resource"])
        if isinstance(file, str):
            return file
        name = _unique(file.name, taken)
        files.append(DownloadFile(name, file.size, file.mime_type, file.text, file.blob, file.url))
    size = sum(file.size for file in files)
    if size > max_bytes:
        return f"the files have {_bytes(size)}; at most {_bytes(max_bytes)} are saved at once"
    return files


def _embedded(resource: dict[str, Any]) -> DownloadFile | str:
    name = file_name(resource["uri"])
    mime_type = _mime_type(resource.get("mimeType"))
    text, blob = resource.get("text"), resource.get("blob")
    if isinstance(text, str):
        return DownloadFile(name, len(text.encode("utf-8", "replace")), mime_type, text=text)
    if not is_base64(blob):
        return f"{name!r} is not base64"
    assert isinstance(blob, str)
    return DownloadFile(name, len(base64.b64decode(blob)), mime_type, blob=blob)


def _link(link: dict[str, Any]) -> DownloadFile | str:
    fault = link_fault(link["uri"])
    return fault or DownloadFile(file_name(link["uri"]), 0, _mime_type(link.get("mimeType")), url=link["uri"])


def _mime_type(value: object) -> str:
    return (
        value if isinstance(value, str) and re.fullmatch(r"[\w.+-]+/[\w.+-]+(;[\w=; .+-]*)?", value) else ""
    )


def file_name(uri: str) -> str:
    """A name from the last segment of an address, that is nothing but a name on any system."""
    try:
        path = urlsplit(uri).path or uri
    except ValueError:
        path = uri
    name = unicodedata.normalize("NFC", unquote(path.rstrip("/").rpartition("/")[2]))
    # Decoding may have brought back separators: only what stands after the last one counts.
    name = re.split(r"[\\/]", name)[-1]
    # Control, format (bidi, zero width), surrogate and private characters show another name than is saved.
    name = "".join(
        character
        for character in name
        if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn")
    )
    name = " ".join(_FORBIDDEN.sub("_", name).split())
    name = name.lstrip(". ").rstrip(". ")
    if _DEVICES.match(name):
        name = f"_{name}"
    return _shortened(name) or "download"


def _shortened(name: str) -> str:
    if len(name) <= _MAX_NAME:
        return name
    stem, dot, ending = name.rpartition(".")
    if not dot or len(ending) > 12:
        return name[:_MAX_NAME].rstrip(". ")
    return f"{stem[: _MAX_NAME - len(ending) - 1].rstrip('. ')}.{ending}"


def _unique(name: str, taken: set[str]) -> str:
    """A name that no other file of this download has, also where upper and lower case are the same."""
    stem, dot, ending = name.rpartition(".")
    found, number = name, 2
    while found.lower() in taken:
        found = f"{stem} ({number}).{ending}" if dot else f"{name} ({number})"
        number += 1
    taken.add(found.lower())
    return found


def _bytes(size: int) -> str:
    if size < 1024:
        return f"{size} bytes"
    return f"{size / 1024:.1f} KB" if size < 1024 * 1024 else f"{size / 1024 / 1024:.1f} MB"
