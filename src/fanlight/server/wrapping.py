"""A function that returns `reply(…)` becomes one that returns what an SDK sends, with the same parameters.

What the function may return is checked twice: its annotation when it is registered, its result when it is
called. A function is whatever can be called: a method, a `functools.partial`, an object with ``__call__``.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Union

from fanlight.errors import ConfigError
from fanlight.wire.jsonrpc import JSONObject

from .clients import client_shows_apps
from .registration import ToolPlan
from .results import Reply, ReplyError, wire_result

__all__ = ["answering", "check_function", "description_of", "written_function"]

_SDKS = ("mcp", "mcp_types", "fastmcp")
_CONTEXT = "fanlight_context"
_REMEDY = "return reply('what the model should know', data={…})"


def check_function(fn: Callable[..., Any], name: str) -> None:
    """
    Raises:
        ConfigError: no client can call the function, or its annotation promises something that carries no
            text for the model (R10).
    """
    for parameter in inspect.signature(fn).parameters.values():
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise ConfigError(
                f"tool {name!r} has the positional-only parameter {parameter.name!r}: clients give arguments "
                "by name, so remove the '/' from the function's parameters"
            )
    for arm in _arms(_hints(fn).get("return", Any)):
        if not _may_return(arm):
            shown = getattr(arm, "__name__", None) or str(arm)
            raise ConfigError(f"tool {name!r} has an app and promises {shown}: {_REMEDY}, and say '-> Reply'")


def description_of(fn: Callable[..., Any]) -> str | None:
    """The docstring of what was written; a partial's own is that of `functools.partial`."""
    return inspect.getdoc(_without_partials(fn)) or inspect.getdoc(written_function(fn))


def _arms(annotation: Any) -> tuple[Any, ...]:
    """The types that an annotation allows, without what `Annotated` adds to them."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Annotated:
        return _arms(args[0])
    if origin in (Union, types.UnionType):
        return tuple(one for arm in args for one in _arms(arm))
    return (annotation,)


def _may_return(annotation: Any) -> bool:
    kind = typing.get_origin(annotation) or annotation
    if kind is Any or not isinstance(kind, type):  # also a type variable, a name that only type checkers know
        return True
    return kind is object or issubclass(kind, (Reply, str)) or _is_of_sdk(kind)


def _is_of_sdk(kind: type) -> bool:
    return any(base.__module__.partition(".")[0] in _SDKS for base in kind.__mro__)


def _without_partials(fn: Callable[..., Any]) -> Callable[..., Any]:
    while isinstance(fn, functools.partial):
        fn = fn.func
    return fn


def written_function(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The function that has the annotations which `inspect.signature` shows of `fn`."""
    fn = _without_partials(fn)
    if inspect.isroutine(fn) or isinstance(fn, type):
        return fn
    # An object. If it stands for a function, that one's signature is shown.
    called: Callable[..., Any] = inspect.unwrap(fn) if hasattr(fn, "__wrapped__") else type(fn).__call__
    return called


def _hints(fn: Callable[..., Any]) -> dict[str, Any]:
    written = written_function(fn)
    try:
        return typing.get_type_hints(written, include_extras=True)
    except (NameError, TypeError):  # a name that only type checkers know: the SDK will say so
        return dict(getattr(written, "__annotations__", {}))


def answering(
    plan: ToolPlan,
    *,
    result: Callable[[JSONObject], Any],
    result_type: type,
    failure: Callable[[str], Exception],
    context: Callable[[], Any] | type,
) -> Callable[..., Any]:
    """`plan.fn` with an SDK's result in place of a `Reply`; synchronous or not, as it was.

    Args:
        result: makes the SDK's result from the wire form.
        result_type: its type, so that the SDK derives no output schema from ``-> Reply``.
        failure: makes the exception whose text the SDK shows to the client.
        context: gives the context of the running request, or is its type, where the SDK hands it only to a
            parameter of that type; then there is such a parameter.
    """
    fn = plan.fn
    signature = _resolved(inspect.signature(fn), _hints(fn))
    taken: Callable[[dict[str, Any]], Any]
    if not isinstance(context, type):
        taken = _ignoring_arguments(context)
    elif (own := _parameter_of(context, _annotations(signature))) is not None:
        taken = functools.partial(_from_arguments, name=own)
    else:
        taken = functools.partial(_out_of_arguments, name=_CONTEXT)
        signature = _with_parameter(signature, _CONTEXT, context)

    def finish(returned: object, found: Any) -> Any:
        given = Reply(returned) if isinstance(returned, str) and returned.strip() else returned
        if not isinstance(given, Reply):
            return _checked(plan.name, returned)
        shows_apps = given.text_only is None or client_shows_apps(found)
        return result(wire_result(given, shows_apps=shows_apps))

    wrapped: Callable[..., Any]
    if _is_async(fn):

        @functools.wraps(fn)
        async def answer_later(*args: Any, **kwargs: Any) -> Any:
            found = taken(kwargs)
            try:
                return finish(await fn(*args, **kwargs), found)
            except ReplyError as error:
                raise failure(str(error)) from error

        wrapped = answer_later
    else:

        @functools.wraps(fn)
        def answer(*args: Any, **kwargs: Any) -> Any:
            found = taken(kwargs)
            try:
                return finish(fn(*args, **kwargs), found)
            except ReplyError as error:
                raise failure(str(error)) from error

        wrapped = answer
    vars(wrapped)["__signature__"] = signature.replace(return_annotation=result_type)
    # From the signature and not from the hints: a partial has fewer parameters than its function.
    wrapped.__annotations__ = {**_annotations(signature), "return": result_type}
    return wrapped


def _annotations(signature: inspect.Signature) -> dict[str, Any]:
    parameters = signature.parameters.values()
    return {each.name: each.annotation for each in parameters if each.annotation is not each.empty}


def _is_async(fn: Callable[..., Any]) -> bool:
    fn = _without_partials(fn)
    return inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)


def _checked(name: str, returned: object) -> object:
    """A result of the SDK itself passes if the model finds text in it, or if it is not the final one."""
    if _is_of_sdk(type(returned)):
        content = getattr(returned, "content", None)
        if content is None or any(str(getattr(block, "text", "")).strip() for block in content):
            return returned
    empty = returned is None or returned == ""
    shown = repr(returned) if empty else f"a {type(returned).__name__} without text"
    raise ReplyError(f"tool {name!r} has an app and returned {shown}: {_REMEDY}")


def _parameter_of(kind: type, hints: dict[str, Any]) -> str | None:
    def is_it(hint: Any) -> bool:
        return any(isinstance(arm, type) and issubclass(arm, kind) for arm in _arms(hint))

    return next((name for name, hint in hints.items() if name != "return" and is_it(hint)), None)


def _resolved(signature: inspect.Signature, hints: dict[str, Any]) -> inspect.Signature:
    """The annotations as objects: an SDK would look for their names in the wrong module."""
    parameters = signature.parameters.values()
    return signature.replace(
        parameters=[each.replace(annotation=hints.get(each.name, each.annotation)) for each in parameters]
    )


def _with_parameter(signature: inspect.Signature, name: str, kind: type) -> inspect.Signature:
    parameters = list(signature.parameters.values())
    last = len(parameters) - (bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD)
    parameters.insert(last, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind))
    return signature.replace(parameters=parameters)


def _ignoring_arguments(context: Callable[[], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda _arguments: context()


def _from_arguments(arguments: dict[str, Any], *, name: str) -> Any:
    return arguments.get(name)


def _out_of_arguments(arguments: dict[str, Any], *, name: str) -> Any:
    return arguments.pop(name, None)
