"""Origins: three, always different; foreign names get none."""

from __future__ import annotations

import re
from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.sandbox import Origins, app_label, authority, development_origins


def test_a_localhost_page_gets_a_sandbox_and_views_of_their_own_names() -> None:
    """Holds: R22."""
    origins = development_origins("fanlight.localhost:9470")
    assert origins == Origins(
        "http://fanlight.localhost:9470",
        "http://sandbox.fanlight.localhost:9470",
        "http://{app}.fanlight.localhost:9470",
    )
    assert origins.view_origin("v1") == "http://v1.fanlight.localhost:9470"


def test_a_page_on_the_usual_port_is_named_as_browsers_name_it() -> None:
    origins = development_origins("localhost:80")
    assert origins is not None
    assert (origins.host, authority(origins.sandbox)) == ("http://localhost", "sandbox.localhost")


def test_a_loopback_address_gets_an_opaque_view() -> None:
    origins = development_origins("127.0.0.1:8000")
    assert origins == Origins("http://127.0.0.1:8000", "http://localhost:8000", None)
    assert origins.view_origin("v1") is None


@pytest.mark.parametrize(
    "name",
    [
        "evil.example",
        "sandbox.localhost:1",
        "localhost.evil.example",
        "local host",
        "",
        "localhost:x",
        "[::1]",
        "localhost.",
        "localhost:0",
        "localhost:080",
        "localhost:65536",
    ],
)
def test_a_foreign_name_gets_nothing(name: str) -> None:
    assert development_origins(name) is None


CHAT, BOX, VIEWS = (
    "https://chat.example.com",
    "https://sandbox.example.net",
    "https://{app}.views.example.net",
)
A_VIEW = f"https://v{24 * '0'}.views.example.net"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"host": BOX}, "give the sandbox a host name of its own"),
        ({"sandbox": CHAT}, "give the sandbox a host name of its own"),
        ({"host": A_VIEW}, "give the host another host name"),
        ({"sandbox": A_VIEW}, "give the sandbox another host name"),
        ({"host": f"{A_VIEW}:8443"}, "give the host another host name"),
        ({"sandbox": A_VIEW.replace("https", "http")}, "give the sandbox another host name"),
        ({"domains": frozenset({A_VIEW})}, "give the view_domains another host name"),
        ({"domains": frozenset({CHAT})}, "give view_domains a host name of its own"),
        ({"domains": frozenset({BOX})}, "give view_domains a host name of its own"),
        ({"domains": frozenset({f"{CHAT}:8443"})}, "cookies do not know ports"),
        ({"domains": frozenset({f"{BOX}:8443"})}, "cookies do not know ports"),
        ({"domains": frozenset({"https://w.example.net", "https://w.example.net:8443"})}, "one host name"),
        ({"sandbox": f"{CHAT}:8443", "view": None, "foreign": True}, "cookies do not know ports"),
        ({"view": "https://views.example.net"}, "must contain {app} once"),
        ({"view": "https://{app}.{app}.example.net"}, "must contain {app} once"),
        ({"view": "https://x{app}.views.example.net"}, "whole first label"),
        ({"view": "https://{app}"}, "whole first label"),
        ({"view": "https://{app}.views.example.net."}, "leave the dot out"),
        ({"view": "https://{app}.127.0.0.1"}, "as an address"),
        ({"host": f"{CHAT}:443"}, "leave it out"),
        ({"host": f"{CHAT}."}, "leave the dot out"),
        ({"sandbox": f"{CHAT}."}, "leave the dot out"),
        ({"sandbox": f"{CHAT}/"}, "form"),
        ({"domains": frozenset({"https://W.example.net"})}, "lower case"),
        ({"sandbox": "http://sandbox.example.net"}, "sandbox is http: browsers refuse that frame"),
        ({"view": "http://{app}.views.example.net"}, "view is http: browsers refuse that frame"),
        ({"domains": frozenset({"http://w.example.net"})}, "view_domains is http: browsers refuse"),
    ],
    # A set has no order that two processes agree on.
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_mix_that_cannot_isolate_is_refused_with_the_remedy(changes: dict[str, Any], words: str) -> None:
    """Holds: R22."""
    usual: dict[str, Any] = {"host": CHAT, "sandbox": BOX, "view": VIEWS}
    Origins(**usual)
    with pytest.raises(ConfigError, match=re.escape(words)):
        Origins(**usual | changes)


def test_every_origin_of_a_view_is_known_as_one() -> None:
    origins = Origins(CHAT, BOX, VIEWS, frozenset({"https://weather.example.net"}))
    assert origins.is_view(A_VIEW)
    assert origins.is_view("https://weather.example.net")
    for other in (CHAT, BOX, "https://x.views.example.net", "https://views.example.net"):
        assert not origins.is_view(other)
    assert not Origins(CHAT, BOX, None).is_view(A_VIEW)


@pytest.mark.parametrize(
    ("origins", "near"),
    [
        (Origins(CHAT, BOX, VIEWS), None),
        (Origins(CHAT, "https://sandbox.example.com", None), "https://sandbox.example.com and the page"),
        (Origins(CHAT, BOX, "https://{app}.apps.example.com"), "https://{app}.apps.example.com and"),
        (Origins(CHAT, BOX, None, frozenset({"https://w.example.com"})), "https://w.example.com and"),
        (Origins("http://127.0.0.1:1", "http://localhost:1", None), None),
        (Origins("http://localhost:1", "http://sandbox.localhost:1", None), None),
        (Origins("http://[::1]:1", "http://localhost:1", None), None),
    ],
)
def test_frames_on_the_site_of_the_page_are_advised_against(origins: Origins, near: str | None) -> None:
    advice = origins.advice()
    if near is None:
        assert advice is None
    else:
        assert advice is not None
        assert advice.startswith(near)
        assert "Domain=example.com" in advice
        assert "another registrable domain" in advice


def test_the_label_is_stable_for_an_app_and_differs_between_apps() -> None:
    assert app_label("weather", "ui://a") == app_label("weather", "ui://a")
    labels = {app_label(s, u) for s in ("a", "ab") for u in ("ui://x", "bui://x", "ui://y")}
    assert len(labels) == 6
    assert all(label.isalnum() and len(label) <= 63 and label[0] == "v" for label in labels)
