"""The file of pins: readable, written in one step, and refused when it is something else."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.host import Pin, Pins
from fanlight.upstream import AppDocument

URI = "ui://clock/view.html"


def document(html: str = "<p>one", uri: str = URI, **meta: Any) -> AppDocument:
    return AppDocument(uri, html, meta)


def pinned(server: str, document: AppDocument, user: str | None = None, tool: str = "show") -> Pin:
    return Pins.pin_of(server, tool, document, user)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "pins.json"


def test_the_file_is_there_from_the_beginning_and_a_person_can_read_it(path: Path) -> None:
    pins = Pins(path)
    assert json.loads(path.read_text()) == {"version": 1, "apps": []}
    assert pins.seen(pinned("clock", document())) is None
    (app,) = json.loads(path.read_text())["apps"]
    assert set(app) == {"server", "uri", "sha256", "declared", "date", "tool"}
    assert (app["server"], app["tool"], app["uri"]) == ("clock", "show", URI)
    assert app["sha256"] == document().sha256
    assert app["date"].startswith("20")
    assert path.read_text().count("\n") > 8


def test_the_same_app_is_not_noticed_and_a_changed_one_is_also_after_a_restart(path: Path) -> None:
    Pins(path).seen(pinned("clock", document()))
    pins = Pins(path)
    assert pins.seen(pinned("clock", document())) is None
    before = pins.seen(pinned("clock", document("<p>two")))
    assert before is not None
    assert before.differs(pinned("clock", document("<p>two"))) == ["its document"]
    assert pins.seen(pinned("clock", document())) is None


@pytest.mark.parametrize(
    "meta", [{"csp": {"connectDomains": ["https://new.example"]}}, {"permissions": {"camera": {}}}]
)
def test_an_app_that_declares_more_is_another_one(path: Path, meta: dict[str, Any]) -> None:
    pins = Pins(path)
    pins.seen(pinned("clock", document()))
    before = pins.seen(pinned("clock", document(**meta)))
    assert before is not None
    assert before.differs(pinned("clock", document(**meta))) == ["what it may reach and use"]
    assert pins.seen(pinned("clock", document(prefersBorder=True))) is None


def test_the_order_of_what_is_declared_does_not_matter(path: Path) -> None:
    pins = Pins(path)
    pins.seen(pinned("clock", document(permissions={"camera": {}, "microphone": {}})))
    assert pins.seen(pinned("clock", document(permissions={"microphone": {}, "camera": {}}))) is None


def test_servers_addresses_and_users_are_pinned_apart(path: Path) -> None:
    pins = Pins(path)
    for server, uri, user in (("a", URI, None), ("b", URI, None), ("a", "ui://x", None), ("a", URI, "ann")):
        app = document(f"{server}{uri}{user}", uri)
        assert pins.seen(pinned(server, app, user, f"show {uri}")) is None
    assert len(pins.list()) == 4
    assert [pin.user for pin in Pins(path).list()].count("ann") == 1
    assert pins.seen(pinned("a", document(f"a{URI}ann"), "ann")) is None
    assert pins.seen(pinned("a", document(f"a{URI}ann"), "ben")) is None


def test_a_tool_that_points_to_another_document_is_noticed(path: Path) -> None:
    Pins(path).seen(pinned("clock", document()))
    pins = Pins(path)
    moved = pinned("clock", document("<p>two", "ui://clock/other.html"))
    for _ in range(2):
        before = pins.seen(moved)
        assert before is not None
        assert before.differs(moved) == [f"its address (it was {URI})", "its document"]
    assert pins.seen(pinned("clock", document())) is None
    pins.accept(moved)
    assert [pin.uri for pin in Pins(path).list()] == ["ui://clock/other.html"]
    assert pins.seen(pinned("clock", document())) is not None, "and back again"


def test_the_same_document_at_another_address_is_the_same(path: Path) -> None:
    pins = Pins(path)
    pins.seen(pinned("clock", document()))
    assert pins.seen(pinned("clock", document(uri="ui://clock/v2.html"))) is None
    more = document(uri="ui://clock/v3.html", permissions={"camera": {}})
    assert pins.seen(pinned("clock", more)) is not None


def test_another_tool_with_a_known_address_must_show_the_known_document(path: Path) -> None:
    pins = Pins(path)
    pins.seen(pinned("clock", document()))
    assert pins.seen(pinned("clock", document("<p>two"), tool="other")) is not None
    assert pins.seen(pinned("clock", document(), tool="other")) is None
    # What is accepted for one of them is so for both: it is one document.
    pins.accept(pinned("clock", document("<p>two")))
    assert pins.seen(pinned("clock", document("<p>two"), tool="other")) is None
    assert len(pins.list()) == 2


def test_a_file_from_before_learns_the_tools(path: Path) -> None:
    entry = {"server": "clock", "uri": URI, "sha256": document().sha256, "date": "2026-01-01T00:00:00+00:00"}
    declared = pinned("clock", document()).declared
    path.write_text(json.dumps({"version": 1, "apps": [{**entry, "declared": declared}]}))
    pins = Pins(path)
    assert pins.seen(pinned("clock", document("<p>two"))) is not None
    assert pins.seen(pinned("clock", document())) is None
    assert [(pin.tool, pin.date) for pin in Pins(path).list()] == [("show", entry["date"])]


def test_an_accepted_change_takes_the_place_of_the_old_pin(path: Path) -> None:
    pins = Pins(path)
    pins.seen(pinned("clock", document()))
    heard: list[str] = []
    with pins.watching(lambda: heard.append(pins.list()[0].sha256)):
        pins.accept(pinned("clock", document("<p>two")))
    pins.accept(pinned("clock", document("<p>three")))
    assert heard == [document("<p>two").sha256]
    assert [pin.sha256 for pin in Pins(path).list()] == [document("<p>three").sha256]


def test_two_programs_with_one_file_keep_what_the_other_learnt(path: Path) -> None:
    one, two = Pins(path), Pins(path)
    one.seen(pinned("a", document()))
    two.seen(pinned("b", document()))
    assert {pin.server for pin in Pins(path).list()} == {"a", "b"}
    assert {pin.server for pin in two.list()} == {"a", "b"}


def test_the_file_is_replaced_in_one_step_and_keeps_its_mode(path: Path) -> None:
    pins = Pins(path)
    path.chmod(0o644)
    before = path.open()
    pins.seen(pinned("clock", document()))
    with before:
        assert json.load(before)["apps"] == []  # who reads the old file reads all of it
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert [file.name for file in path.parent.iterdir()] == ["pins.json"]


def test_a_link_to_the_file_stays_a_link(tmp_path: Path, path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(path)
    Pins(link).seen(pinned("clock", document()))
    assert link.is_symlink()
    assert len(Pins(path).list()) == 1


def test_a_file_that_cannot_be_written_is_said_and_the_pin_holds_meanwhile(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pins = Pins(path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert pins.seen(pinned("clock", document())) is None
    assert "No space left" in caplog.text
    assert pins.seen(pinned("clock", document("<p>two"))) is not None
    assert [file.name for file in path.parent.iterdir()] == ["pins.json"]


def entry(**fields: Any) -> dict[str, Any]:
    return {"server": "s", "uri": URI, "sha256": "0", "declared": "0", "date": "2026-11-18", **fields}


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff", "not UTF-8"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "expected"),
        (b"{}", "expected"),
        (b'{"version": 2, "apps": []}', "expected"),
        (b'{"version": 1, "apps": {}}', "expected"),
        (b'{"version": 1, "apps": [5]}', "app 1"),
        (json.dumps({"version": 1, "apps": [entry(), entry(sha256=5)]}).encode(), "app 2"),
        (json.dumps({"version": 1, "apps": [entry(more="x")]}).encode(), "app 1"),
        (json.dumps({"version": 1, "apps": [{"server": "s"}]}).encode(), "app 1"),
    ],
)
def test_a_file_with_something_else_is_refused_and_left_alone(path: Path, content: bytes, word: str) -> None:
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=word) as caught:
        Pins(path)
    assert str(path) in str(caught.value)
    assert "remove it" in str(caught.value)
    assert path.read_bytes() == content


def test_a_place_where_no_file_can_be_is_refused(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing" / "pins.json"):
        with pytest.raises(ConfigError, match="cannot be used"):
            Pins(place)
