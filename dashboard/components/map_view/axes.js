import { readable, shortened } from "../../../core/view/browser/kit/labels.js";
import { lineMark } from "../../../core/view/browser/kit/marks.js";

const APART = 15; // pixels between two labels
const WORDS_FROM = 3; // pixels of a token from which words fill the gaps
const ALL_WORDS = 12; // pixels of a token from which every token has its label
const TURNED = -50; // degrees
const NUMBERS_APART = 70; // pixels between token numbers, where there are hardly any labels
const LETTER_WIDTH = 0.55; // of the size of a letter, about

/** Marks [token, level, label] as one sorted list of [token, label] for each of the levels 0, 1 and 2. */
export function levelsOf(marks) {
  const levels = [[], [], []];
  for (const [token, level, label] of marks) levels[level]?.push([token, label]);
  for (const level of levels) level.sort(([one], [other]) => one - other);
  return levels;
}

/** The index of the last of sorted numbers that is not above a value; -1 if all are. `at(index)` gives a number. */
export function lastNotAbove(count, at, value) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(middle) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/**
 * The labels of an axis that have room, [{ token, text, level, at }]: chapters (level 0) first, then paragraphs,
 * sentences and words (3), at last numbers of tokens (4). `range` is the tokens in view, `scale` pixels for a token.
 * Candidates do not depend on where the view begins, so that labels stay while it moves.
 */
export function axisLabels({ levels, labels }, { range: [first, last], scale }) {
  if (scale >= ALL_WORDS) return everyWord(labels, first, last, scale);
  const placed = [];
  const isFree = (at, apart) => placed.every((label) => Math.abs(label.at - at) >= apart);
  const put = (token, text, level, apart = APART) => {
    const at = (token - first) * scale;
    if (isFree(at, apart)) placed.push({ token, text, level, at });
  };
  const bucket = 2 ** Math.ceil(Math.log2(APART / scale));
  levels.forEach((marks, level) => {
    for (const [token, label] of firstOfBuckets(marks, bucket, first, last)) put(token, label, level);
  });
  if (scale >= WORDS_FROM) {
    for (let token = first; token < last; token++) if (beginsWord(labels[token] ?? "")) put(token, labels[token], 3);
  }
  if (placed.length < 3) {
    const step = niceStep(NUMBERS_APART / scale);
    const start = Math.ceil(first / step) * step;
    for (let token = start; token < last; token += step) put(token, token.toLocaleString("en-US"), 4, 2 * APART);
  }
  return placed.sort((one, other) => one.at - other.at);
}

function everyWord(labels, first, last, scale) {
  return Array.from({ length: Math.max(0, last - first) }, (_, place) => {
    const text = labels[first + place] ?? String(first + place);
    return { token: first + place, text, level: 3, at: (place + 0.5) * scale };
  });
}

/** The first mark of each bucket of so many tokens, among those in view. */
function firstOfBuckets(marks, bucket, first, last) {
  const chosen = [];
  let [place, former] = [lastNotAbove(marks.length, (index) => marks[index][0], first - 1) + 1, -1];
  for (; place < marks.length && marks[place][0] < last; place++) {
    const own = Math.floor(marks[place][0] / bucket);
    const isFirst = place === 0 || Math.floor(marks[place - 1][0] / bucket) !== own;
    if (isFirst && own !== former) chosen.push(marks[place]);
    former = own;
  }
  return chosen;
}

function beginsWord(label) {
  return /^\s/.test(label) && label.trim() !== "";
}

/** The least of 1, 2, 5, 10, 20 ... that is no smaller. */
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least - 1e-9) ?? 10 * power;
}

/**
 * Both axes as marks (marks.js). `plot` is { left, top, width, height } of the map in its picture, `rows` and `columns`
 * are labels by `axisLabels`, each with `shift`: pixels from the edge of the plot to the first token.
 */
export function axisMarks(plot, rows, columns, theme) {
  const { left, top, width, height, below, letters: size } = plot;
  const bottom = top + height;
  const style = (level) => ({
    kind: "text",
    size,
    align: "end",
    colour: level === 0 || level === 3 ? theme.ink : theme.soft,
    weight: level === 0 ? 600 : 400,
  });
  const tick = (level) => (level === 0 ? 7 : 4);
  const isInside = (at, extent) => at >= -0.5 && at <= extent + 0.5;
  const fitting = (text, room) => shortened(readable(text), Math.max(4, Math.floor(room / (LETTER_WIDTH * size))));
  const marks = [{ kind: "rect", x: left, y: top, width, height, stroke: theme.hair }];
  for (const { at, level, text } of rows) {
    if (!isInside(at, height)) continue;
    const y = top + at;
    marks.push(lineMark([left - tick(level), y], [left, y], theme.soft, 1));
    const place = { x: left - 9, y: Math.max(top + size * 0.7, y + size * 0.36) };
    marks.push({ ...style(level), ...place, text: fitting(text, left - 2 * size) });
  }
  for (const { at, level, text } of columns) {
    if (!isInside(at, width)) continue;
    const x = left + at;
    marks.push(lineMark([x, bottom], [x, bottom + tick(level)], theme.soft, 1));
    const place = { x: x + size * 0.3, y: bottom + 1.25 * size, turn: TURNED };
    marks.push({ ...style(level), ...place, text: fitting(text, below * 1.15 - 2 * size) });
  }
  const name = { kind: "text", size, colour: theme.soft };
  marks.push({ ...name, text: "query", x: size * 0.9, y: top + height / 2, turn: -90, align: "middle" });
  marks.push({ ...name, text: "key", x: left + width, y: bottom + below - 5, align: "end" });
  return marks;
}
