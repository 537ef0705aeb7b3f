import assert from "node:assert/strict";
import { test } from "node:test";
import { steppedRound } from "../../core/view/browser/kit/menu.js";

test("a step from the last item leads to the first, and back", () => {
  assert.equal(steppedRound(3, 1, 4), 0);
  assert.equal(steppedRound(0, -1, 4), 3);
  assert.equal(steppedRound(1, 1, 4), 2);
});

test("Home and End lead to the ends", () => {
  assert.equal(steppedRound(2, -Infinity, 4), 0);
  assert.equal(steppedRound(2, Infinity, 4), 3);
});
