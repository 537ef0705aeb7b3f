// What each part of a drawn picture was made from: numbers as they were sent, and what is said of them.
import assert from "node:assert/strict";
import test from "node:test";
import { fitted, readSourceAddress, sourceAddress, startOf } from "../../dashboard/components/source_maps/choice.js";
import {
  openSources,
  readersOf,
  rowsOfSources,
  sentenceOfPart,
  sentenceOfReaders,
  sourcesOf,
} from "../../dashboard/components/source_maps/reading.js";

function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

/** Float16 of 0, 1/4, 1/2 and 1, as base64. */
function halves(values) {
  const codes = { 0: 0, 0.25: 0x3400, 0.5: 0x3800, 1: 0x3c00 };
  return base64(new Uint8Array(Uint16Array.from(values.map((value) => codes[value])).buffer));
}

/** 2 x 2 parts, two words, one layer of two heads whose mask leaves each part the one before it. */
function scene() {
  const seen = base64([0b00001000, 0b01000010]); // part 1 sees 0, part 2 sees 1, part 3 sees 2
  const first = [1, 0, 0, 0.5, 0.25, 0.25, 0, 0];
  const second = [0.5, 0.5, 0, 0.5, 0, 0, 0.5, 0.5];
  return openSources({
    rows: 2,
    columns: 2,
    picture: "",
    title: "a star",
    start: 3,
    codes: [7, 8, 9, 10],
    words: [
      { text: " star", quiet: false },
      { text: "[END]", quiet: true },
    ],
    layers: [
      {
        name: "0",
        about: "one row back",
        heads: 2,
        seen,
        words: halves([...first, ...second]),
        parts: halves([0.5, 0.5, 1, 0.5, 1, 0]),
      },
    ],
  });
}

const named = (opened, name) => opened.maps.find((map) => map.name === name);

test("weights come back head by head, and parts that were not sent are nothing", () => {
  const opened = scene();
  assert.deepEqual(
    opened.maps.map(({ name }) => name),
    ["mean of all layers", "layer 0, mean", "layer 0, head 0", "layer 0, head 1"],
  );
  const { words, parts } = sourcesOf(opened, named(opened, "layer 0, head 0"), 2);
  assert.deepEqual([...words], [0.25, 0.25]);
  assert.deepEqual([...parts], [0, 0.5, 0, 0]);
  assert.deepEqual([...sourcesOf(opened, named(opened, "layer 0, head 1"), 3).parts], [0, 0, 0, 0]);
});

test("a mean is that of its heads, for parts and for the readers of a word", () => {
  const opened = scene();
  const mean = named(opened, "layer 0, mean");
  assert.deepEqual([...sourcesOf(opened, mean, 2).parts], [0, 0.75, 0, 0]);
  assert.deepEqual([...readersOf(opened, mean, 0)], [0.75, 0, 0.125, 0.25]);
  assert.deepEqual(readersOf(opened, mean, 0), readersOf(opened, opened.maps[0], 0));
});

test("a part is told by what the sentence got and by its strongest neighbour", () => {
  const opened = scene();
  const head = named(opened, "layer 0, head 0");
  assert.equal(
    sentenceOfPart(opened, head, 1),
    "Row 0, column 1, code 8: 50% of the look went to the sentence; 50% to earlier parts, most of it to the part to the " +
      "left (50%).",
  );
  // [END] got all of what part 1 gave to the sentence: it is a mark, and no word.
  assert.match(sentenceOfPart(opened, head, 0), /sentence, of its words most to “star” \(100%\); there was no earlier/);
  // Part 1 ends the row above: it is above to the right of part 2.
  assert.match(sentenceOfPart(opened, head, 2), /most of it to the part above to the right \(50%\)\.$/);
});

test("a word is told by the part that read most of it", () => {
  const opened = scene();
  assert.equal(
    sentenceOfReaders(opened, named(opened, "layer 0, head 0"), 0),
    "“star” got 31% of all looks; no part gave it more than row 0, column 0: 100%.",
  );
});

test("numbers are a row for each word and for each earlier part", () => {
  const opened = scene();
  const rows = rowsOfSources(opened, named(opened, "layer 0, head 1"), 2);
  assert.deepEqual(rows[0], ["kind", "label", "row", "column", "layer 0, head 1"]);
  assert.deepEqual(rows.slice(1), [
    ["word", "star", "", "", 0],
    ["word", "[END]", "", "", 0],
    ["part", "code 7", 0, 0, 0],
    ["part", "code 8", 0, 1, 1],
  ]);
});

test("the address holds what differs from the start, and what it names wrongly is as none", () => {
  const opened = scene();
  const start = startOf(opened);
  assert.deepEqual(sourceAddress(start, opened), { part: null, word: null, map: null, "map-photo": null });
  const chosen = { part: 2, word: 1, map: "layer 0, head 1", photo: "off" };
  const search = new URLSearchParams(sourceAddress(chosen, opened)).toString();
  assert.deepEqual(readSourceAddress(opened, `?${search}`), chosen);
  assert.deepEqual(readSourceAddress(opened, "?part=9-9&word=7&map=none&map-photo=x"), start);
  assert.deepEqual(fitted({ ...start, part: 99 }, opened), start);
});
