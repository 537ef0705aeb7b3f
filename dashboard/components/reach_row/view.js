import { bytesOf, decode } from "../attention_view/codec.js";
import { make, setAttributes } from "../attention_view/dom.js";
import { mounting } from "../attention_view/mounting.js";
import { PointedView } from "../cell_map/pointed_view.js";
import { significant } from "../step_view/numbers.js";
import { download } from "../takeaway/files.js";
import { createRow } from "../takeaway/row.js";
import { frame, stripMarks } from "./drawing.js";
import { cellAt, layoutOf } from "./geometry.js";
import { csvOfStrips, pngOfStrips, svgOfStrips } from "./saving.js";

const PRESENTED = 1.5; // times larger letters for the projector
const KEPT = 4; // decoded photographs

/** The strips; a place is { number, row, column }: the tile, counted over all strips, and a patch in it. */
class ReachRow extends PointedView {
  photos = new Map(); // by what they are loaded from

  get kind() {
    return "reach";
  }

  frame() {
    return { role: "application" };
  }

  parts() {
    this.legend = make("p", { class: "legend" });
    setAttributes(this.tell, { role: "status" });
    const file = (ending) => `${this.data.name}.${ending}`;
    const row = createRow({
      SVG: () => download(svgOfStrips(this), file("svg")),
      PNG: async () => download(await pngOfStrips(this), file("png")),
      CSV: () => download(csvOfStrips(this), file("csv")),
    });
    return { above: [this.legend], below: [row] };
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
    this.wear(data);
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
      make(
        "span",
        {},
        `${least} or less`,
        make("i", { class: "scale", "aria-hidden": "true" }),
        "100%: the photograph, clear",
      ),
      make("span", {}, make("i", { class: "key", "aria-hidden": "true" }), "the chosen patch"),
    );
  }

  layout() {
    this.geometry = layoutOf(this.data, { width: this.drawnWidth, zoom: this.data.present ? PRESENTED : 1 });
    this.marks = stripMarks(this.geometry, this.data, this.theme);
    if (!this.isWithin(this.place)) this.place = null;
  }

  isWithin(place) {
    const tile = place && this.geometry.tiles[place.number]?.tile;
    return Boolean(tile) && place.row >= 0 && place.column >= 0 && place.row < tile.rows && place.column < tile.columns;
  }

  get idle() {
    return this.data.present
      ? ""
      : "Point at a patch to read it, click to choose it. With the keyboard: arrow keys, Enter.";
  }

  /** An outline around the patch. */
  pointMarks({ number, row, column }) {
    const placed = this.geometry.tiles[number];
    return frame(placed, [row, column], [placed.tile.rows, placed.tile.columns], this.theme.ink, this.theme);
  }

  placeUnder(x, y) {
    return cellAt(this.geometry, x, y);
  }

  sentence({ number, row, column }) {
    const { strip, tile } = this.geometry.tiles[number];
    const value = tile.values[row * tile.columns + column];
    const words = { title: strip.title, label: tile.label, row, column, value: `${significant(100 * value)}%` };
    return (value < 0 ? this.data.never : this.data.tell).replace(/\{(\w+)\}/g, (whole, name) => words[name] ?? whole);
  }

  /** The chosen patch in the first tile. */
  first() {
    const { strip, tile } = this.geometry.tiles[0];
    const [row, column] = strip.chosen.map((place, axis) =>
      Math.floor(((place + 0.5) * [tile.rows, tile.columns][axis]) / strip.grid[axis]),
    );
    return { number: 0, row, column };
  }

  press(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const at = this.place ?? this.first();
    const step = {
      ArrowUp: { row: at.row - 1 },
      ArrowDown: { row: at.row + 1 },
      ArrowLeft: { column: at.column - 1 },
      ArrowRight: { column: at.column + 1 },
      PageDown: { number: at.number + 1 },
      PageUp: { number: at.number - 1 },
    }[event.key];
    const isChosen = event.key === "Enter" || event.key === " ";
    if (!step && !isChosen) return;
    event.preventDefault();
    event.stopPropagation();
    const next = { ...at, ...step };
    if (isChosen) this.click(this.place);
    else if (this.isWithin(next)) this.point(next);
  }

  /** Tells the server which part of the picture was chosen; equal messages would not be told apart. */
  click(place) {
    if (!place) return;
    const { rows, columns } = this.geometry.tiles[place.number].tile;
    const [down, across] = [(place.row + 0.5) / rows, (place.column + 0.5) / columns];
    this.component.setStateValue("clicked", { down, across, at: Date.now() });
  }
}

export default mounting(ReachRow);
