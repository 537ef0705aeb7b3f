import { rowOf } from "./pattern.js";
import { rgbOf } from "./colour.js";
import { strengths } from "./scale.js";

const EDGE = 2; // pixels around the picture, for the frame of a patch at its border

/** The sequence that is a picture here: the keys where they are patches, else the queries. */
export function pictureSequence(layer) {
  return [layer.key, layer.query].find((sequence) => sequence.kind === "patches") ?? null;
}

/** The photograph of a layer once it is decoded, else null; `ready` is called when it is. */
export function pictureOf(layer, ready) {
  const sequence = pictureSequence(layer);
  if (!sequence?.picture) return null;
  if (!sequence.image) {
    sequence.image = new Image();
    sequence.image.addEventListener("load", ready);
    sequence.image.src = sequence.picture;
  }
  return sequence.image.complete ? sequence.image : null;
}

/** The picture as large as the box allows, its patches over it. */
export function layoutPicture(pattern, box) {
  const { rows, columns } = pictureSequence(pattern.layer);
  const { image } = box;
  const shape = image ? image.naturalWidth / image.naturalHeight : columns / rows;
  const across = Math.floor(Math.max(80, Math.min(box.width - 2 * EDGE, (box.height - 2 * EDGE) * shape)));
  const down = Math.floor(across / shape);
  return { left: EDGE, top: EDGE, rows, columns, across, down, width: across + 2 * EDGE, height: down + 2 * EDGE };
}

/** The photograph alone, at its own resolution. */
export function pictureMarks(geometry, pattern, look) {
  const { image, theme } = look;
  const frame = frameOf(geometry);
  if (!image) return [{ kind: "rect", ...frame, fill: theme.paper, stroke: theme.hair }];
  return [{ kind: "image", ...frame, image, source: image.src }];
}

/** The row in view as a veil over the photograph, and the patch that looks. */
export function pictureMarksOver(geometry, pattern, look, { query, pinned }) {
  const { theme } = look;
  const marks = [];
  const { layer } = pattern;
  const row = query === null ? null : rowOf(pattern, query);
  if (row && layer.key.kind === "patches") marks.push(veil(geometry, pattern, look, row));
  if (layer.query.kind !== "patches") return marks;
  for (const token of new Set([pinned, query])) {
    if (token === null || token < layer.query.prefix) continue;
    const line = token === pinned ? 3 : 2;
    const box = patchBox(geometry, token - layer.query.prefix);
    marks.push({ kind: "rect", ...box, stroke: theme.paper, line: line + 2.5 });
    marks.push({ kind: "rect", ...box, stroke: token === pinned ? theme.accent : theme.ink, line });
  }
  return marks;
}

/** The patch under a point. */
export function pictureAt(geometry, pattern, x, y) {
  const column = Math.floor(((x - geometry.left) * geometry.columns) / geometry.across);
  const row = Math.floor(((y - geometry.top) * geometry.rows) / geometry.down);
  if (row < 0 || column < 0 || row >= geometry.rows || column >= geometry.columns) return null;
  const patch = row * geometry.columns + column;
  const { query, key } = pattern.layer;
  return {
    query: query.kind === "patches" ? query.prefix + patch : null,
    key: key.kind === "patches" ? key.prefix + patch : null,
  };
}

/** A row of weights as a small map of its own, without the photograph. */
export function rowPixels(pattern, { theme, scale }, row) {
  const { rows, columns } = pattern.layer.key;
  const pixels = new Uint8ClampedArray(4 * rows * columns);
  strengths(scale, patchesOf(pattern, row)).forEach((drawn, patch) => {
    if (drawn > 0) pixels.set([...inkOf(theme, drawn), 255], 4 * patch);
  });
  return { pixels, rows, columns };
}

/**
 * "light": the photograph shows where the row looks and fades into the page elsewhere.
 * "ink": the colours of the map over the photograph.
 */
function veil(geometry, pattern, { theme, scale, blend, veil: style }, row) {
  const { rows, columns } = pattern.layer.key;
  const pixels = new Uint8ClampedArray(4 * rows * columns);
  const paper = rgbOf(theme.paper);
  strengths(scale, patchesOf(pattern, row)).forEach((drawn, patch) => {
    const light = style === "light";
    pixels.set([...(light ? paper : inkOf(theme, drawn)), 255 * blend * (light ? 1 - drawn : 1)], 4 * patch);
  });
  return { kind: "raster", ...frameOf(geometry), rows, columns, pixels };
}

function frameOf({ left, top, across, down }) {
  return { x: left, y: top, width: across, height: down };
}

/** The weights of a row that fall on patches, in reading order; the prefix tokens have no place on the picture. */
export function patchesOf(pattern, row) {
  const { prefix } = pattern.layer.key;
  return row.subarray(pattern.keys.findIndex((token) => token >= prefix));
}

function inkOf({ ramp }, drawn) {
  const place = 3 * Math.round(Math.min(1, drawn) * 255);
  return [ramp[place], ramp[place + 1], ramp[place + 2]];
}

function patchBox({ left, top, rows, columns, across, down }, patch) {
  const width = across / columns;
  const height = down / rows;
  return { x: left + (patch % columns) * width, y: top + Math.floor(patch / columns) * height, width, height };
}
