"""A changed app is shown only after somebody said yes; what happens when nobody can."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mcp.server.apps import Apps
from mcp.server.mcpserver import MCPServer
from page_client import page, served

from fanlight.host import Host, LinkSettings, Pins, Verdict, View, ViewLimits, allow_all, deny_all

URI = "ui://app/view.html"


def server_with(html: str, uri: str = URI) -> MCPServer[Any]:
    apps = Apps()
    apps.add_html_resource(uri, html)

    @apps.tool(resource_uri=uri)
    def show() -> str:
        return "the tool's text"

    return MCPServer("app", extensions=[apps])


async def shown_once(pins: Pins, html: str = "<p>one") -> None:
    """The app as it was."""
    async with Host(pins=pins) as host, served(host) as port, page(port, await called(host, html)) as client:
        await client.comes_up()


async def called(host: Host, html: str) -> View:
    server = host.servers.get("app") or await host.connect("app", server_with(html))
    call = await server.call_tool("show")
    assert call.view is not None
    return call.view


@pytest.fixture
async def pins(tmp_path: Path) -> Pins:
    made = Pins(tmp_path / "pins.json")
    await shown_once(made)
    return made


async def test_an_app_that_is_as_it_was_is_shown_without_a_question(pins: Pins) -> None:
    await shown_once(pins)
    assert len(pins.list()) == 1


async def test_a_changed_app_is_asked_about_and_after_a_yes_it_is_shown_and_pinned(pins: Pins) -> None:
    decisions: list[dict[str, Any]] = []
    async with Host(pins=pins, audit=decisions.append) as host, served(host) as port:
        view = await called(host, "<p>two")
        async with page(port, view) as client:
            client.person = None
            await client.attach()
            question = await client.op("ask")
            assert question["action"] == "changed-app"
            assert question["server"] == "app"
            assert question["subject"] == URI
            assert pins.list()[0].sha256 in question["detail"]
            assert "Changed: its document." in question["detail"]
            assert not [frame for frame in client.frames if frame["op"] == "mount"]
            await client.decides(question, "allow", remember=True)
            await client.op("mount")
        assert view.document is not None
        assert pins.list()[0].sha256 == view.document.sha256
        assert host.grants.list() == []  # a yes is for this change, not for every one to come
    (decision,) = [entry for entry in decisions if entry["kind"] == "changed-app"]
    assert (decision["decision"], decision["by"]) == ("allow", "person")
    await shown_once(pins, "<p>two")


async def test_a_tool_that_was_linked_to_another_address_is_asked_about(pins: Pins) -> None:
    """Else a server would only have to give its other script a new address."""
    async with Host(pins=pins) as host, served(host) as port:
        await host.connect("app", server_with("<p>two", "ui://app/new.html"))
        async with page(port, await called(host, "")) as client:
            client.person = None
            await client.attach()
            question = await client.op("ask")
            assert f"Changed: its address (it was {URI}) and its document." in question["detail"]
            assert question["subject"] == "ui://app/new.html"
            await client.decides(question, "allow")
            await client.op("mount")
    assert [pin.uri for pin in pins.list()] == ["ui://app/new.html"]


async def test_after_a_no_the_view_says_why_and_the_pin_stays(pins: Pins) -> None:
    before = pins.list()
    async with Host(pins=pins) as host, served(host) as port:
        view = await called(host, "<p>two")
        async with page(port, view) as client:
            client.person = "deny"
            await client.attach()
            verdict = await client.verdict("changed")
            assert "has changed since" in verdict["reason"]
            assert "said no" in verdict["reason"]
            assert "ask whoever runs the server" in verdict["remedy"]
            assert verdict["text"] == "the tool's text"
            # Another look at it asks again.
            client.person = "allow"
            await client.attach()
            await client.op("mount")
    assert before[0].date <= pins.list()[0].date


@pytest.mark.parametrize("ask", ["allow", "deny"])
async def test_where_nobody_can_be_asked_a_changed_app_is_not_shown(pins: Pins, ask: Any) -> None:
    """Also where the host allows everything else unasked: a pin that gives way would hold nothing."""
    before = pins.list()
    async with Host(pins=pins, ask=ask) as host, served(host) as port:
        view = await called(host, "<p>two")
        async with page(port, view) as client:
            await client.attach()
            assert "nobody can be asked" in (await client.verdict("changed"))["reason"]
        assert view.verdict is Verdict.CHANGED
    assert pins.list() == before


@pytest.mark.parametrize(("policy", "shown"), [(allow_all, True), (deny_all, False)])
async def test_the_policy_of_the_program_decides_first(pins: Pins, policy: Any, shown: bool) -> None:
    async with (
        Host(pins=pins, policy=policy) as host,
        served(host) as port,
        page(port, await called(host, "<p>two")) as client,
    ):
        client.person = None
        await client.attach()
        if shown:
            await client.op("mount")
        else:
            assert "policy" in (await client.verdict("changed"))["reason"]


async def test_nobody_answers_in_time(pins: Pins) -> None:
    limits = ViewLimits(question_seconds=0.1)
    async with (
        Host(pins=pins, limits=limits) as host,
        served(host) as port,
        page(port, await called(host, "<p>two")) as client,
    ):
        client.person = None
        await client.attach()
        assert "nobody answered" in (await client.verdict("changed"))["reason"]


async def test_a_page_that_goes_while_it_is_asked_leaves_the_question_open(pins: Pins) -> None:
    link = LinkSettings(leave_timeout=0.05)
    async with Host(pins=pins, link=link) as host, served(host) as port:
        view = await called(host, "<p>two")
        async with page(port, view) as client:
            client.person = None
            await client.attach()
            await client.op("ask")
        async with page(port, view) as again:
            again.person = "allow"
            await again.attach()
            await again.op("mount")


async def test_one_answer_is_enough_for_all_views_of_the_app(pins: Pins) -> None:
    async with Host(pins=pins) as host, served(host) as port:
        one, two = await called(host, "<p>two"), await called(host, "<p>two")
        async with page(port, one) as first, page(port, two) as second:
            questions = []
            for client in (first, second):
                client.person = None
                await client.attach()
                questions.append(await client.op("ask"))
            await first.decides(questions[0], "allow")
            await first.op("mount")
            await second.op("ask-over")
            await second.op("mount")


async def test_users_accept_for_themselves(tmp_path: Path) -> None:
    pins = Pins(tmp_path / "pins.json")

    def user(connection: Any) -> str:
        return "ann"

    for html, asks in (("<p>one", False), ("<p>two", True)):
        async with Host(pins=pins, user=user) as host, served(host) as port:
            server = await host.connect("app", server_with(html))
            call = await server.call_tool("show", user="ann")
            assert call.view is not None
            async with page(port, call.view) as client:
                await client.attach()
                await client.op("mount")
                assert bool([frame for frame in client.frames if frame["op"] == "ask"]) is asks
    assert [pin.user for pin in pins.list()] == ["ann"]
