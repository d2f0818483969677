"""Every kind of wish meets every kind of answer: policy, person, deadline, limit, memory."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from page_client import WAIT, page
from two_servers import make_server
from wishes import KINDS, WISHES, scene

from fanlight.errors import ConfigError
from fanlight.host import (
    ALLOW,
    ASK,
    Action,
    ActionKind,
    Decision,
    Grant,
    Grants,
    Host,
    Rate,
    ViewLimits,
    allow_all,
    default_policy,
    deny,
    deny_all,
)
from fanlight.host.policy import Word

SOON = ViewLimits(question_seconds=0.05)
ONE_EACH = ViewLimits(
    **dict.fromkeys(
        ("tool_calls", "messages", "links", "downloads", "sampling", "display_modes"), Rate(1, 0.001)
    )  # type: ignore[arg-type]
)


async def always_ask(action: Action) -> Decision:
    return ASK


def last(audit: list[dict[str, Any]], kind: str) -> tuple[str, str]:
    entry = [entry for entry in audit if entry["kind"] == kind][-1]
    return entry["decision"], entry["by"]


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_policy_allows_is_done(kind: str) -> None:
    async with scene(policy=allow_all) as shown:
        assert await shown.wish(kind) == ""
        assert "ask" not in [frame["op"] for frame in shown.client.frames]
        assert last(await shown.close(), kind) == ("allow", "policy")


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_policy_denies_is_not_done_and_the_view_is_told_why(kind: str) -> None:
    async with scene(policy=deny_all) as shown:
        why = await shown.wish(kind)
        assert why == (
            "it stays" if kind == "display-mode" else f"this host's policy denies {kind} from apps"
        )
        assert shown.heard == []
        assert last(await shown.close(), kind) == ("deny", "policy")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("person", ["allow", "deny"])
async def test_the_person_is_asked_and_the_answer_holds_once(kind: str, person: str) -> None:
    """Holds: D03, D04, D11."""
    async with scene(policy=always_ask) as shown:
        shown.client.person = person
        for _ in range(2):
            assert bool(await shown.wish(kind)) is (person == "deny")
        asked = [frame for frame in shown.client.frames if frame["op"] == "ask"]
        assert len(asked) == 2
        assert {frame["action"] for frame in asked} == {kind}
        assert {frame["server"] for frame in asked} == {"one"}
        assert last(await shown.close(), kind) == (person, "person")


@pytest.mark.parametrize("kind", KINDS)
async def test_nobody_answers_in_time_and_it_is_denied(kind: str) -> None:
    async with scene(policy=always_ask, limits=SOON) as shown:
        shown.client.person = None
        why = await shown.wish(kind)
        assert why in ("nobody answered within 0.05 s, so it is denied", "it stays")
        (question,) = [frame for frame in shown.client.frames if frame["op"] == "ask"]
        over = [frame for frame in shown.client.frames if frame["op"] == "ask-over"]
        assert (over[0] if over else await shown.client.op("ask-over"))["id"] == question["id"]
        assert last(await shown.close(), kind) == ("deny", "deadline")


@pytest.mark.parametrize("kind", WISHES)
async def test_too_many_are_refused_with_the_time_to_try_again(kind: str) -> None:
    notes: list[str] = []
    async with scene(policy=allow_all, limits=ONE_EACH) as shown:
        shown.host.tap.listen(lambda record: notes.append(str(record.message)))
        assert await shown.wish(kind) == ""
        method, params = WISHES[kind]
        if kind == "display-mode":
            params = {"mode": "inline"}
        answer = await shown.client.asks(method, params)
        if kind == "display-mode":
            assert answer["result"] == {"mode": "fullscreen"}
        else:
            assert answer["error"]["code"] == -32000
            assert "try again in" in answer["error"]["message"]
            assert answer["error"]["data"]["retryAfter"] > 100
        assert last(await shown.close(), kind) == ("deny", "limit")
    assert any(note.startswith(f"deny by limit: {kind}") for note in notes)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", ["allow", "deny"])
async def test_a_remembered_answer_is_not_asked_again_until_it_is_revoked(kind: str, answer: str) -> None:
    async with scene(policy=always_ask) as shown:
        grant = Grant(None, "one", kind, _scope(kind), answer == "allow")
        shown.host.grants.remember(grant)
        assert bool(await shown.wish(kind)) is (answer == "deny")
        assert "ask" not in [frame["op"] for frame in shown.client.frames]
        assert shown.host.grants.revoke(grant)
        assert await shown.wish(kind) == ""
        assert "ask" in [frame["op"] for frame in shown.client.frames]
        decisions = [entry["by"] for entry in await shown.close() if entry["kind"] == kind]
        assert decisions[0] == "remembered"
        assert decisions[-1] == "person"


def _scope(kind: str) -> str:
    return {"tool-call": "plain", "view-tool": "move", "open-link": "example.com"}.get(kind, "")


async def test_the_person_can_have_the_answer_remembered_for_this_server_and_tool() -> None:
    saved: list[list[dict[str, Any]]] = []
    async with scene(policy=always_ask, grants=Grants(on_change=saved.append)) as shown:
        shown.client.person = None
        number = await shown.client.starts("tools/call", {"name": "plain", "arguments": {}})
        await shown.client.decides(await shown.client.op("ask"), "allow", remember=True)
        assert "result" in await shown.client.answer_to(number)
        assert await shown.wish("tool-call") == ""
        assert shown.host.grants.list() == [Grant(None, "one", "tool-call", "plain", True)]
        assert saved == [[{"server": "one", "kind": "tool-call", "subject": "plain", "allowed": True}]]
        # Another tool of the same server, and the same tool of another server, are other questions.
        other = await shown.client.starts("tools/call", {"name": "for_app", "arguments": {}})
        await shown.client.decides(await shown.client.op("ask"), "deny")
        assert "error" in await shown.client.answer_to(other)
        two = await shown.host.connect("two", make_server("two"))
        view = (await two.call_tool("show")).view
        assert view is not None
        async with page(shown.port, view) as client:
            await client.comes_up()
            client.person = "deny"
            assert "error" in await client.asks("tools/call", {"name": "plain", "arguments": {}})
            assert [frame["server"] for frame in client.frames if frame["op"] == "ask"] == ["two"]


async def test_a_remembered_answer_settles_what_waits_for_the_same() -> None:
    async with scene(policy=always_ask) as shown:
        shown.client.person = None
        numbers = [await shown.client.starts("tools/call", {"name": "plain"}) for _ in range(3)]
        first = await shown.client.op("ask")
        await shown.client.decides(first, "allow", remember=True)
        answers = [await shown.client.answer_to(number) for number in numbers]
        assert ["result" in answer for answer in answers] == [True] * 3
        over = [frame["id"] for frame in shown.client.frames if frame["op"] == "ask-over"]
        assert len(over) == 2
        assert first["id"] not in over


async def test_grants_of_one_user_are_not_anothers() -> None:
    grants = Grants([Grant("ann", "one", "tool-call", "plain", True).as_json()])
    assert grants.find("ann", "one", "tool-call", "plain") is not None
    assert grants.find("bob", "one", "tool-call", "plain") is None
    assert grants.find(None, "one", "tool-call", "plain") is None
    grants.remember(Grant("bob", "one", "tool-call", "plain", False))
    assert [grant.user for grant in grants.list("bob")] == ["bob"]
    grants.revoke_all("ann")
    assert [grant.user for grant in grants.list()] == ["bob"]
    assert not grants.revoke(Grant("ann", "one", "tool-call", "plain", True))
    with pytest.raises(ConfigError, match="as_json"):
        Grants([{"nonsense": 1}])


async def test_a_store_of_grants_that_fails_does_not_stop_the_conversation() -> None:
    def fail(grants: list[dict[str, Any]]) -> None:
        raise OSError("disk full")

    grants = Grants(on_change=fail)
    grants.remember(Grant(None, "one", "tool-call", "plain", True))
    assert len(grants.list()) == 1


async def test_more_questions_than_a_person_takes_are_denied_with_a_reason() -> None:
    async with scene(policy=always_ask, limits=ViewLimits(pending_questions=3)) as shown:
        shown.client.person = None
        numbers = [await shown.client.starts("tools/call", {"name": "plain"}) for _ in range(5)]
        late = [await shown.client.answer_to(number) for number in numbers[3:]]
        assert all("wait for the person already" in answer["error"]["message"] for answer in late)
        for frame in [frame for frame in shown.client.frames if frame["op"] == "ask"]:
            await shown.client.decides(frame, "allow")
        assert ["result" in await shown.client.answer_to(number) for number in numbers[:3]] == [True] * 3


async def test_a_view_that_takes_its_request_back_ends_the_question() -> None:
    async with scene(policy=always_ask) as shown:
        shown.client.person = None
        number = await shown.client.starts("tools/call", {"name": "plain"})
        question = await shown.client.op("ask")
        await shown.client.notifies("notifications/cancelled", {"requestId": number})
        assert (await shown.client.op("ask-over"))["id"] == question["id"]
        # An answer that comes too late, and one to no question at all, change nothing.
        await shown.client.decides(question, "allow", remember=True)
        await shown.client.send("decision", id=["x"], answer="allow")
        await shown.client.send("decision")
        assert (await shown.client.asks("ping"))["result"] == {}
        assert shown.host.grants.list() == []
        assert last(await shown.close(), "tool-call") == ("cancelled", "view")


async def test_a_page_that_goes_away_denies_what_it_was_asked() -> None:
    async with scene(policy=always_ask) as shown:
        shown.client.person = None
        await shown.client.starts("tools/call", {"name": "plain"})
        await shown.client.op("ask")
        denied = asyncio.Event()
        shown.host.tap.listen(lambda record: denied.set() if " by gone" in str(record.message) else None)
        await shown.client.send("detach")
        await asyncio.wait_for(denied.wait(), WAIT)
        assert last(await shown.close(), "tool-call")[1] == "gone"


@pytest.mark.parametrize(("ask", "done"), [("allow", True), ("deny", False)])
async def test_where_nobody_can_be_asked_the_host_says_what_that_means(ask: str, done: bool) -> None:
    async with scene(policy=always_ask, ask=ask) as shown:
        assert (await shown.wish("tool-call") == "") is done
        assert "ask" not in [frame["op"] for frame in shown.client.frames]
        assert last(await shown.close(), "tool-call") == (ask, "host")


def test_an_unknown_way_to_ask_is_refused_at_once() -> None:
    with pytest.raises(ConfigError, match="page, allow or deny"):
        Host(ask="nobody")  # type: ignore[arg-type]


async def failing(action: Action) -> Decision:
    raise KeyError("oops")


async def wordless(action: Action) -> Decision:
    return True  # type: ignore[return-value]


async def hanging(action: Action) -> Decision:
    await asyncio.Event().wait()
    return ALLOW


@pytest.mark.parametrize(
    ("policy", "why"), [(failing, "failed"), (wordless, "no usable answer"), (hanging, "in time")]
)
async def test_a_policy_that_is_broken_denies(policy: Any, why: str) -> None:
    async with scene(policy=policy, limits=ViewLimits(policy_seconds=0.05)) as shown:
        assert why in await shown.wish("tool-call")


async def test_the_policy_sees_who_wants_what_and_can_decide_by_it() -> None:
    seen: list[Action] = []

    async def watch(action: Action) -> Decision:
        seen.append(action)
        return deny("not today") if action.subject == "plain" else ALLOW

    async with scene(policy=watch) as shown:
        assert await shown.wish("tool-call") == "not today"
        assert await shown.wish("open-link") == ""
        assert await shown.wish("open-link") == ""
        view = shown.view.id
        assert seen[0] == Action(ActionKind.TOOL_CALL, None, "one", view, "plain", {}, {})
        assert [action.allowed_before for action in seen[1:]] == [False, True]


@pytest.mark.parametrize(
    ("kind", "annotations", "before", "word"),
    [
        ("tool-call", {"readOnlyHint": True}, False, Word.ALLOW),
        ("tool-call", {"readOnlyHint": "true"}, False, Word.ASK),
        ("tool-call", {}, False, Word.ASK),
        ("tool-call", {}, True, Word.ASK),
        ("view-tool", {"readOnlyHint": True}, False, Word.ALLOW),
        ("view-tool", {}, False, Word.ASK),
        ("message", {}, False, Word.ALLOW),
        ("open-link", {}, False, Word.ASK),
        ("open-link", {}, True, Word.ALLOW),
        ("download", {}, True, Word.ASK),
        ("sampling", {}, True, Word.ASK),
        ("display-mode", {}, False, Word.ALLOW),
    ],
)
async def test_the_default_policy(kind: str, annotations: dict[str, Any], before: bool, word: Word) -> None:
    """Holds: D15."""
    action = Action(ActionKind(kind), None, "s", "v", "x", {}, annotations, before)
    assert (await default_policy(action)).word is word


async def test_visibility_stands_before_the_policy_and_is_audited() -> None:
    """Holds: R19."""
    async with scene(policy=allow_all) as shown:
        answer = await shown.client.asks("tools/call", {"name": "for_model", "arguments": {}})
        assert answer["error"]["code"] == -32000
        assert last(await shown.close(), "tool-call") == ("deny", "visibility")
