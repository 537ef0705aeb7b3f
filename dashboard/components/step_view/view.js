import { applyTheme } from "../attention_view/colour.js";
import { make } from "../attention_view/dom.js";
import { mounting } from "../attention_view/mounting.js";
import { createRow } from "../takeaway/row.js";
import { comparisonOf } from "./comparison.js";
import { equationOf } from "./equation.js";
import { formula } from "./formula.js";
import { range } from "./grid.js";
import { unpacked } from "./numbers.js";
import { pictureOf } from "./picture.js";
import { keepPlace, readPlace } from "./place.js";
import { partsOf, railOf } from "./rail.js";
import { linesOf, readingOf } from "./reading.js";
import { saveDrawing, savePicture, saveRows } from "./save.js";
import { shadesOf } from "./shades.js";

const PAUSE = 2600; // milliseconds that a step is left to be read while playing

class StepView {
  constructor(host) {
    this.root = make("div", { class: "steps" });
    host.append(this.root);
    this.turn = 0;
    this.place = 0; // among the stops: the equations of all steps
    this.row = null; // the token that is followed through the steps; null: the query that the server names
    this.columns = new Map(); // the column chosen in each stop, by its id
    this.isOpen = false; // all terms of a long sum
    this.isPlaying = false;
    this.onKey = (event) => this.key(event);
    this.root.addEventListener("keydown", this.onKey);
    this.width = new ResizeObserver(
      () => this.data && Math.abs(this.root.clientWidth - this.drawn) > 20 && this.draw(),
    );
    this.width.observe(this.root);
    this.address = keepPlace({ place: () => this.named(), restored: (named) => this.restore(named) });
  }

  receive({ data }) {
    const before = this.data;
    const stopId = before?.stops[this.place].id;
    this.data = data;
    this.matrices = Object.fromEntries(Object.entries(data.matrices).map(([name, sent]) => [name, unpacked(sent)]));
    if (before && (before.query !== data.query || before.tokens.join() !== data.tokens.join())) this.forget();
    if (data.present) document.addEventListener("keydown", this.onKey);
    if (before)
      this.place = Math.max(
        0,
        data.stops.findIndex((stop) => stop.id === stopId),
      );
    if (before) this.draw();
    else this.restore(readPlace());
    return ++this.turn;
  }

  destroy() {
    clearTimeout(this.timer);
    document.removeEventListener("keydown", this.onKey);
    this.width.disconnect();
    this.address.destroy();
    this.root.remove();
  }

  /** The address, as far as it is ours: the first step and a cell that nobody chose are not written. */
  named() {
    const { id } = this.stop;
    const column = this.columns.get(id);
    return { step: this.place || column !== undefined ? id : undefined, row: this.row, column };
  }

  restore({ step, row, column }) {
    this.place = Math.max(
      0,
      this.data.stops.findIndex((stop) => stop.id === step),
    );
    this.forget();
    if (column !== undefined) {
      this.row = row;
      this.columns.set(this.stop.id, column);
    }
    this.draw();
  }

  forget() {
    this.row = null;
    this.columns.clear();
  }

  get stop() {
    return this.data.stops[this.place];
  }

  get output() {
    return this.matrices[this.stop.output];
  }

  /** The chosen cell; where none was chosen, the strongest of the row. */
  get chosen() {
    const { rows, columns, columnLabels, at } = this.output;
    const row = Math.min(this.row ?? this.data.query, rows - 1);
    // Among keys the highest score counts; among channels the largest number of either sign.
    const size = (value) => (columnLabels ? value : Math.abs(value));
    const strength = (column) => (Number.isFinite(at(row, column)) ? size(at(row, column)) : -Infinity);
    const strongest = range(columns).reduce((best, column) => (strength(column) > strength(best) ? column : best), 0);
    return [row, Math.min(this.columns.get(this.stop.id) ?? strongest, columns - 1)];
  }

  go(place) {
    this.pause();
    this.show(place);
  }

  show(place) {
    this.place = Math.min(this.data.stops.length - 1, Math.max(0, place));
    this.isOpen = false;
    this.draw({ isMoving: true });
    this.address.write(true);
  }

  play() {
    const last = this.data.stops.length - 1;
    this.isPlaying = true;
    const onward = () => {
      this.isPlaying = this.place + 1 < last;
      this.show(this.place + 1);
      if (this.isPlaying) this.timer = setTimeout(onward, PAUSE);
    };
    if (this.place < last) onward();
    else {
      this.show(0);
      this.timer = setTimeout(onward, PAUSE);
    }
  }

  pause() {
    clearTimeout(this.timer);
    this.isPlaying = false;
  }

  key(event) {
    const path = event.composedPath();
    const isField = path.some(
      (part) => ["INPUT", "TEXTAREA", "SELECT"].includes(part.tagName) || part.role === "slider",
    );
    const place = { ArrowRight: this.place + 1, ArrowLeft: this.place - 1, Home: 0, End: Infinity }[event.key];
    const isOurs = event.currentTarget === this.root || path[0] === document.body;
    if (place === undefined || isField || !isOurs || event.defaultPrevented || event.altKey || event.ctrlKey) return;
    event.preventDefault();
    this.go(place);
  }

  /** What the pointer or the arrow keys do in the matrix that comes out. */
  get wishes() {
    const within = (place, count) => Math.min(count - 1, Math.max(0, place));
    return {
      look: (row, column) => this.point(row, column),
      leave: () => this.point(...this.chosen),
      keep: (row, column) => this.keep(row, column),
      move: (down, right) => {
        const [row, column] = this.chosen;
        this.keep(within(row + down, this.output.rows), within(column + right, this.output.columns));
        this.equation.focus(...this.chosen);
      },
    };
  }

  keep(row, column) {
    this.row = row;
    this.columns.set(this.stop.id, column);
    this.address.write();
    this.point(row, column);
    this.drawComparison();
  }

  draw({ isMoving = false } = {}) {
    const { data, stop, root } = this;
    this.shades = shadesOf(root, data.palettes, data.present);
    applyTheme(root, this.shades);
    root.style.setProperty("--negative", this.shades.negative);
    root.classList.toggle("present", data.present);
    this.drawn = root.clientWidth;
    const focused = root.getRootNode().activeElement?.dataset?.name;
    const go = (place) => this.go(place);
    const play = () => {
      if (!this.isPlaying) return this.play();
      this.pause();
      return this.draw();
    };
    this.equation = equationOf(stop, this.matrices, {
      shades: this.shades,
      width: this.drawn,
      zoom: data.present ? 1.4 : 1,
      isMoving,
      pick: this.wishes,
    });
    this.reading = make("div", { class: "reading", "aria-live": "polite" });
    this.comparison = make("div");
    const parts = [
      railOf(data.stops, this.place, this.isPlaying, { go, play }),
      make("div", { class: "says" }, make("p", { class: "meaning" }, stop.meaning), formula(stop.formula, "block")),
      partsOf(data.stops, stop, go),
      this.equation.element,
      this.reading,
      this.comparison,
      this.links(),
    ];
    root.replaceChildren(...parts.filter((part) => part !== null));
    const here = root.querySelector("[aria-current]").parentElement;
    here.parentElement.scrollLeft = here.offsetLeft - here.parentElement.offsetLeft - 60; // on a phone, the rail is wider
    this.point(...this.chosen);
    this.drawComparison();
    root.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  /** Show how one cell is made: outline what goes into it, and write the sum. */
  point(row, column) {
    this.equation.mark(row, column);
    const open = () => {
      this.isOpen = !this.isOpen;
      this.point(...this.chosen);
    };
    this.reading.replaceChildren(...readingOf(this.stop, this.matrices, row, column, { isOpen: this.isOpen, open }));
  }

  drawComparison() {
    const isShown = ["scale", "normalise"].includes(this.stop.step);
    const parts = isShown ? comparisonOf(this.data.comparison, this.matrices, this.chosen[0], this.shades) : [];
    this.comparison.replaceChildren(...parts);
  }

  links() {
    const name = `${this.data.name}-${this.stop.id}`;
    const picture = () =>
      pictureOf({
        title: this.stop.meaning,
        pieces: this.equation.pieces(),
        shades: this.shades,
        sum: linesOf(this.reading),
      });
    const matrices = this.equation.grids.map((grid) => grid.matrix);
    return createRow({
      SVG: () => saveDrawing(picture(), `${name}.svg`),
      PNG: () => savePicture(picture(), `${name}.png`),
      CSV: () => saveRows(matrices, `${name}.csv`),
    });
  }
}

export default mounting(StepView);
