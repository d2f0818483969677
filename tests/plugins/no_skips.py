"""With ``--no-skips`` (the default where ``CI=true``), a test that did not really run is a failure.

A green run in which the browser tests were skipped proves nothing. What may be skipped or expected to fail is
listed in ``tests/allowed_skips.txt``: one node id a line, ``#`` starts a comment that says why.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path

import pytest

ALLOWED = Path("tests/allowed_skips.txt")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips",
        action="store_true",
        default=os.environ.get("CI") == "true",
        help=f"fail on every skip or xfail that is not listed in {ALLOWED}",
    )


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    _refuse_silence(report, item.config)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    _refuse_silence(report, collector.config)
    return report


def _refuse_silence(report: pytest.TestReport | pytest.CollectReport, config: pytest.Config) -> None:
    """Turn a skip, an expected failure and an unexpected pass into a failure, unless it is listed."""
    expected_failure = getattr(report, "wasxfail", None)
    ran_in_earnest = not report.skipped and expected_failure is None
    if ran_in_earnest or not config.getoption("no_skips") or report.nodeid in _allowed(config.rootpath):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else expected_failure
    report.outcome = "failed"
    report.longrepr = f"{report.nodeid} did not run in earnest ({reason}), and {ALLOWED} does not list it"


def _allowed(root: Path) -> set[str]:
    file = root / ALLOWED
    lines = file.read_text("utf-8").splitlines() if file.is_file() else []
    return {entry for line in lines if (entry := line.partition("#")[0].strip())}
