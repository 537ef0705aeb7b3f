// Words and their maps: what is said of them, and how they are scored against what a word means.
import assert from "node:assert/strict";
import test from "node:test";
import { carried, readWordAddress, startOf, wordAddress } from "../../dashboard/components/word_maps/choice.js";

import {
  openWords,
  rowOf,
  rowsOfWords,
  scoreOf,
  sentenceOfSpot,
  sentenceOfWord,
  sharesAt,
  topOf,
} from "../../dashboard/components/word_maps/reading.js";

const SAYS = "“{word}” gives {share} of its attention";

/** Float16 of 0, 1/4, 1/2 and 1, as base64. */
function halves(values) {
  const codes = { "-0.5": 0xb800, 0: 0, 0.25: 0x3400, 0.5: 0x3800, 1: 0x3c00 };
  const bytes = new Uint8Array(Uint16Array.from(values.map((value) => codes[value])).buffer);
  return btoa(String.fromCharCode(...bytes));
}

/** Two words over 2 x 2 places; the first means the upper left quarter of 4 x 4 pixels and one pixel beside it. */
function scene() {
  const bits = btoa(String.fromCharCode(0b11101100, 0b00000000));
  return openWords({
    rows: 2,
    columns: 2,
    code: "half",
    words: [
      { text: "red", tell: "Gate: 90%.", bar: 0.9, mask: { side: 4, bits }, quiet: false },
      { text: "[END]", tell: "", bar: null, mask: null, quiet: true },
    ],
    maps: [{ name: "attention", group: "", says: SAYS, largest: 2, values: halves([1, 0.5, 0, 0.5, 0, -0.5, 0, 0]) }],
  });
}

test("values come back as they were, and what is below 0 counts as nothing", () => {
  const opened = scene();
  assert.deepEqual([...opened.maps[0].values], [2, 1, 0, 1, 0, -1, 0, 0]);
  assert.deepEqual([...rowOf(opened, opened.maps[0], 1)], [0, 0, 0, 0]);
  assert.equal(topOf(rowOf(opened, opened.maps[0], 0)), 0);
  assert.equal(topOf(rowOf(opened, opened.maps[0], 1)), null);
});

test("a map is scored by its brightest place and by its share inside, pixel by pixel", () => {
  const opened = scene();
  const { mask } = opened.words[0];
  assert.deepEqual([...mask.shares], [1, 0.25, 0, 0]);
  const score = scoreOf(rowOf(opened, opened.maps[0], 0), mask);
  assert.equal(score.pointing, 1);
  assert.equal(score.inside, (2 + 0.25) / 4);
  assert.equal(score.area, 5 / 16);
  // Two places that are equally bright: the mean of both.
  assert.equal(scoreOf(Float32Array.from([1, 1, 0, 0]), mask).pointing, 0.625);
  assert.equal(scoreOf(Float32Array.from([0, 0, 0, 0]), mask), null);
  assert.equal(scoreOf(Float32Array.from([1, 0, 0, 0]), null), null);
});

test("what is said of a word and of a place has their numbers", () => {
  const opened = scene();
  const [map] = opened.maps;
  const told = sentenceOfWord(opened, map, 0);
  assert.match(
    told,
    /^“red” gives 50% of its attention to row 0, column 0, the most: 2 times an even share of 4 places\./,
  );
  assert.match(told, /Gate: 90%\./);
  assert.match(told, /31% of the picture: 56% of the map lies inside, and of the brightest place 100%\./);
  assert.equal(sentenceOfWord(opened, map, 1), "Nothing in the picture counts for “[END]” in this map.");
  assert.deepEqual(sharesAt(opened, map, 1), [0.25, 0]);
  assert.equal(sentenceOfSpot(opened, map, 1), "Row 0, column 1: share of each word’s map that lies here: “red” 25%.");
  assert.equal(sentenceOfSpot(opened, map, 2), "Row 1, column 0: no word has anything here in this map.");
});

test("the numbers of a map are a row for each word and place", () => {
  const opened = scene();
  const rows = rowsOfWords(opened, opened.maps[0]);
  assert.deepEqual(rows[0], ["word", "row", "column", "attention"]);
  assert.equal(rows.length, 9);
  assert.deepEqual(rows[4], ["red", 1, 1, 1]);
  assert.deepEqual(rows[6], ["[END]", 0, 1, -1]);
});

test("what is chosen stays where it exists, and the address holds what differs from the start", () => {
  const one = { ...scene(), start: 0, first: 0, photo: "colour" };
  const start = startOf(one);
  assert.deepEqual(start, { word: 0, map: "attention", photo: "colour" });
  assert.deepEqual(wordAddress(start, one), { word: null, map: null, "map-photo": null });
  assert.deepEqual(readWordAddress(one, "?word=1&map=attention&map-photo=off"), { ...start, word: 1, photo: "off" });
  assert.deepEqual(readWordAddress(one, "?word=7&map=<b>&map-photo=gold"), start);
  const chosen = { word: 1, map: "attention", photo: "off" };
  assert.deepEqual(carried(chosen, one, one), chosen);
  const other = { ...one, words: one.words.map((word) => ({ ...word, text: `${word.text}!` })), photo: "ink" };
  assert.deepEqual(carried(chosen, one, other), { ...chosen, word: 0 }); // other words: begin anew
  assert.deepEqual(carried(start, one, other), { ...start, photo: "ink" }); // a look that nobody chose is the scene's
});
