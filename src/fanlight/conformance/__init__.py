"""The examiner's books: what the specification demands, as data."""

from .requirements import REQUIREMENTS, Level, Party, Requirement, Source

__all__ = ["REQUIREMENTS", "Level", "Party", "Requirement", "Source"]
