"""docs/reference/link.md: its code runs, and its tables name what is there."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest
from doc_code import DOCS, run_page

from fanlight.host import LinkSettings

PAGE = (DOCS / "reference" / "link.md").read_text("utf-8")
SOURCES = Path(__file__).parents[2] / "src" / "fanlight"
CODE = {
    "Python": "".join(
        (SOURCES / "host" / name).read_text("utf-8")
        for name in ("socket.py", "linked.py", "link.py", "link_registry.py")
    ),
    "page": "".join(
        (SOURCES / "runtime" / name).read_text("utf-8")
        for name in ("socket.js", "carried.js", "link.js", "host.js")
    ),
}
OPS = [
    (op, sender)
    for ops, senders in re.findall(r"^\| ((?:`[a-z]+`(?:, )?)+) \| (Python|page|both) \|", PAGE, re.MULTILINE)
    for op in re.findall(r"`([a-z]+)`", ops)
    for sender in (("Python", "page") if senders == "both" else (senders,))
]


def test_the_code_of_the_page_runs() -> None:
    host = run_page("reference/link.md")["host"]
    assert host.link.resume_timeout == 8 * 3600
    assert host.link.message_limit == 4_000_000


def test_every_setting_has_a_row_with_its_default() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE, re.MULTILINE))
    defaults = LinkSettings()
    for setting in fields(LinkSettings):
        written = rows[setting.name].replace(",", "")
        value = getattr(defaults, setting.name)
        assert re.match(r"\d+", written) is None or float(re.findall(r"\d+", written)[0]) == value
    assert f"Bounds(frames={defaults.bounds.frames:_}, size={defaults.bounds.size >> 20} << 20)" in PAGE


@pytest.mark.parametrize(("op", "sender"), OPS, ids=lambda value: str(value))
def test_every_frame_of_the_page_is_sent_by_whom_it_says(op: str, sender: str) -> None:
    written = rf"""(?:op\\?"?: ?\\?"{op}\\?"|_carry\("{op}"|#send\("{op}")"""
    assert re.search(written, CODE[sender]), f"{sender} never says {op!r}"


def test_the_tables_were_read() -> None:
    assert {"hello", "left", "refused", "ack", "beat", "detach", "end"} <= {op for op, _ in OPS}
