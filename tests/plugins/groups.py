"""The groups of xdist: tests of one group run in one process, so that what they share is made once.

xdist 3.8 writes a group into an item's private name, which pytest 9.2 does not read any more: without this
every process makes everything for itself, and nobody is told. Superfluous once xdist knows pytest's `NodeId`.
"""

from __future__ import annotations

import pytest
from _pytest.nodeid import NodeId


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        named = vars(item).get("_nodeid")
        if named is not None:
            item._id = NodeId.parse(named)
