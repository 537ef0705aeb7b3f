import { readable } from "../attention_view/labels.js";

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
