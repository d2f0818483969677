"""Where browsers reach a host: settings become origins and paths; a mix that cannot isolate is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanlight.errors import ConfigError
from fanlight.host.addresses import Addresses
from fanlight.sandbox import DomainRules, Origins
from fanlight.sandbox.names import hostname
from fanlight.sandbox.sources import parse_source

DEPLOYED: dict[str, Any] = {
    "public_url": "https://chat.example.com/base",
    "sandbox_url": "https://sandbox.example.net",
    "view_url": "https://{app}.views.example.net/v",
}
A_VIEW = f"https://v{24 * 'a'}.views.example.net"
WEATHER: dict[str, Any] = {"view_domains": {"weather": {"w": "https://w.example.org:8443"}}}


def test_each_address_is_its_own_path_and_then_the_mount() -> None:
    found = Addresses.of("/apps", **DEPLOYED)
    assert found.origins == Origins(
        "https://chat.example.com", "https://sandbox.example.net", "https://{app}.views.example.net"
    )
    assert (found.page_path, found.sandbox_path, found.view_path) == ("/base/apps", "/apps", "/v/apps")
    assert found.base == "/base/apps"


def test_without_a_view_address_views_are_opaque_and_live_at_the_sandbox() -> None:
    found = Addresses.of(
        "/apps", public_url="https://a.example", sandbox_url="https://b.example/s", view_url=None
    )
    assert found.origins == Origins("https://a.example", "https://b.example", None)
    assert found.view_path == "/s/apps"


@pytest.mark.parametrize(
    "url", ["https://Chat.Example.com:443/", "https://chat.example.com", "https://CHAT.example.com:443"]
)
def test_an_address_is_spelled_as_browsers_spell_it(url: str) -> None:
    found = Addresses.of("/apps", public_url=url, sandbox_url="https://box.example.net")
    assert found.origins is not None
    assert found.origins.host == "https://chat.example.com"
    assert found.page_path == "/apps"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"sandbox_url": None}, "sandbox_url is missing"),
        ({"public_url": None}, "belong to public_url"),
        ({"sandbox_url": "https://chat.example.com:443/other"}, "name of its own"),
        ({"sandbox_url": "http://sandbox.example.net"}, "browsers refuse that frame"),
        ({"view_url": "http://{app}.views.example.net"}, "browsers refuse that frame"),
        ({"view_url": "https://views.example.net"}, "must contain {app}"),
        ({"view_url": "https://views.example.net/{app}"}, "expected https"),
        ({"view_url": "https://a{app}.views.example.net"}, "whole first label"),
        ({"public_url": "chat.example.com"}, "expected https"),
        ({"public_url": "https://ann@chat.example.com"}, "expected https"),
        ({"public_url": "https://chat.example.com/?x"}, "expected https"),
        ({"public_url": "https://v" + 24 * "a" + ".views.example.net"}, "could be the origin of a view"),
        ({"sandbox_url": "https://v" + 24 * "0" + ".views.example.net"}, "could be the origin of a view"),
        ({"origins": Origins("https://a.example", "https://b.example", None)}, "not both"),
        (
            {"pages": ["https://sandbox.example.net"]},
            "pages has 'https://sandbox.example.net': host and sandbox",
        ),
        ({"pages": ["https://sandbox.example.net:443"]}, "name of its own"),
        ({"pages": [A_VIEW]}, "could be the origin of a view"),
        ({"pages": ["https://w.example.org"], **WEATHER}, "cookies do not know ports"),
        ({"proxy_for": ["https://sandbox.example.net"]}, "proxy_for has 'https://sandbox.example.net'"),
        ({"proxy_for": [A_VIEW]}, "could be the origin of a view"),
        ({"proxy_for": ["https://other.example/path"]}, "proxy_for is"),
        ({"public_url": "https://chat.example.com."}, "leave the dot out"),
        ({"sandbox_url": "https://chat.example.com."}, "leave the dot out"),
        ({"sandbox_url": "https://CHAT.example.com:0443"}, "1 to 65535"),
        ({"sandbox_url": "https://bücher.example"}, "ASCII"),
        ({"view_domains": {"weather": {"w": "https://chat.example.com:8443"}}}, "cookies do not know ports"),
        ({"view_domains": {"weather": {"w": "https://sandbox.example.net"}}}, "a host name of its own"),
        ({"view_domains": {"weather": {"w": A_VIEW}}}, "could be the origin of a view"),
        ({"view_domains": {"weather": {"w": "https://w.example.org/path"}}}, "view_domains is"),
        ({"sandbox_proxy": "https://proxy.example/p.html"}, "sandbox_url and sandbox_proxy are both set"),
        ({"pages": ["https://chat.example.com/path"]}, "expected https://name"),
    ],
)
def test_a_mix_that_cannot_work_is_refused_when_it_is_made(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        Addresses.of("/apps", **{**DEPLOYED, **settings})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"pages": ["https://page.example"]}, "pages has 'https://page.example': the host page is https"),
        ({"proxy_for": ["https://host.example"]}, "proxy_for has 'https://host.example'"),
        ({"view_domains": {"one": {"d": "http://localhost:9470"}}}, "a host name of its own"),
        ({"view_domains": {"one": {"d": "http://sandbox.localhost:9470"}}}, "a host name of its own"),
        ({"view_domains": {"one": {"d": f"http://v{24 * 'a'}.localhost:9470"}}}, "origin of a view"),
        (
            {"view_domains": {"one": {"d": "http://one.localhost:1"}}, "pages": ["http://one.localhost:2"]},
            "cook",
        ),
        ({"sandbox_proxy": "proxy.example/p.html"}, "sandbox_proxy is 'proxy.example/p.html'"),
        ({"sandbox_proxy": "http://p.localhost/p", "proxy_for": ["http://x.localhost"]}, "both set"),
        ({"sandbox_proxy": "http://p.localhost/p", "view_domains": {"a": {}}}, "both set"),
        (
            {"sandbox_proxy": "http://p.localhost/p", "pages": ["http://p.localhost:5000"]},
            "cookies do not know",
        ),
    ],
)
def test_in_development_too_a_mix_that_cannot_isolate_is_refused(
    settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(words)):
        Addresses.of("/apps", **settings)


@pytest.mark.parametrize("proxy", ["https://chat.example.com/p.html", "https://chat.example.com:8443/p.html"])
def test_a_foreign_proxy_on_the_page_s_own_name_is_refused(proxy: str) -> None:
    with pytest.raises(ConfigError, match="host name of its own"):
        Addresses.of("/apps", public_url="https://chat.example.com", sandbox_proxy=proxy)


def test_an_opaque_deployment_can_still_give_one_app_an_origin() -> None:
    found = Addresses.of(
        "/apps", public_url="https://chat.example.com", sandbox_url="https://box.example.net/s", **WEATHER
    )
    assert found.origins is not None
    assert found.origins.view is None
    assert found.domain_origin("weather", "w", found.origins) == "https://w.example.org:8443"
    assert found.is_ours("w.example.org:8443", "https")
    assert not found.is_ours("w.example.org", "https")


def test_a_declared_domain_belongs_to_the_server_that_it_was_given_to() -> None:
    found = Addresses.of("/apps", **DEPLOYED, **WEATHER)
    assert found.origins is not None
    for server, declared in (
        ("weather", "W"),
        ("weather", ""),
        ("weather", None),
        ("other", "w"),
        ("w", "w"),
    ):
        assert found.domain_origin(server, declared, found.origins) is None


def test_a_browser_without_localhost_names_keeps_its_opaque_views() -> None:
    found = Addresses.of("/apps", view_domains={"one": {"d": "http://one.localhost:9470"}})
    named = found.page_origins("fanlight.localhost:9470", "http")
    plain = found.page_origins("127.0.0.1:9470", "http")
    assert named is not None
    assert plain is not None
    assert found.domain_origin("one", "d", named) == "http://one.localhost:9470"
    assert found.domain_origin("one", "d", plain) is None


def test_a_foreign_proxy_takes_the_place_of_sandbox_and_views() -> None:
    proxy = "https://proxy.example.net/sandbox.html"
    found = Addresses.of("/apps", public_url="https://chat.example.com/base", sandbox_proxy=proxy)
    assert found.origins == Origins(
        "https://chat.example.com", "https://proxy.example.net", None, foreign=True
    )
    assert not found.is_ours("proxy.example.net", "https"), "it is served by somebody else"
    local = Addresses.of("/apps", sandbox_proxy="http://localhost:8081/sandbox.html")
    assert local.page_origins("localhost:9470", "http") is None
    page = local.page_origins("fanlight.localhost:9470", "http")
    assert page is not None
    assert (page.sandbox, page.view) == ("http://localhost:8081", None)


def test_the_proxy_for_foreign_hosts_lives_under_the_sandbox_s_name_only() -> None:
    hosts = ["http://localhost:8080", "http://chat.localhost:8080"]
    local = Addresses.of("/apps", proxy_for=hosts)
    found = local.proxy_origins("sandbox.fanlight.localhost:9470", "http")
    assert [origins.host for origins in found] == hosts
    assert {origins.sandbox for origins in found} == {"http://sandbox.fanlight.localhost:9470"}
    for name in ("fanlight.localhost:9470", "localhost:9470", "v1.localhost:9470", "sandbox.evil.example"):
        assert local.proxy_origins(name, "http") == []
    deployed = Addresses.of("/apps", **DEPLOYED, proxy_for=["https://other.example"])
    (origins,) = deployed.proxy_origins("sandbox.example.net", "https")
    assert origins.host == "https://other.example"
    assert deployed.proxy_origins("chat.example.com", "https") == []
    assert Addresses.of("/apps", **DEPLOYED).proxy_origins("sandbox.example.net", "https") == []


@pytest.mark.parametrize("origin", ["https://a.example:443", "http://a.example:80"])
def test_an_origin_that_browsers_would_spell_differently_is_refused(origin: str) -> None:
    """Otherwise https://a.example and https://a.example:443 would pass as two origins."""
    with pytest.raises(ConfigError, match="leave it out"):
        Origins(origin, "https://b.example", None)


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("chat.example.com", True),
        ("sandbox.example.net", True),
        ("vabc.views.example.net", True),
        ("sandbox", False),
        ("example.net", False),
        ("a.b.views.example.net", False),
        ("views.example.net", False),
        ("chat.example.com:8443", False),
        ("localhost", False),
        ("", False),
    ],
)
def test_a_deployment_knows_its_own_names_exactly(name: str, ours: bool) -> None:
    assert Addresses.of("/apps", **DEPLOYED).is_ours(name, "https") is ours


def test_a_page_elsewhere_gets_the_same_frames_and_strangers_none() -> None:
    found = Addresses.of("/apps", **DEPLOYED, pages=["http://localhost:5000"])
    assert found.base == "https://chat.example.com/base/apps"
    own = found.caller_origins("chat.example.com", "https", "https://chat.example.com")
    assert own == found.origins
    other = found.caller_origins("chat.example.com", "https", "http://localhost:5000")
    assert other is not None
    assert (other.host, other.sandbox) == ("http://localhost:5000", "https://sandbox.example.net")
    for stranger in ("http://localhost:5001", "null", "", None):
        assert found.caller_origins("chat.example.com", "https", stranger) is None
    assert found.caller_origins("sandbox.example.net", "https", "http://localhost:5000") is None


NAMES = st.sampled_from([f"{one}.example.{two}" for one in ("a", "b", "c") for two in ("com", "org")])
PAGES = st.lists(st.builds("https://{}{}".format, NAMES, st.sampled_from(["", ":8443"])), max_size=3)


@given(PAGES, PAGES, st.sampled_from(["https://*.example.com", "https://*.example.org", "wss://{}", "{}"]))
def test_no_page_of_a_host_can_be_declared_whichever_of_them_shows_the_view(
    pages: list[str], proxy_for: list[str], source: str
) -> None:
    found = Addresses.of("/apps", **DEPLOYED, **WEATHER, pages=pages, proxy_for=proxy_for)
    assert found.origins is not None
    fixed = [found.origins.host, found.origins.sandbox, A_VIEW, "https://w.example.org:8443"]
    ours = [*fixed, *pages, *proxy_for]
    callers = [found.caller_origins("chat.example.com", "https", page) for page in (ours[0], *pages)]
    for origins in (*callers, *found.proxy_origins("sandbox.example.net", "https")):
        assert origins is not None
        rules = DomainRules().reserving(found.reserved(origins))
        for own in ours:
            for declared in (own, source.format(own.partition("://")[2])):
                fits = "*" not in declared or hostname(own).endswith(declared.partition("*")[2])
                if fits and not (":8443" in own and "*" in declared):
                    assert rules.problem(parse_source(declared)), (declared, origins.host)


def test_in_development_the_page_stays_ours_when_another_one_shows_the_view() -> None:
    local = Addresses.of(
        "/apps", pages=["http://shop.example:5000"], sandbox_proxy="http://box.example/s.html"
    )
    origins = local.caller_origins("fanlight.localhost:9470", "http", "http://shop.example:5000")
    assert origins is not None
    rules = DomainRules().reserving(local.reserved(origins))
    for own in ("http://fanlight.localhost:9470", "http://127.0.0.1:9470", "http://shop.example:5000"):
        assert rules.problem(parse_source(own))
