"""Policies: what is declared and nothing else; two levels that differ in no origin."""

from __future__ import annotations

import pytest

from fanlight.sandbox import CspLevel, relay_policy, view_policy
from fanlight.sandbox.csp import FIELDS, MAX_SOURCES
from fanlight.sandbox.domains import DomainRules

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
    allowed = {"'unsafe-eval'", "'wasm-unsafe-eval'", "blob:", "data:"}
    for name, values in compat.items():
        assert values - strict[name] <= allowed, name
    assert "'unsafe-eval'" in compat["script-src"]


@pytest.mark.parametrize("level", list(CspLevel))
def test_no_level_and_no_declaration_opens_forms_plug_ins_or_other_embedders(level: CspLevel) -> None:
    """Holds: R29."""
    everything = {name: ["https://a.example.com"] for name in FIELDS}
    policy = directives(view_policy(everything, level=level, frame_ancestors=ANCESTORS).policy)
    assert policy["form-action"] == policy["object-src"] == policy["default-src"] == {"'none'"}
    assert policy["frame-ancestors"] == set(ANCESTORS.split())


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


@pytest.mark.parametrize("declared", ["default-src *", ["https://a.example.com"], 7, True])
def test_a_declaration_of_the_wrong_kind_is_none_and_is_reported(declared: object) -> None:
    report = view_policy(declared, frame_ancestors=ANCESTORS)
    assert report.policy == view_policy(None, frame_ancestors=ANCESTORS).policy
    (dropped,) = report.dropped
    assert dropped.field == "csp"
    assert "connectDomains" in dropped.reason


def test_a_field_that_does_not_exist_is_reported_unless_it_was_translated() -> None:
    report = view_policy({"connectDomain": ["https://a.example"], "connect_domains": []}, frame_ancestors="x")
    assert [str(dropped) for dropped in report.dropped] == [
        "csp 'connectDomain': no such field; there are connectDomains, resourceDomains, frameDomains, "
        "baseUriDomains"
    ]


def test_a_source_that_was_declared_twice_stands_once() -> None:
    declared = {"connectDomains": ["https://a.example", "HTTPS://A.example/", "https://a.example:443"]}
    report = view_policy(declared, frame_ancestors=ANCESTORS)
    assert report.applied == {"connectDomains": ["https://a.example"]}
    assert report.dropped == []
    assert [str(source) for source in report.sources()] == ["https://a.example"]


def test_a_flood_of_sources_is_cut_and_what_is_shown_of_it_is_short() -> None:
    flood = [f"https://h{number}.example.com" for number in range(5000)]
    report = view_policy({"connectDomains": flood, "frameDomains": ["x" * 10_000]}, frame_ancestors=ANCESTORS)
    assert report.applied["connectDomains"] == flood[:MAX_SOURCES]
    many, long = report.dropped
    assert (many.value, many.field) == (f"{5000 - MAX_SOURCES} more", "connectDomains")
    assert len(str(long)) < 300


def test_the_rules_of_the_host_remove_declared_sources_and_say_so() -> None:
    """Holds: R15."""
    rules = DomainRules.of(["*.example.com"], ["ads.example.com"])
    declared = {
        "connectDomains": ["https://api.example.com", "https://ads.example.com", "https://other.example"]
    }
    report = view_policy(declared, frame_ancestors=ANCESTORS, rules=rules)
    assert report.applied == {"connectDomains": ["https://api.example.com"]}
    reasons = {dropped.value: dropped.reason for dropped in report.dropped}
    assert reasons == {
        "https://ads.example.com": "this host blocks ads.example.com",
        "https://other.example": "it is not among the domains that this host allows",
    }


def test_an_opaque_view_is_sandboxed_by_its_own_header() -> None:
    policy = view_policy(None, frame_ancestors=ANCESTORS, opaque=True, report_uri="/apps/report/x").policy
    assert "; sandbox allow-scripts allow-forms; " in policy
    assert policy.endswith("report-uri /apps/report/x")


@pytest.mark.parametrize("level", list(CspLevel))
def test_an_opaque_view_may_not_load_from_the_name_that_serves_it(level: CspLevel) -> None:
    policy = directives(view_policy(None, level=level, frame_ancestors=ANCESTORS, opaque=True).policy)
    assert {name for name, values in policy.items() if "'self'" in values} == {"base-uri"}
    assert policy["font-src"] == ({"data:", "blob:"} if level is CspLevel.COMPAT else {"'none'"})


def test_compat_comes_with_a_report_only_policy_of_exactly_the_difference() -> None:
    report = view_policy(None, frame_ancestors=ANCESTORS, report_uri="/apps/report/x")
    assert report.beyond_strict is not None
    beyond = directives(report.beyond_strict)
    assert beyond.pop("report-uri") == {"/apps/report/x"}
    strict = directives(view_policy(None, level=CspLevel.STRICT, frame_ancestors=ANCESTORS).policy)
    compat = directives(report.policy)
    assert set(beyond) == {name for name in strict if strict[name] != compat[name]}
    for name, values in beyond.items():
        assert {"http:", "https:", "ws:", "wss:"} <= values, (
            name
        )  # addresses are decided by the policy itself
        assert not values & (compat[name] - strict[name]), name
        assert strict[name] - {"'self'", "'none'"} <= values, name


def test_strict_needs_no_second_policy() -> None:
    report = view_policy(None, level=CspLevel.STRICT, frame_ancestors=ANCESTORS, report_uri="/r")
    assert report.beyond_strict is None


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
