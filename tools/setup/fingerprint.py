"""Prints a fingerprint of everything pip reads to install this project, so that setup installs nothing twice.

Usage: ``fingerprint.py app|dev|mcp1``. Tool settings are left out: a changed lint rule reinstalls nothing.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = {
    "app": ["build-system", "project"],
    "dev": ["build-system", "project", "dependency-groups"],
    "mcp1": ["build-system", "project", "dependency-groups"],
}


def fingerprint(kind: str) -> str:
    """The hash of what an installation of ``kind`` (a key of ``SECTIONS``) depends on."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    inputs = {
        "sections": {name: pyproject[name] for name in SECTIONS[kind]},
        "version": (ROOT / "src/fanlight/_version.py").read_text("utf-8"),
        "python": sys.version,
        "root": str(ROOT),
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


if __name__ == "__main__":
    print(fingerprint(sys.argv[1]))
