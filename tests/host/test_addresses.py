"""Where browsers reach a host: settings become origins and paths; a mix that cannot isolate is refused."""

from __future__ import annotations

from typing import Any

import pytest

from fanlight.errors import ConfigError
from fanlight.host.addresses import Addresses
from fanlight.sandbox import Origins

DEPLOYED: dict[str, Any] = {
    "public_url": "https://chat.example.com/base",
    "sandbox_url": "https://sandbox.example.net",
    "view_url": "https://{app}.views.example.net/v",
}


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
        ({"pages": ["https://sandbox.example.net"]}, "name of its own"),
        ({"pages": ["https://chat.example.com/path"]}, "expected https://name"),
    ],
)
def test_a_mix_that_cannot_work_is_refused_when_it_is_made(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words.replace("{", r"\{")):
        Addresses.of("/apps", **{**DEPLOYED, **settings})


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
