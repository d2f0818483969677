"""A host's lists and its own origins: they remove declared sources and never add one."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.sandbox import Origins, development_origins
from fanlight.sandbox.domains import DomainRules, own_sources
from fanlight.sandbox.sources import parse_source

PUBLIC = Origins("https://chat.example.com", "https://sandbox.example.net", "https://{app}.views.example.net")


def refused(rules: DomainRules, source: str) -> bool:
    return rules.problem(parse_source(source)) is not None


def test_without_lists_every_source_passes() -> None:
    rules = DomainRules.of(None, ())
    assert not refused(rules, "https://api.example.com")
    assert not refused(rules, "http://localhost:*")


@pytest.mark.parametrize(
    "source",
    [
        "https://api.example.com",
        "https://*.cdn.example.org",
        "https://a.cdn.example.org",
        "wss://live.example",
    ],
)
def test_an_allow_list_means_only_those(source: str) -> None:
    rules = DomainRules.of(["https://api.example.com", "*.cdn.example.org", "wss://live.example"], ())
    assert not refused(rules, source)


@pytest.mark.parametrize(
    "source",
    [
        "https://other.example.com",
        "https://*.example.com",
        "http://api.example.com",
        "https://api.example.com:8443",
        "https://cdn.example.org",
        "https://live.example",
    ],
)
def test_what_an_allow_list_does_not_cover_completely_is_refused(source: str) -> None:
    rules = DomainRules.of(["https://api.example.com", "*.cdn.example.org", "wss://live.example"], ())
    assert "allows" in str(rules.problem(parse_source(source)))


def test_an_empty_allow_list_allows_nothing() -> None:
    assert refused(DomainRules.of([], ()), "https://api.example.com")


@pytest.mark.parametrize(
    "source",
    [
        "https://ads.example.com",
        "http://ads.example.com",
        "wss://ads.example.com:8443",
        "ads.example.com",
        "https://*.example.com",
        "https://x.tracker.example",
        "https://*.x.tracker.example",
        "https://api.example.org:9000",
        "https://api.example.org:*",
    ],
)
def test_a_block_list_wins_over_wildcards_schemes_ports_and_the_allow_list(source: str) -> None:
    blocked = ["https://ads.example.com", "*.tracker.example", "api.example.org:9000"]
    rules = DomainRules.of(["*.example.com", source], blocked)
    assert "blocks" in str(rules.problem(parse_source(source)))


def test_what_a_block_list_does_not_name_passes() -> None:
    rules = DomainRules.of(None, ["https://ads.example.com", "api.example.org:9000"])
    assert not refused(rules, "https://api.example.com")
    assert not refused(rules, "https://api.example.org")
    assert not refused(rules, "https://sub.ads.example.com")


@pytest.mark.parametrize("setting", ["allow_domains", "block_domains"])
@pytest.mark.parametrize(
    ("value", "word"),
    [
        (["*"], "bare"),
        (["https://ok.example", "https://x; script-src *"], "separator"),
        ([None], "not a string"),
        ("example.com", "give a list"),
    ],
)
def test_a_list_with_a_bad_value_is_refused_with_the_setting_and_the_reason(
    setting: str, value: Any, word: str
) -> None:
    given: dict[str, Any] = {"allow_domains": None, "block_domains": (), setting: value}
    with pytest.raises(ConfigError, match=f"{setting}.*{word}"):
        DomainRules.of(given["allow_domains"], given["block_domains"])


@pytest.mark.parametrize(
    "source",
    [
        "https://chat.example.com",
        "wss://chat.example.com",
        "http://chat.example.com",
        "chat.example.com",
        "https://chat.example.com:*",
        "https://*.example.com",
        "https://sandbox.example.net",
        "https://v0123456789abcdef01234567.views.example.net",
        "https://*.views.example.net",
        "https://*.example.net",
        "https://dedicated.example.org",
        "https://flask.example.com:5000",
    ],
)
def test_no_view_can_declare_an_origin_of_its_host(source: str) -> None:
    origins = Origins(PUBLIC.host, PUBLIC.sandbox, PUBLIC.view, frozenset({"https://dedicated.example.org"}))
    rules = DomainRules.of([source], ()).reserving(own_sources(origins, ["https://flask.example.com:5000"]))
    assert "origin of this host" in str(rules.problem(parse_source(source)))


@pytest.mark.parametrize(
    "source",
    [
        "https://example.com",
        "https://api.example.com",
        "https://chat.example.com:8443",
        "https://example.net",
        "https://views.example.net",
    ],
)
def test_a_neighbour_of_the_host_can_be_declared(source: str) -> None:
    rules = DomainRules().reserving(own_sources(PUBLIC))
    assert rules.problem(parse_source(source)) is None


@pytest.mark.parametrize("page", ["fanlight.localhost:9470", "localhost:9470", "127.0.0.1:9470"])
@pytest.mark.parametrize(
    "source",
    [
        "http://fanlight.localhost:9470",
        "http://sandbox.fanlight.localhost:9470",
        "http://v0.fanlight.localhost:9470",
        "http://localhost:9470",
        "http://127.0.0.1:9470",
        "http://any.localhost:9470",
        "http://localhost:*",
        "ws://127.0.0.1:*",
    ],
)
def test_in_development_every_name_of_the_port_is_ours(page: str, source: str) -> None:
    origins = development_origins(page)
    assert origins is not None
    assert refused(DomainRules().reserving(own_sources(origins)), source)


def test_in_development_another_port_is_somebody_elses() -> None:
    origins = development_origins("localhost:9470")
    assert origins is not None
    rules = DomainRules().reserving(own_sources(origins))
    assert not refused(rules, "http://localhost:3000")
    assert not refused(rules, "http://127.0.0.1:3000")


def test_a_page_on_another_port_reserves_the_ports_of_both() -> None:
    origins = Origins("http://localhost:5000", "http://sandbox.localhost:8000", "http://{app}.localhost:8000")
    rules = DomainRules().reserving(own_sources(origins))
    assert refused(rules, "http://127.0.0.1:5000")
    assert refused(rules, "http://127.0.0.1:8000")
    assert not refused(rules, "http://127.0.0.1:3000")


def test_a_host_on_an_ipv6_address_has_origins_too() -> None:
    own = own_sources(Origins("http://[::1]:8000", "https://sandbox.example.net", None))
    assert [str(source) for source in own] == ["http://[::1]:8000", "https://sandbox.example.net"]
