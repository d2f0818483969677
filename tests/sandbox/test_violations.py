"""Violations: reports become short plain text, and each says what its author can do, or that nothing can."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.sandbox import view_policy
from fanlight.sandbox.domains import DomainRules
from fanlight.sandbox.sources import parse_source
from fanlight.sandbox.violations import Violation, fix_for, metadata_with, read_report

TICKET = "s3cr3t-ticket"


def posted(**facts: Any) -> bytes:
    given = {"effective-directive": "connect-src", "blocked-uri": "https://x.example/a", **facts}
    return json.dumps({"csp-report": {key.replace("_", "-"): value for key, value in given.items()}}).encode()


def test_a_report_is_read() -> None:
    body = posted(
        disposition="enforce",
        source_file="https://cdn.example/app.js",
        line_number=12,
        column_number=4,
        script_sample="new Function()",
    )
    violation = read_report(body, TICKET)
    assert violation is not None
    assert violation.enforced
    assert violation.as_json() == {
        "directive": "connect-src",
        "blocked": "https://x.example/a",
        "sample": "new Function()",
        "where": "https://cdn.example/app.js line 12, column 4",
    }


def test_what_only_strict_would_refuse_is_told_apart() -> None:
    violation = read_report(posted(disposition="report", blocked_uri="eval"), TICKET)
    assert violation is not None
    assert not violation.enforced


def test_neither_the_ticket_nor_a_query_is_kept() -> None:
    own = f"http://v1.localhost:1/apps/view/{TICKET}"
    violation = read_report(
        posted(blocked_uri=f"{own}?key=1#x", source_file=own, line_number=3, column_number=0), TICKET
    )
    assert violation is not None
    assert TICKET not in json.dumps(violation.as_json())
    assert violation.blocked == "http://v1.localhost:1/apps/view/...?…"
    assert violation.where == "line 3, column 0"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        b'{"csp-report": 1}',
        b'{"csp-report": {}}',
        b'{"csp-report": {"effective-directive": 7}}',
        b'{"csp-report": {"effective-directive": "<img src=x>"}}',
        b'{"csp-report": {"effective-directive": "a-b-c-d-e-f-g"}}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_report_is_none(body: bytes) -> None:
    assert read_report(body, TICKET) is None


FACTS = ("blocked_uri", "disposition", "source_file", "line_number", "column_number", "script_sample")
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=2000),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(FACTS, JUNK),
    )
)
def test_no_report_breaks_the_reader_or_yields_more_than_short_plain_text(facts: dict[str, Any]) -> None:
    violation = read_report(posted(**facts), TICKET)
    assert violation is not None
    texts = violation.as_json()
    assert all(len(text) < 4000 and (text.isascii() or "…" in text) for text in texts.values())
    assert all(text.isprintable() for text in texts.values())
    assert fix_for(violation).sentence


@pytest.mark.parametrize(
    ("directive", "blocked", "field", "source"),
    [
        ("connect-src", "https://api.example.com/v1/x", "connectDomains", "https://api.example.com"),
        ("connect-src", "wss://live.example:8443/s", "connectDomains", "wss://live.example:8443"),
        ("script-src-elem", "https://cdn.example.com/a.js", "resourceDomains", "https://cdn.example.com"),
        ("style-src-elem", "https://cdn.example.com/a.css", "resourceDomains", "https://cdn.example.com"),
        ("style-src", "https://cdn.example.com/a.css", "resourceDomains", "https://cdn.example.com"),
        ("img-src", "http://localhost:3000/a.png", "resourceDomains", "http://localhost:3000"),
        ("font-src", "https://fonts.example.com", "resourceDomains", "https://fonts.example.com"),
        ("media-src", "https://m.example.com/a.mp4", "resourceDomains", "https://m.example.com"),
        ("frame-src", "https://player.example.com/e", "frameDomains", "https://player.example.com"),
        ("base-uri", "https://b.example.com/", "baseUriDomains", "https://b.example.com"),
    ],
)
def test_an_undeclared_origin_is_fixed_by_metadata_to_paste(
    directive: str, blocked: str, field: str, source: str
) -> None:
    fix = fix_for(Violation(directive, blocked))
    assert fix.metadata == {"csp": {field: [source]}}
    assert fix.sentence == f"Add {source} to {field} in the resource's _meta.ui.csp."


@pytest.mark.parametrize(
    ("directive", "blocked", "word"),
    [
        ("form-action", "https://x.example/", "call a tool"),
        ("object-src", "https://x.example/", "never"),
        ("worker-src", "https://x.example/w.js", "blob:"),
        ("frame-ancestors", "https://x.example", "Only this host"),
        ("manifest-src", "https://x.example/m", "manifest-src"),
        ("default-src", "https://x.example/m", "default-src"),
        ("script-src", "eval", "compat"),
        ("script-src", "wasm-eval", "compat"),
        ("worker-src", "blob", "compat"),
        ("font-src", "data", "compat"),
        ("frame-src", "data", "No level"),
        ("frame-src", "blob", "No level"),
        ("object-src", "data", "No level"),
        ("script-src-attr", "inline", "Nothing"),
        ("connect-src", "", "Nothing"),
        ("connect-src", "https://[::1]/", "IPv6"),
        ("connect-src", "chrome-extension://abc/x", "scheme"),
        ("connect-src", "https://user@x.example/", "user names"),
    ],
)
def test_what_must_not_or_cannot_be_declared_gets_words_and_no_metadata(
    directive: str, blocked: str, word: str
) -> None:
    fix = fix_for(Violation(directive, blocked))
    assert fix.metadata is None
    assert word in fix.sentence


def test_what_the_host_refuses_is_not_suggested() -> None:
    rules = DomainRules.of(None, ["ads.example.com"]).reserving([parse_source("https://chat.example.com")])
    in_force = view_policy(None, frame_ancestors="x", rules=rules)
    for blocked, word in (
        ("https://ads.example.com/x", "blocks"),
        ("https://chat.example.com/api", "origin of"),
    ):
        fix = fix_for(Violation("connect-src", blocked), in_force)
        assert fix.metadata is None
        assert word in fix.sentence


def test_a_declared_origin_that_was_refused_redirects_elsewhere() -> None:
    """Browsers report the address before the redirect, never the one that was refused."""
    in_force = view_policy({"connectDomains": ["https://*.example.com"]}, frame_ancestors="x")
    fix = fix_for(Violation("connect-src", "https://api.example.com/old"), in_force)
    assert fix.metadata is None
    assert "redirects" in fix.sentence
    other = fix_for(Violation("img-src", "https://api.example.com/old"), in_force)
    assert other.metadata == {"csp": {"resourceDomains": ["https://api.example.com"]}}


def test_all_fixes_together_keep_what_is_declared() -> None:
    fixes = [
        {"csp": {"connectDomains": ["https://b.example"]}},
        {"csp": {"connectDomains": ["https://b.example"]}},
        {"csp": {"frameDomains": ["https://f.example"]}},
    ]
    assert metadata_with({"connectDomains": ["https://a.example"]}, fixes) == {
        "csp": {
            "connectDomains": ["https://a.example", "https://b.example"],
            "frameDomains": ["https://f.example"],
        }
    }
