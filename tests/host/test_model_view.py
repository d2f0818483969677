"""What a model reads of a result, and what only the view and the person get."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer

from fanlight.host import Host
from fanlight.host.model_view import result_for_model

TEXT = {"type": "text", "text": "12 degrees"}


def test_a_model_gets_the_content_and_never_the_private_part() -> None:
    result = {
        "content": [{**TEXT, "_meta": {"a": 1}}],
        "structuredContent": {"d": 12},
        "_meta": {"key": "secret"},
    }
    assert result_for_model(result) == {"content": [TEXT]}


def test_structured_data_is_for_the_view_unless_asked_for_or_all_there_is() -> None:
    data = {"degrees": 12}
    with_text = {"content": [TEXT], "structuredContent": data}
    assert result_for_model(with_text, structured=True)["structuredContent"] == data
    assert result_for_model({"content": [], "structuredContent": data}) == {
        "content": [],
        "structuredContent": data,
    }
    assert result_for_model({"structuredContent": data})["structuredContent"] == data


def test_blocks_for_the_person_only_are_left_out() -> None:
    def block(*audience: str) -> dict[str, Any]:
        return {**TEXT, "annotations": {"audience": list(audience)}}

    result = {"content": [block("user"), block("assistant"), block("user", "assistant"), TEXT]}
    assert result_for_model(result)["content"] == result["content"][1:]


def test_an_error_stays_one() -> None:
    assert result_for_model({"content": [TEXT], "isError": True})["isError"] is True
    assert "isError" not in result_for_model({"content": [TEXT], "isError": False})


def test_long_text_is_cut_over_all_blocks_and_says_how_much_is_missing() -> None:
    result = {"content": [{"type": "text", "text": "a" * 60}, {"type": "text", "text": "b" * 60}]}
    first, second = result_for_model(result, max_text=100)["content"]
    assert first["text"] == "a" * 60
    assert second["text"].startswith("b" * 40 + "\n[… 20 more characters were left out")


async def test_a_call_gives_the_view_everything_and_the_model_its_part() -> None:
    server: MCPServer[Any] = MCPServer("words")

    @server.tool()
    def long() -> str:
        return "x" * 1000

    async with Host() as host:
        call = await (await host.connect("words", server)).call_tool("long")
        assert call.result["content"][0]["text"] == "x" * 1000
        assert len(call.for_model(max_text=10)["content"][0]["text"]) < 100
