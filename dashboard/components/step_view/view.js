import { keepAddress, parametersOf } from "../../../core/view/browser/kit/address.js";
import { button, make } from "../../../core/view/browser/kit/dom.js";
import { within } from "../../../core/view/browser/kit/keyboard.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { createRow, takesOf } from "../../../core/view/browser/kit/saving.js";
import { equationOf } from "./equation.js";
import { formula, range, unpacked } from "./matrices.js";
import { pictureOf } from "./picture.js";
import { comparisonOf, linesOf, readingOf } from "./reading.js";

const PAUSE = 2600; // milliseconds that a step is left to be read while playing
const ZOOMS = [2.2, 2, 1.8, 1.6, 1.4, 1.2, 1]; // of the numbers on a projector, the largest first

class StepView extends View {
  place = 0; // among the stops: the equations of all steps
  row = null; // the token that is followed through the steps; null: the query that the server names
  columns = new Map(); // the column chosen in each stop, by its id
  isOpen = false; // all terms of a long sum
  isPlaying = false;
  onKey = (event) => this.key(event);

  build() {
    return make("div", { class: "view steps", keydown: (event) => this.onKey(event) });
  }

  show(data) {
    const before = this.shown;
    const stopId = before?.stops[this.place].id;
    this.shown = data;
    this.matrices = Object.fromEntries(Object.entries(data.matrices).map(([name, sent]) => [name, unpacked(sent)]));
    if (before && (before.query !== data.query || before.tokens.join() !== data.tokens.join())) this.forget();
    if (data.present) document.addEventListener("keydown", this.onKey, { signal: this.lifetime.signal });
    this.address ??= keepAddress({
      values: () => this.named(),
      read: addressed,
      restored: (named) => this.restore(named),
    });
    if (!before) return this.restore(addressed());
    this.place = this.placeOf(stopId);
    this.draw();
  }

  resized() {
    if (Math.abs(this.root.clientWidth - this.drawnWidth) > 20) this.draw();
  }

  placeOf(id) {
    return Math.max(
      0,
      this.data.stops.findIndex((stop) => stop.id === id),
    );
  }

  destroy() {
    clearTimeout(this.timer);
    super.destroy();
  }

  /** The address, as far as it is ours: the first step and a cell that nobody chose are not written. */
  named() {
    const { id } = this.stop;
    const column = this.columns.get(id);
    const cell = column === undefined ? null : `${this.row}.${column}`;
    return { step: this.place || cell ? id : null, cell };
  }

  restore({ step, row, column }) {
    this.place = this.placeOf(step);
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
    this.turnTo(place);
  }

  turnTo(place) {
    this.place = within(place, this.data.stops.length);
    this.isOpen = false;
    this.draw({ isMoving: true });
    this.address.write("push");
  }

  play() {
    const last = this.data.stops.length - 1;
    this.isPlaying = true;
    const onward = () => {
      this.isPlaying = this.place + 1 < last;
      this.turnTo(this.place + 1);
      if (this.isPlaying) this.timer = setTimeout(onward, PAUSE);
    };
    if (this.place < last) onward();
    else {
      this.turnTo(0);
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
  get pick() {
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
    this.address.write("replace");
    this.point(row, column);
    this.drawComparison();
  }

  draw({ isMoving = false } = {}) {
    const { data, stop, root } = this;
    this.drawnWidth = root.clientWidth;
    const focused = root.getRootNode().activeElement?.dataset?.name;
    const go = (place) => this.go(place);
    const play = () => {
      if (!this.isPlaying) return this.play();
      this.pause();
      return this.draw();
    };
    this.equation = equationOf(stop, this.matrices, {
      theme: this.theme,
      width: this.drawnWidth,
      zoom: data.present ? 1.4 : 1,
      isMoving,
      pick: this.pick,
    });
    this.reading = make("div", { class: "reading", "aria-live": "polite" });
    this.comparison = make("div");
    const parts = [
      railOf(data.stops, this.place, this.isPlaying, { go, play }),
      make("div", { class: "says" }, make("h2", { class: "meaning" }, stop.meaning), formula(stop.formula, "block")),
      partsOf(data.stops, stop, go),
      this.equation.element,
      this.reading,
      this.comparison,
      this.links(),
    ];
    root.replaceChildren(...parts.filter((part) => part !== null));
    const here = root.querySelector("[aria-current]").parentElement;
    const rail = here.parentElement;
    rail.scrollLeft = here.offsetLeft - rail.offsetLeft - 60;
    root.querySelector(".swipe").hidden = rail.scrollWidth <= rail.clientWidth; // on a phone, the rail is wider
    this.point(...this.chosen);
    this.drawComparison();
    this.equation.element.style.zoom = "";
    if (this.present) this.enlarge();
    root.querySelector(`[data-name="${focused}"]`)?.focus();
  }

  /** On a projector the numbers are as large as they can be while the equation and its sum stay on the screen. */
  enlarge() {
    const { element } = this.equation;
    const scrolls = (part) => part.scrollWidth > part.clientWidth + 1;
    for (const zoom of ZOOMS) {
      element.style.zoom = zoom;
      if (this.root.offsetHeight <= this.room && ![...element.querySelectorAll(".scroll")].some(scrolls)) break;
    }
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
    const parts = isShown ? comparisonOf(this.data.comparison, this.matrices, this.chosen[0], this.theme) : [];
    this.comparison.replaceChildren(...parts);
  }

  links() {
    const picture = () => {
      const [pieces, sum] = [this.equation.pieces(), linesOf(this.reading)];
      return pictureOf({ title: this.stop.meaning, pieces, theme: this.theme, sum });
    };
    const rows = () => rowsOf(this.equation.grids.map((grid) => grid.matrix));
    return createRow(takesOf({ name: () => `${this.data.name}-${this.stop.id}`, picture, rows }));
  }
}

/** What the address says: a step, and a cell of it. */
function addressed() {
  const { text, pair } = parametersOf();
  const [row, column] = pair("cell") ?? [];
  return { step: text("step"), row, column };
}

/** All numbers of these matrices, one in each row. */
function rowsOf(matrices) {
  const rows = matrices.flatMap(({ name, columns, rowLabels, columnLabels, values }) =>
    Array.from(values, (value, place) => {
      const [row, column] = [Math.floor(place / columns), place % columns];
      return [name, row, rowLabels?.[row] ?? "", column, columnLabels?.[column] ?? "", value];
    }),
  );
  return [["matrix", "row", "row label", "column", "column label", "value"], ...rows];
}

/** The steps in order, the way back and forward, and (for a step of several equations) its parts. */
function railOf(stops, place, isPlaying, { go, play }) {
  const here = stops[place];
  const firsts = stops.filter((stop, i) => i === 0 || stops[i - 1].step !== stop.step);
  const items = firsts.map((stop, number) => {
    const attributes = { "data-name": stop.id, "aria-current": stop.step === here.step ? "step" : null };
    const chosen = button(stop.title, () => go(stops.indexOf(stop)), attributes);
    chosen.prepend(make("i", {}, String(number + 1)));
    return make("li", {}, chosen);
  });
  const controls = make(
    "div",
    { class: "controls" },
    button("‹", () => go(place - 1), { ...named("Back", "←"), disabled: place === 0 }),
    button(isPlaying ? "Pause" : "Play", play, { "data-name": "play" }),
    button("›", () => go(place + 1), { ...named("Forward", "→"), disabled: place === stops.length - 1 }),
  );
  const number = firsts.findIndex((stop) => stop.step === here.step) + 1;
  const swipe = make("p", { class: "swipe" }, `Step ${number} of ${firsts.length}: swipe the row for the others`);
  return make("nav", { "aria-label": "Steps" }, make("ol", {}, ...items), swipe, controls);
}

/** Which equation of the step: null where there is only one. */
function partsOf(stops, here, go) {
  if (!here.part) return null;
  const parts = stops
    .filter((stop) => stop.step === here.step)
    .map((stop) =>
      button(stop.part, () => go(stops.indexOf(stop)), {
        "data-name": `part-${stop.id}`,
        "aria-pressed": String(stop === here),
      }),
    );
  return make("div", { class: "parts", role: "group", "aria-label": "What is made of each token" }, ...parts);
}

function named(name, key) {
  return { "aria-label": name, title: `${name} (${key})`, "data-name": name };
}

export default mounting(StepView);
