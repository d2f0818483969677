"""``--no-skips``: CI is red when a test did not really run."""

from __future__ import annotations

from pathlib import Path

import pytest

QUIET_TESTS = """
    import pytest

    @pytest.mark.skip(reason="no browser")
    def test_skipped(): ...

    @pytest.mark.xfail(reason="known gap")
    def test_expected_to_fail(): assert False

    @pytest.mark.xfail(reason="known gap", strict=False)
    def test_passes_unexpectedly(): ...

    def test_plain(): ...
"""

GUARD = ["-p", "plugins.no_skips", "-p", "no:asyncio"]


@pytest.fixture
def quiet_tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    pytester.makepyfile(test_quiet=QUIET_TESTS)
    return pytester


def test_every_quiet_outcome_fails(quiet_tests: pytest.Pytester) -> None:
    result = quiet_tests.runpytest(*GUARD, "--no-skips")
    result.assert_outcomes(passed=1, failed=2, errors=1)
    result.stdout.fnmatch_lines(["*test_skipped did not run in earnest (*no browser)*"])


def test_skips_are_let_through_without_the_option(quiet_tests: pytest.Pytester) -> None:
    result = quiet_tests.runpytest(*GUARD)
    result.assert_outcomes(passed=1, skipped=1, xfailed=1, xpassed=1)


def test_ci_turns_the_option_on(quiet_tests: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = quiet_tests.runpytest(*GUARD, "-k", "skipped")
    result.assert_outcomes(errors=1)


def test_listed_tests_may_be_skipped(quiet_tests: pytest.Pytester) -> None:
    listed = quiet_tests.mkdir("tests") / "allowed_skips.txt"
    listed.write_text("# why\ntest_quiet.py::test_skipped  # no browser there\n", "utf-8")
    result = quiet_tests.runpytest(*GUARD, "--no-skips", "-k", "skipped or plain")
    result.assert_outcomes(passed=1, skipped=1)


def test_a_module_that_skips_itself_fails_the_run(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_absent="import pytest\npytest.importorskip('no_such_module_here')")
    result = pytester.runpytest(*GUARD, "--no-skips")
    result.assert_outcomes(errors=1)


def test_the_guard_holds_in_parallel_runs(quiet_tests: pytest.Pytester) -> None:
    result = quiet_tests.runpytest_subprocess(*GUARD, "--no-skips", "-n", "1")
    result.assert_outcomes(passed=1, failed=2, errors=1)
