import { bytesOf } from "../attention_view/codec.js";
import { readable } from "../attention_view/labels.js";
import { significant } from "../step_view/numbers.js";

const KEPT = 4; // matrices that are kept, should the server say that they are here already
const kept = new Map();

/** The numbers of a message by their digest, or null if they were not sent and are not here. */
export function valuesOf({ digest, values }) {
  if (values) kept.set(digest, new Float32Array(bytesOf(values).buffer));
  if (kept.size > KEPT) kept.delete(kept.keys().next().value);
  return kept.get(digest) ?? null;
}

/** A matrix with all that is said about it. */
export function matrixOf(data, values) {
  const [rows, columns] = data.shape;
  const label = (labels, place) => (labels ? readable(labels[place]) : String(place));
  const { kinds = [], hues = [] } = data;
  const marked = new Set(data.marked.map(([row, column]) => row * columns + column));
  return {
    ...data,
    values,
    kinds,
    hues,
    shape: { rows, columns },
    at: (row, column) => values[row * columns + column],
    rowLabel: (row) => label(data.rows, row),
    columnLabel: (column) => label(data.columns, column),
    isMarked: (row, column) => marked.has(row * columns + column),
    strength: strengthOn(data.limits),
    said: (value) => (kinds.length ? kinds[value] : significant(value)),
  };
}

/** Where a value lies among the colours, from 0 to 1; on a signed scale zero is in the middle. */
function strengthOn([low, high]) {
  const extent = Math.max(-low, high);
  const place = (value) => (low < 0 ? 0.5 + value / extent / 2 : (value - low) / (high - low || 1));
  return (value) => Math.min(1, Math.max(0, place(value)));
}

/** The cell as a sentence. */
export function sentenceOf(matrix, row, column) {
  const value = matrix.at(row, column);
  const words = { row: matrix.rowLabel(row), column: matrix.columnLabel(column), value: matrix.said(value) };
  const place = `${matrix.y} ${words.row}, ${matrix.x} ${words.column}`.trim();
  // In one pass: a label that holds "{value}" stays as it is.
  const told = matrix.tell.replace(/\{(row|column|value)\}/g, (_, name) => words[name]);
  const said = Number.isNaN(value) ? `${place}: no value` : told;
  return matrix.isMarked(row, column) ? `${said} (${matrix.mark})` : said;
}

/** What stands at the two ends of the scale; values beyond them are drawn as the end. */
export function endsOf({ limits: [low, high], values }) {
  const isBeyond = (value) => Number.isFinite(value) && value < low - 1e-6 * Math.abs(low);
  const isAbove = (value) => Number.isFinite(value) && value > high + 1e-6 * Math.abs(high);
  return [
    `${values.some(isBeyond) ? "≤ " : ""}${significant(low)}`,
    `${values.some(isAbove) ? "≥ " : ""}${significant(high)}`,
  ];
}

/** The numbers as rows of a table: labels around them, each with as many digits as float32 holds. */
export function asRows({ shape, values, kinds, rowLabel, columnLabel }) {
  const head = ["", ...Array.from({ length: shape.columns }, (_, column) => columnLabel(column))];
  const cell = (value) => (kinds.length ? kinds[value] : shortest(value));
  const line = (row) => Array.from(values.subarray(row * shape.columns, (row + 1) * shape.columns), cell);
  return [head, ...Array.from({ length: shape.rows }, (_, row) => [rowLabel(row), ...line(row)])];
}

/** As many digits as tell a float32 from its neighbours. */
function shortest(value) {
  if (!Number.isFinite(value)) return value;
  const digits = [6, 7, 8].find((count) => Math.fround(Number(value.toPrecision(count))) === value) ?? 9;
  return Number(value.toPrecision(digits));
}
