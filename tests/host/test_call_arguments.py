"""A program's arguments: checked before a view is made, copied, and the result is its own to trim."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from page_client import page, served
from two_servers import make_server

from fanlight.errors import ConfigError
from fanlight.host import Host
from fanlight.host.arguments import plain_arguments

NO_DICTS: list[Any] = [["Oslo"], [], "", 0, False, ("a",), {"a"}]
UNSENDABLE: list[tuple[Any, str]] = [
    ({"n": float("nan")}, "arguments.n is nan"),
    ({"when": [1, 2, datetime.date(2026, 1, 1)]}, r"arguments\.when\[2\] is of type date"),
    ({"n": {1, 2}}, "arguments.n is of type set"),
    ({1: "one"}, "arguments has the key 1 of type int"),
    ({"city": "\ud800"}, "arguments.city has half of a surrogate pair"),
]


@pytest.mark.parametrize("arguments", NO_DICTS)
async def test_arguments_that_are_no_dict_are_refused_before_there_is_a_view(arguments: Any) -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        for call in (server.start_call, server.call_tool):
            with pytest.raises(ConfigError, match=f"type {type(arguments).__name__}: give a dict"):
                await call("show", arguments)  # type: ignore[misc]
        assert not list(host._views.values())


@pytest.mark.parametrize(("arguments", "place"), UNSENDABLE)
async def test_what_json_cannot_carry_is_named_before_there_is_a_view(arguments: Any, place: str) -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        with pytest.raises(ConfigError, match=f"'show' cannot be sent: {place}"):
            server.start_call("show", arguments)
        assert not list(host._views.values())
        async with server.begin_call("show") as call:
            with pytest.raises(ConfigError, match=place):
                call.set_arguments(arguments)
            call.set_arguments({"city": "Bergen"})
        assert call.arguments == {"city": "Bergen"}


@pytest.mark.parametrize(("text", "place"), [('{"city": 1e999}', "inf"), ('{"city": "\\ud83d"}', "half of")])
async def test_text_that_says_what_cannot_be_sent_cancels_a_streamed_call(text: str, place: str) -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        call = server.begin_call("show")
        call.feed_arguments(text)
        with pytest.raises(ConfigError, match=f"arguments.city .*{place}"):
            await call.finish()
        assert call.view is not None
        assert call.view.cancelled is not None
        assert (await server.call_tool("show")).result["content"][0]["text"] == "one shows Oslo"


def test_none_is_no_arguments() -> None:
    assert plain_arguments("t", None) == {}


async def test_a_view_is_told_what_the_tool_was_told_whatever_the_program_does_afterwards() -> None:
    async with Host() as host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        arguments = {"city": "Oslo"}
        call = await server.call_tool("show", arguments)
        arguments["city"] = "Bergen"
        call.result["content"][0]["text"] = "cut"
        call.result["content"].clear()
        call.result["structuredContent"].clear()
        call.result.pop("isError")
        assert call.result["content"] == []  # the same each time: the program's own
        assert call.view is not None
        async with page(port, call.view) as client:
            await client.comes_up()
            assert await client.hears("ui/notifications/tool-input") == {"arguments": {"city": "Oslo"}}
            told = await client.hears("ui/notifications/tool-result")
        assert told["content"] == [{"type": "text", "text": "one shows Oslo"}]
        assert told["structuredContent"] == {"result": "one shows Oslo"}
        assert told["isError"] is False


async def test_arguments_that_were_set_are_copied_too() -> None:
    async with Host() as host:
        server = await host.connect("one", make_server("one"))
        given = {"city": "Oslo"}
        async with server.begin_call("show") as call:
            call.set_arguments(given)
            given["city"] = "Bergen"
        assert call.result["content"][0]["text"] == "one shows Oslo"
        assert call.view is not None
        assert call.view.arguments == {"city": "Oslo"}
