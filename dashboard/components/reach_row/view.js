import { bytesOf, decode } from "../attention_view/codec.js";
import { applyTheme, readTheme } from "../attention_view/colour.js";
import { make, setAttributes } from "../attention_view/dom.js";
import { mendHistory } from "../attention_view/history.js";
import { paint } from "../attention_view/marks.js";
import { vector } from "../attention_view/vector.js";
import { significant } from "../step_view/numbers.js";
import { csv, download } from "../takeaway/files.js";
import { createRow } from "../takeaway/row.js";
import { frame, stripMarks } from "./drawing.js";
import { cellAt, layoutOf } from "./geometry.js";

const PRESENTED = 1.5; // times larger letters for the projector
const MARGIN = 16;
const KEPT = 4; // decoded photographs
const views = new WeakMap();

/** Streamlit calls this for each new message and each new theme; one view lives as long as its element. */
export default function (component) {
  mendHistory();
  const host = component.parentElement;
  if (!views.has(host)) views.set(host, new ReachRow(host));
  const view = views.get(host);
  const turn = view.receive(component);
  return () => {
    if (view.turn !== turn) return; // an older call is cleaned up after a newer one has begun
    view.destroy();
    views.delete(host);
  };
}

class ReachRow {
  constructor(host) {
    this.turn = 0;
    this.photos = new Map();
    this.place = null; // what the pointer or the keyboard is at: { number, row, column }
    this.build(host);
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
      click: (event) => this.choose(this.under(event)),
    });
    this.map = make("div", { class: "map", role: "application", tabindex: 0 }, this.base, this.over);
    this.map.addEventListener("keydown", (event) => this.press(event));
    this.map.addEventListener("blur", () => this.point(null));
    this.legend = make("p", { class: "legend" });
    this.tell = make("p", { class: "tell", role: "status" });
    const file = (ending) => `${this.data.name}.${ending}`;
    this.row = createRow({
      SVG: () => download(this.svg(), file("svg")),
      PNG: async () => download(await this.png(), file("png")),
      CSV: () => download(csv(asRows(this.data)), file("csv")),
    });
    this.root = make("div", { class: "reach" }, this.legend, this.map, this.tell, this.row);
    host.append(this.root);
  }

  /** Takes a message in; returns the number of this call. */
  receive(component) {
    const { data } = component;
    this.component = component;
    const values = ({ shares }) => decode(bytesOf(shares), "half");
    this.data = {
      ...data,
      strips: data.strips.map((strip) => ({
        ...strip,
        image: this.imageOf(strip.picture),
        tiles: strip.tiles.map((tile) => ({ ...tile, values: values(tile) })),
      })),
    };
    this.theme = readTheme(this.root, data.palettes, data.present);
    applyTheme(this.root, this.theme);
    this.root.classList.toggle("present", data.present);
    setAttributes(this.map, { "aria-label": data.alt });
    this.explain();
    this.draw();
    return ++this.turn;
  }

  /** The photograph of a strip; drawn once it is decoded. */
  imageOf(source) {
    if (!this.photos.has(source)) {
      const photo = new Image();
      photo.addEventListener("load", () => this.draw());
      photo.src = source;
      this.photos.set(source, photo);
      if (this.photos.size > KEPT) this.photos.delete(this.photos.keys().next().value);
    }
    return this.photos.get(source);
  }

  explain() {
    const least = `${significant(100 * this.data.faintest)}%`;
    this.legend.replaceChildren(
      make("span", {}, `${least} or less`, make("i", { class: "scale", "aria-hidden": "true" }), "100%: the photograph, clear"),
      make("span", {}, make("i", { class: "key", "aria-hidden": "true" }), "the chosen patch"),
    );
  }

  draw() {
    if (!this.data) return;
    this.drawnWidth = this.root.clientWidth;
    this.ratio = Math.min(3, window.devicePixelRatio || 1);
    this.geometry = layoutOf(this.data, { width: this.drawnWidth, zoom: this.data.present ? PRESENTED : 1 });
    this.marks = stripMarks(this.geometry, this.data, this.theme);
    for (const canvas of [this.base, this.over]) fit(canvas, this.geometry, this.ratio);
    paint(contextOf(this.base, this.ratio), this.marks, this.theme);
    this.point(this.place);
  }

  /** Outlines the patch under the pointer in every tile of its strip, and says its sentence. */
  point(place) {
    if (!this.data) return;
    const { tiles, width, height } = this.geometry;
    if (place && !within(tiles[place.number]?.tile, place)) place = null;
    this.place = place;
    const context = contextOf(this.over, this.ratio);
    context.clearRect(0, 0, width, height);
    this.tell.classList.toggle("idle", !place);
    if (!place) {
      this.tell.textContent = this.data.present ? "" : "Point at a patch to read it, click to choose it. With the keyboard: arrow keys, Enter.";
      return;
    }
    const { tile } = tiles[place.number];
    paint(context, frame(tiles[place.number], [place.row, place.column], [tile.rows, tile.columns], this.theme.ink, this.theme), this.theme);
    this.tell.textContent = this.sentence(tiles[place.number], place);
  }

  sentence({ strip, tile }, { row, column }) {
    const value = tile.values[row * tile.columns + column];
    const words = { title: strip.title, label: tile.label, row, column, value: `${significant(100 * value)}%` };
    return (value < 0 ? this.data.never : this.data.tell).replace(/\{(\w+)\}/g, (whole, name) => words[name] ?? whole);
  }

  under(event) {
    const { left, top } = this.over.getBoundingClientRect();
    return cellAt(this.geometry, event.clientX - left, event.clientY - top);
  }

  press(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const { tiles } = this.geometry;
    const [first] = tiles;
    const { number, row, column } = this.place ?? { number: 0, row: first.strip.chosen[0], column: first.strip.chosen[1] };
    const step = {
      ArrowUp: { row: row - 1 },
      ArrowDown: { row: row + 1 },
      ArrowLeft: { column: column - 1 },
      ArrowRight: { column: column + 1 },
      PageDown: { number: number + 1 },
      PageUp: { number: number - 1 },
    }[event.key];
    const isChosen = event.key === "Enter" || event.key === " ";
    if (!step && !isChosen) return;
    event.preventDefault();
    event.stopPropagation();
    if (isChosen) this.choose(this.place);
    else if (within(tiles[step.number ?? number]?.tile, { row, column, ...step })) this.point({ number, row, column, ...step });
  }

  /** Tells the server which part of the picture was chosen; equal messages would not be told apart. */
  choose(place) {
    if (!place) return;
    const { rows, columns } = this.geometry.tiles[place.number].tile;
    const [down, across] = [(place.row + 0.5) / rows, (place.column + 0.5) / columns];
    this.component.setStateValue("clicked", { down, across, at: Date.now() });
  }

  /** The figure with a margin, for files. */
  page() {
    const marks = this.marks.map((mark) => ({ ...mark, x: mark.x + MARGIN, y: mark.y + MARGIN }));
    return { marks, width: this.geometry.width + 2 * MARGIN, height: this.geometry.height + 2 * MARGIN };
  }

  svg() {
    const { marks, ...size } = this.page();
    return new Blob([vector(marks, { ...size, title: this.data.alt, theme: this.theme })], { type: "image/svg+xml" });
  }

  png() {
    const { marks, width, height } = this.page();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * width, 2 * height];
    const context = contextOf(canvas, 2);
    context.fillStyle = this.theme.paper;
    context.fillRect(0, 0, width, height);
    paint(context, marks, this.theme);
    return new Promise((done) => canvas.toBlob(done, "image/png"));
  }

  destroy() {
    this.sizes.disconnect();
    this.root.remove();
  }
}

function within(tile, { row, column }) {
  return Boolean(tile) && row >= 0 && column >= 0 && row < tile.rows && column < tile.columns;
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

/** One line for each patch of each tile; a patch that cannot have been reached has no share. */
function asRows({ strips }) {
  const lines = strips.flatMap(({ title, tiles }) =>
    tiles.flatMap(({ label, columns, values }) =>
      Array.from(values, (value, cell) => [
        title,
        label,
        Math.floor(cell / columns),
        cell % columns,
        value < 0 ? "" : Number(value.toPrecision(6)),
      ]),
    ),
  );
  return [["model", "after", "row", "column", "share"], ...lines];
}
