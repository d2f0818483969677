"""docs/reference/csp.md: its table is the code's table, its code runs, and what it names is there."""

from __future__ import annotations

import re

import pytest
from doc_code import DOCS, run_page

from fanlight.host import Host
from fanlight.sandbox.csp import FIELDS, MAX_SOURCES, TABLE, CspLevel
from fanlight.sandbox.permissions import FEATURES
from fanlight.sandbox.sources import parse_source
from fanlight.sandbox.violations import Violation, fix_for

PAGE = (DOCS / "reference" / "csp.md").read_text("utf-8")
ROWS = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (.*?) ?\| (.*?) ?\|$", PAGE, re.MULTILINE)


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_table_is_the_code() -> None:
    written = [(name, words(strict), words(compat), words(field)) for name, strict, compat, field in ROWS]
    assert written == [
        (row.name, row.sources(CspLevel.STRICT, {}), list(row.compat), [row.field] if row.field else [])
        for row in TABLE
    ]


def test_every_field_and_permission_is_on_the_page() -> None:
    for name in (*FIELDS, *FEATURES):
        assert f"`{name}`" in PAGE
    assert f"at most {MAX_SOURCES} sources" in PAGE


def test_the_code_of_the_page_runs() -> None:
    host: Host = run_page("reference/csp.md")["host"]
    assert host.domain_rules.problem(parse_source("https://api.example.com")) is None
    assert host.domain_rules.problem(parse_source("https://ads.example.com")) is not None
    assert host.domain_rules.problem(parse_source("https://elsewhere.example")) is not None
    assert host.allowed_permissions == {"clipboardWrite"}


@pytest.mark.parametrize("source", re.findall(r"`((?:https?|wss)://[a-z*][^`/]+)`", PAGE))
def test_every_source_of_the_page_is_one(source: str) -> None:
    assert str(parse_source(source)) == source


def test_the_fix_of_the_page_is_what_is_offered() -> None:
    fix = fix_for(Violation("connect-src", "https://api.example.com/v1"))
    assert f"`{fix.metadata}`".replace("'", '"') in PAGE
