import { clearedContext, fitCanvas, pixelRatio } from "../attention_view/canvas.js";
import { inkOn, shade } from "../attention_view/colour.js";
import { make, setAttributes } from "../attention_view/dom.js";
import { shortened } from "../attention_view/labels.js";
import { measurer, paint } from "../attention_view/marks.js";
import { columnText, mapMarks, rowText } from "../cell_map/drawing.js";
import { layoutOf } from "../cell_map/geometry.js";
import { told } from "./telling.js";

const SMALLEST = 6; // pixels of a cell: larger maps are scrolled
const HIGHEST = 460; // pixels that the cells may take before they are scrolled
const NARROW = 420; // pixels of a panel below which letters are smaller
const PRESENTED = 1.45; // times larger for the projector
const LIT_FROM = 0.05; // strengths below leave a label as it is
const CELL_ID = "atlas-alignment-cell";
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

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

  over.addEventListener("pointermove", (event) => point(under(event)));
  over.addEventListener("pointerdown", (event) => point(under(event)));
  over.addEventListener("pointerleave", () => point(null));
  over.addEventListener("click", (event) => {
    const place = under(event);
    if (!place) return;
    event.stopPropagation();
    choose(place);
  });
  element.addEventListener("focus", () => element.matches(":focus-visible") && walk(0, 0));
  element.addEventListener("blur", () => point(null));
  element.addEventListener("keydown", press);

  function under(event) {
    const { left, top } = over.getBoundingClientRect();
    return placeAt(now.geometry, now.map.shape, event.clientX - left, event.clientY - top);
  }

  function press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isChosen = event.key === "Enter" || event.key === " ";
    if (!isChosen && !(event.key in MOVES)) return;
    event.preventDefault();
    event.stopPropagation();
    if (isChosen) choose({ row: at[0], column: at[1] });
    else walk(...MOVES[event.key]);
  }

  function walk(down, right) {
    const { rows, columns } = now.map.shape;
    at = [Math.min(rows - 1, Math.max(0, at[0] + down)), Math.min(columns - 1, Math.max(0, at[1] + right))];
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

  function show(shown, width, present) {
    const measure = measurer(shown.theme);
    const matrix = matrixOf(shown, width < NARROW);
    const geometry = layoutOf(matrix, roomFor(matrix, width, present), measure);
    now = {
      ...shown,
      geometry,
      marks: [...mapMarks(matrix, geometry, shown.theme, measure), ...strikes(shown, geometry)],
    };
    for (const canvas of [base, over]) fitCanvas(canvas, geometry, pixelRatio());
    paint(clearedContext(base, pixelRatio()), now.marks, now.theme);
    const { rows, columns } = now.map.shape;
    if (at[0] >= rows || at[1] >= columns) at = [0, 0];
    const label = `${now.panel.title}, ${now.map.name}: rows are the words written, columns those of the source`;
    setAttributes(element, { "aria-label": label, "aria-rowcount": rows, "aria-colcount": columns });
    describe();
  }

  /** Lights rows and columns; null puts the light out. */
  function light(columns, lights) {
    now.lit = lights ? lightMarks(now, columns, lights) : [];
    paint(clearedContext(over, pixelRatio()), now.lit, now.theme);
    if (lights && lights.row !== null) at = [lights.row, lights.column ?? at[1]];
    describe();
  }

  function describe() {
    const [row, column] = at;
    const weight = now.map.at(row, column);
    const value = Number.isNaN(weight) ? "not allowed" : told(weight);
    setAttributes(line, { "aria-rowindex": row + 1 });
    setAttributes(cell, {
      "aria-colindex": column + 1,
      "aria-label": `${now.panel.tell(row)} ${now.panel.verb} ${now.scene.tell(column)}: ${value}`,
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

function roomFor({ shape: { rows, columns } }, width, present) {
  const zoom = (present ? PRESENTED : 1) * (width < NARROW ? 0.88 : 1);
  const least = SMALLEST * columns + Math.min(120, width / 3) + 20;
  const height = Math.max(HIGHEST * (present ? PRESENTED : 1), SMALLEST * rows);
  return { width: Math.max(width, least), height, zoom, ratio: pixelRatio() };
}

/** The links that were cut, struck through. */
function strikes({ cut, map, theme }, { left, top, cell }) {
  const within = cut.filter(([row, column]) => row < map.shape.rows && column < map.shape.columns);
  return within.flatMap(([row, column]) => {
    const [x, y, width, height] = [left + column * cell.width, top + row * cell.height, cell.width, cell.height];
    const stroke = (x1, y1, x2, y2) => ({
      kind: "curve",
      points: [x1, y1, x1, y1, x2, y2, x2, y2],
      stroke: theme.accent,
      line: 2,
    });
    return [
      { kind: "rect", x: x + 1, y: y + 1, width: width - 2, height: height - 2, stroke: theme.accent },
      stroke(x + 2, y + height - 2, x + width - 2, y + 2),
      stroke(x + 2, y + 2, x + width - 2, y + height - 2),
    ];
  });
}

/** The row and the column in view are framed, the rest fades; labels are backed by how strongly they are meant. */
function lightMarks({ geometry, map, theme }, columns, { rows, row, column }) {
  const { left, top, cell, size, isTurned } = geometry;
  const { shape } = map;
  const frame = (from, down, width, height) => ({
    kind: "rect",
    x: left + from * cell.width,
    y: top + down * cell.height,
    width: width * cell.width,
    height: height * cell.height,
  });
  const marks =
    row === null ? fadedBesideColumn(frame, shape, column, theme) : fadedBesideRow(frame, shape, row, theme);
  const ink = { stroke: theme.ink, line: 1.5 };
  const across = { step: cell.width, size: isTurned ? size : 3 * size };
  if (row !== null) marks.push({ ...frame(0, row, shape.columns, 1), ...ink });
  if (column !== null)
    marks.push({ ...(row === null ? frame(column, 0, 1, shape.rows) : frame(column, row, 1, 1)), ...ink });
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

function fadedBesideRow(frame, { rows, columns }, row, theme) {
  const faded = { fill: theme.paper, alpha: 0.6 };
  return [
    { ...frame(0, 0, columns, row), ...faded },
    { ...frame(0, row + 1, columns, rows - row - 1), ...faded },
  ];
}

function fadedBesideColumn(frame, { rows, columns }, column, theme) {
  if (column === null) return [];
  const faded = { fill: theme.paper, alpha: 0.6 };
  return [
    { ...frame(0, 0, column, rows), ...faded },
    { ...frame(column + 1, 0, columns - column - 1, rows), ...faded },
  ];
}

function placeAt({ left, top, cell }, { rows, columns }, x, y) {
  const [row, column] = [Math.floor((y - top) / cell.height), Math.floor((x - left) / cell.width)];
  const isRow = row >= 0 && row < rows;
  if (isRow && column < columns) return { row, column: column < 0 ? null : column };
  return row >= rows && column >= 0 && column < columns ? { row: null, column } : null;
}
