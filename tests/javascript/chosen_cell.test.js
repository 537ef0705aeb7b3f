import assert from "node:assert/strict";
import { test } from "node:test";
import { differsInCell } from "../../core/view/browser/attention_view/explained.js";
import { addressOf, existing, START, stateFrom } from "../../core/view/browser/attention_view/state.js";

const text = { kind: "text", labels: ["a", "b", "c"], special: [0, 0, 0] };
const layer = { heads: 2, queries: 3, keys: 3, query: text, key: text };
const scene = { start: { layer: 0, head: 1 }, layers: [layer, layer] };

test("a cell needs a pinned row and a key that the layer has", () => {
  const at = (token, key) => existing({ ...START, layer: 1, head: 0, token, key }, scene).key;
  assert.equal(at(2, 1), 1);
  assert.equal(at(2, 3), null);
  assert.equal(at(null, 1), null);
  assert.equal(at(9, 1), null);
});

test("the address leads to a cell and keeps it only where weights are explained", () => {
  const state = { ...START, ...stateFrom({ layer: 1, head: 0, token: 2, key: 1 }, scene) };
  assert.deepEqual([state.token, state.key], [2, 1]);
  assert.equal(addressOf(state, scene, { explains: "why" }).key, 1);
  assert.ok(!("key" in addressOf(state, scene, { explains: null })));
});

test("the server is asked when a cell is chosen, changes or is given up, and for no row alone", () => {
  const row = { layer: 0, head: 0, token: 2, key: null };
  const cell = { ...row, key: 1 };
  assert.ok(differsInCell(row, cell));
  assert.ok(differsInCell(cell, row));
  assert.ok(differsInCell(cell, { ...cell, head: 1 }));
  assert.ok(!differsInCell(cell, { ...cell }));
  assert.ok(!differsInCell(row, { ...row, token: 0, head: 1 }));
});
