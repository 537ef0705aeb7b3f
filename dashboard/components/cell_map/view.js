import { applyTheme, readTheme } from "../attention_view/colour.js";
import { make, setAttributes } from "../attention_view/dom.js";
import { mendHistory } from "../attention_view/history.js";
import { measurer, paint } from "../attention_view/marks.js";
import { csv, download } from "../takeaway/files.js";
import { createRow } from "../takeaway/row.js";
import { mapMarks, pointMarks } from "./drawing.js";
import { cellAt, layoutOf } from "./geometry.js";
import { createLegend } from "./legend.js";
import { endsOf, matrixOf, sentenceOf, asRows, valuesOf } from "./matrix.js";
import { pngOf, svgOf } from "./picture.js";

const PRESENTED = 1.5; // times larger for the projector
const FAR = 10; // rows for Page Up and Page Down
const CELL_ID = "atlas-cell"; // unique within the component's own part of the page

const views = new WeakMap();

/** Streamlit calls this for each new message and each new theme; one view lives as long as its element. */
export default function (component) {
  mendHistory();
  const host = component.parentElement;
  if (!views.has(host)) views.set(host, new CellMap(host));
  const view = views.get(host);
  const turn = view.receive(component);
  return () => {
    if (view.turn !== turn) return; // an older call is cleaned up after a newer one has begun
    view.destroy();
    views.delete(host);
  };
}

class CellMap {
  constructor(host) {
    this.turn = 0;
    this.place = null; // the cell that the pointer or the keyboard is at
    this.build(host);
    this.stop = new AbortController();
    document.fonts.addEventListener("loadingdone", () => this.draw(), { signal: this.stop.signal });
    this.sizes = new ResizeObserver(() => this.root.clientWidth !== this.drawnWidth && this.draw());
    this.sizes.observe(this.root);
  }

  build(host) {
    const point = (event) => this.point(this.under(event));
    this.base = make("canvas", { "aria-hidden": "true" });
    this.over = make("canvas", {
      class: "over",
      "aria-hidden": "true",
      pointermove: point,
      pointerdown: point,
      pointerleave: () => this.point(null),
      click: (event) => this.click(this.under(event)),
    });
    this.cell = make("div", { role: "gridcell", id: CELL_ID });
    this.line = make("div", { role: "row", class: "unseen" }, this.cell);
    this.map = make(
      "div",
      { class: "map", role: "grid", tabindex: 0, keydown: (event) => this.press(event), blur: () => this.point(null) },
      this.base,
      this.over,
      this.line,
    );
    this.map.addEventListener("focus", () => this.map.matches(":focus-visible") && this.point(this.place ?? this.first()));
    this.legend = createLegend();
    this.tell = make("p", { class: "tell" });
    const file = (ending) => `${this.matrix.name}.${ending}`;
    this.row = createRow({
      SVG: () => download(svgOf(this.page()), file("svg")),
      PNG: async () => download(await pngOf(this.page()), file("png")),
      CSV: () => download(csv(asRows(this.matrix)), file("csv")),
    });
    this.root = make("div", { class: "cells" }, this.legend.element, this.map, this.tell, this.row);
    host.append(this.root);
  }

  /** Takes a message in; returns the number of this call. */
  receive(component) {
    const { data } = component;
    this.component = component;
    const values = valuesOf(data);
    if (!values) this.send({}); // the server thought that they were here already
    else this.show(data, values);
    return ++this.turn;
  }

  show(data, values) {
    this.matrix = matrixOf(data, values);
    const { rows, columns } = this.matrix.shape;
    if (this.place && (this.place[0] >= rows || this.place[1] >= columns)) this.place = null;
    this.theme = readTheme(this.root, data.palettes, data.present);
    applyTheme(this.root, this.theme);
    this.root.classList.toggle("present", data.present);
    this.map.classList.toggle("clickable", data.canClick);
    setAttributes(this.map, { "aria-label": data.alt, "aria-rowcount": rows, "aria-colcount": columns });
    this.legend.show(this.matrix, this.theme);
    this.draw();
  }

  /** Draws everything that the matrix and the width of the page decide. */
  draw() {
    if (!this.matrix) return;
    const { matrix, theme } = this;
    const { present, height } = matrix;
    this.drawnWidth = this.root.clientWidth;
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    const zoom = present ? PRESENTED : 1;
    const room = { width: this.drawnWidth, height: height * zoom, zoom, ratio: this.ratio };
    const measure = measurer(theme);
    this.geometry = layoutOf(matrix, room, measure);
    this.marks = mapMarks(matrix, this.geometry, theme, measure);
    for (const canvas of [this.base, this.over]) fit(canvas, this.geometry, this.ratio);
    paint(contextOf(this.base, this.ratio), this.marks, theme);
    this.point(this.place);
  }

  /** Draws what follows the pointer and says the cell's sentence. */
  point(place) {
    if (!this.matrix) return;
    const context = contextOf(this.over, this.ratio);
    context.clearRect(0, 0, this.geometry.width, this.geometry.height);
    if (place) paint(context, pointMarks(this.geometry, place, this.theme), this.theme);
    this.place = place;
    this.tell.classList.toggle("idle", !place);
    this.tell.textContent = place ? sentenceOf(this.matrix, ...place) : this.idle;
    this.describe();
  }

  get idle() {
    if (this.matrix.present) return "";
    return this.matrix.canClick ? "Point at a cell to read it, click to choose it." : "Point at a cell to read it.";
  }

  /** The one cell of the grid that a screen reader can be at. */
  describe() {
    const [row, column] = this.place ?? this.first();
    setAttributes(this.line, { "aria-rowindex": row + 1 });
    setAttributes(this.cell, {
      "aria-colindex": column + 1,
      "aria-selected": String(this.matrix.isMarked(row, column)),
      "aria-label": sentenceOf(this.matrix, row, column),
    });
    setAttributes(this.map, { "aria-activedescendant": this.place ? CELL_ID : null });
  }

  first() {
    return this.matrix.marked[0] ?? [0, 0];
  }

  under(event) {
    const { left, top } = this.over.getBoundingClientRect();
    return cellAt(this.geometry, this.matrix.shape, event.clientX - left, event.clientY - top);
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    const [row, column] = this.place ?? this.first();
    const { rows, columns } = this.matrix.shape;
    const isFar = event.ctrlKey;
    const next = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - FAR, column],
      PageDown: [row + FAR, column],
      Home: [isFar ? 0 : row, 0],
      End: [isFar ? rows - 1 : row, columns - 1],
    }[event.key];
    const isChosen = event.key === "Enter" || event.key === " ";
    if (!next && !isChosen) return;
    event.preventDefault();
    event.stopPropagation();
    if (isChosen) this.click(this.place);
    else this.point([within(next[0], rows), within(next[1], columns)]);
  }

  click(place) {
    if (place && this.matrix.canClick) this.send({ row: place[0], column: place[1] });
  }

  /** Tells the server of a click, and which values are here; equal messages would not be told apart. */
  send(clicked) {
    this.component.setStateValue("clicked", { ...clicked, have: this.matrix?.digest ?? "", at: Date.now() });
  }

  /** What goes into a picture. */
  page() {
    const { marks, geometry, theme } = this;
    return { marks, geometry, theme, alt: this.matrix.alt, ends: endsOf(this.matrix), colours: this.legend.colours() };
  }

  destroy() {
    this.stop.abort();
    this.sizes.disconnect();
    this.root.remove();
  }
}

function fit(canvas, { width, height }, ratio) {
  [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
}

function contextOf(canvas, ratio) {
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

function within(place, count) {
  return Math.min(count - 1, Math.max(0, place));
}
