import { viewsOf } from "./modes.js";

/** What a visitor can choose, before anything is chosen; the scene says layer and head. `null`: as the layer suggests. */
export const START = {
  token: null,
  view: null,
  scale: null,
  special: "in",
  exactly: false,
  links: 60,
  threshold: 0.05,
  blend: 0.75,
  veil: "light",
};

/** The choices that an address holds, and the start where it holds none. */
export function stateFrom(address, scene) {
  const { token = null, view = null, scale = null, special = "in" } = address;
  const silent = address.layer === undefined && address.head === undefined;
  const place = silent ? scene.start : { layer: address.layer ?? 0, head: address.head ?? 0 };
  return within({ ...place, token, view, scale, special }, scene);
}

/** The same choices, or the scene's first head where it has no such head; a pin that points nowhere is dropped. */
export function within(state, scene) {
  const found = state.layer < scene.layers.length && state.head < scene.layers[state.layer].heads;
  const { layer, head } = found ? state : scene.start;
  const pinned = state.token !== null && state.token < scene.layers[layer].queries;
  return { ...state, layer, head, token: pinned ? state.token : null };
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

/** What the address should hold: only what differs from the start. */
export function addressOf(state, scene, options) {
  const layer = scene.layers[state.layer];
  const place = isAtStart(state, scene) ? { layer: null, head: null } : { layer: state.layer, head: state.head };
  const usual = lookOf({ view: null, scale: null }, layer, options);
  const unless = (value, start) => (value === null || value === start ? null : value);
  return {
    ...place,
    token: state.token,
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
  const stop = (value, most) => Math.max(0, Math.min(most, value));
  if (step === "layer") {
    const layer = stop(state.layer + by, scene.layers.length - 1);
    return { layer, head: Math.min(state.head, scene.layers[layer].heads - 1) };
  }
  if (step === "head") return { head: stop(state.head + by, scene.layers[state.layer].heads - 1) };
  const from = pattern.rowOfQuery.get(state.token ?? resting) ?? 0;
  return { token: pattern.queries[stop(state.token === null ? from : from + by, pattern.queries.length - 1)] };
}
