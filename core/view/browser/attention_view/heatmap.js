import { boxAt, everyNth, hatches, rowAndColumn } from "../kit/cells.js";
import { setInk } from "../kit/colour.js";
import { shortened } from "../kit/labels.js";
import { largestOf } from "../kit/numbers.js";
import { rowOf, strength } from "./pattern.js";

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
  const side = cellSize((box.width - left - right) / keys.length, (box.height - top) / queries.length, box);
  return {
    size,
    rows: queries.length,
    columns: keys.length,
    cell: { width: side, height: side },
    left,
    top,
    step: Math.max(1, Math.ceil((size * 1.05) / side)),
    labels: { queries, keys },
    width: Math.ceil(left + right + keys.length * side),
    height: Math.ceil(top + queries.length * side + 2),
  };
}

/** The map itself: what does not change while the pointer moves. */
export function mapMarks(geometry, pattern, look) {
  const { rows, columns, labels, step } = geometry;
  const frame = boxAt(geometry, [0, 0], [rows, columns]);
  const { weights, layer, missing } = pattern;
  return [
    { kind: "raster", ...frame, columns, rows, pixels: pixelsOf(pattern, look) },
    ...(missing ? hatches(geometry, (place) => Number.isNaN(weights[place]), look.theme.accent) : []),
    ...(layer.masked ? hatches(geometry, (place) => weights[place] < 0, look.theme.hair) : []),
    { kind: "rect", ...frame, stroke: look.theme.hair },
    ...everyNth(labels.queries, step, (row) => queryLabel(geometry, row, look.theme.ink)),
    ...everyNth(labels.keys, step, (column) => keyLabel(geometry, column, look.theme.ink)),
  ];
}

/** What changes: the row in view, the pinned row and the chosen cell in it, the cell under the pointer. */
export function mapMarksOver(geometry, pattern, look, { query, pinned, chosen, key }) {
  const { theme } = look;
  const marks = [];
  const mark = (token, colour, line) =>
    marks.push(...rowMarks(geometry, pattern, token, { colour, line, paper: theme.paper }));
  if (query !== null && query !== pinned) mark(query, theme.ink, 1.5);
  if (pinned !== null) mark(pinned, theme.accent, query === pinned ? 2.5 : 1.5);
  const chosenColumn = pattern.columnOfKey.get(chosen);
  if (pinned !== null && chosenColumn !== undefined) {
    marks.push(...cellMarks(geometry, pattern.rowOfQuery.get(pinned), chosenColumn, theme));
  }
  const column = pattern.columnOfKey.get(key);
  if (column !== undefined) marks.push({ ...keyLabel(geometry, column, theme.ink), weight: 700, backed: theme.paper });
  return marks;
}

/** The query and key under a point; null beside the map. */
export function mapAt(geometry, pattern, x, y) {
  const [row, column] = rowAndColumn(geometry, x, y);
  if (row < 0 || row >= pattern.queries.length || column >= pattern.keys.length) return null;
  return { query: pattern.queries[row], key: column < 0 ? null : pattern.keys[column] };
}

function cellSize(across, down, { zoom, ratio, fills }) {
  const free = Math.min(across, down, fills ? Infinity : LARGEST_CELL * zoom);
  return Math.max(1, Math.floor(free * ratio) / ratio);
}

function pixelsOf(pattern, { theme, scale }) {
  const { weights, keys } = pattern;
  const pixels = new Uint8ClampedArray(4 * weights.length);
  for (let start = 0; start < weights.length; start += keys.length) {
    const largest = scale === "row" ? largestOf(weights.subarray(start, start + keys.length)) : 1;
    for (let place = start; place < start + keys.length; place++) {
      const drawn = strength(scale, weights[place], largest);
      if (drawn > 0) setInk(pixels, place, theme, drawn);
    }
  }
  return pixels;
}

function rowMarks(geometry, pattern, query, { colour, line, paper }) {
  const row = pattern.rowOfQuery.get(query);
  if (row === undefined) return [];
  const weights = rowOf(pattern, query);
  let end = weights.length;
  while (end > 1 && weights[end - 1] < 0) end--;
  const around = geometry.cell.height < 6 ? 1.5 : 0; // a thin row is framed from outside, or the frame would hide it
  const frame = boxAt(geometry, [row, 0], [1, end], around);
  return [
    { kind: "rect", ...frame, stroke: colour, line: around ? 1 : line },
    { ...queryLabel(geometry, row, colour), weight: 700, backed: paper },
  ];
}

function cellMarks(geometry, row, column, theme) {
  const around = geometry.cell.height < 6 ? 2 : 0;
  const frame = boxAt(geometry, [row, column], [1, 1], around);
  return [
    { kind: "rect", ...frame, stroke: theme.paper, line: 5 },
    { kind: "rect", ...frame, stroke: theme.accent, line: 3 },
    { ...keyLabel(geometry, column, theme.accent), weight: 700, backed: theme.paper },
  ];
}

function queryLabel({ left, top, cell, labels, size }, row, colour) {
  const y = top + (row + 0.5) * cell.height + size * 0.34;
  return { kind: "text", x: left - 7, y, text: labels.queries[row], align: "end", colour, size };
}

function keyLabel({ left, top, cell, labels, size }, column, colour) {
  const x = left + (column + 0.5) * cell.width + size * 0.3;
  return { kind: "text", x, y: top - 6, text: labels.keys[column], turn: TURN, colour, size };
}
