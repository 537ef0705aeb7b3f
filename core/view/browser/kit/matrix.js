import { rampPixels, shade } from "./colour.js";
import { make } from "./dom.js";
import { filled, readable } from "./labels.js";
import { rasterCanvas } from "./marks.js";
import { shortest, significant } from "./numbers.js";

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
  const said = Number.isNaN(value) ? `${place}: no value` : filled(matrix.tell, words);
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

/** The kinds with their colours, or the scale with its two ends; what an outline and lines over a cell mean. */
export function createLegend() {
  const element = make("p", { class: "legend" });

  function show(matrix, theme) {
    const notes = [
      [matrix.marked.length, make("i", { class: "key", "aria-hidden": "true" }), matrix.mark],
      [matrix.values.some(Number.isNaN), make("i", { class: "key hatched", "aria-hidden": "true" }), "no value"],
      [matrix.values.some((value) => Math.abs(value) === Infinity), "", "hatched in the accent colour: infinite"],
    ];
    const shown = notes.filter(([holds]) => holds).map(([, key, text]) => make("span", {}, key, text));
    element.replaceChildren(...(matrix.kinds.length ? swatches(matrix, theme) : [scale(matrix, theme)]), ...shown);
  }

  return { element, show };
}

/** The name and the colour of every kind but the first, which is the page itself. */
export function kindsOf({ kinds, hues, strength }, theme) {
  return kinds.slice(1).map((name, place) => [name, hues[place] ?? shade(theme, strength(place + 1))]);
}

function swatches(matrix, theme) {
  return kindsOf(matrix, theme).map(([name, colour]) => {
    const swatch = make("i", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = colour;
    return make("span", {}, swatch, name);
  });
}

function scale(matrix, theme) {
  const [low, high] = endsOf(matrix);
  const pixels = coloursOf(matrix, theme);
  const ramp = rasterCanvas(pixels, pixels.length / 4, 1);
  ramp.setAttribute("aria-hidden", "true");
  return make("span", {}, low, ramp, high);
}

/** The colours from one end of the scale to the other; a signed one may be longer on one side. */
export function coloursOf({ limits: [low, high], strength }, theme) {
  return rampPixels(theme, (share) => strength(low + (high - low) * share));
}
