"""Origins: three, always different; foreign names get none."""

from __future__ import annotations

import pytest

from fanlight.errors import ConfigError
from fanlight.sandbox import Origins, app_label, development_origins


def test_a_localhost_page_gets_a_sandbox_and_views_of_their_own_names() -> None:
    """Holds: R22."""
    origins = development_origins("fanlight.localhost:9470")
    assert origins == Origins(
        "http://fanlight.localhost:9470",
        "http://sandbox.fanlight.localhost:9470",
        "http://{app}.fanlight.localhost:9470",
    )
    assert origins.view_origin("v1") == "http://v1.fanlight.localhost:9470"


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
    ],
)
def test_a_foreign_name_gets_nothing(name: str) -> None:
    assert development_origins(name) is None


@pytest.mark.parametrize(
    ("host", "sandbox", "view", "word"),
    [
        ("https://a.example", "https://a.example", None, "name of its own"),
        ("a.example", "https://b.example", None, "form"),
        ("https://a.example/", "https://b.example", None, "form"),
        ("https://a.example", "https://b.example", "https://views.example", "{app}"),
        ("https://a.example", "https://b.example", "https://x{app}.views.example", "first label"),
    ],
)
def test_a_mix_that_cannot_isolate_is_refused_with_the_remedy(
    host: str, sandbox: str, view: str | None, word: str
) -> None:
    with pytest.raises(ConfigError, match=word):
        Origins(host, sandbox, view)


def test_the_label_is_stable_for_an_app_and_differs_between_apps() -> None:
    assert app_label("weather", "ui://a") == app_label("weather", "ui://a")
    labels = {app_label(s, u) for s in ("a", "ab") for u in ("ui://x", "bui://x", "ui://y")}
    assert len(labels) == 6
    assert all(label.isalnum() and len(label) <= 63 and label[0] == "v" for label in labels)
