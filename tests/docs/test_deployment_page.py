"""docs/deployment.md: it shows the files that the nginx test runs, and its settings work."""

from __future__ import annotations

from typing import Any

import pytest
from doc_code import DOCS, run_page

from fanlight import Host
from fanlight.errors import ConfigError

DEPLOY = DOCS.parent / "examples" / "deploy"


@pytest.mark.parametrize(("language", "file"), [("nginx", "nginx.conf"), ("python", "program.py")])
def test_the_page_shows_the_file_word_for_word(language: str, file: str) -> None:
    text = (DOCS / "deployment.md").read_text("utf-8")
    assert f"```{language}\n{(DEPLOY / file).read_text('utf-8')}```" in text


def test_the_policy_that_the_page_recommends_is_the_one_that_is_tested() -> None:
    policy = run_page("deployment.md")["PAGE_POLICY"]
    assert f"`{policy}` is enough" in (DOCS / "deployment.md").read_text("utf-8")


async def test_the_code_of_the_page_runs() -> None:
    code = run_page("deployment.md")
    host: Host = code["host"]
    assert host.base == "/base/apps"
    assert code["behind_a_load_balancer"].base == "/apps"
    code["host"] = Host(public_url="http://chat.invalid", sandbox_url="http://box.invalid")
    with pytest.raises(ConfigError, match="add a DNS record"):
        await code["check"]()


def test_what_the_page_says_is_refused_is_refused() -> None:
    settings: dict[str, Any] = {
        "public_url": "https://chat.example.com",
        "sandbox_url": "https://sandbox.example.net",
    }
    for change in (
        {"sandbox_url": "https://chat.example.com/s"},
        {"sandbox_url": "http://sandbox.example.net"},
    ):
        with pytest.raises(ConfigError):
            Host(**{**settings, **change})
