import { shortened } from "./labels.js";
import { largestOf, rowOf } from "./pattern.js";
import { strength } from "./scale.js";

const TURN = -68;
const SLANT = { across: Math.cos((68 * Math.PI) / 180), up: Math.sin((68 * Math.PI) / 180) };
const LARGEST_CELL = 60;
const CROWDED = 48; // tokens from which labels are kept short

/** Where everything of the map lies: square cells, labels of queries on the left and of keys on top. */
export function layoutMap(pattern, box, measure) {
  const size = 13 * box.zoom;
  const longestLabel = Math.max(pattern.queries.length, pattern.keys.length) > CROWDED ? 10 : 16;
  const queries = pattern.queries.map((token) => shortened(pattern.layer.query.labels[token], longestLabel));
  const keys = pattern.keys.map((token) => shortened(pattern.layer.key.labels[token], longestLabel));
  const widest = (labels) => labels.reduce((width, label) => Math.max(width, measure(label, size, 700)), 0);
  const longest = widest(keys);
  const left = Math.ceil(widest(queries)) + 10;
  const top = Math.ceil(longest * SLANT.up) + 14;
  const right = Math.ceil(longest * SLANT.across) + 4;
  const cell = cellSize((box.width - left - right) / keys.length, (box.height - top) / queries.length, box);
  return {
    size,
    cell,
    left,
    top,
    step: Math.max(1, Math.ceil((size * 1.05) / cell)),
    labels: { queries, keys },
    width: Math.ceil(left + right + keys.length * cell),
    height: Math.ceil(top + queries.length * cell + 2),
  };
}

/** The map itself: what does not change while the pointer moves. */
export function mapMarks(geometry, pattern, look) {
  const { left, top, cell, labels, step, size } = geometry;
  const rows = labels.queries.length;
  const columns = labels.keys.length;
  const frame = { x: left, y: top, width: columns * cell, height: rows * cell };
  return [
    { kind: "raster", ...frame, columns, rows, pixels: pixelsOf(pattern, look) },
    ...(pattern.missing ? hatches(geometry, pattern, Number.isNaN, look.theme.accent) : []),
    ...(pattern.layer.masked ? hatches(geometry, pattern, (weight) => weight < 0, look.theme.hair) : []),
    { kind: "rect", ...frame, stroke: look.theme.hair },
    ...labels.queries.flatMap((text, row) => (row % step ? [] : [queryLabel(geometry, row, look.theme.ink)])),
    ...labels.keys.flatMap((text, column) => (column % step ? [] : [keyLabel(geometry, column, look.theme.ink)])),
  ].map((mark) => (mark.kind === "text" ? { size, ...mark } : mark));
}

/** What changes: the row in view, the pinned row, the cell under the pointer. */
export function mapMarksOver(geometry, pattern, look, { query, pinned, key }) {
  const { theme } = look;
  const marks = [];
  const mark = (token, colour, line) =>
    marks.push(...rowMarks(geometry, pattern, token, { colour, line, paper: theme.paper }));
  if (query !== null && query !== pinned) mark(query, theme.ink, 1.5);
  if (pinned !== null) mark(pinned, theme.accent, query === pinned ? 2.5 : 1.5);
  const column = pattern.columnOfKey.get(key);
  if (column !== undefined) marks.push({ ...keyLabel(geometry, column, theme.ink), weight: 700, backed: theme.paper });
  return marks;
}

/** The query and key under a point; null beside the map. */
export function mapAt(geometry, pattern, x, y) {
  const row = Math.floor((y - geometry.top) / geometry.cell);
  const column = Math.floor((x - geometry.left) / geometry.cell);
  if (row < 0 || row >= pattern.queries.length || column >= pattern.keys.length) return null;
  return { query: pattern.queries[row], key: column < 0 ? null : pattern.keys[column] };
}

function cellSize(across, down, { zoom, ratio }) {
  const free = Math.min(across, down, LARGEST_CELL * zoom);
  return Math.max(1, Math.floor(free * ratio) / ratio);
}

function pixelsOf(pattern, { theme, scale }) {
  const { weights, keys } = pattern;
  const pixels = new Uint8ClampedArray(4 * weights.length);
  for (let start = 0; start < weights.length; start += keys.length) {
    const largest = scale === "row" ? largestOf(weights.subarray(start, start + keys.length)) : 1;
    for (let place = start; place < start + keys.length; place++) {
      const drawn = strength(scale, weights[place], largest);
      if (drawn <= 0) continue;
      const colour = 3 * Math.round(drawn * 255);
      pixels[4 * place] = theme.ramp[colour];
      pixels[4 * place + 1] = theme.ramp[colour + 1];
      pixels[4 * place + 2] = theme.ramp[colour + 2];
      pixels[4 * place + 3] = 255;
    }
  }
  return pixels;
}

function hatches({ left, top, cell }, pattern, chosen, colour) {
  const marks = [];
  const columns = pattern.keys.length;
  for (let row = 0; row < pattern.queries.length; row++) {
    for (let column = 0; column < columns; column++) {
      const from = column;
      while (column < columns && chosen(pattern.weights[row * columns + column])) column++;
      const run = { x: left + from * cell, y: top + row * cell, width: (column - from) * cell, height: cell };
      if (column > from) marks.push({ kind: "hatch", ...run, colour });
    }
  }
  return marks;
}

function rowMarks(geometry, pattern, query, { colour, line, paper }) {
  const row = pattern.rowOfQuery.get(query);
  if (row === undefined) return [];
  const { left, top, cell } = geometry;
  const weights = rowOf(pattern, query);
  let end = weights.length;
  while (end > 1 && weights[end - 1] < 0) end--;
  const around = cell < 6 ? 1.5 : 0; // a thin row is framed from outside, or the frame would hide it
  const corner = { x: left - around, y: top + row * cell - around };
  const frame = { ...corner, width: end * cell + 2 * around, height: cell + 2 * around };
  return [
    { kind: "rect", ...frame, stroke: colour, line: around ? 1 : line },
    { ...queryLabel(geometry, row, colour), weight: 700, backed: paper },
  ];
}

function queryLabel({ left, top, cell, labels, size }, row, colour) {
  const y = top + (row + 0.5) * cell + size * 0.34;
  return { kind: "text", x: left - 7, y, text: labels.queries[row], align: "end", colour, size };
}

function keyLabel({ left, top, cell, labels, size }, column, colour) {
  const x = left + (column + 0.5) * cell + size * 0.3;
  return { kind: "text", x, y: top - 6, text: labels.keys[column], turn: TURN, colour, size };
}
