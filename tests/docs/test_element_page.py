"""docs/element.md: its code runs, and its tables name exactly what the element has."""

from __future__ import annotations

import re

from doc_code import DOCS, run_page

from fanlight import Host
from fanlight.runtime import read_asset

PAGE = (DOCS / "element.md").read_text("utf-8")


def first_column(section: str) -> set[str]:
    """The code words in the first column of a section's table."""
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return {word for row in rows for word in re.findall(r"`([^`]+)`", row.split("|")[1])}


def test_the_theme_of_the_page_is_one_that_a_host_takes() -> None:
    found = run_page("element.md")
    host = found["host"]
    assert isinstance(host, Host)
    variables = host.theme.styles()["variables"]
    assert variables["--color-text-primary"] == "light-dark(#1a1a1a, #f0f0f0)"
    assert "--border-radius-md: 6px;" in found["page_css"]


def test_every_attribute_is_described() -> None:
    source = read_asset("host.js").decode()
    observed = re.search(r"observedAttributes = \[(.*?)\]", source)
    assert observed is not None
    assert first_column("Attributes") == set(re.findall(r'"([\w-]+)"', observed[1])) | {"bare"}


def test_every_event_is_described() -> None:
    emitted = set(re.findall(r'#emit\("([\w-]+)"', read_asset("host.js").decode()))
    assert first_column("Events") == emitted


def test_every_custom_property_and_part_is_described() -> None:
    looks = read_asset("look.js").decode()
    assert first_column("Colours") == set(re.findall(r"var\((--fanlight-[\w-]+)", looks))
    text = PAGE.partition("::part(box)`, and in the same way")[2].partition(".")[0]
    built = read_asset("parts.js").decode() + read_asset("frame.js").decode()
    assert {"box", *re.findall(r"`([\w-]+)`", text)} == set(re.findall(r'part: "([\w-]+)"', built))
