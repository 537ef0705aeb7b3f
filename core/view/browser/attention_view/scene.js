import { bytesOf, bytesPerWeight, cellsSent, decode, unfold } from "../kit/codec.js";
import { flowing, patchLabels, readable } from "../kit/labels.js";
import { inBlocks } from "./blocks.js";

const HEADS_KEPT = 12;

/** What Python sent of a scene, ready to be read: sequences with labels for people, layers with their heads. */
export function openScene(overview) {
  const sequences = {};
  for (const [name, sent] of Object.entries(overview.sequences)) sequences[name] = openSequence(sent);
  const layers = overview.layers.map((sent, place) => openLayer(sent, place, sequences, overview.code));
  const [layer, head] = overview.start;
  const { title, digest, code, blocks = null } = overview;
  const fine = blocks && new Set(blocks.fine.map((place) => place.join("/")));
  return { title, digest, code, start: { layer, head }, sequences, layers, fine, kept: new Map() };
}

/** Keeps a head that was asked for, as text (`cells`) or `bytes`, whole or in blocks; the oldest ones are let go. */
export function keepHead(scene, { layer, head, ...sent }) {
  scene.kept.delete(`${layer}/${head}`);
  scene.kept.set(`${layer}/${head}`, sent);
  if (scene.kept.size > HEADS_KEPT) scene.kept.delete(scene.kept.keys().next().value);
}

/** The weights of one head, row by row, the code they came in and their layer; null if they are not in the browser. */
export function headOf(scene, place, head) {
  const layer = scene.layers[place];
  const { queries, keys, causal } = layer;
  const kept = scene.kept.get(`${place}/${head}`);
  if (kept) {
    const { code, block = 1, bytes = bytesOf(kept.cells) } = kept;
    const sent = decode(bytes, code);
    const weights = block > 1 ? sent : unfold(sent, queries, keys, causal);
    return { layer: inBlocks(layer, block), weights, code };
  }
  if (!scene.code) return null;
  layer.bytes ??= bytesOf(layer.maps);
  const size = cellsSent(queries, keys, causal) * bytesPerWeight(scene.code);
  const sent = decode(layer.bytes.subarray(head * size, (head + 1) * size), scene.code);
  return { layer, weights: unfold(sent, queries, keys, causal), code: scene.code };
}

/** One head in little: cells from 0 to 1, -1 and NaN as in a map. */
export function thumbnailOf(layer, head) {
  const { rows, columns } = layer.thumbnails;
  layer.little ??= decode(bytesOf(layer.thumbnails.cells), "root");
  const size = rows * columns;
  return { rows, columns, cells: layer.little.subarray(head * size, (head + 1) * size) };
}

/** What a token, or its block, is called in a sentence: “it”, "patch 3·5", "class", "patches 3·5 … 4·1". */
export function tokenName(sequence, token) {
  const name = (sequence.names ?? sequence.labels)[token];
  if (sequence.kind === "text") return `“${name}”`;
  if (sequence.kind === "runs") return `patches ${name}`;
  return token < sequence.prefix ? name : `patch ${name}`;
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
