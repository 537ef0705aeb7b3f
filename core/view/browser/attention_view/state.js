import { parametersOf, unless } from "../kit/address.js";
import { ARROWS, isShortcut, within } from "../kit/keyboard.js";
import { SCALES } from "./pattern.js";

/** The ways to look at a head, as the visitor reads them. */
export const VIEWS = { map: "Map", lines: "Lines", text: "Text", picture: "Picture" };

/** The keys that choose, for people. */
export const KEYS = [
  ["↑ ↓", "layer"],
  ["← →", "head"],
  [", .", "token"],
  ["Esc", "unpin"],
  ["v", "next view"],
  ["f", "full screen"],
];

const NEXT_TOKEN = { j: 1, k: -1, ".": 1, ",": -1 };
const FIELDS = "input:not([type=checkbox]), select, textarea, [contenteditable], .behind, [role=slider]";

/** What a visitor can choose, before anything is chosen; the scene says layer and head. `null`: as the layer suggests. */
export const START = {
  token: null,
  key: null, // of the cell whose weight is explained: its query is the pinned token
  view: null,
  scale: null,
  special: "in",
  exactly: false,
  links: 60,
  threshold: 0.05,
  blend: 0.75,
  veil: "light",
};

/** What the address says; unknown and broken values are left out. */
export function readAddress(search = location.search) {
  const { number, oneOf } = parametersOf(search);
  return {
    layer: number("layer"),
    head: number("head"),
    token: number("token"),
    key: number("key"),
    view: oneOf("view", Object.keys(VIEWS)),
    scale: oneOf("scale", Object.keys(SCALES)),
    special: oneOf("special", ["out"]),
  };
}

/** The choices that an address holds, and the start where it holds none. */
export function stateFrom(address, scene) {
  const { token = null, key = null, view = null, scale = null, special = "in" } = address;
  const silent = address.layer === undefined && address.head === undefined;
  const place = silent ? scene.start : { layer: address.layer ?? 0, head: address.head ?? 0 };
  return existing({ ...place, token, key, view, scale, special }, scene);
}

/** The same choices, or the scene's first head where it has no such head; a pin that points nowhere is dropped. */
export function existing(state, scene) {
  const found = state.layer < scene.layers.length && state.head < scene.layers[state.layer].heads;
  const { layer, head } = found ? state : scene.start;
  const { queries, keys } = scene.layers[layer];
  const pinned = state.token !== null && state.token < queries;
  const isCell = pinned && state.key !== null && state.key < keys;
  return { ...state, layer, head, token: pinned ? state.token : null, key: isCell ? state.key : null };
}

/** The sequence that is a picture: the keys where they are patches, else the queries; null where neither is. */
export function pictureSequence({ key, query }) {
  return [key, query].find((sequence) => sequence.kind === "patches") ?? null;
}

/** The views that make sense of a layer: text mode needs two texts, picture mode a picture. */
function viewsOf(layer) {
  const texts = layer.query.kind === "text" && layer.key.kind === "text";
  return ["map", "lines", ...(texts ? ["text"] : []), ...(pictureSequence(layer) ? ["picture"] : [])];
}

/** The view and the scale in use: the chosen ones where the layer can be seen so, else what suits it. */
export function lookOf(state, layer, options) {
  const picture = layer.key.kind === "patches";
  const possible = viewsOf(layer);
  const wished = [state.view, options.view, picture ? "picture" : "map"].find((view) => possible.includes(view));
  return { view: wished, scale: state.scale ?? options.scale ?? (picture ? "row" : "linear"), possible };
}

/** Whether this is the head that the scene starts with. */
export function isAtStart(state, scene) {
  return state.layer === scene.start.layer && state.head === scene.start.head;
}

/** What the address should hold: only what differs from the start, and no head where the page keeps that itself. */
export function addressOf(state, scene, options) {
  const layer = scene.layers[state.layer];
  const chosen = isAtStart(state, scene) ? { layer: null, head: null } : { layer: state.layer, head: state.head };
  const place = options.address === "row" ? {} : chosen;
  const usual = lookOf({ view: null, scale: null }, layer, options);
  return {
    ...place,
    token: state.token,
    ...(options.explains ? { key: state.key } : {}),
    view: usual.possible.includes(state.view) ? unless(state.view, usual.view) : null,
    scale: unless(state.scale, usual.scale),
    special: unless(state.special, "in"),
  };
}

/** The query in view while nothing is pinned: the suggested one, else the last that is no special token. */
export function restingQuery(pattern, options) {
  const { query } = pattern.layer;
  if (pattern.rowOfQuery.has(options.token)) return options.token;
  if (query.kind === "patches" && pattern.rowOfQuery.has(0)) return 0;
  return pattern.queries.findLast((token) => !query.special[token]) ?? pattern.queries.at(-1);
}

/** The choice one step further: layers and heads stop at their ends, and so do tokens. */
export function stepped(state, { scene, pattern, resting }, { step, by }) {
  if (step === "layer") {
    const layer = within(state.layer + by, scene.layers.length);
    return { layer, head: within(state.head, scene.layers[layer].heads) };
  }
  if (step === "head") return { head: within(state.head + by, scene.layers[state.layer].heads) };
  const from = pattern.rowOfQuery.get(state.token ?? resting) ?? 0;
  return { token: pattern.queries[within(state.token === null ? from : from + by, pattern.queries.length)] };
}

/** What a key asks for: { step, by }, "unpin", "view", "fullscreen", or null; fields keep their own keys. */
export function wishOf(event) {
  const { key } = event;
  const [target] = event.composedPath();
  if (isShortcut(event) || (target instanceof Element && target.closest(FIELDS))) return null;
  if (key in NEXT_TOKEN) return { step: "token", by: NEXT_TOKEN[key] };
  const [down, right] = ARROWS[key] ?? [0, 0];
  if (down || right) return down ? { step: "layer", by: down } : { step: "head", by: right };
  return { Escape: "unpin", v: "view", f: "fullscreen" }[key] ?? null;
}
