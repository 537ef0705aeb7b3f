import { applyTheme, readTheme } from "../attention_view/colour.js";
import { make, setAttributes } from "../attention_view/dom.js";
import { mendHistory } from "../attention_view/history.js";
import { paint } from "../attention_view/marks.js";

const FAR = 10; // rows for Page Up and Page Down
const CELL_ID = "atlas-cell"; // unique within the component's own part of the page

const views = new WeakMap();

/** What Streamlit calls for each new message and each new theme; one view lives as long as its element. */
export function mounting(View) {
  return (component) => {
    mendHistory();
    const host = component.parentElement;
    if (!views.has(host)) views.set(host, new View(host));
    const view = views.get(host);
    const turn = view.receive(component);
    return () => {
      if (view.turn !== turn) return; // an older call is cleaned up after a newer one has begun
      view.destroy();
      views.delete(host);
    };
  };
}

/**
 * Cells in rows and columns that can be pointed at, walked through with the keyboard and clicked. What they look like
 * is for the views made from it, which give: `parts()` (elements above and below), `shape`, `layout(measureOf)`,
 * `pointMarks(place)`, `cellUnder(x, y)`, `sentence(row, column)`, `isMarked(row, column)`, `first()`, `idle`.
 */
export class GridView {
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
    this.tell = make("p", { class: "tell" });
    const { above, below } = this.parts();
    this.root = make("div", { class: "cells" }, ...above, this.map, this.tell, ...below);
    host.append(this.root);
  }

  /** Colours, size of the grid and what it is called; then everything is drawn. */
  begin(data) {
    this.theme = readTheme(this.root, data.palettes, data.present);
    applyTheme(this.root, this.theme);
    this.root.classList.toggle("present", data.present);
    this.map.classList.toggle("clickable", data.canClick);
    const { rows, columns } = this.shape;
    if (this.place && (this.place[0] >= rows || this.place[1] >= columns)) this.place = null;
    setAttributes(this.map, { "aria-label": data.alt, "aria-rowcount": rows, "aria-colcount": columns });
  }

  /** Draws everything that the content and the width of the page decide. */
  draw() {
    if (!this.theme) return;
    this.drawnWidth = this.root.clientWidth;
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    this.layout();
    for (const canvas of [this.base, this.over]) fit(canvas, this.geometry, this.ratio);
    paint(contextOf(this.base, this.ratio), this.marks, this.theme);
    this.point(this.place);
  }

  /** Draws what follows the pointer and says the cell's sentence. */
  point(place) {
    if (!this.geometry) return;
    const context = contextOf(this.over, this.ratio);
    context.clearRect(0, 0, this.geometry.width, this.geometry.height);
    if (place) paint(context, this.pointMarks(place), this.theme);
    this.place = place;
    this.tell.classList.toggle("idle", !place);
    this.tell.textContent = place ? this.sentence(...place) : this.idle;
    this.describe();
  }

  /** The one cell of the grid that a screen reader can be at. */
  describe() {
    const [row, column] = this.place ?? this.first();
    setAttributes(this.line, { "aria-rowindex": row + 1 });
    setAttributes(this.cell, {
      "aria-colindex": column + 1,
      "aria-selected": String(this.isMarked(row, column)),
      "aria-label": this.sentence(row, column),
    });
    setAttributes(this.map, { "aria-activedescendant": this.place ? CELL_ID : null });
  }

  under(event) {
    const { left, top } = this.over.getBoundingClientRect();
    return this.geometry ? this.cellUnder(event.clientX - left, event.clientY - top) : null;
  }

  press(event) {
    if (event.altKey || event.metaKey) return;
    const [row, column] = this.place ?? this.first();
    const { rows, columns } = this.shape;
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
    if (place && this.canClick) this.send({ row: place[0], column: place[1] });
  }

  /** Tells the server of a click, and what is here; equal messages would not be told apart. */
  send(clicked) {
    this.component.setStateValue("clicked", { ...clicked, have: this.digest ?? "", at: Date.now() });
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
