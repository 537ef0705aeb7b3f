import assert from "node:assert/strict";
import { test } from "node:test";
import { aboutBytes, direction, filled, headName, readable, shortened } from "../../core/view/browser/kit/labels.js";
import {
  largestOf,
  percent,
  precise,
  rounded,
  shortest,
  significant,
  twoDigits,
} from "../../core/view/browser/kit/numbers.js";
import { csv } from "../../core/view/browser/kit/saving.js";
import { randomSource, whole } from "./random.js";

/** Reads a CSV file as RFC 4180 describes it, one character after the other. */
function readCsv(text) {
  const rows = [[""]];
  let isQuoted = false;
  for (let place = 0; place < text.length; place++) {
    const letter = text[place];
    const row = rows.at(-1);
    if (isQuoted && letter === '"' && text[place + 1] === '"') row[row.length - 1] += text[++place];
    else if (letter === '"') isQuoted = !isQuoted;
    else if (!isQuoted && letter === ",") row.push("");
    else if (!isQuoted && letter === "\r" && text[place + 1] === "\n") {
      rows.push([""]);
      place++;
    } else row[row.length - 1] += letter;
  }
  return rows.slice(0, -1);
}

test("any texts come back from a CSV file, those that a spreadsheet would run behind an apostrophe", async () => {
  const random = randomSource(18);
  const letters = ['"', ",", "\n", "\r", "=", "+", "-", "@", "a", "é", "’", "😀", " ", "\t"];
  const text = () =>
    Array.from({ length: whole(random, 0, 6) }, () => letters[whole(random, 0, letters.length - 1)]).join("");
  const rows = Array.from({ length: 300 }, () => [text(), text(), text()]);
  const written = await csv(rows).text();
  const safe = (cell) => ("=+-@\t\r".includes(cell[0] ?? "x") ? `'${cell}` : cell);
  assert.deepEqual(
    readCsv(written.replace(/^\ufeff/, "")),
    rows.map((row) => row.map(safe)),
  );
});

test("numbers in a CSV file stay numbers, also negative ones", async () => {
  assert.equal((await csv([["a", -0.5, 1e-9]]).text()).replace(/^\ufeff/, ""), "a,-0.5,1e-9\r\n");
});

test("printed numbers, compared with what a book would print", () => {
  const known = [
    [significant, -12.345, "−12.3"],
    [significant, 0.0000456, "4.56 × 10⁻⁵"],
    [significant, 1234567, "1.23 × 10⁶"],
    [significant, -Infinity, "−∞"],
    [precise, 1 / 3, "0.3333"],
    [precise, 0.000012, "0.000012"],
    [precise, -2, "−2"],
    [percent, 0.03217, "3.2%"],
    [percent, 0.00001, "< 0.1%"],
    [percent, NaN, "no number"],
    [twoDigits, 0.004, "< 0.01"],
    [twoDigits, 0, "0.00"],
  ];
  for (const [print, value, text] of known) assert.equal(print(value), text);
  assert.equal(rounded(-0.004, 2), "0.00");
  assert.equal(largestOf([NaN, -3, 2, 1]), 2);
});

test("as few digits as tell a float32 from all others", () => {
  const random = randomSource(19);
  for (let round = 0; round < 2000; round++) {
    const value = Math.fround((random() - 0.5) * 10 ** whole(random, -8, 8));
    assert.equal(Math.fround(shortest(value)), value);
    const digits = shortest(value)
      .toExponential()
      .replace(/e.*|[-.]/g, "").length;
    assert.ok(digits <= 9 && (digits <= 6 || Math.fround(Number(value.toPrecision(digits - 1))) !== value));
  }
});

test("a label shows what cannot be seen, and holds nothing that moves its neighbours", () => {
  assert.equal(readable(" the"), "the");
  assert.equal(readable(" "), "␣");
  assert.equal(readable(""), "∅");
  assert.equal(readable("a\u202eb"), "aU+202Eb");
  assert.equal(readable("\n"), "↵");
  assert.equal(readable("\u0007"), "‹07›");
  assert.equal(readable(" ‹DC›"), "‹DC›");
  for (let code = 0x2000; code < 0x2070; code++) {
    assert.doesNotMatch(readable(`a${String.fromCodePoint(code)}b`), /[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
  }
});

test("where a label is one byte, the sign that it is shown by is explained once", () => {
  assert.equal(aboutBytes(["caf", "é", "‹0C"]), null);
  assert.match(aboutBytes(["caf", "‹C3›", "‹A9›"]), /^‹C3› is one byte/);
});

test("long labels are cut between the characters that a reader sees", () => {
  assert.equal(shortened("👩‍👩‍👧 family", 4), "👩‍👩‍👧 f…");
  assert.equal(shortened("family", 6), "family");
  assert.deepEqual(["שלום", "hello", "12 سلام"].map(direction), ["rtl", "ltr", "rtl"]);
});

test("a sentence is filled in one pass, so that labels stay as they are", () => {
  const words = { row: "{value}", value: "0.5" };
  assert.equal(filled("{row}: {value} of {nothing}", words), "{value}: 0.5 of {nothing}");
});

test("a head is called by its layer and number, an only head by its layer", () => {
  assert.equal(headName({ label: "3", group: "encoder", heads: 4 }, 2), "Encoder, layer 3, head 2");
  assert.equal(headName({ label: "pool", group: "", heads: 1 }, 0), "Pool");
});
