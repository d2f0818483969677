"""Pins: which document each app had when it was first shown, so that a changed one is noticed.

A file that a person can read, edit and put under version control. What to do about a change is decided
elsewhere (`pinning.py`).
"""

from __future__ import annotations

import builtins
import contextlib
import hashlib
import json
import logging
import os
import secrets
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fanlight.errors import ConfigError
from fanlight.upstream import AppDocument

__all__ = ["Pin", "Pins"]

_log = logging.getLogger("fanlight.pins")
_VERSION = 1
_FORM = 'expected {"version": 1, "apps": [{"server": …, "uri": …, "sha256": …, "declared": …, "date": …}]}'

Key = tuple[str | None, str, str | None, str]


@dataclass(frozen=True)
class Pin:
    """One app as it was accepted: the hash of its HTML, and of what it declared it may reach and use.

    `user` is set where the program keeps users apart: each has accepted for himself. `tool` is the tool whose
    app it is; a file of an earlier version does not have it.
    """

    server: str
    uri: str
    sha256: str
    declared: str
    date: str
    user: str | None = None
    tool: str | None = None

    @property
    def key(self) -> Key:
        return (self.user, self.server, self.tool, self.uri)

    def differs(self, other: Pin) -> list[str]:
        """What is not the same, in words."""
        words = []
        if self.uri != other.uri:
            words.append(f"its address (it was {self.uri})")
        if self.sha256 != other.sha256:
            words.append("its document")
        if self.declared != other.declared:
            words.append("what it may reach and use")
        return words


class Pins:
    """The pins in a file, which is made if it is not there.

    Raises:
        ConfigError: the file cannot be read or written, or holds something else.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path).resolve()
        self._watchers: builtins.list[Callable[[], None]] = []
        try:
            self._pins = self._read()
            if not self.path.exists():
                self._write()
        except OSError as error:
            raise ConfigError(f"pins: {self.path} cannot be used: {error.strerror or error}") from error

    def list(self) -> list[Pin]:
        """Every pin."""
        return list(self._pins.values())

    def seen(self, now: Pin) -> Pin | None:
        """An app is about to be shown: None for one that is as it was, or that is new and pinned now.

        Otherwise the pin that it does not match.
        """
        before = self.unmatched(now)
        if before is None and now.key not in self._pins:
            known = next((pin for pin in self._beside(now) if pin.uri == now.uri), now)
            self.accept(replace(now, date=known.date))
        return before

    def unmatched(self, now: Pin) -> Pin | None:
        """The pin that an app does not match: its document's, or that of its tool, which had another one.

        Without the second a server would only have to link its tool to a new address.
        """
        beside = self._beside(now)
        for pin in beside:
            if pin.uri == now.uri and pin.differs(now):
                return pin
        of_tool = [pin for pin in beside if pin.tool == now.tool]
        if any(pin.uri == now.uri for pin in of_tool):
            return None
        return next((pin for pin in of_tool if pin.differs(replace(now, uri=pin.uri))), None)

    def _beside(self, now: Pin) -> builtins.list[Pin]:
        return [pin for pin in self._pins.values() if (pin.user, pin.server) == (now.user, now.server)]

    def accept(self, pin: Pin) -> None:
        """Pin an app as it is now, in the place of how it was."""
        try:
            # Another program may use the same file; what it has learnt is kept.
            self._pins = _with(pin, {**self._pins, **self._read()})
            self._write()
        except (OSError, ConfigError) as error:
            self._pins = _with(pin, self._pins)
            _log.error("%s was not written, so the pin of %s holds until the end only: %s",
                       self.path, pin.uri, error)  # fmt: skip
        for watcher in tuple(self._watchers):
            watcher()

    @staticmethod
    def pin_of(server: str, tool: str, document: AppDocument, user: str | None = None) -> Pin:
        """The pin of an app as it is now."""
        meta = document.meta
        declared = {name: meta[name] for name in ("csp", "permissions", "domain") if meta.get(name)}
        try:
            text = json.dumps(declared, sort_keys=True)
        except (ValueError, RecursionError):  # nobody can compare it, so it is never as it was
            text = secrets.token_hex()
        return Pin(
            server,
            document.uri,
            document.sha256,
            hashlib.sha256(text.encode()).hexdigest(),
            datetime.now(UTC).isoformat(timespec="seconds"),
            user,
            tool,
        )

    @contextlib.contextmanager
    def watching(self, watcher: Callable[[], None]) -> Any:
        """Call `watcher` after each pin that is accepted meanwhile."""
        self._watchers.append(watcher)
        try:
            yield
        finally:
            self._watchers.remove(watcher)

    # The file

    def _read(self) -> dict[Key, Pin]:
        try:
            text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return {}
        except UnicodeDecodeError as error:
            raise self._bad("it is not UTF-8") from error
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._bad(f"it is not JSON: {error}") from error
        if not isinstance(data, dict) or data.get("version") != _VERSION:
            raise self._bad(_FORM)
        apps = data.get("apps")
        if not isinstance(apps, list):
            raise self._bad(_FORM)
        pins = [self._pin(number, entry) for number, entry in enumerate(apps, 1)]
        return {pin.key: pin for pin in pins}

    def _pin(self, number: int, entry: object) -> Pin:
        try:
            if not isinstance(entry, dict) or not all(isinstance(value, str) for value in entry.values()):
                raise TypeError("every field is a string")
            return Pin(**entry)
        except TypeError as error:
            raise self._bad(f"app {number}: {error}; {_FORM}") from error

    def _bad(self, why: str) -> ConfigError:
        return ConfigError(f"pins: {self.path}: {why}. Correct the file, or remove it to pin everything anew")

    def _write(self) -> None:
        """Replace the file in one step: a reader, or a crash, meets the old one or the new one."""
        apps = [
            {name: value for name, value in asdict(pin).items() if value is not None}
            for pin in sorted(
                self._pins.values(), key=lambda pin: (pin.server, pin.uri, pin.user or "", pin.tool or "")
            )
        ]
        text = json.dumps({"version": _VERSION, "apps": apps}, indent=2) + "\n"
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(text)
            if self.path.exists():
                os.chmod(name, self.path.stat().st_mode & 0o777)
            os.replace(name, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def _with(pin: Pin, pins: dict[Key, Pin]) -> dict[Key, Pin]:
    """These pins and this one: in the place of the one its tool had, and for every tool with its document."""
    kept: dict[Key, Pin] = {}
    for key, other in pins.items():
        if (other.user, other.server) != (pin.user, pin.server):
            kept[key] = other
        elif other.uri == pin.uri and other.tool is not None:
            kept[key] = replace(pin, tool=other.tool)
        elif other.uri != pin.uri and other.tool != pin.tool:
            kept[key] = other
    return {**kept, pin.key: pin}
