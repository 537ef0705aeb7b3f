import { percent } from "../../../core/view/browser/kit/numbers.js";
import { seenBy } from "./answers.js";
import { unitOf } from "./choice.js";

/** "row 3, column 5", both counted from 0. */
function placeName({ columns }, cell) {
  return `row ${Math.floor(cell / columns)}, column ${cell % columns}`;
}

/** What the map shows, in a sentence or two with its numbers. */
export function sentenceOfMap({ layer, map, kept, share, from }) {
  if (map.isLittle) return "Loading the numbers …";
  const missing = [...map.cells, ...map.prefix].some(
    (value, place) => Number.isNaN(value) && !(map.groups && place < layer.grid),
  );
  if (missing) return `${asker(layer, from)} holds values that are not numbers (NaN).`;
  const top = topOf(map);
  if (isAbsent(layer, from)) return `${asker(layer, from)} is hidden: this layer never sees it.`;
  if (layer.difference) {
    const most = top !== null && `differ most at ${placeName(layer, top)}, by ${percent(map.cells[top])}`;
    return `${asker(layer, from)}: the two heads ${most || "give the same weights"}.`;
  }
  const said = [`${asker(layer, from)} ${gives(layer, map, from)}.`];
  if (top !== null)
    said.push(
      `Most falls on ${placeName(layer, top)}: ${percent(map.cells[top])}${comparison(layer, map, top, from)}.`,
    );
  if (share < 1) {
    const count = kept.reduce((sum, each) => sum + each, 0);
    const of =
      layer.windows && from.kind !== "patch"
        ? "of each window's attention to the picture"
        : "of what falls on the picture";
    said.push(
      `The ${count} outlined ${count === 1 ? `${unitOf(layer)} holds` : `${several(layer)} hold`} ${Math.round(100 * share)}% ${of}.`,
    );
  }
  return said.join(" ");
}

/** What one cell of the map receives. */
export function sentenceOfCell({ layer, map }, cell) {
  const value = map.cells[cell];
  if (layer.absent.has(cell)) return `${capital(placeName(layer, cell))} is hidden: this layer never sees it.`;
  if (Number.isNaN(value)) return `${capital(placeName(layer, cell))} lies outside of this window.`;
  const rank = map.cells.reduce((before, other) => before + (other > value), 1);
  const count = map.cells.reduce((sum, other) => sum + !Number.isNaN(other), 0) - layer.absent.size;
  if (layer.difference) return `${capital(placeName(layer, cell))}: the two heads differ by ${percent(value)}.`;
  return `${capital(placeName(layer, cell))} receives ${percent(value)} (number ${rank} of ${count}).`;
}

function asker(layer, { kind, place }) {
  const { windows } = layer;
  if (kind === "prefix") return `The ${layer.prefix[place]} token`;
  if (kind === "patch") return `The ${windows ? "place" : unitOf(layer)} in ${placeName(layer, place)}`;
  if (kind === "mean")
    return windows
      ? "The mean over the queries of each window"
      : `The mean over all ${layer.tokens - layer.absent.size} queries`;
  const position = windows.at[place] % windows.positions;
  return `Position ${position} of every window, that of ${placeName(layer, place)} in its own,`;
}

function gives(layer, map, from) {
  const { windows } = layer;
  if (windows) {
    const room =
      from.kind === "patch"
        ? `looks within its window of ${windows.positions} places`
        : `looks within ${windows.count} windows of ${windows.positions} places`;
    return map.isPadded ? `${room}; ${percent(map.padding)} goes to padding` : room;
  }
  const parts = layer.prefix.map(
    (label, token) => `${percent(map.prefix[token])} to ${isItself(from, token) ? "itself" : `the ${label} token`}`,
  );
  if (!parts.length) return `looks at all ${layer.grid} ${several(layer)}`;
  const sum = map.cells.reduce((total, value) => total + value, 0);
  const toPrefix =
    parts.length > 3
      ? [
          `${percent(map.prefix.reduce((total, value) => total + value, 0))} to the ${parts.length} tokens without a place`,
        ]
      : parts;
  return `gives ${toPrefix.join(", ")} and ${percent(sum)} to the ${seenOf(layer, from)}`;
}

/** "144 patches", or "17 pixels before it" where tokens look back. */
function seenOf(layer, { kind, place }) {
  const looksBack = typeof layer.behind === "number" && kind === "patch";
  const count = looksBack ? seenBy(layer, layer.prefix.length + place) - layer.prefix.length : thereIn(layer);
  const counted = count === 1 ? `one ${unitOf(layer)}` : `${count} ${several(layer)}`;
  return looksBack ? `${counted} before it` : counted;
}

/** How many places the layer sees. */
function thereIn({ grid, absent }) {
  return grid - absent.size;
}

function several(layer) {
  return unitOf(layer) === "patch" ? "patches" : `${unitOf(layer)}s`;
}

function isAbsent({ absent }, { kind, place }) {
  return kind === "patch" && absent.has(place);
}

function isItself({ kind, place }, token) {
  return kind === "prefix" && place === token;
}

function comparison(layer, map, top, { kind, place }) {
  const all = layer.tokens - layer.absent.size;
  const own = typeof layer.behind === "number" && kind === "patch" ? seenBy(layer, layer.prefix.length + place) : all;
  const among = layer.windows ? layer.windows.positions : own;
  return `, ${Number((map.cells[top] * among).toPrecision(2))} times an even share`;
}

function topOf({ cells }) {
  let top = null;
  cells.forEach((value, cell) => {
    if (value > 0 && (top === null || value > cells[top])) top = cell;
  });
  return top;
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** What can be done with the photograph, where a place looks and where something else does. */
export function hintFor(isPlace, layer) {
  if (!isPlace) return `Click a ${unitOf(layer)} to see what it looks at.`;
  return `Point at another ${unitOf(layer)} to see what it looks at; click to keep it, or walk with the arrow keys.`;
}

/** The numbers of a map: a row for each token that can be looked at. */
export function rowsOfMap({ layer, map, kept }) {
  const number = (value) => (Number.isNaN(value) ? "" : Number(value.toPrecision(4)));
  const lines = layer.prefix.map((label, token) => [label, "", "", number(map.prefix[token]), ""]);
  map.cells.forEach((value, cell) => {
    const [row, column] = [Math.floor(cell / layer.columns), cell % layer.columns];
    lines.push([unitOf(layer), row, column, number(value), Number.isNaN(value) ? "" : kept[cell]]);
  });
  if (map.isPadded) lines.push(["padding", "", "", number(map.padding), ""]);
  return [["token", "row", "column", "weight", "kept"], ...lines];
}
