import assert from "node:assert/strict";
import { test } from "node:test";
import { legendEnds, patternOf, readRow, rowOf, strength } from "../../core/view/browser/attention_view/pattern.js";
import { headOf, keepHead, openScene, tokenName } from "../../core/view/browser/attention_view/scene.js";
import { stepped } from "../../core/view/browser/attention_view/state.js";
import { alignmentOf, lightsOf, sentenceFor } from "../../dashboard/components/alignment_view/alignment.js";
import { base64, randomSource, whole } from "./random.js";

const HALF = { 0: 0, 0.125: 0x3000, 0.25: 0x3400, 0.5: 0x3800, 0.75: 0x3a00, 1: 0x3c00 };
const halfText = (weights) => base64(Uint16Array.from(weights, (weight) => HALF[weight]));

function textScene(maps, labels, { causal = false, special = [] } = {}) {
  const sent = { label: "0", group: "", query: "text", key: "text", heads: maps.length, causal, masked: false };
  return openScene({
    title: "",
    digest: "d",
    code: "half",
    start: [0, 0],
    sequences: { text: { kind: "text", labels, special } },
    layers: [{ ...sent, maps: halfText(maps.flat(2)), thumbnails: null }],
  });
}

test("each head answers with its own rows; what a causal map leaves out is not allowed", () => {
  const maps = [
    [[1], [0.5, 0.5]],
    [[1], [0.25, 0.75]],
  ];
  const scene = textScene(maps, ["a", " b"], { causal: true });
  assert.deepEqual(Array.from(headOf(scene, 0, 1).weights), [1, -1, 0.25, 0.75]);
  assert.deepEqual(Array.from(headOf(scene, 0, 0).weights), [1, -1, 0.5, 0.5]);
});

test("without special tokens rows and columns go, and what is left of each row sums to one", () => {
  const rows = [
    [0.5, 0.25, 0.25],
    [0.5, 0.125, 0.25],
    [0, 0.25, 0.75],
  ];
  const scene = textScene([rows], ["[CLS]", "a", "b"], { special: [1, 0, 0] });
  const pattern = patternOf(scene.layers[0], headOf(scene, 0, 0), true);
  assert.deepEqual(
    [pattern.queries, pattern.keys],
    [
      [1, 2],
      [1, 2],
    ],
  );
  assert.equal(rowOf(pattern, 0), null);
  const shares = [1 / 3, 2 / 3].map(Math.fround);
  assert.deepEqual(Array.from(rowOf(pattern, 1)), shares);
  assert.deepEqual(Array.from(rowOf(pattern, 2)), [0.25, 0.75]);
});

test("what is said of a row agrees with entropy and sums computed by hand", () => {
  const even = readRow(Float32Array.of(0.25, 0.25, -1, 0.25, 0.25));
  assert.deepEqual([even.entropy, even.holders, even.allowed, even.sum], [2, 4, 4, 1]);
  assert.deepEqual(even.order, [0, 1, 3, 4]);
  const sure = readRow(Float32Array.of(0, 1, 0));
  assert.deepEqual([sure.entropy, sure.holders, sure.largest], [0, 1, 1]);
  assert.equal(readRow(Float32Array.of(NaN, 1)).missing, true);
});

test("strengths: 0 is the page and 1 is full ink on every scale, a thousandth is the page on the logarithmic one", () => {
  assert.deepEqual(
    [0, -1, NaN].map((weight) => strength("linear", weight, 1)),
    [0, 0, 0],
  );
  assert.equal(strength("row", 0.2, 0.4), 0.5);
  assert.ok(Math.abs(strength("log", 0.001, 1)) < 1e-12);
  assert.ok(Math.abs(strength("log", 0.1, 1) - 2 / 3) < 1e-12);
  assert.deepEqual(legendEnds("row", Float32Array.of(0.1, 0.42)), ["0", "0.42, this row’s largest"]);
});

test("steps stay within layers, heads and tokens, whatever keys are pressed", () => {
  const random = randomSource(16);
  const layers = [3, 1, 5].map((heads) => ({ heads }));
  const queries = [2, 3, 7];
  const pattern = { queries, rowOfQuery: new Map(queries.map((query, row) => [query, row])) };
  let state = { layer: 0, head: 0, token: null };
  for (let round = 0; round < 500; round++) {
    const wish = { step: ["layer", "head", "token"][whole(random, 0, 2)], by: random() < 0.5 ? -1 : 1 };
    const before = state;
    state = { ...state, ...stepped(state, { scene: { layers }, pattern, resting: 7 }, wish) };
    assert.ok(state.layer >= 0 && state.layer < 3 && state.head >= 0 && state.head < layers[state.layer].heads);
    assert.ok(state.token === null || queries.includes(state.token));
    assert.ok(Math.abs(state.layer - before.layer) + Math.abs(state.head - before.head) <= 5);
  }
});

test("a target word lights its sources, and in the other panel the words that look at the strongest of them", () => {
  const panel = (key, target, weights) => {
    return {
      key,
      title: key,
      verb: "looks at",
      target,
      marked: [],
      maps: [{ name: "mean", note: "", weights: halfText(weights) }],
    };
  };
  const scene = alignmentOf({
    source: ["The", " cat"],
    panels: [panel("one", ["Le", " chat"], [0.75, 0.25, 0.25, 0.75]), panel("two", ["Chat"], [0.125, 0.5])],
  });
  const maps = scene.panels.map(({ maps: [map] }) => map);
  const { columns, panels } = lightsOf(scene, maps, { panel: 0, row: 1, column: null });
  assert.deepEqual(Array.from(columns), [0.25, 0.75]);
  assert.deepEqual(Array.from(panels[0].rows), [0, 1]);
  assert.deepEqual(Array.from(panels[1].rows), [0.5]);
  assert.equal(panels[1].column, 1);
  const said = sentenceFor(scene, maps, { panel: 0, row: 1, column: null });
  assert.match(said, /^“chat” \(one\) looks at “cat” with 0\.75 and “The” with 0\.25\./);
  assert.match(said, /0\.50 in “Chat” \(two\)/);
});

test("a head in blocks has a row for each block, which all of its tokens share", () => {
  const scene = textScene([[[1]]], ["a", " b", " c", " d", " e"]);
  keepHead(scene, {
    layer: 0,
    head: 0,
    code: "half",
    block: 2,
    cells: halfText([1, 0, 0, 0.5, 0.5, 0, 0.25, 0.25, 0.5]),
  });
  const pattern = patternOf(headOf(scene, 0, 0).layer, headOf(scene, 0, 0), true);
  assert.deepEqual(pattern.queries, [0, 2, 4]);
  assert.deepEqual(Array.from(rowOf(pattern, 3)), Array.from(rowOf(pattern, 2)));
  assert.deepEqual(Array.from(rowOf(pattern, 4)), [0.25, 0.25, 0.5]);
  assert.equal(pattern.renormalised, false);
  const { key } = pattern.layer;
  assert.deepEqual(
    [tokenName(key, 3), tokenName(key, 4), key.labels[3], key.flow[3]],
    ["“c … d”", "“e”", "c …", " c d"],
  );
});
