"""Files that a view wants to save: names that are only names, bounded, http links only."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wishes import FILE, scene

from fanlight.host import allow_all
from fanlight.host.downloads import file_name, files_of


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///a/b/report.pdf", "report.pdf"),
        ("ui://app/chart.svg?x=1#y", "chart.svg"),
        ("https://example.com/dir/", "dir"),
        ("report.csv", "report.csv"),
        ("x://a/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("x://a/..\\..\\boot.ini", "boot.ini"),
        ("x://a/%2e%2e", "download"),
        ("x://a/.bashrc", "bashrc"),
        ("x://a/trailing. . ", "trailing"),
        ("x://a/pho\u202egpj.exe", "phogpj.exe"),
        ("x://a/a%00b%0Ac.txt", "abc.txt"),
        ("x://a/CON", "_CON"),
        ("x://a/nul.txt", "_nul.txt"),
        ("x://a/a:b*c?.txt", "a_b_c"),
        ("x://a/a%3Ab%2A.txt", "a_b_.txt"),
        ("x://a/gr%C3%BC%C3%9Fe.txt", "grüße.txt"),
        ("", "download"),
        ("https://[bad/x.txt", "x.txt"),
    ],
)
def test_a_name_is_the_last_part_of_the_address_and_nothing_else(uri: str, name: str) -> None:
    """Holds: D05, D06."""
    assert file_name(uri) == name


@given(st.text(max_size=400))
def test_no_address_gives_a_name_that_leads_elsewhere_or_lies(uri: str) -> None:
    name = file_name(f"x://a/{uri}")
    assert 0 < len(name) <= 120
    assert not set(name) & set('/\\:*?"<>|')
    assert name.strip(". ") == name.rstrip() == name
    assert not any(unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in name)


def test_a_long_name_keeps_its_ending() -> None:
    assert file_name("x://a/" + "n" * 500 + ".tar").endswith("n.tar")
    assert len(file_name("x://a/" + "n" * 500)) == 120


def blob(data: Any) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": "x://a/f.bin", "blob": data}}


def test_files_of_one_name_get_numbers() -> None:
    files = files_of([FILE, FILE, {**FILE, "resource": {**FILE["resource"], "uri": "B.TXT"}}], 20, 100)  # type: ignore[dict-item]
    assert not isinstance(files, str)
    assert [file.name for file in files] == ["b.txt", "b (2).txt", "B (3).TXT"]


def test_sizes_are_those_of_the_bytes() -> None:
    contents = [{"type": "resource", "resource": {"uri": "a", "text": "ü"}}, blob("AAEC/w==")]
    files = files_of(contents, 20, 100)
    assert not isinstance(files, str)
    text, data = files
    assert (text.size, data.size) == (2, 4)
    assert text.label == "a (2 bytes)"
    assert text.as_json() == {"name": "a", "mimeType": "", "text": "ü"}


@pytest.mark.parametrize(
    ("contents", "why"),
    [
        ([], "nothing"),
        ([FILE] * 3, "at most 2"),
        ([blob("not base64!")], "base64"),
        ([blob("AAAA" * 50)], "at most 100 bytes"),
        ([{"type": "resource_link", "uri": "file:///etc/passwd", "name": "x"}], "http"),
        ([{"type": "resource_link", "uri": "javascript:alert(1)", "name": "x"}], "http"),
        ([{"type": "resource_link", "uri": "https://user@example.com/x", "name": "x"}], "disguise"),
    ],
)
def test_what_cannot_be_saved_is_refused_with_a_sentence(contents: list[dict[str, Any]], why: str) -> None:
    files = files_of(contents, 2, 100)
    assert isinstance(files, str)
    assert why in files


async def test_the_page_gets_the_files_and_the_view_learns_that_it_was_done() -> None:
    """Holds: D04."""
    link = {
        "type": "resource_link",
        "uri": "https://example.com/big.zip",
        "name": "../evil",
        "mimeType": "<b>",
    }
    async with scene() as shown:
        answer = await shown.client.asks("ui/download-file", {"contents": [FILE, link]})
        assert answer["result"] == {}
        (question,) = [frame for frame in shown.client.frames if frame["op"] == "ask"]
        assert question["detail"] == "b.txt (2 bytes, text/plain)\nbig.zip (from https://example.com/big.zip)"
        (download,) = [frame for frame in shown.client.frames if frame["op"] == "download"]
        assert download["files"] == [
            {"name": "b.txt", "mimeType": "text/plain", "text": "hi"},
            {"name": "big.zip", "mimeType": "", "url": "https://example.com/big.zip"},
        ]


async def test_a_page_that_could_not_do_it_says_so_to_the_view() -> None:
    async with scene(policy=allow_all) as shown:
        number = await shown.client.starts("ui/open-link", {"url": "https://example.com"})
        shown.client.page_says = "failed"
        assert (await shown.client.answer_to(number))["result"] == {"isError": True}
