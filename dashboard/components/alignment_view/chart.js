import { boxAt, rowAndColumn } from "../../../core/view/browser/kit/cells.js";
import { inkOn, shade } from "../../../core/view/browser/kit/colour.js";
import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { columnText, layoutOf, mapMarks, rowText } from "../../../core/view/browser/kit/grid.js";
import { ARROWS, isChoice, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { shortened } from "../../../core/view/browser/kit/labels.js";
import { lineMark, measurer, paintOn, pixelRatio } from "../../../core/view/browser/kit/marks.js";
import { written } from "./alignment.js";

const SMALLEST = 6; // pixels of a cell: larger maps are scrolled
const HIGHEST = 460; // pixels that the cells may take before they are scrolled
const NARROW = 420; // pixels of a panel below which letters are smaller
const PRESENTED = 1.45; // times larger for the projector
const LIT_FROM = 0.05; // strengths below leave a label as it is
const CELL_ID = "atlas-alignment-cell";

let charts = 0;

/**
 * One map as a picture that can be pointed at: `point({ row, column })`, either of them null beside the cells, or
 * null when the pointer leaves; `choose` likewise for a click and for Enter.
 */
export function createChart({ point, choose }) {
  const id = `${CELL_ID}-${++charts}`;
  const base = make("canvas", { "aria-hidden": "true" });
  const over = make("canvas", { class: "over", "aria-hidden": "true" });
  const cell = make("div", { role: "gridcell", id });
  const line = make("div", { role: "row", class: "unseen" }, cell);
  const sheet = make("div", { class: "sheet" }, base, over);
  const element = make("div", { class: "chart", role: "grid", tabindex: 0 }, sheet, line);
  let now = null; // { panel, map, scene, theme, geometry, marks }
  let at = [0, 0];

  setAttributes(over, {
    pointermove: (event) => point(under(event)),
    pointerdown: (event) => point(under(event)),
    pointerleave: () => point(null),
    click: (event) => {
      const place = under(event);
      if (!place) return;
      event.stopPropagation();
      choose(place);
    },
  });
  const focus = () => element.matches(":focus-visible") && walk(0, 0);
  setAttributes(element, { focus, blur: () => point(null), keydown: press });

  function under(event) {
    const { left, top } = over.getBoundingClientRect();
    return placeAt(now.geometry, event.clientX - left, event.clientY - top);
  }

  function press(event) {
    if (isShortcut(event) || !(isChoice(event) || event.key in ARROWS)) return;
    take(event);
    if (isChoice(event)) choose({ row: at[0], column: at[1] });
    else walk(...ARROWS[event.key]);
  }

  function walk(down, right) {
    const { rows, columns } = now.map.shape;
    at = [within(at[0] + down, rows), within(at[1] + right, columns)];
    reveal();
    point({ row: at[0], column: at[1] });
  }

  function reveal() {
    const { left, top, cell: size } = now.geometry;
    const [x, y] = [left + at[1] * size.width, top + at[0] * size.height];
    if (x < element.scrollLeft + left || x > element.scrollLeft + element.clientWidth - size.width)
      element.scrollLeft = x - left;
    if (y < element.scrollTop || y > element.scrollTop + element.clientHeight - size.height)
      element.scrollTop = y - top;
  }

  /** `room`: pixels of height on a projector, else null. */
  function show(shown, width, room) {
    const measure = measurer(shown.theme);
    const matrix = matrixOf(shown, width < NARROW);
    const geometry = layoutOf(matrix, roomFor(matrix, width, room), measure);
    now = {
      ...shown,
      geometry,
      marks: [...mapMarks(matrix, geometry, shown.theme, measure), ...strikes(shown, geometry)],
    };
    paintOn(base, now.marks, now.theme, geometry);
    const { rows, columns } = now.map.shape;
    if (at[0] >= rows || at[1] >= columns) at = [0, 0];
    const label = `${now.panel.title}, ${now.map.name}: rows are the words written, columns those of the source`;
    setAttributes(element, { "aria-label": label, "aria-rowcount": rows, "aria-colcount": columns });
    describe();
  }

  /** Lights rows and columns; null puts the light out. */
  function light(columns, lights) {
    now.lit = lights ? lightMarks(now, columns, lights) : [];
    paintOn(over, now.lit, now.theme, now.geometry);
    if (lights && lights.row !== null) at = [lights.row, lights.column ?? at[1]];
    describe();
  }

  function describe() {
    const [row, column] = at;
    const weight = now.map.at(row, column);
    setAttributes(line, { "aria-rowindex": row + 1 });
    setAttributes(cell, {
      "aria-colindex": column + 1,
      "aria-label": `${now.panel.tell(row)} ${now.panel.verb} ${now.scene.tell(column)}: ${written(weight)}`,
    });
    setAttributes(element, { "aria-activedescendant": id });
  }

  return { element, show, light, drawn: () => ({ marks: [...now.marks, ...(now.lit ?? [])], geometry: now.geometry }) };
}

/** The width that a cell would have in a panel so wide: what decides whether panels have room side by side. */
export function cellWidthIn(width, sources) {
  return (width - Math.min(110, width / 3)) / sources;
}

function matrixOf({ panel, map, scene, links }, isNarrow) {
  const { values, shape } = map;
  const label = (text) => (isNarrow ? shortened(text, 12) : text);
  return {
    values,
    shape: { ...shape, isFree: true },
    columns: scene.source,
    limits: [0, 1],
    strength: (value) => Math.min(1, Math.max(0, value)),
    marked: (links ?? []).filter(([row, column]) => row < shape.rows && column < shape.columns),
    rowLabel: (row) => label(panel.tell(row)),
    columnLabel: (column) => label(scene.tell(column)),
    x: "",
    y: "",
  };
}

function roomFor({ shape: { rows, columns } }, width, room) {
  const zoom = (room ? PRESENTED : 1) * (width < NARROW ? 0.88 : 1);
  const least = SMALLEST * columns + Math.min(120, width / 3) + 20;
  const height = Math.max(room ?? HIGHEST, SMALLEST * rows);
  return { width: Math.max(width, least), height, zoom, ratio: pixelRatio(), fills: room !== null };
}

/** The links that were cut, struck through. */
function strikes({ cut, map, theme }, geometry) {
  const there = cut.filter(([row, column]) => row < map.shape.rows && column < map.shape.columns);
  return there.flatMap((place) => {
    const { x, y, width, height } = boxAt(geometry, place);
    const [left, right, top, bottom] = [x + 2, x + width - 2, y + 2, y + height - 2];
    return [
      { kind: "rect", ...boxAt(geometry, place, [1, 1], -1), stroke: theme.accent },
      lineMark([left, bottom], [right, top], theme.accent, 2),
      lineMark([left, top], [right, bottom], theme.accent, 2),
    ];
  });
}

/** The row and the column in view are framed, the rest fades; labels are backed by how strongly they are meant. */
function lightMarks({ geometry, map, theme }, columns, { rows, row, column }) {
  const { cell, size, isTurned } = geometry;
  const { shape } = map;
  const framed = (place, count) => ({ kind: "rect", ...boxAt(geometry, place, count), stroke: theme.ink, line: 1.5 });
  const faded = (place, count) => ({ kind: "rect", ...boxAt(geometry, place, count), fill: theme.paper, alpha: 0.6 });
  const marks = [];
  if (row !== null) {
    marks.push(faded([0, 0], [row, shape.columns]), faded([row + 1, 0], [shape.rows - row - 1, shape.columns]));
    marks.push(framed([row, 0], [1, shape.columns]));
  } else if (column !== null) {
    const beyond = [shape.rows, shape.columns - column - 1];
    marks.push(faded([0, 0], [shape.rows, column]), faded([0, column + 1], beyond));
  }
  if (column !== null) marks.push(row === null ? framed([0, column], [shape.rows, 1]) : framed([row, column], [1, 1]));
  const across = { step: cell.width, size: isTurned ? size : 3 * size };
  return [
    ...marks,
    ...labelled(columns, column, row === null, across, (place) => columnText(geometry, place, theme.ink), theme),
    ...labelled(rows, row, true, { step: cell.height, size }, (place) => rowText(geometry, place, theme.ink), theme),
  ];
}

/** The labels that are lit, the strongest first: one that would lie on another stays as it is. */
function labelled(strengths, here, isFramed, { step, size }, text, theme) {
  const apart = (size * 1.15) / step;
  const taken = [];
  const order = Array.from(strengths.keys()).filter((place) => place === here || strengths[place] >= LIT_FROM);
  order.sort((one, other) => (other === here) - (one === here) || strengths[other] - strengths[one]);
  return order.flatMap((place) => {
    if (taken.some((other) => Math.abs(other - place) < apart)) return [];
    taken.push(place);
    if (place === here && isFramed) return [{ ...text(place), weight: 600, backed: theme.paper }];
    const strength = strengths[place];
    return [{ ...text(place), colour: inkOn(theme, strength), backed: shade(theme, strength) }];
  });
}

/** The cell at a point; beside the cells the row or the column alone, by its label. */
function placeAt(geometry, x, y) {
  const [row, column] = rowAndColumn(geometry, x, y);
  const { rows, columns } = geometry;
  if (row >= 0 && row < rows && column < columns) return { row, column: column < 0 ? null : column };
  return row >= rows && column >= 0 && column < columns ? { row: null, column } : null;
}
