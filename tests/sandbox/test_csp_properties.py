"""No declaration can add a directive, a keyword or a source outside of the grammar; host rules only remove.

The policy is read back by a parser that shares nothing with the builder: it follows CSP3 §2.2.1 and the ABNF
of host-source in §2.3.1. The corpus beside this file holds what people and scanners tried.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fanlight.sandbox import CspLevel, CspReport, DomainRules, connection_allowlist, view_policy

CORPUS: list[Any] = [
    json.loads(line)
    for line in (Path(__file__).parent / "nasty_sources.jsonl").read_text("utf-8").splitlines()
]
ANCESTORS = "https://sandbox.example.net https://chat.example.net"
REPORT = "/apps/report/ticket"
# What each directive holds with nothing declared, at both levels, written down a second time on purpose.
STRICT = {
    "default-src": {"'none'"},
    "script-src": {"'self'", "'unsafe-inline'"},
    "style-src": {"'self'", "'unsafe-inline'"},
    "img-src": {"'self'", "data:"},
    "font-src": {"'self'"},
    "media-src": {"'self'", "data:"},
    "connect-src": set[str](),
    "frame-src": set[str](),
    "worker-src": set[str](),
    "base-uri": set[str](),
    "object-src": {"'none'"},
    "form-action": {"'none'"},
}
COMPAT = STRICT | {
    "script-src": {"'self'", "'unsafe-inline'", "'unsafe-eval'", "'wasm-unsafe-eval'", "blob:", "data:"},
    "style-src": {"'self'", "'unsafe-inline'", "blob:", "data:"},
    "img-src": {"'self'", "data:", "blob:"},
    "font-src": {"'self'", "data:", "blob:"},
    "media-src": {"'self'", "data:", "blob:"},
    "connect-src": {"data:", "blob:"},
    "worker-src": {"data:", "blob:"},
}
WIDENED = {
    "resourceDomains": {"script-src", "style-src", "img-src", "font-src", "media-src"},
    "connectDomains": {"connect-src"},
    "frameDomains": {"frame-src"},
    "baseUriDomains": {"base-uri"},
}
HOST_SOURCE = re.compile(
    r"(?:(?:http|https|ws|wss)://)?(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::(?:[0-9]+|\*))?", re.ASCII
)


def parse(header: str) -> dict[str, list[str]]:
    """One serialized policy, as a browser reads the header's value: a comma would begin another policy."""
    assert "," not in header
    assert re.fullmatch(r"[\x20-\x7e]+", header), "not a header value"
    directives: dict[str, list[str]] = {}
    for token in header.split(";"):
        name, *values = re.split(r"[\t\n\f\r ]+", token.strip("\t\n\f\r "))
        assert name
        assert name.lower() not in directives, "browsers ignore a second one"
        directives[name.lower()] = values
    return directives


labels = st.from_regex(r"[a-z][a-z0-9-]{0,8}[a-z0-9]", fullmatch=True)
# Names that meet each other often, so that lists have something to do.
related = st.sampled_from(["shop.example", "a.shop.example", "b.a.shop.example", "a.example", "shop.co.uk"])
hosts = st.one_of(related, st.lists(labels, min_size=2, max_size=4).map(".".join))
good = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "https://", "http://", "wss://", "ws://", "HTTPS://"]),
    st.sampled_from(["", "", "*."]),
    hosts,
    st.sampled_from(["", ":8443", ":443", ":*", "/"]),
)
pieces = st.sampled_from(
    ["https://", "*.", "*", ";", ",", " ", "'", '"', "\n", "@", ":", "/", "a.example", "script-src", "é"]
)
crafted = st.lists(pieces, max_size=8).map("".join)
sources = st.one_of(good, crafted, st.text(max_size=30), st.sampled_from(CORPUS))
texts = st.text(max_size=20)
json_values = st.one_of(st.none(), st.booleans(), st.integers(), texts, st.lists(texts, max_size=3))
declarations = st.one_of(
    json_values,
    st.dictionaries(
        st.sampled_from([*WIDENED, "scriptDomains", "connect_domains", "x; script-src *"]),
        st.one_of(st.lists(sources, max_size=6), json_values),
        max_size=6,
    ),
)
lists = st.one_of(st.none(), st.lists(good, max_size=4))
rules = st.builds(lambda allow, block: DomainRules.of(allow, block or ()), lists, lists)
levels = st.sampled_from(list(CspLevel))


def built(declared: Any, level: CspLevel, opaque: bool, rules: DomainRules | None = None) -> CspReport:
    return view_policy(
        declared, level=level, frame_ancestors=ANCESTORS, report_uri=REPORT, opaque=opaque, rules=rules
    )


def check(report: CspReport, level: CspLevel, opaque: bool) -> None:
    directives = parse(report.policy)
    tail = ["frame-ancestors", *(["sandbox"] if opaque else []), "report-uri"]
    assert list(directives) == [*STRICT, *tail]
    assert directives["frame-ancestors"] == ANCESTORS.split()
    assert directives["report-uri"] == [REPORT]
    assert directives.get("sandbox", ["allow-scripts", "allow-forms"]) == ["allow-scripts", "allow-forms"]
    for name, own in (STRICT if level is CspLevel.STRICT else COMPAT).items():
        declared = {
            source
            for field, widened in WIDENED.items()
            if name in widened
            for source in report.applied.get(field, ())
        }
        assert all(HOST_SOURCE.fullmatch(source) for source in declared), declared
        wanted = (own - {"'self'"} if opaque else own) | declared
        assert len(directives[name]) == len(set(directives[name]))
        assert set(directives[name]) == (wanted or {"'self'" if name == "base-uri" else "'none'"}), name
    if report.beyond_strict is not None:
        assert parse(report.beyond_strict)["report-uri"] == [REPORT]


@given(declared=declarations, level=levels, opaque=st.booleans(), rules=rules)
@settings(max_examples=400)
def test_every_policy_reads_back_as_exactly_the_table_and_the_applied_sources(
    declared: Any, level: CspLevel, opaque: bool, rules: DomainRules
) -> None:
    """Holds: R13, R15, R26, R61."""
    check(built(declared, level, opaque, rules), level, opaque)


@pytest.mark.parametrize("level", list(CspLevel))
def test_the_corpus_of_nasty_values_adds_nothing_to_any_field(level: CspLevel) -> None:
    bare = built(None, level, False)
    for value in CORPUS:
        report = built({field: [value] for field in WIDENED}, level, False)
        check(report, level, False)
        assert report.applied == {}, value
        assert report.policy == bare.policy, value
        assert len(report.dropped) == len(WIDENED), value


@given(declared=declarations)
@example(declared={"connectDomains": ["https://A.example", "https://a.example:443"]})
def test_every_declared_value_is_applied_or_reported(declared: Any) -> None:
    report = built(declared, CspLevel.COMPAT, False)
    if not isinstance(declared, dict):
        assert (declared is None) != bool(report.dropped)
        return
    for field in WIDENED:
        values = declared.get(field)
        dropped = [source for source in report.dropped if source.field == field]
        if not isinstance(values, list):
            assert bool(dropped) == (values is not None)
            continue
        kept = report.applied.get(field, [])
        assert len(dropped) + len(kept) <= len(values)
        assert {_canonical(value) for value in values if isinstance(value, str)} >= set(kept)
        assert len(dropped) == sum(_canonical(value) not in kept for value in values)


def _canonical(value: Any) -> str | None:
    """The one spelling of an origin, made without the code under test."""
    if not isinstance(value, str):
        return None
    text = value.lower().removesuffix("/")
    for scheme, port in (("https", "443"), ("wss", "443"), ("http", "80"), ("ws", "80")):
        if text.startswith(f"{scheme}://"):
            text = text.removesuffix(f":{port}")
    return text


@given(declared=declarations, level=levels, rules=rules)
@settings(max_examples=300)
def test_the_lists_of_a_host_only_ever_remove(declared: Any, level: CspLevel, rules: DomainRules) -> None:
    free, ruled = built(declared, level, False), built(declared, level, False, rules)
    for field, kept in ruled.applied.items():
        assert set(kept) <= set(free.applied[field])
    before, after = parse(free.policy), parse(ruled.policy)
    for name in before:
        assert set(after[name]) - {"'none'", "'self'"} <= set(before[name]), name


@given(declared=declarations, allow=lists, blocked=st.lists(related, max_size=3), wildcard=st.booleans())
def test_what_is_blocked_never_passes_whatever_is_allowed(
    declared: Any, allow: list[str] | None, blocked: list[str], wildcard: bool
) -> None:
    """A blocked name is in no applied source, neither by itself nor under a wildcard."""
    block = [f"*.{name}" if wildcard else name for name in blocked]
    report = built(declared, CspLevel.COMPAT, False, DomainRules.of(allow, block))
    names = [f"www.{name}" if wildcard else name for name in blocked]
    for text in (text for kept in report.applied.values() for text in kept):
        host = text.rpartition("://")[2].split(":")[0]
        for name in names:
            assert not (name.endswith(host[1:]) if host.startswith("*") else name == host), (text, name)


@given(declared=declarations)
def test_the_connection_allowlist_is_a_structured_field_of_the_applied_sources(declared: Any) -> None:
    report = built(declared, CspLevel.COMPAT, False)
    header = connection_allowlist(report.sources(), ["http://v1.localhost:1/apps/report/t"])
    found = re.fullmatch(r'\(((?:"[!#-\[\]-~]+" )*"[!#-\[\]-~]+")\);redirects=allow;webrtc=block', header)
    assert found is not None, header
    for pattern in found[1].split(" ")[:-1]:
        scheme, host = pattern.strip('"').split("://")
        assert HOST_SOURCE.fullmatch(f"{scheme}://{host}")
        assert any(host in text for kept in report.applied.values() for text in kept)
