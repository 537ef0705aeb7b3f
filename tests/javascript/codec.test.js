import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, bytesPerWeight, cellsSent, decode, floatsOf, unfold } from "../../core/view/browser/kit/codec.js";
import { base64, randomSource, whole } from "./random.js";

test("base64 text becomes the bytes that node reads from it", () => {
  const random = randomSource(1);
  for (const length of [0, 1, 2, 3, 100, 10_000]) {
    const bytes = Uint8Array.from({ length }, () => whole(random, 0, 255));
    assert.deepEqual(bytesOf(base64(bytes)), bytes);
  }
});

test("float32 numbers arrive bit by bit", () => {
  const numbers = Float32Array.of(0, -0, 1 / 3, -1e-45, 3.4e38, Infinity, -Infinity, NaN);
  assert.deepEqual(floatsOf(base64(numbers)), numbers);
});

test("every one of the 65,536 codes of half is the float16 that the engine reads", () => {
  const codes = Uint16Array.from({ length: 65536 }, (_, code) => code);
  const weights = decode(new Uint8Array(codes.buffer), "half");
  const known = [
    [0x0000, 0],
    [0x3c00, 1],
    [0x3800, 0.5],
    [0x0001, 2 ** -24],
    [0x7bff, 65504],
    [0xbc00, -1],
    [0x3555, 0.333251953125],
  ];
  for (const [code, weight] of known) assert.equal(weights[code], weight);
  const view = new DataView(codes.buffer);
  if (!view.getFloat16) return; // an engine before 2025 has no such thing to compare with
  for (let code = 0; code < 65536; code++)
    assert.ok(Object.is(weights[code], view.getFloat16(2 * code, true)), `${code}`);
});

test("the code root holds 0, 1, what is not allowed and NaN exactly, and the rest within its error", () => {
  assert.deepEqual(Array.from(decode(Uint8Array.of(0, 253, 254, 255), "root")), [0, 1, -1, NaN]);
  const random = randomSource(2);
  for (let round = 0; round < 2000; round++) {
    const weight = random() ** 6; // most are small
    const [read] = decode(Uint8Array.of(Math.round(Math.sqrt(weight) * 253)), "root");
    assert.ok(Math.abs(read - weight) <= Math.sqrt(weight) / 253 + 4e-6, `${weight} became ${read}`);
  }
});

test("a causal map is unfolded: query q sees the keys up to its own place, counted from the end", () => {
  const random = randomSource(3);
  for (let round = 0; round < 100; round++) {
    const [queries, keys] = [whole(random, 1, 9), whole(random, 1, 9)];
    const isAllowed = (query, key) => key - keys <= query - queries;
    const whole32 = new Float32Array(queries * keys).map((_, cell) => {
      return isAllowed(Math.floor(cell / keys), cell % keys) ? Math.fround(random()) : -1;
    });
    const sent = whole32.filter((weight) => weight >= 0);
    assert.equal(cellsSent(queries, keys, true), sent.length);
    assert.deepEqual(unfold(sent, queries, keys, true), whole32);
    assert.equal(cellsSent(queries, keys, false), queries * keys);
    assert.deepEqual(unfold(whole32, queries, keys, false), whole32);
  }
});

test("a weight takes as many bytes as its code says", () => {
  assert.deepEqual([bytesPerWeight("half"), bytesPerWeight("root")], [2, 1]);
});
