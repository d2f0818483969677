"""References lead to files of the folder and nowhere else."""

from __future__ import annotations

import base64
import os
from pathlib import Path, PurePosixPath

import pytest
from view_folders import written

from fanlight.errors import ConfigError
from fanlight.server.folder import MAX_DOCUMENT_BYTES, MAX_FILE_BYTES, Folder
from fanlight.server.source_text import Source

PAGE = Source("view/sub/page.html", "<p>\n<img>")
BASE = PurePosixPath("sub/page.html")


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    files: dict[str, str | bytes] = {
        "a.png": b"A",
        "sub/b c.svg": "<svg/>",
        "sub/é.txt": "\ufeffx",
        "sub/bad.txt": b"\xff",
    }
    return Folder(written(tmp_path, files))


@pytest.mark.parametrize(
    ("address", "path", "fragment"),
    [
        ("../a.png", "a.png", ""),
        ("/a.png?v=1", "a.png", ""),
        (" b%20c.svg#x ", "sub/b c.svg", "x"),
        ("./././b c.svg", "sub/b c.svg", ""),
        ("../sub/../a.png", "a.png", ""),
        ("%C3%A9.txt", "sub/é.txt", ""),
    ],
)
def test_an_address_finds_its_file(folder: Folder, address: str, path: str, fragment: str) -> None:
    found = folder.find(address, BASE, PAGE, 0)
    assert found is not None
    assert (str(found.path), found.fragment) == (path, fragment)


@pytest.mark.parametrize(
    "address",
    ["https://example.com/a.png", "//example.com/a.png", "data:,x", "#x", "", "?x", "blob:x"],
)
def test_an_address_of_elsewhere_finds_nothing(folder: Folder, address: str) -> None:
    assert folder.find(address, BASE, PAGE, 0) is None


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("../../a.png", "leads out of the folder"),
        ("/../a.png", "leads out of the folder"),
        ("%2e%2e/%2e%2e/%2e%2e/etc/passwd", "leads out of the folder"),
        ("..%2f..%2fa.png", "leads out of the folder"),
        ("..\\a.png", "backslash"),
        ("file:///etc/passwd", "file of one machine"),
        ("none.png", "no file view/sub/none.png"),
        ("../sub", "no file view/sub"),
        ("a%00.png", "no file name"),
        ("x" * 5000, "cannot be read"),
    ],
)
def test_an_address_that_cannot_be_is_an_error_at_its_place(folder: Folder, address: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        folder.find(address, BASE, PAGE, 4)
    assert str(caught.value).startswith("view/sub/page.html:2:1: ")
    assert not folder.has(address, BASE)


def test_a_link_may_lead_inside_but_not_out_or_in_circles(tmp_path: Path, folder: Folder) -> None:
    (tmp_path / "secret").write_text("s")
    os.symlink(tmp_path / "secret", folder.root / "out")
    os.symlink(tmp_path, folder.root / "up")
    os.symlink(folder.root / "a.png", folder.root / "in.png")
    os.symlink(folder.root / "loop", folder.root / "loop")
    for name in ("out", "up/secret"):
        with pytest.raises(ConfigError, match="link out of the folder"):
            folder.find(f"/{name}", BASE, PAGE, 0)
    with pytest.raises(ConfigError, match=r"cannot be read|no file"):
        folder.find("/loop", BASE, PAGE, 0)
    assert folder.has("/in.png", BASE)


def test_a_giant_file_is_refused_before_it_is_read(folder: Folder) -> None:
    with (folder.root / "big.bin").open("wb") as big:
        big.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(ConfigError, match=r"8,388,609 bytes, the most for one file is 8,388,608"):
        folder.find("/big.bin", BASE, PAGE, 0)
    assert folder.files == []


def test_a_document_that_grows_too_large_is_refused(folder: Folder) -> None:
    folder.spend(MAX_DOCUMENT_BYTES, PAGE, 0)
    with pytest.raises(ConfigError, match=r"page\.html:1:1: .* more than 12,582,912 bytes"):
        folder.spend(1, PAGE, 0)


def test_each_file_is_read_once_and_remembered(folder: Folder) -> None:
    found = folder.find("/a.png", BASE, PAGE, 0)
    assert found is not None
    expected = f"data:image/png;base64,{base64.b64encode(b'A').decode()}"
    assert [folder.data_url(found, PAGE, 0) for _ in range(2)] == [expected, expected]
    assert folder.files == [folder.root / "a.png"]


def test_a_fragment_stays_and_an_unknown_kind_is_bytes(folder: Folder) -> None:
    svg, text = folder.find("b c.svg#x", BASE, PAGE, 0), folder.find("é.txt", BASE, PAGE, 0)
    assert svg is not None
    assert text is not None
    assert folder.data_url(svg, PAGE, 0).startswith("data:image/svg+xml;base64,")
    assert folder.data_url(svg, PAGE, 0).endswith("#x")
    assert folder.data_url(text, PAGE, 0).startswith("data:application/octet-stream;")


def test_text_is_utf8_with_or_without_its_mark(folder: Folder) -> None:
    source = folder.source_of(PurePosixPath("sub/é.txt"))
    assert (source.name, source.text) == ("view/sub/é.txt", "x")
    with pytest.raises(ConfigError, match=r"view/sub/bad\.txt is not UTF-8 at byte 0"):
        folder.source_of(PurePosixPath("sub/bad.txt"))


def test_a_file_that_went_away_is_an_error(folder: Folder) -> None:
    with pytest.raises(ConfigError, match=r"cannot read view/gone\.txt: No such file"):
        folder.bytes_of(PurePosixPath("gone.txt"))


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is not a folder"):
        Folder(tmp_path / "nothing")
