import { cellAt } from "../kit/cells.js";
import { setInk } from "../kit/colour.js";
import {
  decoded,
  framedCell,
  photographFrom,
  photographMark,
  ratioOf,
  shades,
  sheetOf,
  spotlight,
  veil,
} from "../kit/photograph.js";
import { rowOf, strengths } from "./pattern.js";
import { pictureSequence } from "./state.js";

/** The photograph of a layer once it is decoded, else null; `ready` is called when it is. */
export function pictureOf(layer, ready) {
  const sequence = pictureSequence(layer);
  if (!sequence?.picture) return null;
  sequence.image ??= photographFrom(sequence.picture, ready);
  return decoded(sequence.image);
}

/** The picture as large as the box allows, its patches over it. */
export function layoutPicture(pattern, box) {
  const sequence = pictureSequence(pattern.layer);
  return sheetOf(sequence, ratioOf(box.image, sequence), box, { least: 80 });
}

/** The photograph alone, at its own resolution. */
export function pictureMarks(sheet, _pattern, { image, theme }) {
  return [photographMark(sheet, image, theme)];
}

/** The row in view as a veil over the photograph, the patch that looks, and the chosen one that it looks at. */
export function pictureMarksOver(sheet, pattern, look, { query, pinned, chosen }) {
  const { theme, scale, blend } = look;
  const { layer } = pattern;
  const marks = [];
  const row = query === null ? null : rowOf(pattern, query);
  if (row && layer.key.kind === "patches") {
    const wash = look.veil === "light" ? spotlight(theme, blend) : shades(theme, blend);
    marks.push(veil(sheet, strengths(scale, patchesOf(pattern, row)), wash));
  }
  if (layer.key.kind === "patches" && chosen !== null && chosen >= layer.key.prefix) {
    marks.push(...framed(sheet, chosen - layer.key.prefix, { colour: theme.accent, line: 2, paper: theme.paper }));
  }
  if (layer.query.kind !== "patches") return marks;
  for (const token of new Set([pinned, query])) {
    const patch = token - layer.query.prefix;
    if (token === null || patch < 0) continue;
    const isPinned = token === pinned;
    const pen = { colour: isPinned ? theme.accent : theme.ink, line: isPinned ? 3 : 2, paper: theme.paper };
    marks.push(...framed(sheet, patch, pen));
  }
  return marks;
}

function framed(sheet, patch, pen) {
  return framedCell(sheet, [Math.floor(patch / sheet.columns), patch % sheet.columns], pen);
}

/** The patch under a point. */
export function pictureAt(sheet, pattern, x, y) {
  const cell = cellAt(sheet, x, y);
  if (!cell) return null;
  const { query, key } = pattern.layer;
  const token = ({ kind, prefix }) => (kind === "patches" ? prefix + cell[0] * sheet.columns + cell[1] : null);
  return { query: token(query), key: token(key) };
}

/** A row of weights as a small map of its own, without the photograph. */
export function rowPixels(pattern, { theme, scale }, row) {
  const { rows, columns } = pattern.layer.key;
  const pixels = new Uint8ClampedArray(4 * rows * columns);
  strengths(scale, patchesOf(pattern, row)).forEach((drawn, patch) => {
    if (drawn > 0) setInk(pixels, patch, theme, drawn);
  });
  return { pixels, rows, columns };
}

/** The weights of a row that fall on patches, in reading order; the prefix tokens have no place on the picture. */
function patchesOf(pattern, row) {
  const { prefix } = pattern.layer.key;
  return row.subarray(pattern.keys.findIndex((token) => token >= prefix));
}
