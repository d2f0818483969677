"""Policies: what is declared and nothing else; two levels that differ in no origin."""

from __future__ import annotations

import pytest

from fanlight.sandbox import CspLevel, relay_policy, view_policy

ANCESTORS = "http://sandbox.localhost:1 http://localhost:1"


def directives(policy: str) -> dict[str, set[str]]:
    return {name: set(values) for name, *values in (part.split() for part in policy.split("; "))}


def test_nothing_declared_gives_the_restrictive_default_of_the_specification() -> None:
    """Holds: R14, R27, R28, R29, R30."""
    policy = directives(view_policy(None, level=CspLevel.STRICT, frame_ancestors=ANCESTORS).policy)
    assert policy["default-src"] == {"'none'"}
    assert policy["script-src"] == {"'self'", "'unsafe-inline'"}
    assert policy["style-src"] == {"'self'", "'unsafe-inline'"}
    assert policy["img-src"] == {"'self'", "data:"}
    assert policy["media-src"] == {"'self'", "data:"}
    assert policy["connect-src"] == {"'none'"}
    assert policy["frame-src"] == {"'none'"}
    assert policy["base-uri"] == {"'self'"}
    assert policy["object-src"] == {"'none'"}
    assert policy["form-action"] == {"'none'"}


@pytest.mark.parametrize(
    ("field", "widened"),
    [
        ("resourceDomains", {"script-src", "style-src", "img-src", "font-src", "media-src"}),
        ("connectDomains", {"connect-src"}),
        ("frameDomains", {"frame-src"}),
        ("baseUriDomains", {"base-uri"}),
    ],
)
@pytest.mark.parametrize("level", list(CspLevel))
def test_each_declared_field_widens_exactly_its_directives(
    field: str, widened: set[str], level: CspLevel
) -> None:
    """Holds: R13, R15, R26."""
    domain = "https://cdn.example.com"
    report = view_policy({field: [domain]}, level=level, frame_ancestors=ANCESTORS)
    assert {name for name, values in directives(report.policy).items() if domain in values} == widened
    assert report.applied == {field: [domain]}


def test_compat_adds_no_origin_to_strict() -> None:
    declared = {"resourceDomains": ["https://cdn.example.com"], "connectDomains": ["https://api.example.com"]}
    strict = directives(view_policy(declared, level=CspLevel.STRICT, frame_ancestors=ANCESTORS).policy)
    compat = directives(view_policy(declared, level=CspLevel.COMPAT, frame_ancestors=ANCESTORS).policy)
    allowed = {"'unsafe-eval'", "'wasm-unsafe-eval'", "blob:", "data:", "'self'", "'none'"}
    for name, values in compat.items():
        assert values - strict[name] <= allowed, name
    assert "'unsafe-eval'" in compat["script-src"]


def test_a_dropped_source_is_reported_and_absent() -> None:
    report = view_policy(
        {
            "connectDomains": ["https://ok.example.com", "https://x; script-src *"],
            "frameDomains": "https://a.example.com",
        },
        frame_ancestors=ANCESTORS,
    )
    assert report.applied == {"connectDomains": ["https://ok.example.com"]}
    assert [(source.field, source.value) for source in report.dropped] == [
        ("connectDomains", "https://x; script-src *"),
        ("frameDomains", "https://a.example.com"),
    ]
    assert "script-src *" not in report.policy


def test_an_opaque_view_is_sandboxed_by_its_own_header() -> None:
    policy = view_policy(None, frame_ancestors=ANCESTORS, opaque=True, report_uri="/apps/report/x").policy
    assert "; sandbox allow-scripts allow-forms; " in policy
    assert policy.endswith("report-uri /apps/report/x")


def test_a_document_that_holds_a_frame_allows_that_frame_its_own_script_and_one_embedder() -> None:
    text = relay_policy(
        frame_url="http://v1.localhost:1/apps/view/t",
        frame_ancestors="http://localhost:1",
        script="sha256-a",
        style="sha256-b",
    )
    assert directives(text) == {
        "default-src": {"'none'"},
        "script-src": {"'sha256-a'"},
        "style-src": {"'sha256-b'"},
        "frame-src": {"http://v1.localhost:1/apps/view/t"},
        "frame-ancestors": {"http://localhost:1"},
        "base-uri": {"'none'"},
        "form-action": {"'none'"},
    }
