import { rgbOf } from "../attention_view/colour.js";
import { bordersOf } from "./keeping.js";

const EDGE = 3; // pixels around the photograph, for the frame of a patch at its border
const INK = 0.92; // of the strongest cell over a photograph: its texture stays to be seen
const SPOT = 0.88; // how far the spotlight's photograph fades into the page

/** As large as the box allows, in the photograph's own shape. */
export function sheetOf({ rows, columns }, ratio, box, edge = EDGE) {
  const across = Math.floor(Math.max(40, Math.min(box.width - 2 * edge, (box.height - 2 * edge) * ratio)));
  const down = Math.max(1, Math.round(across / ratio));
  return { left: edge, top: edge, rows, columns, across, down, width: across + 2 * edge, height: down + 2 * edge };
}

/** The cell under a point; null beside the photograph. */
export function cellUnder({ left, top, rows, columns, across, down }, x, y) {
  const [row, column] = [Math.floor(((y - top) * rows) / down), Math.floor(((x - left) * columns) / across)];
  return row < 0 || column < 0 || row >= rows || column >= columns ? null : row * columns + column;
}

/** The photograph and the map over it; `kept` cells are all, or those that the threshold leaves. */
export function mapMarksOver(sheet, { map, kept }, { theme, photo, photograph }, isSmall = false) {
  const frame = { x: sheet.left, y: sheet.top, width: sheet.across, height: sheet.down };
  const image = photo === "off" ? null : photograph.prepared(photo, theme, isSmall);
  const own = image && { kind: "image", ...frame, image, source: sourceOf(image, photo, photograph) };
  const { rows, columns } = sheet;
  const pixels = pixelsOver(map, kept, { theme, photo: image ? photo : "off" });
  return [
    own ?? { kind: "rect", ...frame, fill: theme.paper },
    { kind: "raster", ...frame, rows, columns, pixels },
    ...(isSmall ? [] : [{ kind: "rect", ...frame, stroke: theme.hair }]),
  ];
}

/** Outlines: windows, what the threshold leaves, the place that asks (`chosen`), the one under the pointer. */
export function outlineMarks(sheet, { layer, map, kept, share, from, chosen, hovered }, { theme }) {
  const marks = [];
  const line = (colour, width) => (ends) => stroke(sheet, ends, colour, width);
  if (map.groups) {
    const isOne = from.kind === "patch";
    const own = isOne ? map.groups.map((window) => Number(window === map.groups[from.place])) : map.groups;
    const borders = bordersOf(own, layer, isOne ? 0 : -2);
    if (isOne) marks.push(...borders.map(line(theme.paper, 4)));
    marks.push(...borders.map(line(isOne ? theme.ink : theme.soft, isOne ? 1.8 : 1)));
  }
  if (share < 1) {
    const borders = bordersOf(kept, layer);
    marks.push(...borders.map(line(theme.paper, 4.5)), ...borders.map(line(theme.ink, 2)));
  }
  const places = [[from.kind === "same" ? samePlaces(layer, from.place) : [], theme.accent, 2]];
  if (chosen !== null) places.push([[chosen], theme.accent, 3]);
  if (hovered !== null && hovered !== chosen) places.push([[hovered], theme.ink, 2]);
  for (const [cells, colour, width] of places)
    for (const cell of cells) marks.push(...framed(sheet, cell, colour, width, theme.paper));
  return marks;
}

/** The scale of a map: its largest value, which is drawn as full ink. */
export function largestIn({ cells }) {
  return cells.reduce((most, value) => (value > most ? value : most), 0);
}

function samePlaces({ windows }, place) {
  const position = windows.at[place] % windows.positions;
  return Array.from(
    { length: windows.count },
    (_, window) => windows.where[window * windows.positions + position],
  ).filter((cell) => cell >= 0);
}

function pixelsOver(map, kept, { theme, photo }) {
  const pixels = new Uint8ClampedArray(4 * map.cells.length);
  const largest = largestIn(map) || 1;
  const [paper, ink] = [rgbOf(theme.paper), rgbOf(theme.map)];
  map.cells.forEach((value, cell) => {
    const drawn = kept[cell] && value > 0 ? value / largest : 0;
    if (photo === "light") pixels.set([...paper, 255 * SPOT * (1 - drawn)], 4 * cell);
    else if (photo === "ink") pixels.set([...ink, 255 * INK * drawn], 4 * cell);
    else if (drawn > 0) {
      const place = 3 * Math.round(drawn * 255);
      pixels.set([theme.ramp[place], theme.ramp[place + 1], theme.ramp[place + 2], 255], 4 * cell);
    }
  });
  return pixels;
}

/** The address of a picture for an SVG file, made only when somebody takes one. */
function sourceOf(canvas, photo, { address }) {
  return () => (photo === "light" ? address : canvas.toDataURL("image/jpeg", 0.9));
}

function framed({ left, top, rows, columns, across, down }, cell, colour, width, paper) {
  const box = {
    x: left + ((cell % columns) * across) / columns,
    y: top + (Math.floor(cell / columns) * down) / rows,
    width: across / columns,
    height: down / rows,
  };
  return [
    { kind: "rect", ...box, stroke: paper, line: width + 2.5 },
    { kind: "rect", ...box, stroke: colour, line: width },
  ];
}

function stroke({ left, top, rows, columns, across, down }, [fromColumn, fromRow, toColumn, toRow], colour, width) {
  const from = [left + (fromColumn * across) / columns, top + (fromRow * down) / rows];
  const to = [left + (toColumn * across) / columns, top + (toRow * down) / rows];
  return { kind: "curve", points: [...from, ...from, ...to, ...to], stroke: colour, line: width };
}
