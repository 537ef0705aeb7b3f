import { cellAt } from "./cells.js";
import { make, setAttributes } from "./dom.js";
import { ARROWS, isChoice, take, within } from "./keyboard.js";
import { paintOn } from "./marks.js";
import { sentenceOf } from "./matrix.js";
import { Held, View } from "./mounting.js";

const FAR = 10; // rows for Page Up and Page Down
const CELL_ID = "atlas-cell"; // unique within the component's own part of the page

/**
 * A drawing that can be pointed at, reached with the keyboard and clicked, and a sentence below it for what is pointed
 * at. What it shows is for the views made from it, which give: `kind` (the class of the whole), `frame` (attributes
 * of the drawing), `parts()` (elements above and below it), `layout()` (sets `geometry` and `marks`),
 * `pointMarks(place)`, `placeUnder(x, y)`, `sentence(place)`, `first()`, `idle`, `press(event)` and `click(place)`.
 */
export class PointedView extends View {
  place = null; // what the pointer or the keyboard is at

  build() {
    const point = (event) => this.point(this.under(event));
    const quiet = { "aria-hidden": "true" };
    this.base = make("canvas", quiet);
    const pointer = { pointermove: point, pointerdown: point, pointerleave: () => this.point(null) };
    this.over = make("canvas", {
      class: "over",
      ...quiet,
      ...pointer,
      click: (event) => this.click(this.under(event)),
    });
    const focus = () => this.map.matches(":focus-visible") && this.point(this.place ?? this.first());
    const keys = { keydown: (event) => this.press(event), blur: () => this.point(null), focus };
    this.map = make("div", { class: "map", tabindex: 0, ...this.frame, ...keys }, this.base, this.over);
    this.tell = make("p", { class: "tell" });
    const { above, below } = this.parts();
    return make("div", { class: `view pointed ${this.kind}` }, ...above, this.map, this.tell, ...below);
  }

  /** Draws everything that the content and the width of the page decide. */
  draw() {
    if (!this.isReady) return;
    this.drawnWidth = this.root.clientWidth;
    this.layout();
    paintOn(this.base, this.marks, this.theme, this.geometry);
    this.point(this.place);
  }

  /** The height in pixels of all but the drawing: what stands above it and the sentence below it. */
  get around() {
    return this.root.offsetHeight - this.map.offsetHeight;
  }

  /** Whether there is something to draw. */
  get isReady() {
    return true;
  }

  /** Draws what follows the pointer and says the sentence of its place. */
  point(place) {
    if (!this.geometry) return;
    this.place = place;
    paintOn(this.over, place ? this.pointMarks(place) : [], this.theme, this.geometry);
    this.tell.classList.toggle("idle", !place);
    this.tell.textContent = place ? this.sentence(place) : this.present ? "" : this.idle;
  }

  under(event) {
    const { left, top } = this.over.getBoundingClientRect();
    return this.geometry ? this.placeUnder(event.clientX - left, event.clientY - top) : null;
  }
}

/**
 * Cells in rows and columns; a place is [row, column]. Views made from it keep a `matrix` (matrix.js) and a `geometry`
 * (cells.js), and draw `layout()` and `pointMarks(place)`.
 */
export class GridView extends PointedView {
  held = new Held();

  build() {
    this.cell = make("div", { role: "gridcell", id: CELL_ID });
    this.line = make("div", { role: "row", class: "unseen" }, this.cell);
    const root = super.build();
    this.map.append(this.line);
    return root;
  }

  get kind() {
    return "cells";
  }

  get frame() {
    return { role: "grid" };
  }

  get isReady() {
    return Boolean(this.matrix);
  }

  /** A matrix in place of the one before. */
  open(matrix) {
    this.matrix = matrix;
    const { rows, columns } = matrix.shape;
    this.map.classList.toggle("clickable", matrix.canClick);
    if (this.place && (this.place[0] >= rows || this.place[1] >= columns)) this.place = null;
    setAttributes(this.map, { "aria-label": matrix.alt, "aria-rowcount": rows, "aria-colcount": columns });
  }

  point(place) {
    super.point(place);
    if (this.geometry) this.describe();
  }

  /** The one cell of the grid that a screen reader can be at. */
  describe() {
    const [row, column] = this.place ?? this.first();
    setAttributes(this.line, { "aria-rowindex": row + 1 });
    setAttributes(this.cell, {
      "aria-colindex": column + 1,
      "aria-selected": String(this.matrix.isMarked(row, column)),
      "aria-label": this.sentence([row, column]),
    });
    setAttributes(this.map, { "aria-activedescendant": this.place ? CELL_ID : null });
  }

  placeUnder(x, y) {
    return cellAt(this.geometry, x, y);
  }

  sentence(place) {
    return sentenceOf(this.matrix, ...place);
  }

  first() {
    return this.matrix.marked[0] ?? [0, 0];
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    const [row, column] = this.place ?? this.first();
    const { rows, columns } = this.matrix.shape;
    const isFar = event.ctrlKey;
    const steps = { ...ARROWS, PageUp: [-FAR, 0], PageDown: [FAR, 0] };
    steps.Home = [isFar ? -rows : 0, -columns];
    steps.End = [isFar ? rows : 0, columns];
    const step = steps[event.key];
    if (!step && !isChoice(event)) return;
    take(event);
    if (isChoice(event)) this.click(this.place);
    else this.point([within(row + step[0], rows), within(column + step[1], columns)]);
  }

  click(place) {
    if (place && this.matrix.canClick) this.send({ row: place[0], column: place[1] });
  }

  /** Tells the server of a click, and what is held here; equal messages would not be told apart. */
  send(clicked) {
    this.component.setStateValue("clicked", { ...clicked, have: this.held.digest, at: Date.now() });
  }
}
