"""A function that renders a document: what it may ask for, and what is said when it fails."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fanlight.errors import ConfigError

from .error_places import place_of
from .wrapping import written_function

__all__ = ["check_needs_nothing", "rendered"]

logger = logging.getLogger(__name__)


def check_needs_nothing(render: Callable[..., Any], name: str) -> None:
    """
    Raises:
        ConfigError: it cannot be called without arguments.
    """
    try:
        parameters = inspect.signature(render).parameters.values()
    except ValueError:  # written in C: nobody knows
        return
    optional = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    needed = [each.name for each in parameters if each.default is each.empty and each.kind not in optional]
    if needed:
        raise ConfigError(
            f"AppResource.function got {name}, which needs {', '.join(map(repr, needed))}, but it is called "
            "without arguments: give each a default, or give lambda: … with the values"
        )


async def rendered(render: Callable[[], Any], name: str, *, dev: bool) -> Any:
    """What the function returns.

    Raises:
        ConfigError: it raised something; with `dev` the message and the line are said, else only the type,
            since a message may hold secrets and hosts show it to anybody.
    """
    try:
        return await _called(render)
    except ConfigError:
        raise  # the kit's own, such as a template's: it says what to do
    except Exception as error:
        logger.exception("%s failed", name)
        raise ConfigError(f"{name} failed: {_fault(error, render, dev)}") from error


async def _called(render: Callable[[], Any]) -> Any:
    if inspect.iscoroutinefunction(render):
        return await render()
    from anyio import to_thread

    found = await to_thread.run_sync(render)
    return await found if inspect.isawaitable(found) else found


def _fault(error: Exception, render: Callable[..., Any], dev: bool) -> str:
    kind = type(error).__name__
    if not dev:
        return f"{kind}; the server's log says more"
    code = getattr(inspect.unwrap(written_function(render)), "__code__", None)
    place = place_of(error, [Path(code.co_filename).parent] if code else [])
    # A message may have what cannot be sent, such as the name of a file that is not UTF-8.
    said = str(error).encode("utf-8", "backslashreplace").decode()
    return f"{kind}: {said}" + (f" ({place})" if place else "")
