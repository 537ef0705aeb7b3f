import assert from "node:assert/strict";
import { test } from "node:test";
import { attend, rotated, turnTo, wrapped } from "../../dashboard/components/query_plane/turning.js";
import { randomSource, whole } from "./random.js";

test("a turn is a multiplication by a complex number of length 1, and turnTo finds its angle", () => {
  const random = randomSource(3);
  for (let round = 0; round < 200; round++) {
    const place = [4 * random() - 2, 4 * random() - 2];
    const degrees = whole(random, -179, 180);
    const after = rotated(place, degrees);
    assert.ok(Math.abs(Math.hypot(...after) - Math.hypot(...place)) < 1e-12);
    assert.equal(Math.abs(turnTo(place, after)), Math.abs(degrees));
    if (Math.abs(degrees) < 180) assert.equal(turnTo(place, after), degrees);
  }
  const [x, y] = rotated([2, 0], 90);
  assert.ok(Math.abs(x) < 1e-12 && Math.abs(y - 2) < 1e-12);
});

test("angles go round between -180 and 180", () => {
  assert.deepEqual([185, -185, 180, -180, 0, 365, 540].map(wrapped), [-175, 175, 180, -180, 0, 5, 180]);
});

test("masked keys get nothing, the others share 1, and a vector of length 0 has no angle", () => {
  const keys = [
    [1, 0],
    [0, 0],
    [0, 900],
  ];
  const message = { keys, fixed: [0, 0.5, 0], query: [2, 0], allowed: [true, true, false], divisor: 1 };
  const { products, angles, weights } = attend(message, 0);
  assert.deepEqual(products, [2, 0.5, 0]);
  assert.equal(angles[0], 0);
  assert.ok(Number.isNaN(angles[1]));
  assert.equal(weights[2], 0);
  assert.ok(Math.abs(weights[0] / weights[1] - Math.exp(1.5)) < 1e-9);
  assert.ok(attend({ ...message, query: [0, 0] }, 40).angles.every(Number.isNaN));
  const large = attend({ ...message, keys: keys.map(([x]) => [1e6 * x, 0]) }, 0);
  assert.deepEqual(large.weights, [1, 0, 0]);
});
