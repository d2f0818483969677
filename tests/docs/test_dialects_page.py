"""The dialects page: its table names what there is, its code answers."""

from __future__ import annotations

import re

from doc_code import DOCS, run_page

from fanlight.dialects import DIALECTS


def test_the_table_names_every_dialect() -> None:
    text = (DOCS / "dialects.md").read_text("utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE) == list(DIALECTS)


async def test_the_handler_of_the_page_answers_both_spellings_and_refuses_with_the_right_code() -> None:
    answer = run_page("dialects.md")["answer"]
    for method in ("ui/callServerTool", "tools/call"):
        told = await answer({"jsonrpc": "2.0", "id": 0, "method": method, "params": {"name": "x"}})
        assert told["result"]["content"][0]["text"] == "x was called"
    refused = await answer(
        {"jsonrpc": "2.0", "id": 1, "method": "ui/openLink", "params": {"url": "https://a.example"}}
    )
    assert refused["error"]["code"] == -32003
