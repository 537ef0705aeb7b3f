import { bytesOf, decode } from "../../../core/view/browser/kit/codec.js";
import { tableOf } from "../../../core/view/browser/kit/dom.js";
import { readable } from "../../../core/view/browser/kit/labels.js";
import { twoDigits } from "../../../core/view/browser/kit/numbers.js";

const TOLD = 3; // source words that a sentence or a table names
const WORTH_TELLING = 0.05; // a weight from which another panel's word is worth a mention
const WHOLE_UP_TO = 32; // words: of longer texts a table lists the strongest sources of each word

/** A message with its weights as numbers. */
export function alignmentOf(data) {
  const sources = data.source.length;
  const panels = data.panels.map((panel) => ({
    ...panel,
    maps: panel.maps.map((map) => mapOf(map, panel.target.length, sources)),
    marked: new Set(panel.marked),
    tell: (row) => readable(panel.target[row]),
  }));
  return { ...data, panels, sources, tell: (column) => readable(data.source[column]) };
}

function mapOf({ name, note, weights }, rows, columns) {
  const values = decode(bytesOf(weights), "half");
  return {
    name,
    note,
    values,
    shape: { rows, columns },
    at: (row, column) => values[row * columns + column],
    row: (row) => values.subarray(row * columns, (row + 1) * columns),
    column: (column) => Float32Array.from({ length: rows }, (_, row) => values[row * columns + column]),
  };
}

/** Places from the largest weight down; without those that are zero, not allowed or no number. */
export function strongest(weights) {
  const places = Array.from(weights.keys()).filter((place) => weights[place] > 0);
  return places.sort((one, other) => weights[other] - weights[one]);
}

/**
 * What lights up for a word in view: { columns, panels: [{ rows, row, column }] }, strengths from 0 to 1.
 *
 * `focus` is { panel, row, column } for a target word (column: the cell, or null) and { panel: null, column } for a
 * source word; `maps` are those in view, one for each panel. A target word lights the sources it looks at, and in the
 * other panels the words that look at the strongest of these.
 */
export function lightsOf({ sources }, maps, focus) {
  if (focus.panel === null) {
    const panels = maps.map((map) => ({ rows: map.column(focus.column), row: null, column: focus.column }));
    return { columns: only(sources, focus.column), panels };
  }
  const columns = maps[focus.panel].row(focus.row);
  const [best] = strongest(columns);
  const panels = maps.map((map, place) => {
    const { rows } = map.shape;
    if (place === focus.panel) return { rows: only(rows, focus.row), row: focus.row, column: focus.column };
    if (best === undefined) return { rows: new Float32Array(rows), row: null, column: null };
    return { rows: map.column(best), row: null, column: best };
  });
  return { columns, panels };
}

/** Whether two places are the same word. */
export function isSameFocus(one, other) {
  if (!one || !other || one.panel !== other.panel) return false;
  return one.panel === null ? one.column === other.column : one.row === other.row;
}

/** Whether a place is still there in another scene. */
export function isWithin({ sources, panels }, focus) {
  if (focus.column !== null && focus.column >= sources) return false;
  return focus.panel === null || (focus.panel < panels.length && focus.row < panels[focus.panel].target.length);
}

function only(count, place) {
  const strengths = new Float32Array(count);
  strengths[place] = 1;
  return strengths;
}

/** What is said of the word in view. */
export function sentenceFor(scene, maps, focus) {
  return focus.panel === null ? sourceSentence(scene, maps, focus.column) : targetSentence(scene, maps, focus);
}

function targetSentence(scene, maps, { panel: place, row, column }) {
  const panel = scene.panels[place];
  const weights = maps[place].row(row);
  const top = strongest(weights).slice(0, TOLD);
  const seen = top.map((source) => `${quoted(scene.tell(source))} with ${twoDigits(weights[source])}`);
  const name = `${quoted(panel.tell(row))} (${panel.title}${certainty(panel, row)})`;
  const first = top.length ? `${name} ${panel.verb} ${joined(seen)}.` : `${name} ${panel.verb} nothing.`;
  const cell =
    column === null || top.includes(column) ? "" : ` On ${quoted(scene.tell(column))}: ${written(weights[column])}.`;
  const others = top.length ? elsewhere(scene, maps, top[0], place) : [];
  const also = others.length ? ` ${quoted(scene.tell(top[0]))} also weighs ${joined(others)}.` : "";
  return first + cell + also;
}

function sourceSentence(scene, maps, column) {
  const found = elsewhere(scene, maps, column, null);
  const name = quoted(scene.tell(column));
  return found.length ? `${name} weighs ${joined(found)}.` : `${name} gives no word much weight.`;
}

/** "0.88 in “accord” (Transformer)": the word of each other panel in which a source word weighs most. */
function elsewhere(scene, maps, column, without) {
  return scene.panels.flatMap((panel, place) => {
    if (place === without) return [];
    const weights = maps[place].column(column);
    const [row] = strongest(weights);
    if (row === undefined || weights[row] < WORTH_TELLING) return [];
    return [`${twoDigits(weights[row])} in ${quoted(panel.tell(row))} (${panel.title})`];
  });
}

function certainty({ logProbabilities }, row) {
  const value = logProbabilities?.[row] ?? null;
  return value === null ? "" : `, written with probability ${twoDigits(Math.exp(value))}`;
}

/** A weight as it is written. */
export function written(weight) {
  return Number.isNaN(weight) ? "not allowed" : twoDigits(weight);
}

function quoted(label) {
  return `“${label}”`;
}

function joined(parts) {
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}` : (parts[0] ?? "");
}

/** A map as a table, for who would rather read it. */
export function tableFor(scene, panel, map) {
  const isWhole = Math.max(map.shape.rows, map.shape.columns) <= WHOLE_UP_TO;
  const top = (weights) => {
    const places = strongest(weights).slice(0, TOLD);
    return places.map((column) => `${scene.tell(column)} ${twoDigits(weights[column])}`).join(", ");
  };
  const cells = (row) => (isWhole ? Array.from(map.row(row), written) : [top(map.row(row))]);
  const columns = isWhole ? scene.source.map((_, column) => scene.tell(column)) : ["looks most at"];
  const caption = `${panel.title}, ${map.name}: each row is a word that was written`;
  const rows = panel.target.map((_, row) => [panel.tell(row), ...cells(row)]);
  return tableOf(caption, columns, rows);
}

/** The maps in view as rows, one for each pair of words. */
export function rowsOfPanels(scene, maps) {
  const head = ["model", "map", "target place", "target", "log-probability", "source place", "source", "weight"];
  const rows = scene.panels.flatMap((panel, place) =>
    Array.from(maps[place].values, (weight, cell) => {
      const [row, column] = [Math.floor(cell / scene.sources), cell % scene.sources];
      const sure = panel.logProbabilities?.[row] ?? "";
      const digits = Number.isNaN(weight) ? "" : Number(weight.toPrecision(4));
      return [panel.title, maps[place].name, row, panel.target[row], sure, column, scene.source[column], digits];
    }),
  );
  return [head, ...rows];
}
