// A view of the map is { query, key, scale }: the tokens in the middle of its room, and pixels for one token. A room is
// { width, height } in pixels. At depth z a cell covers 2^z queries by 2^z keys, and a tile has at most TILE x TILE cells.
export const TILE = 256;
const LARGEST_CELL = 48; // pixels of a token at the largest zoom
const PLACE = /^(\d{1,4})\.(\d{1,4})(?:\.(-?\d{1,2})\.(\d{1,7})\.(\d{1,7}))?$/;

/** The depth at which one cell covers all tokens. */
export function deepestOf(tokens) {
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, tokens))));
}

/** The lowest depth whose cells have at least one pixel of the screen; `ratio`: those for one of the page. */
export function depthOf(scale, ratio, tokens) {
  const depth = Math.ceil(-Math.log2(scale * ratio) - 1e-9);
  return Math.min(deepestOf(tokens), Math.max(0, depth));
}

/** The scale at which the entire map fits its room. */
export function fittingScale(tokens, { width, height }) {
  return Math.min(width, height) / Math.max(1, tokens);
}

/** The view within its bounds: no smaller than the room, no larger than the largest cell, and not beyond the text. */
export function boundedView({ query, key, scale }, tokens, room) {
  const fitting = fittingScale(tokens, room);
  const bounded = Math.min(Math.max(LARGEST_CELL, fitting), Math.max(fitting, scale));
  const middle = (place, pixels) => {
    const half = pixels / 2 / bounded;
    return 2 * half >= tokens ? half : Math.min(tokens - half, Math.max(half, place));
  };
  return { query: middle(query, room.height), key: middle(key, room.width), scale: bounded };
}

/** The view of the entire map. */
export function wholeView(tokens, room) {
  return boundedView({ query: 0, key: 0, scale: 0 }, tokens, room);
}

/** Whether the view shows the entire map. */
export function isWhole({ scale }, tokens, room) {
  return scale <= fittingScale(tokens, room) * 1.001;
}

/** The query and the key at a point of the room, as fractions of tokens. */
export function pointedTokens({ query, key, scale }, { width, height }, x, y) {
  return { query: query + (y - height / 2) / scale, key: key + (x - width / 2) / scale };
}

/** The point of the room at which a query and a key begin. */
export function pointOf({ query, key, scale }, { width, height }, tokens) {
  return { x: (tokens.key - key) * scale + width / 2, y: (tokens.query - query) * scale + height / 2 };
}

/** The view `factor` times larger, with the same tokens under a point of the room. */
export function zoomedAt(view, factor, [x, y], tokens, room) {
  const under = pointedTokens(view, room, x, y);
  const { scale } = boundedView({ ...view, scale: view.scale * factor }, tokens, room);
  const query = under.query - (y - room.height / 2) / scale;
  const key = under.key - (x - room.width / 2) / scale;
  return boundedView({ query, key, scale }, tokens, room);
}

/** The view moved by so many pixels of the room. */
export function pannedBy(view, right, down, tokens, room) {
  const moved = { ...view, query: view.query + down / view.scale, key: view.key + right / view.scale };
  return boundedView(moved, tokens, room);
}

/** A view on the way from one to another; `share` goes from 0 to 1. */
export function viewBetween(from, to, share) {
  const eased = share * share * (3 - 2 * share);
  const mixed = (name) => from[name] + (to[name] - from[name]) * eased;
  return { query: mixed("query"), key: mixed("key"), scale: from.scale * (to.scale / from.scale) ** eased };
}

/** The tokens from one edge of the room to the other, [first, behind the last], of "query" or "key". */
export function tokenRange(view, room, name, tokens) {
  const half = (name === "query" ? room.height : room.width) / 2 / view.scale;
  const first = Math.max(0, Math.floor(view[name] - half));
  return [first, Math.max(first, Math.min(tokens, Math.ceil(view[name] + half)))];
}

/** The tiles of a depth in view, those nearest to its middle first; of a causal map only those with weights. */
export function tilesInView(view, room, depth, tokens, isCausal) {
  const edge = TILE * 2 ** depth;
  const [top, bottom] = tokenRange(view, room, "query", tokens).map((token) => token / edge);
  const [left, right] = tokenRange(view, room, "key", tokens).map((token) => token / edge);
  const tiles = [];
  for (let row = Math.floor(top); row < bottom; row++) {
    for (let column = Math.floor(left); column < right; column++) {
      if (isCausal && column > row) continue;
      const away = Math.hypot((row + 0.5) * edge - view.query, (column + 0.5) * edge - view.key);
      tiles.push({ depth, row, column, away });
    }
  }
  return tiles.sort((one, other) => one.away - other.away);
}

/** The tile `up` depths above another, and the part of it that covers the other, in cells. */
export function standIn({ depth, row, column }, up) {
  const size = TILE / 2 ** up;
  const within = (place) => (place % 2 ** up) * size;
  const above = { depth: depth + up, row: Math.floor(row / 2 ** up), column: Math.floor(column / 2 ** up) };
  return { ...above, part: { x: within(column), y: within(row), size } };
}

/** Layer, head and view as "layer.head.depth.query.key"; the depth is below 0 where a token has more than one pixel. */
export function placeText({ layer, head }, view, tokens, room) {
  const exact = -Math.log2(view.scale);
  const depth = isWhole(view, tokens, room) ? Math.ceil(exact) : Math.round(exact);
  const token = (place) => Math.min(tokens - 1, Math.max(0, Math.floor(place)));
  return [layer, head, depth || 0, token(view.query), token(view.key)].join(".");
}

/** What such a text means, { layer, head, view }; null for any other text, and no view where only a head is named. */
export function readPlace(text) {
  const parts = PLACE.exec(text ?? "");
  if (!parts) return null;
  const [layer, head, depth, query, key] = parts.slice(1).map(Number);
  const view = parts[3] === undefined ? null : { query: query + 0.5, key: key + 0.5, scale: 2 ** -depth };
  return { layer, head, view };
}

/** The block of tokens [first, last] that the cell at a token covers. */
export function blockAt(token, depth, tokens) {
  const first = Math.floor(token / 2 ** depth) * 2 ** depth;
  return [first, Math.min(tokens, first + 2 ** depth) - 1];
}
