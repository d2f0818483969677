"""The code of docs/policy.md runs, and its tables say what the code says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from doc_code import DOCS, run_page
from page_client import page, served
from two_servers import make_server
from wishes import ShownView

from fanlight.host import Action, ActionKind, Host, ViewLimits
from fanlight.host.policy import Word

PAGE = (DOCS / "policy.md").read_text("utf-8")


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Everything that the page's Python defines, run from top to bottom."""
    monkeypatch.chdir(tmp_path)
    return run_page("policy.md")


@pytest.mark.parametrize(
    ("action", "word"),
    [
        (Action(ActionKind.TOOL_CALL, "ann", "s", "v", "delete_account"), Word.DENY),
        (Action(ActionKind.SAMPLING, "guest", "s", "v", ""), Word.DENY),
        (Action(ActionKind.SAMPLING, "ann", "s", "v", ""), Word.ASK),
        (Action(ActionKind.TOOL_CALL, "ann", "intranet", "v", "x", {}, {"readOnlyHint": True}), Word.ALLOW),
        (Action(ActionKind.MESSAGE, "ann", "s", "v", "x"), Word.ASK),
        (Action(ActionKind.DISPLAY_MODE, "ann", "s", "v", "pip"), Word.ALLOW),
    ],
)
async def test_the_policy_of_the_page_decides_as_it_reads(
    program: dict[str, Any], action: Action, word: Word
) -> None:
    assert (await program["policy"](action)).word is word


async def test_the_program_of_the_page_works(program: dict[str, Any], tmp_path: Path) -> None:
    host: Host = program["host"]
    async with host, served(host) as port:
        server = await host.connect("one", make_server("one"))
        view = (await server.call_tool("show")).view
        assert view is not None
        async with page(port, view, kind=ShownView) as client:
            await client.comes_up({"tools": {}})
            client.person = None
            number = await client.starts("tools/call", {"name": "plain"})
            await client.decides(await client.op("ask"), "allow", remember=True)
            assert "result" in await client.answer_to(number)
            client.person = "allow"
            silent = {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"}
            answer = await client.asks("ui/message", {"role": "user", "content": [silent]})
            assert answer["result"] == {"isError": True}
    assert '"subject": "plain"' in (tmp_path / "grants.json").read_text()
    assert [entry["by"] for entry in program["decisions"]] == ["person", "person"]


def test_every_limit_and_every_kind_is_on_the_page() -> None:
    for name in ViewLimits.__dataclass_fields__:
        assert f"`{name}`" in PAGE, name
    for kind in ActionKind:
        assert f"`{kind}`" in PAGE, kind
