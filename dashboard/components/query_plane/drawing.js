import { lineMark } from "../../../core/view/browser/kit/marks.js";
import { percent, rounded } from "../../../core/view/browser/kit/numbers.js";

const FAINTEST = 0.25; // opacity of an arrow without weight
const APART = [0.3, 0.1]; // names are at least so far apart, across and up, as shares of the reach
const SHORTEST = 0.02; // of the reach: a shorter arrow has no name
const DASH = 5;
const NUMBERS = 58; // pixels for a number beside a bar
const MOST_NAME = 110; // pixels of a token's name

/** Where plane and bars lie in so many pixels: beside one another, or below one another where there is little room. */
export function layoutOf(width, zoom, count) {
  const isNarrow = width < 620 * zoom;
  const side = Math.round(isNarrow ? Math.min(width, 340 * zoom) : Math.min(0.42 * width, 380 * zoom));
  const line = 25 * zoom;
  const bars = isNarrow
    ? { x: 0, y: side + 34 * zoom, width }
    : { x: side + 36 * zoom, y: 6 * zoom, width: width - side - 36 * zoom };
  const high = line * (count + 1.4);
  return { width, height: Math.ceil(Math.max(side + 24 * zoom, bars.y + high)), side, bars, line, size: 13 * zoom };
}

/** From places of the plane to pixels and back. */
export function scaleOf(reach, side) {
  const unit = side / (2 * reach);
  return {
    reach,
    at: ([x, y]) => [side / 2 + x * unit, side / 2 - y * unit],
    from: (x, y) => [(x - side / 2) / unit, (side / 2 - y) / unit],
  };
}

/** The plane: axes, keys as arrows as dark as their weights, the shadow of the strongest key, and the query on top. */
export function planeMarks({ data, attended, degrees, strongest, pointed }, scale, { side, size }, theme, measure) {
  const { keys, labels, query, axes } = data;
  const { at, reach } = scale;
  const origin = at([0, 0]);
  const small = { kind: "text", size: 0.9 * size, colour: theme.soft };
  const marks = [
    lineMark(at([-reach, 0]), at([reach, 0]), theme.hair, 1),
    lineMark(at([0, -reach]), at([0, reach]), theme.hair, 1),
    ...ticks(scale, size, theme),
    { ...small, x: side, y: side + 1.3 * size, text: axes[0], align: "end" },
    { ...small, x: 0.9 * size, y: 0, text: axes[1], turn: -90, align: "end" },
  ];
  if (degrees) marks.push(...dashed(origin, at(query), theme.accent, 1.5));
  const length = Math.hypot(...attended.place);
  if (strongest !== null && length) {
    const share = attended.inPlane[strongest] / length ** 2;
    const foot = attended.place.map((part) => share * part);
    marks.push(...dashed(at(keys[strongest]), at(foot), theme.soft, 1.5), lineMark(origin, at(foot), theme.soft, 6));
  }
  const order = keys.map((_, key) => key).sort((one, other) => attended.weights[one] - attended.weights[other]);
  for (const key of order) {
    const alpha = key === pointed ? 1 : FAINTEST + (1 - FAINTEST) * attended.weights[key];
    marks.push(...arrow(origin, at(keys[key]), theme.map, key === pointed ? 3 : 2).map((mark) => ({ ...mark, alpha })));
  }
  marks.push(...arrow(origin, at(attended.place), theme.accent, 3.5));
  const names = [
    ["query", attended.place, theme.accent, 0.6],
    ...order.reverse().map((key) => [labels[key], keys[key], theme.map]),
  ];
  return [...marks, ...nameMarks(names, scale, { side, size }, measure)];
}

/** For each of `rows` (keys) its angle, dot product and weight; the scales of the bars stay as they are in every turn. */
export function barMarks({ data, attended, strongest, pointed, rows }, { bars, line, size }, theme, measure) {
  const { labels, allowed } = data;
  const named = (key) => (allowed[key] ? labels[key] : `${labels[key]} (masked)`);
  const short = (text) => fitting(text, (part) => measure(part, size, 600), MOST_NAME * (size / 13));
  const names = rows.map((key) => short(named(key)));
  const left = Math.max(40, ...names.map((name) => measure(name, size, 600))) + 10;
  const columns = columnsOf(data, attended);
  const wide = (bars.width - left) / columns.length;
  const marks = [];
  const text = { kind: "text", size, colour: theme.ink };
  rows.forEach((key, row) => {
    const top = bars.y + (row + 1.2) * line;
    const weight = key === strongest ? 600 : 400;
    if (key === strongest || key === pointed)
      marks.push({ kind: "rect", x: bars.x, y: top, width: bars.width, height: line, fill: theme.ink, alpha: 0.06 });
    marks.push({ ...text, x: bars.x + left - 10, y: top + 0.68 * line, text: names[row], align: "end", weight });
  });
  columns.forEach((column, number) => {
    const from = bars.x + left + number * wide;
    const box = { x: from, width: wide - 8 };
    const middle = column.low < 0 ? { x: zeroOf(column, box, size), align: "middle" } : { x: from };
    marks.push({ ...text, ...middle, y: bars.y + 0.7 * line, text: column.title, size: 0.95 * size });
    rows.forEach((key, row) => {
      const place = { ...box, y: bars.y + (row + 1.2) * line, height: line };
      marks.push(...bar(column, column.values[key], place, size, theme));
    });
  });
  return marks;
}

/** The row of bars under a point, or null. */
export function rowAt({ bars, line }, count, x, y) {
  const row = Math.floor((y - bars.y) / line - 1.2);
  return x >= bars.x && x <= bars.x + bars.width && row >= 0 && row < count ? row : null;
}

function columnsOf(data, attended) {
  const reach = Math.hypot(...data.query);
  const most =
    Math.max(...data.keys.map((key, place) => Math.abs(data.fixed[place]) + reach * Math.hypot(...key))) || 1;
  const isClose = Math.max(...data.fixed.map((part, key) => (data.allowed[key] ? Math.abs(part) : 0))) < data.exact;
  const product = { low: -most, high: most, say: (value) => rounded(value, 2) };
  const angle = (value) => (Number.isNaN(value) ? "none" : `${rounded(value, 0)}°`);
  return [
    { title: "angle", values: attended.angles, low: 0, high: 180, say: angle },
    ...(isClose ? [] : [{ title: "in the plane", values: attended.inPlane, ...product }]),
    { title: "query · key", values: attended.products, ...product },
    { title: "weight", values: attended.weights, low: 0, high: 1, say: percent },
  ];
}

/** Pixels for one unit of a column: there is room for numbers on both sides of signed bars. */
function unitOf({ low, high }, { width }, size) {
  const room = NUMBERS * (size / 13) * (low < 0 ? 2 : 1);
  return Math.max(8, width - room) / (high - low);
}

function zeroOf(column, box, size) {
  return box.x + (column.low < 0 ? NUMBERS * (size / 13) - column.low * unitOf(column, box, size) : 0);
}

function bar(column, value, box, size, theme) {
  const { say } = column;
  const unit = unitOf(column, box, size);
  const zero = zeroOf(column, box, size);
  const end = zero + (Number.isNaN(value) ? 0 : value * unit);
  const isNegative = value < 0;
  const letters = {
    kind: "text",
    y: box.y + 0.68 * box.height,
    size: 0.92 * size,
    colour: theme.ink,
    text: say(value),
  };
  return [
    lineMark([zero, box.y], [zero, box.y + box.height], theme.hair, 1),
    {
      kind: "rect",
      x: Math.min(zero, end),
      y: box.y + 0.18 * box.height,
      width: Math.abs(end - zero),
      height: 0.64 * box.height,
      fill: isNegative ? theme.negative : theme.map,
    },
    isNegative ? { ...letters, x: end - 4, align: "end" } : { ...letters, x: end + 4 },
  ];
}

/** Names above or below the points of their arrows; of those that would lie on one another only the first is written. */
function nameMarks(names, { at, reach }, { side, size }, measure) {
  const taken = [];
  const marks = [];
  for (const [name, [x, y], colour, further = 0] of names) {
    if (Math.hypot(x, y) <= SHORTEST * reach) continue;
    const isFree = (way) =>
      taken.every(
        ([otherX, otherY]) =>
          Math.abs(x - otherX) > APART[0] * reach || Math.abs(y + way * APART[1] * reach - otherY) > APART[1] * reach,
      );
    const way = (y >= 0 ? [1, -1] : [-1, 1]).find(isFree);
    if (!way) continue;
    taken.push([x, y + way * APART[1] * reach]);
    const [left, top] = at([x, y]);
    const half = measure(name, size) / 2;
    const middle = Math.min(side - half, Math.max(half, left));
    const text = { kind: "text", text: name, size, colour, align: "middle" };
    marks.push({ ...text, x: middle, y: top + (way > 0 ? -1.1 - further : 1.8 + further) * size });
  }
  return marks;
}

function ticks({ at, reach }, size, theme) {
  const step = [0.1, 0.2, 0.5]
    .map((part) => part * 10 ** Math.ceil(Math.log10(reach)))
    .find((part) => reach / part < 4.5);
  const letters = { kind: "text", size: 0.8 * size, colour: theme.soft, text: "" };
  const marks = [];
  for (let count = 1; count * step < 0.93 * reach; count++) {
    for (const value of [count * step, -count * step]) {
      const text = String(Number(value.toPrecision(2))).replace("-", "−");
      const [across, up] = [at([value, 0]), at([0, value])];
      marks.push({ ...letters, x: across[0], y: across[1] + size, text, align: "middle" });
      marks.push({ ...letters, x: up[0] - 4, y: up[1] + 0.3 * size, text, align: "end" });
    }
  }
  return marks;
}

function arrow(from, to, colour, line) {
  const [right, down] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(right, down);
  const marks = [lineMark(from, to, colour, line)];
  const head = Math.min(4 + 2.5 * line, length);
  if (!length) return marks;
  for (const way of [1, -1]) {
    const [x, y] = [-right / length, -down / length];
    const end = [to[0] + head * (x - way * 0.5 * y), to[1] + head * (y + way * 0.5 * x)];
    marks.push(lineMark(to, end, colour, line));
  }
  return marks;
}

function dashed(from, to, colour, line) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const at = (part) => from.map((place, axis) => place + ((to[axis] - place) * part) / length);
  const marks = [];
  for (let begin = 0; begin < length; begin += 2 * DASH)
    marks.push(lineMark(at(begin), at(Math.min(length, begin + DASH)), colour, line));
  return marks;
}

function fitting(text, measure, most) {
  const letters = [...text];
  while (letters.length > 1 && measure(`${letters.join("")}…`) > most) letters.pop();
  return letters.join("") === text || measure(text) <= most ? text : `${letters.join("")}…`;
}
