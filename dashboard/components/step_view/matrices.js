import { floatsOf } from "../../../core/view/browser/kit/codec.js";
import { readableOn, rgbOf, setInk, shade } from "../../../core/view/browser/kit/colour.js";
import { readable } from "../../../core/view/browser/kit/labels.js";

/** A matrix as the server sent it, with its values as numbers and `at(row, column)`. */
export function unpacked(matrix) {
  const values = floatsOf(matrix.values);
  const finite = values.filter(Number.isFinite);
  return {
    ...matrix,
    values,
    extent: finite.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1,
    digits: finite.every(Number.isInteger) ? 0 : 2,
    at: (row, column) => values[row * matrix.columns + column],
  };
}

/** The colour of a value: zero is the page, signed values go to either side of it; what is no number has its own. */
export function colourOf(theme, matrix, value) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? theme.accent : theme.hair;
  return shade(scaleOf(theme, matrix), strengthOf(matrix, value));
}

/** Ink or paper, whichever can be read on the colour of that value. */
export function textOn(theme, matrix, value) {
  return readableOn(theme, colourOf(theme, matrix, value));
}

/** A pixel for each value; none for minus infinity, so that the hatching below it is seen. */
export function pixelsOf(matrix, theme) {
  const pixels = new Uint8ClampedArray(4 * matrix.values.length);
  const scale = scaleOf(theme, matrix);
  matrix.values.forEach((value, place) => {
    if (Number.isFinite(value)) setInk(pixels, place, scale, strengthOf(matrix, value));
    else if (value !== -Infinity) pixels.set([...rgbOf(colourOf(theme, matrix, value)), 255], 4 * place);
  });
  return pixels;
}

function scaleOf(theme, { isWeights }) {
  return isWeights ? theme : { ramp: theme.diverging };
}

function strengthOf({ isWeights, extent }, value) {
  return isWeights ? value : (value / extent + 1) / 2;
}

/** The terms of the cell; a term is its factors `{place, value}`. For a softmax, the cell is the `share` of one. */
export function sumOf(stop, matrices, row, column) {
  const inputs = stop.inputs.map((name) => matrices[name]);
  const [first, second] = inputs;
  const factor = (matrix, r, c) => ({ place: `${matrix.name}[${nameOf(matrix, r, c)}]`, value: matrix.at(r, c) });
  const term = (label, ...factors) => ({ label, factors, value: factors.reduce((all, f) => all * f.value, 1) });
  switch (stop.kind) {
    case "product": {
      const terms = Array.from({ length: first.columns }, (_, i) =>
        term(labelOf(first.columnLabels, i), factor(first, row, i), factor(second, i, column)),
      );
      return { terms: inputs[2] ? [...terms, term("bias", factor(inputs[2], 0, column))] : terms };
    }
    case "multiple":
      return {
        terms: [term("", factor(first, row, column), ...stop.factors.map(([tree, value]) => ({ tree, value })))],
      };
    case "sum":
      return { terms: inputs.map((matrix) => term("", factor(matrix, row, column))) };
    case "softmax": {
      const scores = Array.from({ length: first.columns }, (_, i) => first.at(row, i));
      const largest = Math.max(...scores);
      // Small scores are shown as they are; large ones would print as 10 to the 48th.
      const less = largest > 12 ? largest : 0;
      const terms = scores.map((score, i) => ({
        ...term(labelOf(first.columnLabels, i), { place: "", value: Math.exp(score - less) }),
        exponent: score - less,
      }));
      return { terms, share: column, less };
    }
    default: {
      const head = Math.floor(column / first.columns);
      return { terms: [term("", factor(inputs[head], row, column % first.columns))] };
    }
  }
}

export function totalOf(sum) {
  return sum.terms.reduce((total, term) => total + term.value, 0);
}

/** “cat”, channel 3: where a cell is, in words where there are words. */
export function nameOf(matrix, row, column) {
  const { rowLabels, columnLabels } = matrix;
  const names = [rowLabels ? quotedLabel(rowLabels, row) : `row ${row}`];
  names.push(columnLabels ? quotedLabel(columnLabels, column) : `${rowLabels ? "channel" : "column"} ${column}`);
  return names.filter((name) => name !== "").join(", ");
}

function quotedLabel(labels, place) {
  return labels[place] && `“${labelOf(labels, place)}”`;
}

export function labelOf(labels, place) {
  return labels ? labels[place] && readable(labels[place]) : String(place);
}

export function range(count) {
  return Array.from({ length: count }, (_, place) => place);
}

const MATHML = "http://www.w3.org/1998/Math/MathML";

/** A formula from its tree (mathml.py), which the browser sets by itself. */
export function formula(tree, display = "inline") {
  const math = document.createElementNS(MATHML, "math");
  math.setAttribute("display", display);
  math.append(branch(tree));
  return math;
}

function branch([name, ...children]) {
  const element = document.createElementNS(MATHML, name);
  if (name === "mspace") element.setAttribute("width", children[0]);
  else element.append(...children.map((child) => (typeof child === "string" ? child : branch(child))));
  return element;
}

/** A formula as plain text: 1/√64. */
export function spelled([name, ...children]) {
  if (name === "mspace") return " ";
  const text = children.map((child) => (typeof child === "string" ? child : spelled(child))).join("");
  return name === "msqrt" ? `√${text}` : text;
}
