import { bytesOf, decode } from "../attention_view/codec.js";
import { readable } from "../attention_view/labels.js";

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
export function littleRow(layer, head, row) {
  layer.decoded ??= decode(bytesOf(layer.little), "root");
  const place = head * layer.littles + row;
  const top = layer.tops[place];
  return layer.decoded.subarray(place * layer.tokens, (place + 1) * layer.tokens).map((share) => share * top);
}

/** "stage 1, layer 3": a label that is a number is called a layer. */
export function layerTitle({ label, group }) {
  const own = /^\d+$/.test(label) ? `layer ${label}` : readable(label);
  return group ? `${readable(group)}, ${own}` : own;
}

function openPhotoLayer(sent, place) {
  const prefix = sent.prefix.map(readable);
  const grid = sent.rows * sent.columns;
  const answers = new Map(Object.entries(sent.answers ?? {}).map(([head, answer]) => [Number(head), answer]));
  return {
    ...sent,
    place,
    prefix,
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
  where.forEach((place, index) => place >= 0 && (at[place] = index));
  const of = at.map((index) => (index < 0 ? -1 : Math.floor(index / positions)));
  return { count, positions, where, at, of };
}

function opened({ kind }, sent) {
  if (kind !== "factors") return { weights: decode(bytesOf(sent.weights), kind === "rough" ? "root" : "half") };
  const mean = new Float32Array(bytesOf(sent.mean).buffer);
  return { query: decode(bytesOf(sent.query), "half"), key: decode(bytesOf(sent.key), "half"), mean };
}

function sizeOf(answer) {
  return Object.values(answer).reduce((sum, numbers) => sum + numbers.length, 0);
}
