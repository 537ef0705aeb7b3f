import { bytesOf, decode, floatsOf } from "../../../core/view/browser/kit/codec.js";
import { readable } from "../../../core/view/browser/kit/labels.js";

const ROOM = 2 ** 25; // numbers of decoded answers that are kept: 128 MB

/** What Python sent of a scene (packing.py), ready to be asked. */
export function openPhotographed(overview) {
  const layers = overview.layers.map(openPhotoLayer);
  return { ...overview, layers, start: { layer: overview.start[0], head: overview.start[1] }, decoded: new Map() };
}

/** Keeps answers that the server was asked for. */
export function keepAnswers(scene, { layer, heads }) {
  for (const [head, answer] of Object.entries(heads)) scene.layers[layer].answers.set(Number(head), answer);
}

/** The numbers from which every query of a head is answered; null if they are not in the browser. */
export function answerOf(scene, layer, head) {
  const name = `${layer.place}/${head}`;
  const { decoded } = scene;
  if (decoded.has(name)) return decoded.get(name);
  const sent = layer.answers.get(head);
  if (!sent) return null;
  const answer = opened(layer, sent);
  decoded.set(name, answer);
  let held = [...decoded.values()].reduce((sum, each) => sum + sizeOf(each), 0);
  for (const [oldest, each] of decoded) {
    if (held <= ROOM || oldest === name) break;
    decoded.delete(oldest);
    held -= sizeOf(each);
  }
  return answer;
}

/** One of the little rows that are always here: 0 is the mean over queries, 1 the first prefix token's. */
function littleRow(layer, head, row) {
  layer.decoded ??= decode(bytesOf(layer.little), "root");
  const place = head * layer.littles + row;
  const top = layer.tops[place];
  return layer.decoded.subarray(place * layer.tokens, (place + 1) * layer.tokens).map((share) => share * top);
}

function openPhotoLayer(sent, place) {
  const prefix = sent.prefix.map(readable);
  const grid = sent.rows * sent.columns;
  const answers = new Map(Object.entries(sent.answers ?? {}).map(([head, answer]) => [Number(head), answer]));
  return {
    ...sent,
    place,
    prefix,
    absent: new Set(sent.absent),
    grid,
    answers,
    tokens: prefix.length + grid,
    littles: 1 + prefix.length,
    windows: sent.windows && openWindows(sent.windows, grid),
  };
}

/** `where`: the place of each position of each window, -1 for padding; `at`: in which of them a place lies. */
function openWindows({ count, positions, places }, grid) {
  const where = new Int32Array(bytesOf(places).buffer);
  const at = new Int32Array(grid).fill(-1);
  where.forEach((place, index) => {
    if (place >= 0) at[place] = index;
  });
  const of = at.map((index) => (index < 0 ? -1 : Math.floor(index / positions)));
  return { count, positions, where, at, of };
}

function opened({ kind }, sent) {
  if (kind !== "factors") return { weights: decode(bytesOf(sent.weights), kind === "rough" ? "root" : "half") };
  const mean = floatsOf(sent.mean);
  return { query: decode(bytesOf(sent.query), "half"), key: decode(bytesOf(sent.key), "half"), mean };
}

function sizeOf(answer) {
  return Object.values(answer).reduce((sum, numbers) => sum + numbers.length, 0);
}

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
  if (kind === "mean") return answer.mean ?? meanRow(answer.weights, layer);
  const token = kind === "prefix" ? place : layer.prefix.length + place;
  if (answer.query) return softmaxRow(answer, token, { ...layer, seen: seenBy(layer, token) });
  return answer.weights.subarray(token * tokens, (token + 1) * tokens);
}

/** How many tokens, from the first on, a token looks at. */
export function seenBy({ behind, tokens }, token) {
  return typeof behind === "number" ? Math.max(1, token + 1 - behind) : tokens;
}

/** softmax(q k^T) of one query over the tokens that it sees; the scale is in the keys. */
function softmaxRow({ query, key }, token, { tokens, each, seen }) {
  const row = new Float32Array(tokens);
  const start = token * each;
  let largest = -Infinity;
  for (let other = 0; other < seen; other++) {
    let score = 0;
    const from = other * each;
    for (let channel = 0; channel < each; channel++) score += query[start + channel] * key[from + channel];
    row[other] = score;
    if (score > largest) largest = score;
  }
  let sum = 0;
  for (let other = 0; other < seen; other++) {
    row[other] = Math.exp(row[other] - largest);
    sum += row[other];
  }
  for (let other = 0; other < seen; other++) row[other] /= sum;
  return row;
}

/** Places that are not there have no row. */
function meanRow(weights, { tokens, absent }) {
  const mean = new Float64Array(tokens);
  for (let place = 0; place < weights.length; place++) mean[place % tokens] += weights[place];
  return Float32Array.from(mean, (sum) => sum / (tokens - absent.size));
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

/**
 * The fewest cells that hold a share of what falls on the picture, as 0 and 1: as in the figures of DINO (Caron et
 * al. 2021), but with the share of attention that stays instead of a share of cells. In windows, of each of them.
 */
export function keptCells({ cells, groups }, share) {
  const kept = new Uint8Array(cells.length);
  const members = new Map();
  cells.forEach((value, cell) => {
    if (!(value > 0)) return;
    const group = groups ? groups[cell] : 0;
    if (!members.has(group)) members.set(group, []);
    members.get(group).push(cell);
  });
  for (const own of members.values()) keepLargest(own, cells, share, kept);
  return kept;
}

function keepLargest(own, cells, share, kept) {
  const wanted = share * own.reduce((sum, cell) => sum + cells[cell], 0);
  own.sort((one, other) => cells[other] - cells[one] || one - other);
  let held = 0;
  for (const cell of own) {
    kept[cell] = 1;
    held += cells[cell];
    if (held >= wanted * (1 - 1e-6)) return; // float32: the last cell may be missing for a rounding
  }
}
