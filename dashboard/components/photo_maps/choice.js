import { parametersOf, unless } from "../../../core/view/browser/kit/address.js";
import { PHOTOS } from "../../../core/view/browser/kit/photo_map.js";

const WORDS_FOR = ["patch", "mean", "same"];

/** What is shown before anything is chosen: the first prefix token, else the mean over queries. */
export function startOf(scene) {
  const { layer, head } = scene.start;
  return { layer, head, from: firstFrom(scene, scene.layers[layer]), place: scene.place, keep: 100, photo: "ink" };
}

/** The same in a scene that may say which patch looks at first. */
function firstFrom(scene, layer) {
  return scene.place === null ? usualFrom(layer) : "patch";
}

/** Whose attention a layer shows at first; where tokens look back only, the first ones see nothing but themselves. */
function usualFrom(layer) {
  return looksBack(layer) ? "patch" : (layer.prefix[0] ?? "mean");
}

function looksBack({ behind }) {
  return typeof behind === "number";
}

/** The ways to ask a layer: value for the state and the address, label for people. */
export function waysOf(layer) {
  const tokens = looksBack(layer) ? [] : layer.prefix.map((label) => [label, `${label} token`]);
  if (!layer.windows) return [...tokens, ["patch", `a ${unitOf(layer)}`], ["mean", "mean over queries"]];
  return [
    ["patch", "a place"],
    ["same", "the same place in every window"],
    ["mean", "mean over queries of each window"],
  ];
}

/** What a place of the grid is called. */
export function unitOf({ unit }) {
  return unit ?? "patch";
}

/** The same choices where they exist; a place stays where it lies on the picture when the grid changes. */
export function fitted(state, scene, former = null) {
  const found = scene.layers[state.layer]?.heads > state.head;
  const { layer: number, head } = found ? state : scene.start;
  const layer = scene.layers[number];
  const ways = waysOf(layer).map(([value]) => value);
  const from = ways.includes(state.from) ? state.from : usualFrom(layer);
  const place = former && former !== layer ? sameSpot(state.place, former, layer) : state.place;
  return { ...state, layer: number, head, from, place: place !== null && place < layer.grid ? place : null };
}

/** The place that asks, where it was not chosen the middle of the picture. */
export function placeOf(state, layer) {
  return state.place ?? Math.floor(layer.rows / 2) * layer.columns + Math.floor(layer.columns / 2);
}

/** Whose attention the state asks for (answers.js); `hovered` is asked instead of the chosen place. */
export function askedFor(state, layer, hovered = null) {
  if (state.from === "mean") return { kind: "mean" };
  if (!WORDS_FOR.includes(state.from)) return { kind: "prefix", place: layer.prefix.indexOf(state.from) };
  return { kind: state.from, place: hovered ?? placeOf(state, layer) };
}

/** What an address says, for `fitted` to check. */
export function readMapAddress(scene, search = location.search) {
  const { number, pair, oneOf, text } = parametersOf(search);
  const start = startOf(scene);
  const [layer, head] = [number("map-layer"), number("map-head")];
  const own = layer === undefined && head === undefined ? {} : { layer: layer ?? 0, head: head ?? 0 };
  const shown = scene.layers[own.layer ?? start.layer] ?? scene.layers[start.layer];
  const [row, column] = pair("map-place") ?? [];
  const keep = number("map-keep");
  return {
    ...start,
    from: text("map-from") ?? firstFrom(scene, shown),
    place: row < shown.rows && column < shown.columns ? row * shown.columns + column : start.place,
    keep: keep >= 1 && keep <= 100 ? keep : start.keep,
    photo: oneOf("map-photo", Object.keys(PHOTOS)) ?? start.photo,
    ...own,
  };
}

/** What the address should hold: only what differs from the start. */
export function mapAddress(state, scene) {
  const start = startOf(scene);
  const { columns } = scene.layers[state.layer];
  const isStart = state.layer === start.layer && state.head === start.head;
  return {
    "map-layer": isStart ? null : state.layer,
    "map-head": isStart ? null : state.head,
    "map-from": unless(state.from, firstFrom(scene, scene.layers[state.layer])),
    "map-place": state.place === start.place ? null : `${Math.floor(state.place / columns)}-${state.place % columns}`,
    "map-keep": unless(state.keep, start.keep),
    "map-photo": unless(state.photo, start.photo),
  };
}

function sameSpot(place, former, layer) {
  if (place === null) return null;
  const row = Math.floor(((Math.floor(place / former.columns) + 0.5) / former.rows) * layer.rows);
  const column = Math.floor((((place % former.columns) + 0.5) / former.columns) * layer.columns);
  return row * layer.columns + column;
}
