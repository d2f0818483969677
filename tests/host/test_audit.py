"""The audit log: complete, bounded, in order, never in the way."""

from __future__ import annotations

import json
import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from wishes import scene

from fanlight.errors import ConfigError
from fanlight.host import Host, allow_all
from fanlight.host import audit as audit_module
from fanlight.host.audit import AuditEntry, AuditLog, digest


def entry(number: int = 0, **changes: Any) -> AuditEntry:
    facts: dict[str, Any] = {
        "time": "2026-01-26T00:00:00.000+00:00", "user": None, "view": "v", "server": "s",
        "kind": "tool-call", "subject": f"t{number}", "arguments": {"secret": "hunter2"},
        "decision": "allow", "by": "policy", "reason": "", "ms": 1.5,
    }  # fmt: skip
    return AuditEntry(**{**facts, **changes})


def test_lines_are_appended_in_order_and_say_nothing_of_the_values(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    path.write_text("kept\n")
    log = AuditLog(path)
    for number in range(100):
        log.put(entry(number))
    log.close()
    kept, *lines = path.read_text().splitlines()
    assert kept == "kept"
    assert [json.loads(line)["subject"] for line in lines] == [f"t{number}" for number in range(100)]
    assert "hunter2" not in path.read_text()
    assert json.loads(lines[0]) == {
        "time": "2026-01-26T00:00:00.000+00:00", "view": "v", "server": "s", "kind": "tool-call",
        "subject": "t0", "arguments": digest({"secret": "hunter2"}), "decision": "allow", "by": "policy",
        "ms": 1.5,
    }  # fmt: skip


def test_what_a_view_wrote_cannot_forge_a_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path)
    log.put(entry(subject='x"}\n{"decision": "allow"}\u2028\ud800' + "y" * 10_000))
    log.close()
    (line,) = path.read_text().splitlines()
    assert len(json.loads(line)["subject"]) == 201


def test_a_digest_is_bounded_and_the_same_for_the_same() -> None:
    assert digest({"a": 1, "b": 2})["sha256"] == digest({"b": 2, "a": 1})["sha256"]
    assert digest({"a": 1})["sha256"] != digest({"a": 2})["sha256"]
    many = digest({f"{'k' * 100}{number}": 1 for number in range(1000)})
    assert len(many["keys"]) == 20
    assert max(map(len, many["keys"])) == 40
    assert "keys" not in digest({})


def test_a_sink_that_fails_is_reported_once_and_the_log_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    got: list[str] = []

    def sink(line: dict[str, Any]) -> None:
        if line["subject"] in ("t0", "t1"):
            raise OSError("no")
        got.append(line["subject"])

    log = AuditLog(sink)
    for number in range(4):
        log.put(entry(number))
    log.close()
    assert got == ["t2", "t3"]
    assert len([record for record in caplog.records if record.name == "fanlight.audit"]) == 1


def test_a_sink_that_hangs_holds_nobody_up_and_what_was_lost_is_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(audit_module, "_QUEUE_LIMIT", 2)
    go, reached, lines = threading.Event(), threading.Event(), list[dict[str, Any]]()

    def sink(line: dict[str, Any]) -> None:
        reached.set()
        assert go.wait(5)
        lines.append(line)

    log = AuditLog(sink)
    log.put(entry(0))
    assert reached.wait(5)
    for number in range(1, 6):
        log.put(entry(number))  # two are kept, three are counted
    go.set()
    log.close()
    log.put(entry(9))
    log.close()
    assert [line.get("subject", line) for line in lines] == ["t0", "t1", "t2", {"lost": 3}, "t9"]


def test_a_log_that_is_stuck_is_left_behind_and_said(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_module, "_QUEUE_LIMIT", 1)
    monkeypatch.setattr(audit_module, "_CLOSE_SECONDS", 0.01)
    go, reached = threading.Event(), threading.Event()

    def sink(line: dict[str, Any]) -> None:
        reached.set()
        go.wait(5)

    log = AuditLog(sink)
    log.put(entry(0))
    assert reached.wait(5)
    log.put(entry(1))
    log.close()
    go.set()
    assert "stuck" in caplog.text


def test_no_target_keeps_nothing_and_starts_no_thread() -> None:
    before = threading.active_count()
    log = AuditLog(None)
    log.put(entry())
    assert threading.active_count() <= before
    log.close()
    with pytest.raises(ConfigError, match="path"):
        AuditLog(5)  # type: ignore[arg-type]


async def test_every_decision_of_a_conversation_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    async with scene(policy=allow_all) as shown:
        shown.host.audit = AuditLog(path)
        for kind in ("tool-call", "message", "open-link"):
            await shown.wish(kind)
        await shown.client.asks("ui/open-link", {"url": "javascript:alert(1)"})
        await shown.close()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [(line["kind"], line["decision"], line["by"]) for line in lines] == [
        ("tool-call", "allow", "policy"),
        ("message", "allow", "policy"),
        ("open-link", "allow", "policy"),
        ("open-link", "deny", "rule"),
    ]
    assert {line["server"] for line in lines} == {"one"}
    assert all(line["ms"] >= 0 for line in lines)


async def test_a_file_that_cannot_be_written_does_not_stop_the_host(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR, "fanlight.audit")
    async with Host(audit=tmp_path) as host:  # a folder
        host.audit.put(entry())
    assert "could not be written" in caplog.text
