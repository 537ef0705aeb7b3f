import { flowing } from "../../../core/view/browser/kit/labels.js";
import { lastNotAbove } from "./axes.js";

const PARAGRAPH = /\n[^\S\n]*\n/; // an empty line

/**
 * Breaks tokens into lines of a width: [first token of each line], and `gaps`: the lines before which a line is empty.
 * A line breaks before a token that begins with a space, and after one that holds a line break; `measure(label)` is the
 * width of a label in the text.
 */
export function wrappedLines(labels, width, measure) {
  const starts = [0];
  const gaps = new Set();
  let [used, breakAt, usedAtBreak] = [0, -1, 0];
  for (let token = 0; token < labels.length; token++) {
    const label = labels[token];
    const wide = measure(label);
    if (token > starts.at(-1) && /^\s/.test(label)) [breakAt, usedAtBreak] = [token, used];
    while (used + wide > width && token > starts.at(-1)) {
      const isBetweenWords = breakAt > starts.at(-1);
      starts.push(isBetweenWords ? breakAt : token);
      used -= isBetweenWords ? usedAtBreak : used;
      breakAt = -1;
    }
    used += wide;
    if (!label.includes("\n") || token + 1 === labels.length) continue;
    if (labels[token + 1].trim() === "" && labels[token + 1].includes("\n")) continue; // the break goes on
    if (PARAGRAPH.test(label) || (label.trim() === "" && labels[token - 1]?.includes("\n"))) gaps.add(starts.length);
    starts.push(token + 1);
    [used, breakAt] = [0, -1];
  }
  return { starts, gaps };
}

/** The rows of the page that lines take, with the empty ones: the row of each line, and how many there are. */
export function rowsOfLines({ starts, gaps }) {
  const rows = new Uint32Array(starts.length);
  let row = 0;
  for (let line = 0; line < starts.length; line++) {
    if (gaps.has(line)) row++;
    rows[line] = row++;
  }
  return { rows, count: row };
}

/** The line of a token. */
export function lineOfToken(starts, token) {
  return Math.max(
    0,
    lastNotAbove(starts.length, (line) => starts[line], token),
  );
}

/** A token as it stands in the text: its line breaks are those of the text itself. */
export function lettersOf(label) {
  const letters = label.replace(/[\r\n]+/g, label.trim() ? "" : " ");
  return letters.trim() ? flowing(letters) : " ".repeat(Math.min(8, letters.length));
}

/** Where tokens begin in the joined text; the last number is its length. */
export function offsetsOf(labels) {
  const offsets = new Uint32Array(labels.length + 1);
  for (let token = 0; token < labels.length; token++) offsets[token + 1] = offsets[token] + labels[token].length;
  return offsets;
}

/** All places of a phrase in a text, whatever its case and its spaces, as tokens [first, last]; `most` at most. */
export function placesOf(phrase, text, offsets, most = 10000) {
  const words = phrase.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+");
  const tokenAt = (letter) => lastNotAbove(offsets.length - 1, (token) => offsets[token], letter);
  const places = [];
  for (const found of text.matchAll(new RegExp(pattern, "giu"))) {
    places.push([tokenAt(found.index), tokenAt(found.index + found[0].length - 1)]);
    if (places.length >= most) break;
  }
  return places;
}

/** The part of a sentence around a token in at most so many letters: { before, word, after }, cut where there is more. */
export function excerptOf(labels, starts, token, longest = 64) {
  const place = lastNotAbove(starts.length, (index) => starts[index][0], token);
  const first = place < 0 ? Math.max(0, token - 40) : starts[place][0];
  const end = Math.min(starts[place + 1]?.[0] ?? labels.length, token + 60);
  const flat = (from, to) => labels.slice(from, to).join("").replace(/\s+/g, " ");
  const [before, after] = [flat(Math.max(first, token - 60), token).trimStart(), flat(token + 1, end).trimEnd()];
  const word = labels[token].replace(/\s+/g, " ");
  const room = Math.max(8, longest - word.length);
  const left = Math.min(before.length, Math.max(Math.floor(room / 2), room - after.length));
  const right = Math.min(after.length, room - left);
  const cut = (text, isCut, atEnd) => (isCut ? (atEnd ? `${text}…` : `…${text}`) : text);
  return {
    before: cut(before.slice(before.length - left), left < before.length, false),
    word,
    after: cut(after.slice(0, right), right < after.length, true),
  };
}

/** Of marks [token, colour, strength] the strongest of each colour in each row of so many tokens, weak ones first. */
export function strongestByRow(marks, tokens) {
  const strongest = new Map();
  for (const mark of marks) {
    const name = `${Math.floor(mark[0] / tokens)} ${mark[1]}`;
    if (!(strongest.get(name)?.[2] >= mark[2])) strongest.set(name, mark);
  }
  return [...strongest.values()].sort((one, other) => one[2] - other[2]);
}
