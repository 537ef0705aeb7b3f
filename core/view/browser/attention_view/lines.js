import { everyNth } from "../kit/cells.js";
import { shade } from "../kit/colour.js";
import { shortened } from "../kit/labels.js";
import { rowOf, strength } from "./pattern.js";

const ROW = 22;
const TALLEST = 1500;
const FAN = 40;

/** Two columns of tokens: queries on the left, keys on the right. */
export function layoutLines(pattern, box, measure) {
  const size = 14 * box.zoom;
  const queries = pattern.queries.map((token) => shortened(pattern.layer.query.labels[token]));
  const keys = pattern.keys.map((token) => shortened(pattern.layer.key.labels[token]));
  const widest = (labels) => Math.ceil(labels.reduce((width, label) => Math.max(width, measure(label, size, 700)), 0));
  const longer = Math.max(queries.length, keys.length);
  const free = box.fills ? (box.height - 26 * box.zoom - 6) / longer : ROW * box.zoom;
  const pitch = Math.max(2, Math.min(Math.max(free, ROW * box.zoom), (TALLEST * box.zoom) / longer));
  const width = Math.min(box.width, box.fills ? Infinity : 620 * box.zoom);
  return {
    size,
    pitch,
    step: Math.max(1, Math.ceil((size * 1.05) / pitch)),
    labels: { queries, keys },
    left: widest(queries) + 12,
    right: width - Math.max(widest(keys), Math.ceil(measure("is looked at", size * 0.86))) - 14,
    top: 26 * box.zoom,
    width,
    height: Math.ceil(26 * box.zoom + longer * pitch + 6),
  };
}

/** The strongest links of the whole head. */
export function lineMarks(geometry, pattern, look) {
  const { theme } = look;
  const { labels, step, size, left, right } = geometry;
  const heads = [
    { kind: "text", x: left - 12, y: size, text: "looks", align: "end", colour: theme.soft, size: size * 0.86 },
    { kind: "text", x: right + 12, y: size, text: "is looked at", colour: theme.soft, size: size * 0.86 },
  ];
  return [
    ...strongest(pattern, look).map((link) => curve(geometry, look, link)),
    ...heads,
    ...everyNth(labels.queries, step, (row) => queryWord(geometry, row, theme.ink)),
    ...everyNth(labels.keys, step, (column) => keyWord(geometry, column, theme.ink)),
  ];
}

/** The links of one query, over the faded rest; or, over a key, the links that reach it. */
export function lineMarksOver(geometry, pattern, look, { query, pinned, key, pointed }) {
  const { theme } = look;
  const { left, right, top, height } = geometry;
  if (!pointed && pinned === null) return [];
  const between = { x: left - 4, y: top, width: right - left + 8, height: height - top };
  const incoming = pointed && key !== null && query === null;
  const links = incoming ? linksTo(pattern, key) : linksFrom(pattern, query);
  const words = links.map(({ row, column, weight }) => {
    const word = incoming ? queryWord(geometry, row, theme.ink) : keyWord(geometry, column, theme.ink);
    return { ...word, weight: 700, backed: theme.paper, shown: weight >= 0.1 };
  });
  const own = incoming
    ? keyWord(geometry, pattern.columnOfKey.get(key), theme.accent)
    : queryWord(geometry, pattern.rowOfQuery.get(query), theme.accent);
  return [
    { kind: "rect", ...between, fill: theme.paper, alpha: 0.86 },
    ...links.map((link) => curve(geometry, look, link)),
    ...words.filter((word) => word.shown),
    { ...own, weight: 700, backed: theme.paper },
  ];
}

/** The query (left half) or the key (right half) under a point. */
export function linesAt(geometry, pattern, x, y) {
  const place = Math.floor((y - geometry.top) / geometry.pitch);
  const leftSide = x < geometry.width / 2;
  const tokens = leftSide ? pattern.queries : pattern.keys;
  if (place < 0 || place >= tokens.length) return null;
  return leftSide ? { query: tokens[place], key: null } : { query: null, key: tokens[place] };
}

/** The strongest links above the threshold, weakest first so that the strong ones lie on top. */
export function strongest(pattern, { threshold, links }) {
  const found = [];
  const columns = pattern.keys.length;
  pattern.weights.forEach((weight, place) => {
    if (!(weight >= threshold && weight > 0)) return;
    found.push({ weight, row: Math.floor(place / columns), column: place % columns });
  });
  found.sort((one, other) => other.weight - one.weight);
  return found.slice(0, links).reverse();
}

function linksFrom(pattern, query) {
  const weights = rowOf(pattern, query);
  if (!weights) return [];
  const row = pattern.rowOfQuery.get(query);
  return fan(Array.from(weights, (weight, column) => ({ weight, row, column })));
}

function linksTo(pattern, key) {
  const { weights, queries, keys } = pattern;
  const column = pattern.columnOfKey.get(key);
  return fan(queries.map((_, row) => ({ weight: weights[row * keys.length + column], row, column })));
}

function fan(links) {
  const seen = links.filter(({ weight }) => weight >= 0.01);
  return seen
    .sort((one, other) => other.weight - one.weight)
    .slice(0, FAN)
    .reverse();
}

function curve({ left, right, top, pitch }, { theme, scale, zoom }, { weight, row, column }) {
  const drawn = strength(scale === "row" ? "linear" : scale, weight, 1);
  const from = top + (row + 0.5) * pitch;
  const to = top + (column + 0.5) * pitch;
  const bend = (right - left) * 0.45;
  return {
    kind: "curve",
    points: [left, from, left + bend, from, right - bend, to, right, to],
    stroke: shade(theme, 0.25 + 0.75 * drawn),
    line: (0.8 + 4.2 * drawn) * zoom,
    alpha: 0.45 + 0.55 * drawn,
  };
}

function queryWord({ left, top, pitch, labels, size }, row, colour) {
  const y = top + (row + 0.5) * pitch + size * 0.34;
  return { kind: "text", x: left - 12, y, text: labels.queries[row], align: "end", colour, size };
}

function keyWord({ right, top, pitch, labels, size }, column, colour) {
  const y = top + (column + 0.5) * pitch + size * 0.34;
  return { kind: "text", x: right + 12, y, text: labels.keys[column], colour, size };
}
