"""The files that browsers run, as Python sees them."""

from __future__ import annotations

import base64
import hashlib

import pytest

from fanlight.runtime import inline_digest, read_asset


@pytest.mark.parametrize("name", ["sandbox.js", "shell.js", "sandbox.css"])
def test_what_is_inlined_cannot_end_its_own_tag_and_is_allowed_by_its_hash(name: str) -> None:
    text = read_asset(name)
    assert b"</" not in text
    assert not text.startswith(b"import ")
    assert inline_digest(name) == "sha256-" + base64.b64encode(hashlib.sha256(text).digest()).decode()
