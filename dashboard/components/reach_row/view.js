import { cellAt } from "../../../core/view/browser/kit/cells.js";
import { bytesOf, decode } from "../../../core/view/browser/kit/codec.js";
import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { ARROWS, isChoice, isShortcut, take } from "../../../core/view/browser/kit/keyboard.js";
import { filled } from "../../../core/view/browser/kit/labels.js";
import { mounting } from "../../../core/view/browser/kit/mounting.js";
import { significant } from "../../../core/view/browser/kit/numbers.js";
import {
  decoded,
  framedCell,
  photographFrom,
  photographMark,
  sheetAt,
  spotlight,
  veil,
  wholeOf,
} from "../../../core/view/browser/kit/photograph.js";
import { PointedView } from "../../../core/view/browser/kit/pointed.js";
import { createRow, takesOf, withMargin } from "../../../core/view/browser/kit/saving.js";

const PRESENTED = 1.5; // times larger letters for the projector
const KEPT = 4; // decoded photographs
const LEAST = 118; // pixels on a side of a tile, where there is room for more than two beside one another
const MOST = 240;
const GAP = 8;
const BETWEEN = 14; // pixels between two strips
const AROUND = 16; // pixels of a picture's margin
const VEIL = 0.86; // how much of the page lies over the photograph where least has come

/** The strips; a place is { number, row, column }: the tile, counted over all strips, and a patch in it. */
class ReachRow extends PointedView {
  photos = new Map(); // by what they are loaded from

  get kind() {
    return "reach";
  }

  get frame() {
    return { role: "application" };
  }

  parts() {
    this.legend = make("p", { class: "legend" });
    setAttributes(this.tell, { role: "status" });
    const rows = () => asLines(this.strips);
    const row = createRow(takesOf({ name: () => this.data.name, picture: () => this.picture(), rows }));
    return { above: [this.legend], below: [row] };
  }

  show(data) {
    const values = ({ shares }) => decode(bytesOf(shares), "half");
    this.strips = data.strips.map((strip) => ({
      ...strip,
      image: this.imageOf(strip.picture),
      tiles: strip.tiles.map((tile) => ({ ...tile, values: values(tile) })),
    }));
    setAttributes(this.map, { "aria-label": data.alt });
    this.explain();
    this.draw();
  }

  /** The photograph of a strip; drawn once it is decoded. */
  imageOf(source) {
    if (!this.photos.has(source)) {
      this.photos.set(
        source,
        photographFrom(source, () => this.draw()),
      );
      if (this.photos.size > KEPT) this.photos.delete(this.photos.keys().next().value);
    }
    return this.photos.get(source);
  }

  explain() {
    const least = `${significant(100 * this.data.faintest)}%`;
    const sign = (name) => make("i", { class: name, "aria-hidden": "true" });
    this.legend.replaceChildren(
      make("span", {}, `${least} or less`, sign("scale"), "100%: the photograph, clear"),
      make("span", {}, sign("key"), "the chosen patch"),
    );
  }

  layout() {
    this.geometry = layoutOf(this.strips, { width: this.drawnWidth, zoom: this.present ? PRESENTED : 1 });
    this.marks = marksOf(this.geometry, this.data.faintest, this.theme);
    if (!this.isWithin(this.place)) this.place = null;
  }

  isWithin(place) {
    const tile = place && this.geometry.tiles[place.number]?.tile;
    return Boolean(tile) && place.row >= 0 && place.column >= 0 && place.row < tile.rows && place.column < tile.columns;
  }

  get idle() {
    return "Point at a patch to read it, click to choose it. With the keyboard: arrow keys, Enter.";
  }

  pointMarks({ number, row, column }) {
    const { ink, paper } = this.theme;
    return framedCell(this.geometry.tiles[number].sheet, [row, column], { colour: ink, line: 2, paper });
  }

  /** The tile under a point and the cell in it, or null. */
  placeUnder(x, y) {
    const found = this.geometry.tiles.map(({ sheet }) => cellAt(sheet, x, y));
    const number = found.findIndex((cell) => cell !== null);
    return number < 0 ? null : { number, row: found[number][0], column: found[number][1] };
  }

  sentence({ number, row, column }) {
    const { strip, tile } = this.geometry.tiles[number];
    const value = tile.values[row * tile.columns + column];
    const words = { title: strip.title, label: tile.label, row, column, value: `${significant(100 * value)}%` };
    return filled(value < 0 ? this.data.never : this.data.tell, words);
  }

  /** The chosen patch in the first tile. */
  first() {
    const [{ strip, sheet }] = this.geometry.tiles;
    const [row, column] = [sheet.rows, sheet.columns].map((count, axis) =>
      Math.floor(((strip.chosen[axis] + 0.5) * count) / strip.grid[axis]),
    );
    return { number: 0, row, column };
  }

  press(event) {
    if (isShortcut(event)) return;
    const at = this.place ?? this.first();
    const [down, right] = ARROWS[event.key] ?? [0, 0];
    const tiles = { PageDown: 1, PageUp: -1 }[event.key] ?? 0;
    if (!down && !right && !tiles && !isChoice(event)) return;
    take(event);
    const next = { number: at.number + tiles, row: at.row + down, column: at.column + right };
    if (isChoice(event)) this.click(this.place);
    else if (this.isWithin(next)) this.point(next);
  }

  /** Tells the server which part of the picture was chosen; equal messages would not be told apart. */
  click(place) {
    if (!place) return;
    const { rows, columns } = this.geometry.tiles[place.number].tile;
    const [down, across] = [(place.row + 0.5) / rows, (place.column + 0.5) / columns];
    this.component.setStateValue("clicked", { down, across, at: Date.now() });
  }

  picture() {
    const { marks, geometry, data, theme } = this;
    return { ...withMargin({ ...geometry, marks }, AROUND), title: data.alt, theme };
  }
}

/** Where every tile lies: strips below one another, their tiles in as many lines as it takes. */
function layoutOf(strips, { width, zoom }) {
  const size = 13 * zoom;
  const line = Math.round(size * 1.6);
  const counts = strips.map((strip) => strip.tiles.length);
  const across = acrossOf(counts, width, zoom);
  const side = Math.floor(Math.min((width - GAP * (across - 1)) / across, MOST * zoom));
  const [titles, tiles] = [[], []];
  let top = 0;
  strips.forEach((strip, number) => {
    const high = Math.round((side * strip.shape[0]) / strip.shape[1]);
    titles.push({ y: top + size, text: strip.title });
    top += Math.round(line * 1.15);
    strip.tiles.forEach((tile, place) => {
      const x = (place % across) * (side + GAP);
      const y = top + Math.floor(place / across) * (high + line + GAP) + line;
      tiles.push({ strip, tile, sheet: sheetAt(tile, { x, y, width: side, height: high }) });
    });
    top += Math.ceil(strip.tiles.length / across) * (high + line + GAP) + (number < strips.length - 1 ? BETWEEN : 0);
  });
  return { size, titles, tiles, width: Math.ceil(across * (side + GAP) - GAP), height: Math.ceil(top) };
}

/** As few lines as the room allows, and of those the largest tiles. */
function acrossOf(counts, width, zoom) {
  const most = Math.min(Math.max(...counts), Math.floor((width + GAP) / (LEAST * zoom + GAP)));
  const lines = (across) => counts.reduce((sum, count) => sum + Math.ceil(count / across), 0);
  let best = Math.max(2, most);
  while (best > 2 && lines(best - 1) === lines(best)) best -= 1;
  return best;
}

/** Everything that does not follow the pointer: the photograph is clear where something came, paper where none can. */
function marksOf({ titles, tiles, size }, faintest, theme) {
  const letters = { kind: "text", x: 0, size: size * 1.08, weight: 600, colour: theme.ink };
  const light = spotlight(theme, VEIL);
  const wash = (value) => (value < 0 ? [light(0)[0], 1] : light(strengthOf(value, faintest)));
  const marks = titles.map(({ y, text }) => ({ ...letters, y, text }));
  for (const { strip, tile, sheet } of tiles) {
    const label = { kind: "text", text: tile.label, size: size * 0.92, colour: theme.soft };
    const chosen = framedCell(sheetAt({ rows: strip.grid[0], columns: strip.grid[1] }, wholeOf(sheet)), strip.chosen, {
      colour: theme.accent,
      line: 2,
      paper: theme.paper,
    });
    marks.push(
      { ...label, x: sheet.left, y: sheet.top - size * 0.4 },
      photographMark(sheet, decoded(strip.image), theme),
      veil(sheet, tile.values, wash),
      { kind: "rect", ...wholeOf(sheet), stroke: theme.hair },
      ...chosen,
    );
  }
  return marks;
}

/** From 0 (the faintest, and less) to 1 (all of it), on a logarithmic scale. */
function strengthOf(value, faintest) {
  return value <= faintest ? 0 : 1 - Math.log(Math.min(1, value)) / Math.log(faintest);
}

/** One line for each patch of each tile; a patch that cannot have been reached has no share. */
function asLines(strips) {
  const line = (title, { label, columns }, value, cell) => {
    const share = value < 0 ? "" : Number(value.toPrecision(6));
    return [title, label, Math.floor(cell / columns), cell % columns, share];
  };
  const lines = strips.flatMap(({ title, tiles }) =>
    tiles.flatMap((tile) => Array.from(tile.values, (value, cell) => line(title, tile, value, cell))),
  );
  return [["model", "after", "row", "column", "share"], ...lines];
}

export default mounting(ReachRow);
