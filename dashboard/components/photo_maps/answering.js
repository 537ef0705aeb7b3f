import { littleRow } from "./opened.js";

// Whose attention a map shows: { kind: "prefix", place } (which of the prefix tokens), { kind: "patch", place } (a
// place of the grid; in windows the map ends at its window), { kind: "same", place } (that position of every window),
// { kind: "mean" } (over all queries; in windows over those of each window).

/**
 * The answer over the grid: `cells` (NaN where no query of this kind can look), and what has no place on it, `prefix`
 * (a share for each token) and `padding`. In windows `groups` says of each cell which window it belongs to.
 */
export function mapFrom(layer, answer, from) {
  if (layer.windows) return windowMap(layer, answer, from);
  return placed(layer, rowFrom(layer, answer, from));
}

/** The same from what is always here, or null: for a patch the answers are needed. */
export function littleMap(layer, head, from) {
  if (from.kind !== "mean" && from.kind !== "prefix") return null;
  const row = littleRow(layer, head, from.kind === "mean" ? 0 : 1 + from.place);
  const { windows } = layer;
  return { ...placed(layer, row), isLittle: true, groups: windows?.of ?? null, isPadded: false };
}

function placed({ prefix }, row) {
  return { cells: row.subarray(prefix.length), prefix: row.subarray(0, prefix.length), padding: 0, groups: null };
}

function rowFrom(layer, answer, { kind, place }) {
  const { tokens } = layer;
  if (kind === "mean") return answer.mean ?? meanRow(answer.weights, tokens);
  const token = kind === "prefix" ? place : layer.prefix.length + place;
  if (answer.query) return softmaxRow(answer, token, tokens, layer.each);
  return answer.weights.subarray(token * tokens, (token + 1) * tokens);
}

/** softmax(q k^T) of one query; the scale is in the keys. */
function softmaxRow({ query, key }, token, tokens, each) {
  const row = new Float32Array(tokens);
  const start = token * each;
  let largest = -Infinity;
  for (let other = 0; other < tokens; other++) {
    let score = 0;
    const from = other * each;
    for (let channel = 0; channel < each; channel++) score += query[start + channel] * key[from + channel];
    row[other] = score;
    if (score > largest) largest = score;
  }
  let sum = 0;
  for (let other = 0; other < tokens; other++) sum += row[other] = Math.exp(row[other] - largest);
  for (let other = 0; other < tokens; other++) row[other] /= sum;
  return row;
}

function meanRow(weights, tokens) {
  const mean = new Float64Array(tokens);
  for (let place = 0; place < weights.length; place++) mean[place % tokens] += weights[place];
  return Float32Array.from(mean, (sum) => sum / tokens);
}

/** Rows of windows laid where they belong: shifts are undone, what falls on padding is added up. */
function windowMap({ grid, windows }, { weights }, { kind, place }) {
  const { count, positions, where, at } = windows;
  const cells = new Float32Array(grid).fill(NaN);
  const own = kind === "mean" ? null : at[place];
  const [shown, position] = own === null ? [null, null] : [Math.floor(own / positions), own % positions];
  let [padding, asked, isPadded] = [0, 0, false];
  for (let window = kind === "patch" ? shown : 0; window < (kind === "patch" ? shown + 1 : count); window++) {
    const row = windowRow(weights, windows, window, kind === "mean" ? null : position);
    if (!row) continue; // only padding asks there
    asked += 1;
    row.forEach((share, key) => {
      const cell = where[window * positions + key];
      if (cell >= 0) cells[cell] = share;
      else [padding, isPadded] = [padding + share, true];
    });
  }
  return { cells, prefix: new Float32Array(0), padding: padding / (asked || 1), groups: windows.of, asked, isPadded };
}

/** What one position of a window looks at, or all that have a place on average; null if none has. */
function windowRow(weights, { positions, where }, window, position) {
  const asking = [];
  for (let query = 0; query < positions; query++) {
    if ((position === null || position === query) && where[window * positions + query] >= 0) asking.push(query);
  }
  if (!asking.length) return null;
  const row = new Float32Array(positions);
  for (const query of asking) {
    const start = (window * positions + query) * positions;
    for (let key = 0; key < positions; key++) row[key] += weights[start + key] / asking.length;
  }
  return row;
}
