"""How much of a server is read, and for how long: a server may be broken, or hostile."""

from __future__ import annotations

from dataclasses import dataclass, fields

from fanlight.errors import ConfigError

__all__ = ["MAX_MESSAGE_BYTES", "MAX_NAME_BYTES", "ServerLimits"]

# One message of a server. More is not read: the connection ends, whichever way the message came.
MAX_MESSAGE_BYTES = 64 << 20

# One name, address or cursor, and all that becomes a header of one HTTP request. nginx refuses header lines
# of more than 8 KiB, Node headers of 16 KiB in all, and some servers just hang up.
MAX_NAME_BYTES = 8000


@dataclass(frozen=True)
class ServerLimits:
    """What one server may make a host keep or wait for.

    Attributes:
        document_size: bytes of one app's HTML. The largest official app has 4.3 MB.
        read_seconds: how long one document, or one page of a list, may take.
        list_seconds: how long a whole list may take, however many pages it has.
        entries: tools, or resources, that one server may list.
        documents: apps whose documents are read before somebody asks for them.
        kept_size: bytes of documents that are kept to be shown again.
    """

    document_size: int = 32 << 20
    read_seconds: float = 30.0
    list_seconds: float = 60.0
    entries: int = 20_000
    documents: int = 50
    kept_size: int = 256 << 20

    def __post_init__(self) -> None:
        for entry in fields(self):
            if not getattr(self, entry.name) > 0:
                raise ConfigError(
                    f"server limit {entry.name} is {getattr(self, entry.name)!r}: give a number above 0"
                )
