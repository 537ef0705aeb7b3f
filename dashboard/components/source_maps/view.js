import { keepAddress } from "../../../core/view/browser/kit/address.js";
import { cellAt } from "../../../core/view/browser/kit/cells.js";
import { choice, field, make, setAttributes, signButton } from "../../../core/view/browser/kit/dom.js";
import { ARROWS, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { paintOn } from "../../../core/view/browser/kit/marks.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { largestOf, percent } from "../../../core/view/browser/kit/numbers.js";
import { mapMarksOver, PHOTOS, preparedPhotograph } from "../../../core/view/browser/kit/photo_map.js";
import { framedCell, sheetOf } from "../../../core/view/browser/kit/photograph.js";
import { createRow, takesOf, titled } from "../../../core/view/browser/kit/saving.js";
import { createBars, createHeads } from "./bars.js";
import { fitted, readSourceAddress, sourceAddress, startOf } from "./choice.js";
import {
  openSources,
  readersOf,
  rowsOfSources,
  sentenceOfPart,
  sentenceOfReaders,
  sourcesOf,
  spotName,
  sumOf,
} from "./reading.js";

const TALLEST = 460; // pixels of the picture
const ABOVE = 110; // pixels above the photograph on a projector: the choices and its name
const NARROW = 720; // pixels: a narrower view has one column, as in view.css

class SourceMaps extends View {
  state = null; // what is chosen (choice.js)
  spot = null; // a part under the pointer
  hovered = null; // a word under the pointer

  build() {
    this.maps = make("select", { "aria-label": "Look", change: () => this.pick(this.maps.selectedIndex) });
    const step = (by) => () => this.pick(this.maps.selectedIndex + by);
    this.back = signButton("‹", "Previous look", step(-1));
    this.next = signButton("›", "Next look", step(1));
    this.photos = choice(PHOTOS, (photo) => this.set({ photo }));
    setAttributes(this.photos, { "aria-label": "Drawn as" });
    const stepper = make("div", { class: "stepper" }, this.back, this.maps, this.next);
    const choosers = make(
      "div",
      { class: "choosers" },
      field("div", "Layer and head", stepper),
      field("label", "Drawn as", this.photos),
    );
    const under = (event) => this.under(event);
    const pointer = {
      pointermove: (event) => this.point(under(event)),
      pointerleave: () => this.point(null),
      click: (event) => this.choose(under(event)),
    };
    this.canvas = make("canvas", { "aria-hidden": "true", ...pointer });
    const keys = { keydown: (event) => this.press(event) };
    this.figure = make("div", { class: "photo", role: "img", tabindex: 0, ...keys }, this.canvas);
    this.name = make("b");
    this.scale = make("span", { class: "scale" });
    this.told = make("p", { class: "told", "aria-live": "polite" });
    const caption = make("p", { class: "caption" }, this.name, this.scale);
    const main = make("section", { class: "main" }, caption, this.figure, this.told);
    this.bars = createBars({ choose: (word, stays) => this.follow(word, stays), hover: (word) => this.hover(word) });
    this.heads = createHeads({ pick: ({ name }) => this.set({ map: name }, "push") });
    this.hint = make("p", { class: "pointed" });
    this.summary = make("p", { class: "caption" });
    const beside = make("section", { class: "beside" }, this.summary, this.bars.element, this.hint, this.heads.element);
    const name = () => `${this.data.name}-${this.map.name}`.toLowerCase().replace(/[^\w.-]+/g, "-");
    const rows = () => rowsOfSources(this.scene, this.map, this.state.part);
    const row = createRow(takesOf({ name, picture: () => this.picture(), rows }));
    const about = { class: "view overphoto sourcemaps", role: "group", "aria-label": "What each part was made from" };
    return make("div", about, choosers, make("div", { class: "stage" }, main, beside), row);
  }

  show({ scene }) {
    if (scene.digest !== this.scene?.digest) this.open(scene);
    this.draw();
  }

  /** Shows another scene: the first one as the address wants it, later ones with the same layer, head and part. */
  open(sent) {
    const former = this.scene;
    this.scene = openSources(sent);
    if (sent.picture !== former?.picture) this.photograph = preparedPhotograph(sent.picture, () => this.draw());
    this.state = former ? fitted(this.state, this.scene) : readSourceAddress(this.scene);
    this.spot = null;
    this.hovered = null;
    this.bars.write(this.scene.words);
    this.write(this.scene.maps);
    this.address ??= keepAddress({
      values: () => sourceAddress(this.state, this.scene),
      read: () => readSourceAddress(this.scene),
      restored: (state) => this.set(state, null),
    });
    this.address.write("replace");
  }

  write(maps) {
    const groups = [...new Set(maps.map(({ group }) => group))];
    const parts = groups.map((group) => {
      const own = maps.filter((map) => map.group === group).map(({ name }) => make("option", {}, name));
      return group ? [make("optgroup", { label: group }, ...own)] : own;
    });
    this.maps.replaceChildren(...parts.flat());
  }

  get map() {
    return this.scene.maps.find(({ name }) => name === this.state.map);
  }

  /** The word whose readers are shown, null where a part and its sources are. */
  get word() {
    return this.spot === null ? (this.hovered ?? this.state.word) : null;
  }

  get part() {
    return this.spot ?? this.state.part;
  }

  pick(place) {
    const { maps } = this.scene;
    this.set({ map: maps[within(place, maps.length)].name }, "push");
  }

  set(change, how = "replace") {
    this.state = fitted({ ...startOf(this.scene), ...this.state, ...change }, this.scene);
    this.draw();
    if (how) this.address?.write(how);
  }

  choose(part) {
    if (part !== null) this.set({ part, word: null });
  }

  /** A word that is clicked shows its readers, and once more no longer; `stays`: reached by the keyboard. */
  follow(word, stays = false) {
    this.hovered = null;
    this.set({ word: word === this.state.word && !stays ? null : word });
  }

  hover(word) {
    if (word === this.hovered) return;
    this.hovered = word;
    this.soon(() => this.draw());
  }

  point(part) {
    if (part === this.spot) return;
    this.spot = part;
    this.soon(() => this.draw());
  }

  under(event) {
    if (!this.sheet) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const place = cellAt(this.sheet, event.clientX - left, event.clientY - top);
    return place && place[0] * this.scene.columns + place[1];
  }

  press(event) {
    const step = ARROWS[event.key];
    if (!step || isShortcut(event)) return;
    take(event);
    const { rows, columns } = this.scene;
    const row = within(Math.floor(this.state.part / columns) + step[0], rows);
    this.choose(row * columns + within((this.state.part % columns) + step[1], columns));
  }

  draw() {
    if (!this.scene || !this.root.clientWidth) return;
    const { scene, map, state, word } = this;
    this.drawnWidth = this.root.clientWidth;
    const place = scene.maps.indexOf(map);
    this.maps.selectedIndex = place;
    setAttributes(this.back, { disabled: place === 0 });
    setAttributes(this.next, { disabled: place === scene.maps.length - 1 });
    this.photos.value = state.photo;
    const box = this.present ? this.roomBeside() : { width: this.figure.parentElement.clientWidth, height: TALLEST };
    this.sheet = sheetOf(scene, this.photograph.ratio(scene), box);
    paintOn(this.canvas, this.marks(), this.theme, this.sheet);
    this.bars.show(sourcesOf(scene, map, this.part).words, { chosen: state.word, shown: word });
    this.showHeads();
    this.tell();
  }

  /** Beside the mean of all layers the mean of each; beside a head the other heads of its layer. */
  showHeads() {
    const { scene, map, word } = this;
    const isAll = !map.group;
    const maps = scene.maps.filter((each) => (isAll ? each.name.endsWith("mean") : each.group === map.group));
    const short = (name) => name.replace(isAll ? ", mean" : /^.*, /, "");
    const given = (each) => percent(sumOf(sourcesOf(scene, each, this.part).words));
    this.heads.show(scene, maps, {
      title: isAll ? "Each layer" : map.group,
      chosen: map,
      look: this.look,
      cellsOf: (each) => this.cells(each, word),
      sayOf: (each) => `${short(each.name)}${isAll ? ` (${each.about})` : ""} · words ${given(each)}`,
    });
  }

  cells(map, word = this.word) {
    return word === null ? sourcesOf(this.scene, map, this.part).parts : readersOf(this.scene, map, word);
  }

  /** On a projector the sentence stands beside the photograph, which has the height that is left, in half the width. */
  roomBeside() {
    return { width: this.root.clientWidth / (this.root.clientWidth < NARROW ? 1 : 2), height: this.room - ABOVE };
  }

  tell() {
    const { scene, map, word, part } = this;
    const what = word === null ? spotName(scene, part) : `“${scene.words[word].text}”`;
    this.name.textContent = `${what} · ${map.name}`;
    this.scale.replaceChildren("0", make("i", { "aria-hidden": "true" }), percent(largestOf(this.cells(map))));
    this.told.textContent = this.reading(word, part);
    this.summary.textContent = `What ${spotName(scene, part)} got from each word`;
    this.hint.textContent = this.present
      ? ""
      : "Point at a part of the picture, click to keep it; point at a word to see which parts read it.";
    if (this.spot === null) setAttributes(this.figure, { "aria-label": this.told.textContent });
  }

  reading(word, part) {
    return word === null ? sentenceOfPart(this.scene, this.map, part) : sentenceOfReaders(this.scene, this.map, word);
  }

  get look() {
    return { theme: this.theme, photo: this.state.photo, photograph: this.photograph };
  }

  marks() {
    const { sheet, look, theme, word, part, scene } = this;
    const cells = this.cells(this.map);
    const marks = mapMarksOver(sheet, { map: { cells }, kept: cells.map(() => 1) }, look);
    if (word !== null) return marks;
    const at = [Math.floor(part / scene.columns), part % scene.columns];
    return [...marks, ...framedCell(sheet, at, { colour: theme.accent, line: 3, paper: theme.paper })];
  }

  /** What goes into a file: the part, or the word, that is chosen. */
  picture() {
    this.spot = null;
    this.hovered = null;
    this.draw();
    const { scene, map, sheet, theme, word, part } = this;
    const ends = ["0", `${percent(largestOf(this.cells(map)))}, the largest here`];
    const title = [scene.title, map.name].filter(Boolean).join(" · ");
    const words = { title, reading: this.reading(word, part), ends };
    return titled(words, { marks: this.marks(), width: sheet.width, height: sheet.height }, theme);
  }
}

export default mounting(SourceMaps);
