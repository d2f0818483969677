"""The files that browsers run, as Python sees them."""

from __future__ import annotations

import base64
import hashlib

import pytest

from fanlight.runtime import asset_names, inline_digest, preload_links, preloads, read_asset


def test_everything_a_page_needs_is_announced_once_and_exists() -> None:
    needed = preloads("page.js")
    assert needed[:2] == ("page.js", "host.js")
    assert len(needed) == len(set(needed))
    assert set(needed) <= set(asset_names())
    for name in needed:
        for line in read_asset(name).decode().splitlines():
            if line.startswith("import "):
                assert line.rpartition('"./')[2].rstrip('";') in needed, (name, line)
    assert preload_links("/apps", "visible.js") == '<link rel="modulepreload" href="/apps/visible.js">'


@pytest.mark.parametrize("name", ["sandbox.js", "shell.js", "sandbox.css"])
def test_what_is_inlined_cannot_end_its_own_tag_and_is_allowed_by_its_hash(name: str) -> None:
    text = read_asset(name)
    assert b"</" not in text
    assert not text.startswith(b"import ")
    assert inline_digest(name) == "sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode()
