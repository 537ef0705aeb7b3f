import { make } from "../attention_view/dom.js";
import { range } from "./grid.js";
import { rounded } from "./numbers.js";
import { colourOf } from "./shades.js";
import { labelOf } from "./sums.js";

/** One query's weights with and without the scale: what saturation does. */
export function comparisonOf(comparison, matrices, row, shades) {
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
      make("td", {}, barsOf(each.weights, weights, shades)),
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

function barsOf(weights, matrix, shades) {
  const cells = weights.map((weight, place) => {
    const cell = make("i", { title: `${labelOf(matrix.columnLabels, place)}: ${rounded(weight, 2)}` });
    cell.style.background = colourOf(shades, matrix, weight);
    return cell;
  });
  return make("div", { class: "bars", "aria-hidden": "true" }, ...cells);
}
