// The numbering of the page's side: the same rules as tests/host/test_link.py, with a window besides.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Link, retryDelay, textSize } from "../../src/fanlight/runtime/link.js";

const frame = (value) => JSON.stringify({ op: "message", value });
const taken = (link) => JSON.parse(link.take());

/** A small generator of random numbers with a seed, so that a failure can be repeated. */
function seeded(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

test("frames are numbered from one and carry the session and what was heard", () => {
  const link = new Link("s1");
  assert.equal(link.accept(1), "new");
  link.push(frame("a"));
  assert.deepEqual(taken(link), { session: "s1", n: 1, got: 1, op: "message", value: "a" });
  assert.equal(link.take(), null);
});

test("an acknowledged frame is forgotten and an old acknowledgement is harmless", () => {
  const link = new Link("s");
  for (const value of "abc") link.push(frame(value));
  while (link.take());
  assert.ok(link.acknowledge(2));
  assert.ok(link.acknowledge(1));
  assert.equal(link.kept, 1);
  assert.equal(link.size, frame("c").length);
  assert.deepEqual(link.left(), [[3, frame("c")]]);
});

test("what was not said cannot be acknowledged, and nonsense is no number", () => {
  const link = new Link("s");
  link.push(frame("a"));
  for (const got of [1, undefined, NaN, "1"]) assert.ok(!link.acknowledge(got));
  for (const got of [2, undefined, NaN, -1]) assert.ok(!link.resume(got));
});

test("a new socket begins after what the peer has", () => {
  const link = new Link("s");
  for (const value of "abc") link.push(frame(value));
  while (link.take());
  assert.ok(link.resume(1));
  assert.deepEqual([taken(link).value, taken(link).value], ["b", "c"]);
});

test("a number is new once and a missing one is noticed", () => {
  const link = new Link("s");
  assert.deepEqual([1, 1, 3, 2, 3].map((number) => link.accept(number)), ["new", "duplicate", "gap", "new", "new"]);
});

test("an acknowledgement is owed until it rode on a frame or went alone", () => {
  const link = new Link("s");
  link.accept(1);
  assert.equal(link.owed, 1);
  link.push(frame("a"));
  link.take();
  assert.equal(link.owed, 0);
  link.accept(2);
  assert.deepEqual(JSON.parse(link.acknowledgement()), { session: "s", op: "ack", got: 2 });
  assert.equal(link.owed, 0);
});

test("only a window of frames is under way; an acknowledgement opens it", () => {
  const link = new Link("s", { frames: 2, size: 1000 });
  for (const value of "abcd") link.push(frame(value));
  assert.deepEqual([taken(link).n, taken(link).n, link.take()], [1, 2, null]);
  link.acknowledge(1);
  assert.deepEqual([taken(link).n, link.take()], [3, null]);
});

test("the window counts bytes too, and one frame of any size is under way", () => {
  const link = new Link("s", { frames: 100, size: 50 });
  for (let count = 0; count < 3; count += 1) link.push(frame("x".repeat(60)));
  assert.equal(taken(link).n, 1);
  assert.equal(link.take(), null);
  link.acknowledge(1);
  assert.equal(taken(link).n, 2);
});

test("the link is full beyond its bounds, never for one frame", () => {
  const link = new Link("s", undefined, { frames: 3, size: 10 });
  link.push(frame("x".repeat(100)));
  assert.ok(!link.full);
  link.push(frame("y"));
  assert.ok(link.full);
});

test("the first retry is at once, later ones grow with jitter up to some seconds", () => {
  assert.equal(retryDelay(1, 0.5), 0);
  const delays = [2, 3, 4, 5, 6, 7, 20].map((failures) => [retryDelay(failures, 0), retryDelay(failures, 1)]);
  assert.deepEqual(delays, [[125, 250], [250, 500], [500, 1000], [1000, 2000], [2000, 4000], [2500, 5000], [2500, 5000]]);
});

test("a size is exact where a limit is near", () => {
  assert.equal(textSize("é".repeat(10)), 10);
  assert.equal(textSize("é".repeat(10), 15), 20);
  assert.equal(textSize("é".repeat(10), 1000), 10);
});

test("any interleaving of saying, delivering, cutting and resuming gives every frame once, in order", () => {
  for (let seed = 0; seed < 300; seed += 1) {
    const random = seeded(seed);
    const ends = [new Link("s", { frames: 3, size: 200 }), new Link("s", { frames: 1e9, size: 1e9 })];
    const said = [0, 0];
    const heard = [[], []];
    let wires = [[], []];
    const reconnect = () => {
      wires = [[], []];
      assert.ok(ends[0].resume(ends[1].got));
      assert.ok(ends[1].resume(ends[0].got));
    };
    const write = (side) => {
      const text = ends[side].take();
      if (text !== null) wires[side].push(text);
      return text !== null;
    };
    const deliver = (side) => {
      const text = wires[side].shift();
      if (text === undefined) return;
      const message = JSON.parse(text);
      assert.ok(ends[1 - side].acknowledge(message.got));
      if (message.op === "ack") return;
      const arrival = ends[1 - side].accept(message.n);
      assert.notEqual(arrival, "gap");
      if (arrival === "new") heard[side].push(message.value);
    };
    const acknowledge = (side) => wires[side].push(ends[side].acknowledgement());
    for (let step = 0; step < 200; step += 1) {
      const side = random() < 0.5 ? 0 : 1;
      const what = random();
      if (what < 0.3) ends[side].push(frame(said[side]++));
      else if (what < 0.6) write(side);
      else if (what < 0.85) deliver(side);
      else if (what < 0.95) acknowledge(side);
      else reconnect();
    }
    reconnect();
    while (ends[0].unsent || ends[1].unsent) {
      for (const side of [0, 1]) {
        while (write(side));
        acknowledge(side);
        while (wires[side].length) deliver(side);
      }
    }
    for (const side of [0, 1]) assert.deepEqual(heard[side], Array.from({ length: said[side] }, (_, index) => index));
  }
});
