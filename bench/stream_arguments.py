"""What it costs to read streamed tool arguments: 1 MB in 64-byte deltas, `value` looked at after each.

Compared, in one run, with one plain `json.loads` of the whole and with parsing all that has arrived again at
every delta. Run: ``python bench/stream_arguments.py`` (about a minute).
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import jiter
import pydantic_core

from fanlight.protocol.partial_json import PartialJson

DELTA = 64
TARGET = 10.0
LONGEST_RUN = 20.0  # seconds; a re-parser that would take longer is measured on a prefix
PREFIX = 16  # that prefix is this part of the document, and re-parsing grows with the square of the length

Work = Callable[[], object]


def one_plain_string(size: int) -> str:
    sentence = "The quick brown fox jumps over the lazy dog. "
    return json.dumps({"text": (sentence * (size // len(sentence) + 1))[:size]})


def one_string_of_html(size: int) -> str:
    card = '<div class="card">\n  <p>Hello, the world is wide and wonderful today.</p>\n</div>\n'
    return json.dumps({"html": (card * (size // len(card) + 1))[:size]})


def array_of_objects(size: int) -> str:
    def row(n: int) -> dict[str, Any]:
        return {
            "id": n,
            "name": f"item {n}",
            "price": n * 1.25,
            "tags": ["a", "b"],
            "ok": n % 2 == 0,
            "note": None,
        }

    return json.dumps({"rows": [row(n) for n in range(size // 99)]})


SHAPES = {
    "one plain string": one_plain_string,
    "one string of HTML": one_string_of_html,
    "array of objects": array_of_objects,
}


# "trailing-strings": show the unfinished string too, as PartialJson does.
REPARSERS: dict[str, Callable[[bytes], Any]] = {
    "pydantic_core, again each time": lambda data: pydantic_core.from_json(
        data, allow_partial="trailing-strings"
    ),
    "jiter, again each time": lambda data: jiter.from_json(data, partial_mode="trailing-strings"),
}


def stream(deltas: list[str]) -> Any:
    reader = PartialJson()
    for delta in deltas:
        reader.feed(delta)
        reader.value  # noqa: B018  (looking at it is what is measured)
    return reader.finish()


def reparse(parse: Callable[[bytes], Any], data: bytes) -> None:
    for stop in range(DELTA, len(data) + DELTA, DELTA):
        parse(data[:stop])


def seconds(work: Work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def typical(work: Work, times: int) -> float:
    """Seconds for one `work`, when it is done `times` in a row."""
    return seconds(lambda: [work() for _ in range(times)]) / times


def against_one_parse(document: str, rounds: int) -> tuple[float, float]:
    """Seconds of one plain parse and of ours: medians of samples that take turns and last about as long."""
    deltas = [document[at : at + DELTA] for at in range(0, len(document), DELTA)]
    if stream(deltas) != json.loads(document):
        raise SystemExit("the streamed value is not the parsed value")
    plain: list[float] = []
    ours: list[float] = []
    for _ in range(rounds):
        plain.append(typical(lambda: json.loads(document), 10))
        ours.append(typical(lambda: stream(deltas), 1))
    return statistics.median(plain), statistics.median(ours)


def against_reparsing(parse: Callable[[bytes], Any], data: bytes, plain: float) -> tuple[float, float, str]:
    """Seconds for parsing again at every delta, those of one parse, and how the first are known."""
    prefix = data[: len(data) // PREFIX]
    estimate = seconds(lambda: reparse(parse, prefix)) * PREFIX**2
    if estimate > LONGEST_RUN:
        return estimate, plain, "extrapolated"
    return seconds(lambda: reparse(parse, data)), plain, "measured"


def print_row(name: str, took: float, plain: float, remark: str = "") -> None:
    print(f"  {name:32}{took * 1e3:12,.1f}{took / plain:10,.1f}  {remark}".rstrip())


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--size", type=int, default=1_000_000, help="bytes of arguments (default: 1 MB)")
    arguments.add_argument("--rounds", type=int, default=15, help="samples of each (default: 15)")
    options = arguments.parse_args()
    gc.disable()  # a collection that hits one sample and not another is noise
    print(
        f"{options.size:,} bytes of arguments in deltas of {DELTA}; times in ms, x = against one json.loads\n"
    )
    print(f"{'':34}{'ms':>12}{'x':>10}")
    for shape, make in SHAPES.items():
        document = make(options.size)
        plain, ours = against_one_parse(document, options.rounds)
        verdict = f"{'within' if ours <= TARGET * plain else 'over'} the target of {TARGET:.0f}x"
        print(f"{shape} ({len(document):,} bytes)")
        print_row("json.loads, once", plain, plain)
        print_row("PartialJson", ours, plain, verdict)
        for name, parse in REPARSERS.items():
            print_row(name, *against_reparsing(parse, document.encode(), plain))
    print(f"\nextrapolated: measured on the first 1/{PREFIX} of the text, times {PREFIX}²,")
    print(f"because the whole would take more than {LONGEST_RUN:.0f} s")


if __name__ == "__main__":
    main()
