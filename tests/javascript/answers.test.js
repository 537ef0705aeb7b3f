import assert from "node:assert/strict";
import { test } from "node:test";
import { answerOf, keptCells, mapFrom, openPhotographed } from "../../dashboard/components/photo_maps/answers.js";
import { startOf, waysOf } from "../../dashboard/components/photo_maps/choice.js";
import { sentenceOfMap } from "../../dashboard/components/photo_maps/sentences.js";
import { base64, randomSource, whole } from "./random.js";

/** Numbers that float16 holds exactly, and their float16 bytes: quarters between -2 and 2. */
function halves(random, count) {
  const numbers = Float32Array.from({ length: count }, () => whole(random, -8, 8) / 4);
  const code = (number) => {
    if (number === 0) return 0;
    const exponent = Math.floor(Math.log2(Math.abs(number)));
    const fraction = (Math.abs(number) / 2 ** exponent - 1) * 1024;
    return (number < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction;
  };
  return { numbers, text: base64(Uint16Array.from(numbers, code)) };
}

function photograph(layer) {
  const little = base64(new Uint8Array(1000));
  return openPhotographed({
    start: [0, 0],
    layers: [{ label: "0", group: "", heads: 2, tops: [1, 1], little, ...layer }],
  });
}

test("a query of factors gets softmax(q kT) over all tokens, as written out in double precision", () => {
  const random = randomSource(12);
  const [rows, columns, each] = [3, 4, 5];
  const tokens = 1 + rows * columns;
  const [query, key] = [halves(random, tokens * each), halves(random, tokens * each)];
  const expected = (token) => {
    const score = (other) => {
      let sum = 0;
      for (let channel = 0; channel < each; channel++)
        sum += query.numbers[token * each + channel] * key.numbers[other * each + channel];
      return sum;
    };
    const powers = Array.from({ length: tokens }, (_, other) => Math.exp(score(other)));
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.map((power) => power / total);
  };
  const mean = Float32Array.from({ length: tokens }, (_, other) => other);
  const answers = { 1: { query: query.text, key: key.text, mean: base64(mean) } };
  const scene = photograph({ kind: "factors", rows, columns, prefix: ["class"], each, answers, windows: null });
  const [layer] = scene.layers;
  assert.equal(answerOf(scene, layer, 0), null);
  const answer = answerOf(scene, layer, 1);
  const asked = [
    [{ kind: "prefix", place: 0 }, 0],
    [{ kind: "patch", place: 7 }, 8],
  ];
  for (const [from, token] of asked) {
    const map = mapFrom(layer, answer, from);
    [...map.prefix, ...map.cells].forEach((share, other) => {
      assert.ok(Math.abs(share - expected(token)[other]) < 1e-6);
    });
  }
  assert.deepEqual(mapFrom(layer, answer, { kind: "mean" }).cells, mean.subarray(1));
});

test("where tokens look back, a row holds what lies before the pixel that is asked for, and the sentence counts it", () => {
  const random = randomSource(5);
  const [rows, columns, each] = [3, 4, 5];
  const tokens = 1 + rows * columns;
  const [query, key] = [halves(random, tokens * each), halves(random, tokens * each)];
  const answers = { 0: { query: query.text, key: key.text, mean: base64(new Float32Array(tokens)) } };
  const look = { kind: "factors", rows, columns, prefix: ["start"], each, answers, windows: null };
  const scene = photograph({ ...look, behind: 1, unit: "pixel" });
  const free = photograph(look);
  const layer = scene.layers[0];
  for (const place of [0, 1, 6, 11]) {
    const from = { kind: "patch", place };
    const map = mapFrom(layer, answerOf(scene, layer, 0), from);
    const whole = mapFrom(free.layers[0], answerOf(free, free.layers[0], 0), from);
    const total = whole.prefix[0] + whole.cells.subarray(0, place).reduce((sum, value) => sum + value, 0);
    map.cells.forEach((value, cell) => {
      assert.ok(Math.abs(value - (cell < place ? whole.cells[cell] / total : 0)) < 1e-6);
    });
    const said = sentenceOfMap({ layer, map, kept: keptCells(map, 1), share: 1, from });
    const before = place === 1 ? "one pixel before it" : `${place} pixels before it`;
    assert.ok(said.includes(`to the ${before}`), said);
    assert.ok(said.startsWith("The pixel in row"), said);
  }
  assert.deepEqual(
    waysOf(layer).map(([way]) => way),
    ["patch", "mean"],
  );
  assert.equal(startOf(scene).from, "patch");
});

test("in dense maps a patch has its own row, and the mean over queries is that of all rows", () => {
  const random = randomSource(13);
  const tokens = 2 + 6;
  const { numbers, text } = halves(random, tokens * tokens);
  const scene = photograph({
    kind: "dense",
    rows: 2,
    columns: 3,
    prefix: ["class", "register"],
    answers: { 0: { weights: text } },
    windows: null,
  });
  const [layer] = scene.layers;
  const answer = answerOf(scene, layer, 0);
  const row = mapFrom(layer, answer, { kind: "patch", place: 4 });
  assert.deepEqual([...row.prefix, ...row.cells], Array.from(numbers.slice(6 * tokens, 7 * tokens)));
  const mean = mapFrom(layer, answer, { kind: "mean" });
  const column = (token) => Array.from({ length: tokens }, (_, query) => numbers[query * tokens + token]);
  const means = Array.from(
    { length: tokens },
    (_, token) => column(token).reduce((sum, weight) => sum + weight, 0) / tokens,
  );
  [...mean.prefix, ...mean.cells].forEach((share, token) => assert.ok(Math.abs(share - means[token]) < 1e-6));
});

// A grid of 2 x 4 in three windows of two by two places, shifted by two: the outer ones hold two places of padding each.
const PLACES = [
  [-1, 0, -1, 4],
  [1, 2, 5, 6],
  [3, -1, 7, -1],
];

function windowed(random) {
  const weights = PLACES.map(() => PLACES[0].map(() => PLACES[0].map(() => whole(random, 0, 8) / 8)));
  const numbers = Float32Array.from(weights.flat(2));
  const exponent = (number) => (number === 0 ? 0 : Math.floor(Math.log2(number)));
  const code = (number) =>
    number === 0 ? 0 : ((exponent(number) + 15) << 10) | ((number / 2 ** exponent(number) - 1) * 1024);
  const text = base64(Uint16Array.from(numbers, code));
  const windows = { count: 3, positions: 4, places: base64(Int32Array.from(PLACES.flat())) };
  const scene = photograph({
    kind: "windows",
    rows: 2,
    columns: 4,
    prefix: [],
    answers: { 0: { weights: text } },
    windows,
  });
  return { weights, scene, layer: scene.layers[0], answer: answerOf(scene, scene.layers[0], 0) };
}

test("a place in windows looks within its own window; what it gives to padding is added up", () => {
  for (let seed = 0; seed < 20; seed++) {
    const { weights, layer, answer } = windowed(randomSource(seed));
    PLACES.forEach((own, window) => {
      own.forEach((place, position) => {
        if (place < 0) return;
        const { cells, padding, isPadded } = mapFrom(layer, answer, { kind: "patch", place });
        const expected = new Array(8).fill(NaN);
        let lost = 0;
        own.forEach((other, key) => {
          if (other >= 0) expected[other] = weights[window][position][key];
          else lost += weights[window][position][key];
        });
        assert.deepEqual(Array.from(cells), expected);
        assert.ok(Math.abs(padding - lost) < 1e-6);
        assert.equal(isPadded, window !== 1);
      });
    });
  }
});

test("the same place of every window asks only where it is no padding, and the mean is over real queries", () => {
  const { weights, layer, answer } = windowed(randomSource(14));
  const same = mapFrom(layer, answer, { kind: "same", place: 1 }); // position 0, padding in the first window
  assert.equal(same.asked, 2);
  for (const cell of [0, 4]) assert.ok(Number.isNaN(same.cells[cell]));
  assert.equal(same.cells[3], weights[2][0][0]);
  const mean = mapFrom(layer, answer, { kind: "mean" });
  assert.equal(mean.cells[0], (weights[0][1][1] + weights[0][3][1]) / 2);
  assert.equal(mean.cells[5], [0, 1, 2, 3].reduce((sum, query) => sum + weights[1][query][2], 0) / 4);
});

test("kept cells hold the share, and no smaller number of cells does, in every window", () => {
  const random = randomSource(15);
  for (let round = 0; round < 200; round++) {
    const count = whole(random, 1, 30);
    const cells = Float32Array.from({ length: count }, () => (random() < 0.2 ? 0 : random() ** 3));
    const groups = Int32Array.from({ length: count }, (_, cell) => cell % 3);
    const share = 0.05 + 0.9 * random();
    const kept = keptCells({ cells, groups }, share);
    for (let group = 0; group < 3; group++) {
      const own = Array.from(cells.keys()).filter((cell) => cell % 3 === group);
      const sum = (some) => some.reduce((total, cell) => total + cells[cell], 0);
      const chosen = own.filter((cell) => kept[cell]);
      assert.ok(sum(chosen) >= share * sum(own) * (1 - 1e-5));
      const largest = own.toSorted((one, other) => cells[other] - cells[one]);
      assert.ok(chosen.length === 0 || sum(largest.slice(0, chosen.length - 1)) < share * sum(own));
    }
  }
});

test("the sentence of a map says the numbers of the map", () => {
  const layer = { rows: 2, columns: 2, grid: 4, tokens: 5, prefix: ["class"], windows: null, absent: new Set() };
  const map = { cells: Float32Array.of(0.5, 0.125, 0, 0.125), prefix: Float32Array.of(0.25), groups: null };
  const said = sentenceOfMap({ layer, map, kept: [1, 0, 0, 0], share: 0.5, from: { kind: "prefix", place: 0 } });
  const parts = [
    "The class token gives 25% to itself and 75% to the 4 patches.",
    "Most falls on row 0, column 0: 50%, 2.5 times an even share.",
    "The 1 outlined patch holds 50% of what falls on the picture.",
  ];
  assert.equal(said, parts.join(" "));
});

test("what a layer never sees is said to be hidden, and counts in no mean and in no number of patches", () => {
  const rows = [
    [0.5, 0.5, 0, 0, 0],
    [0.25, 0.75, 0, 0, 0],
  ];
  const layer = {
    rows: 2,
    columns: 2,
    grid: 4,
    tokens: 5,
    prefix: ["class"],
    windows: null,
    absent: new Set([1, 2, 3]),
  };
  const weights = Float32Array.from(
    [...rows, [], [], []].flatMap((row) => Array.from({ length: 5 }, (_, key) => row[key] ?? 0)),
  );
  const mean = mapFrom(layer, { weights }, { kind: "mean" });
  assert.deepEqual([...mean.prefix, ...mean.cells], [0.375, 0.625, 0, 0, 0]);
  const saying = (from, map) => sentenceOfMap({ layer, map, kept: [1, 1, 1, 1], share: 1, from });
  const [seen, hidden] = [0, 2].map((place) => ({ kind: "patch", place }));
  const parts = [
    "The patch in row 0, column 0 gives 25% to the class token and 75% to the one patch.",
    "Most falls on row 0, column 0: 75%, 1.5 times an even share.",
  ];
  assert.equal(saying(seen, mapFrom(layer, { weights }, seen)), parts.join(" "));
  const never = "The patch in row 1, column 0 is hidden: this layer never sees it.";
  assert.equal(saying(hidden, mapFrom(layer, { weights }, hidden)), never);
});

test("of a difference between two heads no sentence speaks of looking or of shares", () => {
  const layer = {
    rows: 2,
    columns: 2,
    grid: 4,
    tokens: 4,
    prefix: [],
    windows: null,
    difference: true,
    absent: new Set(),
  };
  const from = { kind: "patch", place: 3 };
  const saying = (cells) =>
    sentenceOfMap({ layer, map: { cells: Float32Array.from(cells), prefix: [] }, kept: [1, 1, 1, 1], share: 1, from });
  assert.equal(
    saying([0, 0.125, 0.5, 0]),
    "The patch in row 1, column 1: the two heads differ most at row 1, column 0, by 50%.",
  );
  assert.equal(saying([0, 0, 0, 0]), "The patch in row 1, column 1: the two heads give the same weights.");
});
