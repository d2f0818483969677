"""Functions become tools: which may, and what happens to their parameters and results."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypedDict, TypeVar

import pytest
from mcp_types import CallToolResult, ImageContent, InputRequiredResult, TextContent

from fanlight.errors import ConfigError
from fanlight.server import Reply, reply
from fanlight.server.registration import ToolPlan
from fanlight.server.results import ReplyError
from fanlight.server.wrapping import answering, check_function, description_of

T = TypeVar("T")


class Row(TypedDict):
    a: int


class Failure(Exception):
    pass


class Request:
    """What an SDK hands to a parameter of this type."""

    session = None


def returning(annotation: Any) -> Callable[..., Any]:
    def tool() -> Any:
        return None

    tool.__annotations__["return"] = annotation
    return tool


def wrapped(fn: Callable[..., Any], context: Any = lambda: None) -> Callable[..., Any]:
    plan = ToolPlan(fn, "shown", None, None, {}, {})
    return answering(plan, result=dict, result_type=dict, failure=Failure, context=context)


@pytest.mark.parametrize(
    "annotation",
    [
        *(Reply, str, Any, object, CallToolResult, Reply | str, Reply | InputRequiredResult, T, "Unknown"),
        *(Annotated[str, "words"], Annotated[CallToolResult, Row], Annotated[Reply | Annotated[str, 1], 2]),
    ],
)
def test_what_can_carry_text_may_be_promised(annotation: Any) -> None:
    check_function(returning(annotation), "shown")


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        (None, "NoneType"),
        (Annotated[int, "a number"], "int"),
        (dict, "dict"),
        (dict[str, int], "dict"),
        (list[str], "list"),
        (int, "int"),
        (Row, "Row"),
        (Reply | None, "NoneType"),
        (bytes, "bytes"),
    ],
)
def test_what_carries_no_text_may_not_be_promised(annotation: Any, shown: str) -> None:
    """Holds: R10."""
    with pytest.raises(ConfigError, match=rf"tool 'shown' has an app and promises {shown}.*'-> Reply'"):
        check_function(returning(annotation), "shown")


class Called:
    """Says of itself what it does."""

    days: int = 3

    def __call__(self, city: str, days: int = 1) -> dict[str, int]:
        return {city: days}


def called_with(city: str, days: int) -> dict[str, int]:
    return {city: days}


@pytest.mark.parametrize("fn", [Called(), functools.partial(called_with, days=2), Called().__call__])
def test_an_object_and_a_partial_may_not_promise_it_either(fn: Callable[..., Any]) -> None:
    with pytest.raises(ConfigError, match="tool 'shown' has an app and promises dict"):
        check_function(fn, "shown")


def test_the_parameters_of_an_object_and_of_a_partial_have_their_types() -> None:
    for fn, types in (
        (Called(), {"city": str, "days": int}),
        (functools.partial(called_with, "Oslo"), {"days": int}),
        (functools.partial(functools.partial(Called(), days=2), "Oslo"), {"days": int}),
    ):
        made = wrapped(fn)
        assert inspect.get_annotations(made) == {**types, "return": dict}
        assert set(inspect.signature(made).parameters) == set(types)


async def test_a_partial_of_something_asynchronous_is_asynchronous() -> None:
    class Later:
        async def __call__(self, word: str) -> str:
            return word

    made = wrapped(functools.partial(Later(), "a"))
    assert (await made())["content"][0]["text"] == "a"


def test_the_description_is_what_was_written() -> None:
    def tool(city: str) -> str:
        """Says it."""
        return city

    class Silent:
        def __call__(self) -> str:
            """Says nothing."""
            return "x"

    assert description_of(functools.partial(tool, "Oslo")) == "Says it."
    assert description_of(Called()) == "Says of itself what it does."
    assert description_of(Silent()) == "Says nothing."
    assert description_of(lambda: "x") is None


def test_a_parameter_that_no_client_can_give_is_refused_with_the_remedy() -> None:
    def tool(city: str, /, days: int = 1) -> str:
        return city * days

    with pytest.raises(ConfigError, match=r"positional-only parameter 'city': .* remove the '/'"):
        check_function(tool, "shown")
    check_function(functools.partial(tool, "Oslo"), "shown")


def test_nothing_needs_to_be_promised() -> None:
    def silent():  # type: ignore[no-untyped-def]
        return "x"

    check_function(silent, "shown")


def test_the_parameters_stay_and_the_result_is_the_sdks() -> None:
    def tool(city: str, *, days: int = 3) -> Reply:
        """Says it."""
        return reply(f"{city} {days}")

    made = wrapped(tool)
    assert str(inspect.signature(made)) == "(city: str, *, days: int = 3) -> dict"
    assert inspect.get_annotations(made) == {"city": str, "days": int, "return": dict}
    assert made.__doc__ == "Says it."
    assert made("Oslo", days=2)["content"][0]["text"] == "Oslo 2"


async def test_an_asynchronous_function_and_an_asynchronous_object_stay_so() -> None:
    async def tool(word: str) -> Reply:
        return reply(word)

    class Tool:
        async def __call__(self, word: str) -> str:
            return word

    assert inspect.iscoroutinefunction(wrapped(tool))
    assert (await wrapped(tool)("a"))["content"][0]["text"] == "a"
    called = wrapped(functools.wraps(tool)(Tool()))
    assert (await called("b"))["content"][0]["text"] == "b"


@pytest.mark.parametrize(
    ("returned", "shown"),
    [
        (None, "None"),
        ("", "''"),
        ({"a": 1}, "a dict without text"),
        ([], "a list without text"),
        (CallToolResult(content=[]), "a CallToolResult without text"),
        (
            CallToolResult(content=[ImageContent(type="image", data="", mime_type="image/png")]),
            "a CallToolResult without text",
        ),
    ],
)
def test_a_result_without_words_fails_with_the_remedy(returned: Any, shown: str) -> None:
    """Holds: R10."""
    with pytest.raises(Failure, match=rf"tool 'shown' has an app and returned {shown}: return reply") as told:
        wrapped(lambda: returned)()
    assert isinstance(told.value.__cause__, ReplyError)


async def test_the_same_is_told_of_an_asynchronous_function() -> None:
    async def tool() -> Any:
        return None

    with pytest.raises(Failure, match="returned None"):
        await wrapped(tool)()


def test_a_result_of_the_sdk_itself_passes_as_it_is() -> None:
    for result in (
        CallToolResult(content=[TextContent(type="text", text="hi")]),
        InputRequiredResult.model_construct(),
    ):
        assert wrapped(lambda result=result: result)() is result


def test_other_exceptions_are_the_functions_own() -> None:
    def tool() -> Reply:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        wrapped(tool)()


# Where the SDK hands its context only to a parameter.


def test_a_parameter_for_the_context_is_added_and_the_function_does_not_see_it() -> None:
    def tool(city: str) -> Reply:
        return reply(city)

    made = wrapped(tool, Request)
    assert list(inspect.signature(made).parameters) == ["city", "fanlight_context"]
    assert inspect.get_annotations(made)["fanlight_context"] is Request
    assert made(city="Oslo", fanlight_context=Request())["content"][0]["text"] == "Oslo"


def test_a_parameter_that_the_function_has_is_used() -> None:
    given: list[Request | None] = []

    def tool(request: Request | None) -> Reply:
        given.append(request)
        return reply("x", text_only="y")

    made = wrapped(tool, Request)
    assert list(inspect.signature(made).parameters) == ["request"]
    request = Request()
    assert made(request=request)["content"][0]["text"] == "y"
    assert given == [request]


def test_a_parameter_that_a_partial_has_given_away_is_not_used() -> None:
    def tool(request: Request, city: str) -> Reply:
        return reply(f"{request.session} {city}")

    made = wrapped(functools.partial(tool, Request()), Request)
    assert list(inspect.signature(made).parameters) == ["city", "fanlight_context"]
    assert made(city="Oslo", fanlight_context=None)["content"][0]["text"] == "None Oslo"


def test_further_keyword_arguments_stay_last() -> None:
    def tool(**more: int) -> Reply:
        return reply(str(more))

    made = wrapped(tool, Request)
    assert list(inspect.signature(made).parameters) == ["fanlight_context", "more"]
    assert made(fanlight_context=None, a=1)["content"][0]["text"] == "{'a': 1}"
