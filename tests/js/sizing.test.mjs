// Heights: each test is a view as a function, driven against the real clock-free Sizing.
import assert from "node:assert/strict";
import test from "node:test";

import { Sizing } from "../../src/fanlight/runtime/sizing.js";

const FRAME = 16;

/**
 * Runs a view against a frame for some time. The view is asked once when it starts and again after every change of
 * the frame, `delay` later; what it returns is its report. `script` adds reports that no change caused.
 */
function run(sizing, { view, script = [], ms = 10_000, delay = 40, from = 0 }) {
  const queue = view ? [[from, view(sizing.height)]] : [];
  queue.push(...script.map(([at, height]) => [from + at, height]));
  const heights = [sizing.height];
  for (let now = from; now <= from + ms; now += FRAME) {
    for (const report of queue.filter(([at]) => at <= now)) {
      queue.splice(queue.indexOf(report), 1);
      sizing.report(report[1], now);
    }
    const height = sizing.settle(now);
    if (height !== heights.at(-1)) {
      heights.push(height);
      if (view) queue.push([now + delay, view(height)]);
    }
  }
  return heights;
}

test("a view that measures its content gets the height it reports", () => {
  assert.deepEqual(run(new Sizing(400), { view: () => 212 }), [400, 212]);
});

test("a view that never reports keeps the start height", () => {
  assert.deepEqual(run(new Sizing(400), {}), [400]);
});

test("a pixel less is ignored, a pixel more is not", () => {
  assert.deepEqual(run(new Sizing(400), { script: [[0, 399], [500, 397]] }), [400]);
  assert.deepEqual(run(new Sizing(400), { script: [[0, 401]] }), [400, 401]);
});

test("a view that shrinks a pixel with every frame stays where it is", () => {
  assert.deepEqual(run(new Sizing(400), { view: (height) => height - 1 }), [400]);
});

for (const delay of [20, 150, 400])
  for (const [name, view] of [
    ["100vh with a margin", (height) => height + 16],
    ["100vh with more below it", (height) => height + 600],
    ["110vh", (height) => Math.ceil(height * 1.1)],
    ["less than its frame", (height) => height - 10],
  ])
    test(`a view that follows its frame comes to rest where it began: ${name}, answering after ${delay} ms`, () => {
      const sizing = new Sizing(400);
      const heights = run(sizing, { view, delay });
      assert.equal(sizing.height, 400);
      assert.ok(heights.length < 12, `${heights.length} changes`);
      assert.deepEqual(run(sizing, { view, delay, from: 20_000 }), [400]);
    });

test("a follower whose content really grows gets the room once", () => {
  const sizing = new Sizing(400);
  const content = { height: 0 };
  const view = (height) => Math.max(height + 16, content.height);
  run(sizing, { view });
  content.height = 900;
  assert.deepEqual(run(sizing, { view, from: 20_000 }), [400, 900]);
});

test("a follower that repeats its report every second does not creep", () => {
  const sizing = new Sizing(400);
  run(sizing, { view: (height) => height + 16 });
  for (let second = 20; second < 40; second++) run(sizing, { script: [[0, sizing.height + 16]], ms: 900, from: second * 1000 });
  assert.equal(sizing.height, 400);
});

for (const every of [16, 50, 200, 350, 700, 950])
  test(`content that grows by a row every ${every} ms is never taken for a follower`, () => {
    const script = Array.from({ length: 80 }, (_, row) => [row * every, 424 + row * 24]);
    const heights = run(new Sizing(400), { script, ms: 80 * every + 5000 });
    assert.equal(heights.at(-1), 424 + 79 * 24);
    assert.deepEqual(heights, heights.toSorted((a, b) => a - b), "it never shrinks on the way");
  });

test("an animated height ends exactly", () => {
  const open = Array.from({ length: 20 }, (_, frame) => [frame * 16, 400 + frame * 15]);
  const shut = Array.from({ length: 20 }, (_, frame) => [3000 + frame * 16, 685 - frame * 15]);
  const sizing = new Sizing(400);
  run(sizing, { script: [...open, ...shut] });
  assert.equal(sizing.height, 400);
});

test("a view that alternates settles on the larger height", () => {
  const sizing = new Sizing(400);
  const heights = run(sizing, { view: (height) => (height === 380 ? 500 : 380), ms: 60_000 });
  assert.equal(sizing.height, 500);
  assert.ok(heights.length < 12, `${heights.length} changes`);
});

test("a view that alternates by itself settles on the larger height too", () => {
  const script = Array.from({ length: 200 }, (_, turn) => [turn * 100, turn % 2 ? 300 : 520]);
  const sizing = new Sizing(400);
  const heights = run(sizing, { script, ms: 21_000 });
  assert.equal(sizing.height, 520);
  assert.ok(heights.length < 12, `${heights.length} changes`);
});

test("a person who opens and closes a fold-out fast is believed in the end", () => {
  const script = Array.from({ length: 9 }, (_, turn) => [turn * 300, turn % 2 ? 600 : 250]);
  const sizing = new Sizing(400);
  run(sizing, { script });
  assert.equal(sizing.height, 250);
});

test("what a view reports elsewhere does not change the frame, and the inline height is there again", () => {
  const sizing = new Sizing(400);
  run(sizing, { view: () => 250 });
  sizing.show(false, 20_000);
  assert.deepEqual(run(sizing, { script: [[0, 1032]], from: 20_000 }), [250]);
  sizing.show(true, 40_000);
  // Back inline the view measures anew: what it said of the other mode is never used.
  assert.deepEqual(run(sizing, { script: [[100, 250]], from: 40_000 }), [250]);
});

test("content that grew elsewhere has its room after the return", () => {
  const sizing = new Sizing(400);
  run(sizing, { view: () => 250 });
  sizing.show(false, 20_000);
  run(sizing, { script: [[0, 700]], from: 20_000 });
  sizing.show(true, 40_000);
  // Silent although its frame changed: its report was about its content, and still holds.
  assert.deepEqual(run(sizing, { from: 40_000 }), [250, 700]);
});

test("a deadline is there exactly while something is to be decided", () => {
  const sizing = new Sizing(400);
  assert.equal(sizing.deadline, null);
  sizing.report(300, 0);
  assert.notEqual(sizing.deadline, null);
  sizing.settle(0);
  assert.equal(sizing.deadline, null);
});
