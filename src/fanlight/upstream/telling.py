"""Functions that the program gave us to be told of something: one that fails harms nobody but itself.

They are called from the middle of our own work (a pump, a connection that just broke), which must go on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import ParamSpec

__all__ = ["tell_each"]

P = ParamSpec("P")
_log = logging.getLogger("fanlight")


def tell_each(
    what: str, listeners: Iterable[Callable[P, object]], /, *args: P.args, **kwargs: P.kwargs
) -> None:
    """Call each listener; what one raises is said in the log, and the next is called.

    `what` names the listeners there, in the words of the door they came through: "view.watch()".
    """
    for listener in tuple(listeners):
        try:
            listener(*args, **kwargs)
        except Exception:
            _log.exception("a function given to %s failed: %r", what, listener)
