import { floatsOf } from "../kit/codec.js";
import { largestOf, twoDigits } from "../kit/numbers.js";

const DECADES = 3; // of a logarithmic scale

/**
 * One head as it is shown: the queries and keys that take part, and their weights row by row.
 * `without` leaves special tokens out and scales each row so that what is left sums to one. Of a head in blocks a row
 * stands for a block, which is called by its first token.
 */
export function patternOf(layer, found, without) {
  const queries = kept(layer.query, without);
  const keys = kept(layer.key, without);
  const all = queries.length === layer.queries && keys.length === layer.keys;
  const weights = all ? found.weights : renormalised(found.weights, layer.keys, queries, keys);
  return {
    layer,
    queries,
    keys,
    weights,
    rowOfQuery: places(queries, layer.query),
    columnOfKey: places(keys, layer.key),
    approximate: found.code === "root",
    renormalised: !all,
    ...oddities(weights),
  };
}

/** The weights of one query, in the order of `pattern.keys`; null if the query is left out. */
export function rowOf(pattern, query) {
  const row = pattern.rowOfQuery.get(query);
  if (row === undefined) return null;
  return pattern.weights.subarray(row * pattern.keys.length, (row + 1) * pattern.keys.length);
}

/** What can be said of a row: its sum, entropy in bits, the keys that hold 90%, and all keys by weight. */
export function readRow(row) {
  let sum = 0;
  let allowed = 0;
  let missing = false;
  for (const weight of row) {
    if (Number.isNaN(weight)) missing = true;
    else if (weight >= 0) {
      allowed++;
      sum += weight;
    }
  }
  const order = Array.from(row.keys()).filter((place) => row[place] >= 0);
  order.sort((one, other) => row[other] - row[one] || one - other);
  return { sum, allowed, missing, order, largest: order.length ? row[order[0]] : 0, ...spread(row, order, sum) };
}

/** The exact weights of a row as the pattern shows it, or null if they are not here. */
export function exactRowOf(exact, pattern, query) {
  const { layer, head } = pattern;
  if (exact?.layer !== layer.place || exact.head !== head || exact.token !== query) return null;
  const weights = floatsOf(exact.cells);
  if (!pattern.renormalised) return weights;
  const single = { ...layer, query: { labels: [""], special: [false] }, queries: 1 };
  return patternOf(single, { weights, code: "float" }, true).weights;
}

export const SCALES = {
  linear: "0 to 1",
  log: "0.001 to 1, logarithmic",
  row: "each row’s own largest",
};

/** How strongly a weight is drawn, from 0 (the page) to 1 (full ink). */
export function strength(scale, weight, largest) {
  if (!(weight > 0)) return 0;
  if (scale === "log") return Math.max(0, 1 + Math.log10(weight) / DECADES);
  return scale === "row" ? weight / largest : Math.min(1, weight);
}

/** The strengths of one row. */
export function strengths(scale, row) {
  const largest = scale === "row" ? largestOf(row) : 1;
  return Float32Array.from(row, (weight) => strength(scale, weight, largest));
}

/** What stands at the two ends of the legend; `row` is the row in view, where the scale depends on it. */
export function legendEnds(scale, row) {
  if (scale === "log") return ["≤ 0.001", "1 of the row’s attention, logarithmic"];
  if (scale === "linear") return ["0", "1 of the row’s attention"];
  return ["0", row ? `${twoDigits(largestOf(row))}, this row’s largest` : "each row’s own largest"];
}

function spread(row, order, sum) {
  let entropy = 0;
  let holders = 0;
  let held = 0;
  for (const place of order) {
    const share = row[place] / sum;
    if (share > 0) entropy -= share * Math.log2(share);
    if (held < 0.9 * sum) holders++;
    held += row[place];
  }
  return { entropy: Math.max(0, entropy), holders };
}

function kept(sequence, without) {
  const all = sequence.starts ?? Array.from(sequence.labels.keys());
  const left = without ? all.filter((token) => !sequence.special[token]) : all;
  return left.length ? left : all;
}

/** The place of each token; the tokens of a block share one. */
function places(tokens, { starts, labels }) {
  const ends = (place) => (starts ? (starts[place + 1] ?? labels.length) : tokens[place] + 1);
  const all = tokens.flatMap((token, place) =>
    Array.from({ length: ends(place) - token }, (_, more) => [token + more, place]),
  );
  return new Map(all);
}

function renormalised(weights, width, queries, keys) {
  const left = new Float32Array(queries.length * keys.length);
  queries.forEach((query, row) => {
    const start = row * keys.length;
    let sum = 0;
    keys.forEach((key, column) => {
      const weight = weights[query * width + key];
      left[start + column] = weight;
      if (!(weight < 0)) sum += weight;
    });
    for (let place = start; place < start + keys.length; place++) if (!(left[place] < 0)) left[place] /= sum;
  });
  return left;
}

function oddities(weights) {
  let missing = false;
  let blocked = false;
  for (const weight of weights) {
    if (weight < 0) blocked = true;
    else if (Number.isNaN(weight)) missing = true;
  }
  return { missing, blocked };
}
