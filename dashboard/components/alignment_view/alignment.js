import { bytesOf, decode } from "../attention_view/codec.js";
import { readable } from "../attention_view/labels.js";

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
