"""Where views sleep: one contract, in memory by default, in SQLite to outlive the process."""

from .base import StoredDocument, StoreError, ViewStore
from .memory import MemoryStore
from .sqlite import SqliteStore

__all__ = ["MemoryStore", "SqliteStore", "StoreError", "StoredDocument", "ViewStore"]
