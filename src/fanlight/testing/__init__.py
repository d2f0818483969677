"""Fakes and harnesses that users get too; each one lives in a file of its own."""

from __future__ import annotations

from .pair import ConnectionPair, Crossing

__all__ = ["ConnectionPair", "Crossing"]
