import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { lineMark, paint, pixelRatio, rasterCanvas } from "../../../core/view/browser/kit/marks.js";
import { axisLabels, axisMarks } from "./axes.js";
import { CellPainter, SETTLED } from "./drawing.js";
import { blockAt, pointedTokens, pointOf, tokenRange } from "./geometry.js";
import { createMinimap } from "./minimap.js";
import { halfValue, littlePixels } from "./painting.js";
import { counted, quotedToken, sentenceOfBlock } from "./sentences.js";
import { MapStage } from "./stage.js";
import { TileStore } from "./tiles.js";

const HURRY = 80; // milliseconds between two looks at which tiles are wanted
const GUTTERS = { left: 112, below: 74, top: 6, right: 8 };
const NARROW = { left: 82, below: 66, top: 4, right: 2 };
const PHONE = 520; // pixels of the map's width below which its gutters are narrow
const LETTERS = 12; // pixels of the letters on the axes
const SMALLEST = 5; // pixels of the frame around a cell

/**
 * The map of the open head with its axes, its minimap, and the sentence below. `moved(by)` is called when the view has
 * changed, `chosen(query)` with the token of a row that is clicked, `drawn()` after each picture.
 */
export class MapFigure {
  text = { labels: [], levels: [[], [], []] };
  state = null; // of the reading
  overview = null;
  chosen = null; // the token of a word that is chosen
  pointer = null; // the point of the room at which the readout is
  pinned = null; // the query and the key that it is about while there is no pointer
  latest = 0; // when the view moved last

  constructor({ moved, chosen, drawn, idle }) {
    Object.assign(this, { drawn, idle });
    const hear = (by) => {
      this.latest = performance.now();
      moved(by);
      this.soon();
    };
    this.stage = new MapStage({
      changed: hear,
      pointed: (place, by) => this.point(place, by),
      clicked: (place) => this.depth === 0 && this.tokensAt(place) && chosen(this.tokensAt(place).query),
      label: "Map of attention: arrow keys move it, plus and minus zoom, Home shows all of it",
    });
    this.tiles = new TileStore({ arrived: () => this.soon(), failing: (error) => this.say(error.message) });
    this.painter = new CellPainter(this.tiles);
    this.minimap = createMinimap({ go: (query, key) => this.stage.set({ ...this.stage.view, query, key }, "hand") });
    this.status = make("p", { class: "status", role: "status" });
    const corner = make("div", { class: "corner" }, this.minimap.element, this.status);
    this.element = make("div", { class: "map-frame" }, this.stage.element, corner);
    this.tell = make("p", { class: "tell" });
  }

  /** Forgets the text and its map. */
  clear() {
    this.tiles.clear();
    this.painter.reset();
    Object.assign(this, { state: null, overview: null, chosen: null, pinned: null, depth: null });
    this.text = { labels: [], levels: [[], [], []] };
    this.stage.view = null;
    this.stage.canvas.width = 0; // which takes its picture away
    this.tell.textContent = "";
  }

  /** Another head: its address for tiles and its thumbnail. */
  open(root, thumbnail) {
    this.tiles.open(root);
    this.painter.reset();
    this.painter.thumbnail = thumbnail;
    this.overview = null;
    this.pinned = null;
    this.soon();
  }

  /** The size of the figure, and the room for the map in it, which is no higher than wide; `zoom`: of letters and gutters. */
  layOut(width, highest, tokens, zoom) {
    const sizes = Object.entries(width < PHONE ? NARROW : GUTTERS).map(([name, size]) => [name, size * zoom]);
    const gutters = Object.fromEntries(sizes);
    const height = Math.min(highest, width - gutters.left - gutters.right + gutters.top + gutters.below);
    const inner = { width: width - gutters.left - gutters.right, height: height - gutters.top - gutters.below };
    const plot = { ...inner, left: gutters.left, top: gutters.top, below: gutters.below, letters: LETTERS * zoom };
    this.size = { width, height };
    this.stage.fit(tokens, plot);
    const { style } = this.element;
    style.setProperty("--plot-top", `${plot.top}px`);
    style.setProperty("--plot-right", `${gutters.right}px`);
  }

  soon() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  end() {
    cancelAnimationFrame(this.frame);
    this.stage.stop();
    clearTimeout(this.settling);
    clearTimeout(this.wanting);
    this.tiles.clear();
  }

  get isReady() {
    return Boolean(this.state && this.size && this.stage.view && this.theme);
  }

  draw() {
    if (!this.isReady) return;
    const { canvas } = this.stage;
    const ratio = pixelRatio();
    const [wide, high] = [this.size.width, this.size.height].map((pixels) => Math.round(pixels * ratio));
    if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${this.size.width}px`, height: `${this.size.height}px` });
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.size.width, this.size.height);
    const isMoving = performance.now() - this.latest < SETTLED;
    const { missing } = this.paintCells(context, ratio, isMoving);
    paint(context, [...this.axes(), ...this.overlay()], this.theme);
    this.want(missing);
    clearTimeout(this.settling);
    if (isMoving) this.settling = setTimeout(() => this.soon(), SETTLED);
    this.minimap.show(this.stage.view, this.stage.room, this.state.tokens, this.stage.isWhole);
    this.read();
    this.drawn();
  }

  paintCells(context, ratio, isMoving) {
    const { stage, state, overview } = this;
    const canCompute = (depth) => overview !== null && (depth < overview.first || overview.ready);
    const scene = { view: stage.view, plot: stage.plot, tokens: state.tokens, isCausal: state.causal };
    const painted = this.painter.paint(context, { ...scene, ratio, isMoving, canCompute });
    this.depth = painted.depth;
    stage.cell = 2 ** painted.depth * stage.view.scale;
    return painted;
  }

  /** Asks for tiles, not more often than every so many milliseconds while the map moves. */
  want(missing) {
    this.missing = missing;
    const look = () => {
      this.wanting = null;
      this.looked = performance.now();
      this.tiles.want(this.missing);
    };
    const wait = HURRY - (performance.now() - (this.looked ?? 0));
    if (wait <= 0) look();
    else this.wanting ??= setTimeout(look, wait);
  }

  axes() {
    const { stage, text } = this;
    const labelled = (name, extent) => {
      const range = tokenRange(stage.view, stage.room, name, this.state.tokens);
      const shift = (range[0] - stage.view[name]) * stage.view.scale + extent / 2;
      const labels = axisLabels(text, { range, scale: stage.view.scale });
      return labels.map((label) => ({ ...label, at: label.at + shift }));
    };
    const { width, height } = stage.room;
    return axisMarks(stage.plot, labelled("query", height), labelled("key", width), this.theme);
  }

  /** The row and the column of the chosen word, and the frame of the cell that is pointed at. */
  overlay() {
    const { plot, view, room } = this.stage;
    const marks = [];
    if (this.chosen !== null) {
      const point = pointOf(view, room, { query: this.chosen + 0.5, key: this.chosen + 0.5 });
      const end = pointOf(view, room, { query: this.state.tokens, key: this.state.tokens });
      const [x, y] = [plot.left + point.x, plot.top + point.y];
      const [right, bottom] = [plot.left + Math.min(plot.width, end.x), plot.top + Math.min(plot.height, end.y)];
      if (point.y >= 0 && y <= bottom) marks.push(lineMark([plot.left, y], [right, y], this.theme.accent, 1));
      if (point.x >= 0 && x <= right) marks.push(lineMark([x, plot.top], [x, bottom], this.hue, 1));
    }
    const place = this.tokensAt(this.pointer);
    return place ? [...marks, ...this.cellFrame(place)] : marks;
  }

  cellFrame({ query, key }) {
    const { plot, view, room } = this.stage;
    const size = 2 ** this.depth;
    const first = { query: Math.floor(query / size) * size, key: Math.floor(key / size) * size };
    const point = pointOf(view, room, first);
    const side = Math.max(SMALLEST, size * view.scale);
    const grown = (side - size * view.scale) / 2;
    const box = { x: plot.left + point.x - grown, y: plot.top + point.y - grown, width: side, height: side };
    const named = (token) => (this.depth ? counted(token) : quotedToken(this.text.labels, token).slice(0, 24));
    const label = { kind: "text", size: plot.letters, weight: 600, colour: this.theme.ink, backed: this.theme.paper };
    const [middleX, middleY] = [box.x + side / 2, box.y + side / 2];
    const below = plot.top + plot.height + 16;
    return [
      { kind: "rect", ...box, x: box.x - 1, y: box.y - 1, width: side + 2, height: side + 2, stroke: this.theme.paper },
      { kind: "rect", ...box, stroke: this.theme.ink, line: 1.5 },
      { ...label, text: named(first.query), x: plot.left - 9, y: middleY + 4, align: "end" },
      { ...label, text: named(first.key), x: Math.max(plot.left, middleX), y: below, align: "middle" },
    ];
  }

  /** The query and the key at a point of the room; null beside the map. */
  tokensAt(place) {
    if (!this.isReady) return null;
    if (!place) return this.pinned;
    const exact = pointedTokens(this.stage.view, this.stage.room, ...place);
    const [query, key] = [Math.floor(exact.query), Math.floor(exact.key)];
    const isOn = (token) => token >= 0 && token < this.state.tokens;
    return isOn(query) && isOn(key) ? { query, key } : null;
  }

  /** What the readout is about: a point under the pointer, or the middle of the map while keys move it. */
  point(place, by = "pointer") {
    const { width, height } = this.stage.plot;
    this.pointer = by === "keys" ? [width / 2, height / 2] : place;
    if (by === "keys") this.pinned = null;
    setAttributes(this.tell, { "aria-live": by === "keys" ? "polite" : "off" });
    this.soon();
  }

  read() {
    const place = this.tokensAt(this.pointer);
    this.tell.classList.toggle("idle", !place);
    const { tokens, causal } = this.state;
    if (!place) {
      this.tell.textContent = this.idle();
      return;
    }
    const code = this.painter.codeAt(place.query, place.key);
    const [query, key] = [place.query, place.key].map((token) => blockAt(token, this.depth, tokens));
    const { kind } = this.painter.look;
    const value = code === null ? null : halfValue(code);
    const block = { query, key, value, kind, labels: this.text.labels, isCausal: causal };
    this.tell.textContent = sentenceOfBlock(block);
  }

  say(text) {
    this.status.textContent = text;
    this.status.hidden = !text;
  }

  /** Draws a thumbnail in the colours of its own scale. */
  paintThumbnail(canvas, map) {
    rasterCanvas(littlePixels(map, this.theme, this.painter.look.scale), map.columns, map.rows, canvas);
  }

  /** The view as a figure of marks, for files. */
  marks() {
    const { plot } = this.stage;
    const ratio = pixelRatio();
    const [columns, rows] = [Math.round(plot.width * ratio), Math.round(plot.height * ratio)];
    const canvas = make("canvas", { width: columns, height: rows });
    const context = canvas.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, -plot.left * ratio, -plot.top * ratio);
    context.fillStyle = this.theme.paper;
    context.fillRect(plot.left, plot.top, plot.width, plot.height);
    this.paintCells(context, ratio, false);
    const pixels = context.getImageData(0, 0, columns, rows).data;
    const box = { x: plot.left, y: plot.top, width: plot.width, height: plot.height };
    const marks = [{ kind: "raster", ...box, columns, rows, pixels }, ...this.axes()];
    return { marks, width: this.size.width, height: this.size.height };
  }
}
