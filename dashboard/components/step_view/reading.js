import { make } from "../../../core/view/browser/kit/dom.js";
import { precise, rounded, shown } from "../../../core/view/browser/kit/numbers.js";
import { colourOf, formula, labelOf, nameOf, range, spelled, sumOf, totalOf } from "./matrices.js";

const LINE = 8; // so many terms are written out in one line
const STRONGEST = 6; // of longer sums, so many terms are shown first

/** What stands below the equation: where the cell comes from, and its sum. */
export function readingOf(stop, matrices, row, column, { isOpen, open }) {
  const output = matrices[stop.output];
  const sum = sumOf(stop, matrices, row, column);
  const cell = output.at(row, column);
  const title = make(
    "p",
    { class: "cell" },
    formula(output.symbol),
    make("b", {}, `[${nameOf(output, row, column)}]`),
    make("span", {}, `: ${originOf(stop, matrices, row, column)}`),
  );
  const isLong = sum.terms.length > LINE;
  const line = stop.kind === "softmax" ? shareLine(sum, cell) : sumLine(sum, cell, isLong);
  return [title, make("p", { class: "sum" }, ...line), ...(isLong ? [tableOfTerms(stop, sum, isOpen, open)] : [])];
}

/** The lines of a reading as plain text, for a picture. */
export function linesOf(reading) {
  return [...reading.querySelectorAll(".cell, .sum")].map((line) => {
    const copy = line.cloneNode(true);
    copy.querySelectorAll("[data-text]").forEach((part) => part.replaceWith(part.dataset.text));
    return copy.textContent;
  });
}

/** In words: which numbers meet in this cell. */
function originOf(stop, matrices, row, column) {
  const output = matrices[stop.output];
  const [from, to] = [labelOf(output.rowLabels, row), labelOf(output.columnLabels, column)];
  const [first, second] = stop.inputs;
  switch (stop.id) {
    case "score":
      return `the query of “${from}” meets the key of “${to}”, channel by channel.`;
    case "scale":
      return "the score, made smaller or larger by the same factor in every cell.";
    case "mask":
      return `may “${from}” look at “${to}”? 0 is added if so, minus infinity if not.`;
    case "normalise":
      return `the share of “${to}” in all that “${from}” looks at.`;
    case "mix":
      return `channel ${to} of every value, as much of each as “${from}” looks at its token.`;
    case "concatenate":
      return `copied from head ${Math.floor(column / matrices[first].columns)}.`;
    default:
      return `row “${from}” of ${first} times column ${to} of ${second}.`;
  }
}

function sumLine(sum, cell, isLong) {
  if (isLong) return [`sum of ${sum.terms.length} terms = `, strong(cell)];
  const parts = sum.terms.flatMap((term, place) => [
    place ? " + " : "",
    ...term.factors.flatMap((factor, i) => [i ? " × " : "", numberOf(factor, place + i > 0)]),
  ]);
  const printed = sum.terms.reduce(
    (total, term) => total + term.factors.reduce((all, f) => all * shown(f.value), 1),
    0,
  );
  const isExact = !Number.isFinite(cell) || Math.abs(printed - shown(cell)) < 1e-9;
  const hasSteps = sum.terms.length > 1 || sum.terms[0].factors.length > 1;
  return hasSteps ? [...parts, isExact ? " = " : " ≈ ", strong(cell)] : [strong(cell)];
}

/** A number, or a factor that has a formula of its own (1/√64); negative numbers in brackets after the first. */
function numberOf(factor, isLater) {
  if (factor.tree) return make("span", { "data-text": spelled(factor.tree) }, formula(factor.tree));
  const text = precise(factor.value);
  return isLater && text.startsWith("−") ? `(${text})` : text;
}

function shareLine(sum, cell) {
  const power = ({ exponent }) =>
    make("span", { "data-text": `e^(${precise(exponent)})` }, "e", make("sup", {}, precise(exponent)));
  const all =
    sum.terms.length > LINE
      ? [`the ${sum.terms.length} terms below`]
      : sum.terms.flatMap((term, place) => [place ? " + " : "", power(term)]);
  const less = sum.less
    ? [
        make(
          "small",
          {},
          ` (${precise(sum.less)} is first taken from every score: no share changes, numbers stay small)`,
        ),
      ]
    : [];
  const chosen = sum.terms[sum.share];
  const division = `) ≈ ${precise(chosen.value)} ÷ ${precise(totalOf(sum))} ≈ `;
  return [power(chosen), " ÷ (", ...all, division, strong(cell), ...less];
}

function strong(value) {
  return make("b", { class: "total" }, precise(value));
}

/** The strongest terms, each with a bar, and the rest in one line until it is opened. */
function tableOfTerms(stop, sum, isOpen, open) {
  const order = range(sum.terms.length).sort((a, b) => Math.abs(sum.terms[b].value) - Math.abs(sum.terms[a].value));
  const first = isOpen ? order : order.slice(0, STRONGEST);
  const most = Math.abs(sum.terms[order[0]].value) || 1;
  const rest = order.slice(first.length).reduce((total, place) => total + sum.terms[place].value, 0);
  const rows = first.map((place) => {
    const { label, factors, value, exponent } = sum.terms[place];
    const bar = make("i", { class: value < 0 ? "bar negative" : "bar" });
    bar.style.width = `${(100 * Math.abs(value)) / most}%`;
    const made =
      exponent === undefined ? factors.map((factor) => precise(factor.value)).join(" × ") : `e^${precise(exponent)}`;
    return rowOf(nameOfTerm(stop, label), made, precise(value), bar);
  });
  if (!isOpen) rows.push(rowOf(`the other ${order.length - first.length}`, "", precise(rest), null));
  const titles = stop.kind === "softmax" ? ["Key", "Power", "Value", ""] : ["Where", "Factors", "Product", ""];
  const head = make("tr", {}, ...titles.map((title) => make("th", { scope: "col" }, title)));
  const button = make(
    "button",
    { type: "button", click: open, "aria-expanded": String(isOpen) },
    isOpen ? `Only the ${STRONGEST} strongest` : `All ${order.length} terms`,
  );
  return make(
    "div",
    { class: "terms" },
    make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows)),
    button,
  );
}

function rowOf(where, made, value, bar) {
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, where),
    make("td", {}, made),
    make("td", {}, value),
    make("td", {}, bar),
  );
}

function nameOfTerm(stop, label) {
  if (label === "bias") return "bias";
  return ["mix", "normalise"].includes(stop.id) || Number.isNaN(Number(label)) ? `“${label}”` : `channel ${label}`;
}

/** One query's weights with and without the scale: what saturation does. */
export function comparisonOf(comparison, matrices, row, theme) {
  const compared = comparison.map(({ name, isScaled, isShown }) => ({
    isScaled,
    isShown,
    ...spreadOf(matrices[name], row),
  }));
  compared.sort((a, b) => b.isScaled - a.isScaled);
  const weights = matrices[comparison[0].name];
  const rows = compared.map((each) =>
    make(
      "tr",
      { class: each.isShown ? "shown" : null },
      make("th", { scope: "row" }, each.isScaled ? "with the scale" : "without"),
      make("td", {}, rounded(each.largest, 2)),
      make("td", {}, `${rounded(each.entropy, 2)} bits`),
      make("td", {}, barsOf(each.weights, weights, theme)),
    ),
  );
  const heads = ["", "largest weight", "entropy", "weights"].map((text) => make("th", { scope: "col" }, text));
  const name = labelOf(weights.rowLabels, row);
  return [
    make("h3", {}, `Where “${name}” looks, with and without the scale`),
    make("table", { class: "comparison" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)),
  ];
}

/** Entropy in bits: 0 when one key has everything. */
function spreadOf(matrix, row) {
  const weights = range(matrix.columns).map((column) => matrix.at(row, column));
  const entropy = weights.reduce((sum, weight) => (weight > 0 ? sum - weight * Math.log2(weight) : sum), 0);
  return { weights, largest: Math.max(...weights), entropy };
}

function barsOf(weights, matrix, theme) {
  const cells = weights.map((weight, place) => {
    const cell = make("i", { title: `${labelOf(matrix.columnLabels, place)}: ${rounded(weight, 2)}` });
    cell.style.background = colourOf(theme, matrix, weight);
    return cell;
  });
  return make("div", { class: "bars", "aria-hidden": "true" }, ...cells);
}
