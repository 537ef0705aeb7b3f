import { bytesOf, bytesPerWeight, cellsSent, decode, unfold } from "../kit/codec.js";
import { flowing, patchLabels, readable } from "../kit/labels.js";

const HEADS_KEPT = 12;

/** What Python sent of a scene, ready to be read: sequences with labels for people, layers with their heads. */
export function openScene(overview) {
  const sequences = {};
  for (const [name, sent] of Object.entries(overview.sequences)) sequences[name] = openSequence(sent);
  const layers = overview.layers.map((sent, place) => openLayer(sent, place, sequences, overview.code));
  const [layer, head] = overview.start;
  const { title, digest, code } = overview;
  return { title, digest, code, start: { layer, head }, sequences, layers, kept: new Map() };
}

/** Keeps a head that the server was asked for; the oldest ones are let go. */
export function keepHead(scene, { layer, head, code, cells }) {
  scene.kept.delete(`${layer}/${head}`);
  scene.kept.set(`${layer}/${head}`, { code, cells });
  if (scene.kept.size > HEADS_KEPT) scene.kept.delete(scene.kept.keys().next().value);
}

/** The weights of one head, row by row, and the code they came in; null if they are not in the browser. */
export function headOf(scene, place, head) {
  const layer = scene.layers[place];
  const { queries, keys, causal } = layer;
  const kept = scene.kept.get(`${place}/${head}`);
  if (kept) return { weights: unfold(decode(bytesOf(kept.cells), kept.code), queries, keys, causal), code: kept.code };
  if (!scene.code) return null;
  layer.bytes ??= bytesOf(layer.maps);
  const size = cellsSent(queries, keys, causal) * bytesPerWeight(scene.code);
  const sent = decode(layer.bytes.subarray(head * size, (head + 1) * size), scene.code);
  return { weights: unfold(sent, queries, keys, causal), code: scene.code };
}

/** One head in little: cells from 0 to 1, -1 and NaN as in a map. */
export function thumbnailOf(layer, head) {
  const { rows, columns } = layer.thumbnails;
  layer.little ??= decode(bytesOf(layer.thumbnails.cells), "root");
  const size = rows * columns;
  return { rows, columns, cells: layer.little.subarray(head * size, (head + 1) * size) };
}

/** What a token is called in a sentence: “it”, or "patch 3·5", or "class". */
export function tokenName(sequence, token) {
  if (sequence.kind === "text") return `“${sequence.labels[token]}”`;
  return token < sequence.prefix ? sequence.labels[token] : `patch ${sequence.labels[token]}`;
}

function openSequence(sent) {
  if (sent.kind === "patches") {
    const prefix = sent.prefix.map(readable);
    const labels = patchLabels(sent.rows, sent.columns, prefix);
    return {
      kind: "patches",
      rows: sent.rows,
      columns: sent.columns,
      prefix: prefix.length,
      picture: sent.picture,
      labels,
      special: labels.map((_, token) => token < prefix.length),
    };
  }
  return {
    kind: "text",
    labels: sent.labels.map(readable),
    flow: flowOf(sent.labels),
    special: sent.labels.map((_, token) => Boolean(sent.special[token])),
  };
}

/** Labels that carry their spaces are joined as they are; whole words without any get a space between them. */
function flowOf(labels) {
  const spaced = labels.some((label) => /^\s|\s$/.test(label));
  return labels.map((label, token) => (spaced || token === 0 ? flowing(label) : ` ${flowing(label)}`));
}

function openLayer(sent, place, sequences, code) {
  const query = sequences[sent.query];
  const key = sequences[sent.key];
  return {
    ...sent,
    place,
    query,
    key,
    queryName: sent.query,
    keyName: sent.key,
    queries: query.labels.length,
    keys: key.labels.length,
    sized: key.kind === "patches",
    code,
  };
}
