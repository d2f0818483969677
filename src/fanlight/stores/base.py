"""The contract of a store: records of views under their ids, documents once under their hash.

A record is plain JSON that the host wrote and the host reads; a store never looks into it. What a store must
do and raise is said here and proven by one test body that every store passes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from fanlight.errors import FanlightError
from fanlight.wire.jsonrpc import JSONObject

__all__ = ["StoreError", "StoredDocument", "ViewStore"]


class StoreError(FanlightError):
    """A store could not be opened, written or read; the message says which and why."""


@dataclass(frozen=True)
class StoredDocument:
    """The HTML of an app and the hash it is found by. Many views share one."""

    sha256: str
    html: str


class ViewStore(Protocol):
    """Keeps views for a host. Every method may be called from any task of one loop, several at a time.

    A store may be bounded by age and number: then the records that were saved longest ago go first. A
    document is kept as long as a record refers to it.
    """

    async def save(self, view_id: str, record: JSONObject, document: StoredDocument | None = None) -> None:
        """Keep this record, in the place of an earlier one of that id, and the document it refers to.

        Both or nothing is kept. The caller does not change the record afterwards.

        Raises:
            StoreError: it could not be kept, for example because the store is closed or the disk is full.
        """

    async def load(self, view_id: str) -> JSONObject | None:
        """The record that was saved last under this id, equal in every value; None if there is none any more.

        The caller does not change it.

        Raises:
            StoreError: it could not be read.
        """

    async def load_document(self, sha256: str) -> str | None:
        """The HTML with this hash; None if no record refers to it any more.

        Raises:
            StoreError: it could not be read.
        """

    async def delete(self, view_id: str) -> bool:
        """Forget the record, and its document if no other refers to it; False if there was none.

        Raises:
            StoreError: the store could not be changed.
        """

    async def view_ids(self) -> list[str]:
        """The ids of all records, the one saved last first.

        Raises:
            StoreError: they could not be read.
        """

    async def aclose(self) -> None:
        """Let go of files and threads. Safe to call twice."""
