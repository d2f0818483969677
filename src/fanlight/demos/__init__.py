"""Built-in servers whose apps show what a view can do. `fanlight demo` opens them all."""

__all__ = ["DEMOS"]

DEMOS = ("explorer", "monitor", "meeting", "board", "editor", "clock")
"""The modules of this package that hold a `server`, in the order in which they are shown."""
