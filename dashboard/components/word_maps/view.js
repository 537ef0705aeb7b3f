import { keepAddress } from "../../../core/view/browser/kit/address.js";
import { bordersOf, cellAt } from "../../../core/view/browser/kit/cells.js";
import { choice, field, make, setAttributes, signButton } from "../../../core/view/browser/kit/dom.js";
import { ALONG, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { readable } from "../../../core/view/browser/kit/labels.js";
import { lineMark, paintOn } from "../../../core/view/browser/kit/marks.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { largestOf, percent } from "../../../core/view/browser/kit/numbers.js";
import { mapMarksOver, PHOTOS, preparedPhotograph } from "../../../core/view/browser/kit/photo_map.js";
import { framedCell, sheetOf, wholeOf } from "../../../core/view/browser/kit/photograph.js";
import { createRow, takesOf, titled } from "../../../core/view/browser/kit/saving.js";
import { carried, fitted, readWordAddress, startOf, wordAddress } from "./choice.js";
import { openWords, rowOf, rowsOfWords, sentenceOfSpot, sentenceOfWord, sharesAt, totalOf } from "./reading.js";
import { createOthers, createStrip, viewOf } from "./thumbs.js";

const TALLEST = 460; // pixels of the picture
const ABOVE = 110; // pixels above the photograph on a projector: the choices and its name
const NARROW = 720; // pixels: a narrower view has one column, as in view.css

class WordMaps extends View {
  state = null; // what is chosen (choice.js)
  hovered = null; // a word under the pointer
  spot = null; // a place of the picture under the pointer

  build() {
    this.maps = make("select", { "aria-label": "Map", change: () => this.pick(this.maps.selectedIndex) });
    const step = (by) => () => this.pick(this.maps.selectedIndex + by);
    this.back = signButton("‹", "Previous map", step(-1));
    this.next = signButton("›", "Next map", step(1));
    this.mapField = field("div", "Map", make("div", { class: "stepper" }, this.back, this.maps, this.next));
    this.photos = choice(PHOTOS, (photo) => this.set({ photo }));
    setAttributes(this.photos, { "aria-label": "Drawn as" });
    const choosers = make("div", { class: "choosers" }, this.mapField, field("label", "Drawn as", this.photos));
    const point = (event) => this.point(this.under(event));
    const pointer = { pointermove: point, pointerdown: point, pointerleave: () => this.point(null) };
    this.canvas = make("canvas", { "aria-hidden": "true", ...pointer });
    const keys = { keydown: (event) => this.press(event) };
    this.figure = make("div", { class: "photo", role: "img", tabindex: 0, ...keys }, this.canvas);
    this.name = make("b");
    this.scale = make("span", { class: "scale" });
    const caption = make("p", { class: "caption" }, this.name, this.scale);
    this.told = make("p", { class: "told", "aria-live": "polite" });
    const main = make("section", { class: "main" }, caption, this.figure, this.told);
    this.strip = createStrip({
      choose: (place, asks) => this.choose(place, asks),
      hover: (place) => this.hover(place),
    });
    this.others = createOthers({ pick: (map) => this.set({ map }, "push") });
    this.hint = make("p", { class: "pointed" });
    const beside = make("section", { class: "beside" }, this.strip.element, this.hint, this.others.element);
    const name = () => `${this.data.name}-${this.map.name}`.toLowerCase().replace(/[^\w.-]+/g, "-");
    const rows = () => rowsOfWords(this.scene, this.map);
    const row = createRow(takesOf({ name, picture: () => this.picture(), rows }));
    const label = "Words and the places that they look at";
    const about = { class: "view overphoto wordmaps", role: "group", "aria-label": label };
    return make("div", about, choosers, make("div", { class: "stage" }, main, beside), row);
  }

  show({ scene, address }) {
    if (scene.digest !== this.scene?.digest) this.open(scene, address);
    this.draw();
  }

  /** Shows another scene: the first one as the address wants it, later ones with what stays chosen. */
  open(sent, address) {
    const former = this.scene;
    this.scene = openWords(sent);
    if (sent.picture !== former?.picture) this.photograph = preparedPhotograph(sent.picture, () => this.draw());
    this.hovered = null;
    this.spot = null;
    if (former) this.state = carried(this.state, former, this.scene);
    else this.state = address ? readWordAddress(this.scene) : startOf(this.scene);
    this.writeMaps();
    this.strip.write(this.scene.words);
    if (!address) return;
    this.address ??= keepAddress({
      values: () => wordAddress(this.state, this.scene),
      read: () => readWordAddress(this.scene),
      restored: (state) => this.set(fitted(state, this.scene), null),
    });
    this.address.write("replace");
  }

  writeMaps() {
    const { maps } = this.scene;
    const parts = [...new Set(maps.map(({ group }) => group))].map((group) => {
      const own = maps.filter((map) => map.group === group).map(({ name }) => make("option", {}, name));
      return group ? [make("optgroup", { label: group }, ...own)] : own;
    });
    this.maps.replaceChildren(...parts.flat());
    this.mapField.hidden = maps.length < 2;
  }

  get map() {
    return this.scene.maps.find(({ name }) => name === this.state.map);
  }

  get word() {
    return this.hovered ?? this.state.word;
  }

  pick(place) {
    const { maps } = this.scene;
    this.set({ map: maps[within(place, maps.length)].name }, "push");
  }

  set(change, how = "replace") {
    this.state = { ...this.state, ...change };
    this.draw();
    if (how) this.address?.write(how);
  }

  /** A word that is clicked, or reached by the keyboard: then the server is not told. */
  choose(word, asks = true) {
    this.hovered = null;
    this.set({ word });
    if (asks && this.data.asks) this.component.setStateValue("clicked", { word, at: Date.now() });
  }

  hover(place) {
    if (place === this.hovered) return;
    this.hovered = place;
    this.soon(() => this.draw());
  }

  point(cell) {
    if (cell === this.spot) return;
    this.spot = cell;
    this.soon(() => this.draw());
  }

  under(event) {
    if (!this.sheet) return null;
    const { left, top } = this.canvas.getBoundingClientRect();
    const place = cellAt(this.sheet, event.clientX - left, event.clientY - top);
    return place && place[0] * this.scene.columns + place[1];
  }

  press(event) {
    if (event.key !== "Escape" && (isShortcut(event) || !(event.key in ALONG))) return;
    take(event);
    this.point(event.key === "Escape" ? null : within((this.spot ?? -1) + ALONG[event.key], this.scene.cells));
  }

  draw() {
    if (!this.scene || !this.root.clientWidth) return;
    const { scene, state, map, word, spot, look } = this;
    this.drawnWidth = this.root.clientWidth;
    const place = scene.maps.indexOf(map);
    this.maps.selectedIndex = place;
    setAttributes(this.back, { disabled: place === 0 });
    setAttributes(this.next, { disabled: place === scene.maps.length - 1 });
    this.photos.value = state.photo;
    const box = this.present ? this.roomBeside() : { width: this.figure.parentElement.clientWidth, height: TALLEST };
    this.sheet = sheetOf(scene, this.photograph.ratio(scene), box);
    paintOn(this.canvas, this.marks(word, spot), this.theme, this.sheet);
    const shares = spot === null ? null : sharesAt(scene, map, spot);
    this.strip.show(scene, map, { word, chosen: state.word, shares, look });
    this.others.show(scene, map, { word, look });
    this.tell();
  }

  /** On a projector the sentence stands beside the photograph, which has the height that is left, in half the width. */
  roomBeside() {
    return { width: this.root.clientWidth / (this.root.clientWidth < NARROW ? 1 : 2), height: this.room - ABOVE };
  }

  tell() {
    const { scene, map, word, spot } = this;
    this.name.textContent = `“${readable(scene.words[word].text)}” · ${map.name}`;
    this.scale.replaceChildren("0", make("i", { "aria-hidden": "true" }), this.largest(word));
    this.told.textContent = spot === null ? sentenceOfWord(scene, map, word) : sentenceOfSpot(scene, map, spot);
    this.hint.textContent = this.present ? "" : this.idle;
    if (spot === null) setAttributes(this.figure, { "aria-label": this.told.textContent });
  }

  /** The other end of the scale: the largest share of a word's map. */
  largest(word) {
    const row = rowOf(this.scene, this.map, word);
    const total = totalOf(row);
    return total > 0 ? percent(largestOf(row) / total) : "0";
  }

  get idle() {
    const keep = this.data.asks ? "click it for more" : "click to keep it";
    return `Point at a word to see where it looks, ${keep}; point at the picture to see which words look there.`;
  }

  get look() {
    return { theme: this.theme, photo: this.state.photo, photograph: this.photograph };
  }

  marks(word, spot) {
    const { scene, sheet, look, theme } = this;
    const marks = mapMarksOver(sheet, viewOf(rowOf(scene, this.map, word)), look);
    const { mask } = scene.words[word];
    if (mask) marks.push(...outlines(sheet, mask, theme));
    if (spot !== null) {
      const at = [Math.floor(spot / scene.columns), spot % scene.columns];
      marks.push(...framedCell(sheet, at, { colour: theme.ink, line: 2, paper: theme.paper }));
    }
    return marks;
  }

  /** What goes into a file: the word that is chosen, and the sentence about it. */
  picture() {
    const { scene, map, sheet, theme } = this;
    const { word } = this.state;
    const title = [scene.title, `“${readable(scene.words[word].text)}”`, map.name].filter(Boolean).join(" · ");
    const ends = ["0", `${this.largest(word)}, the largest here`];
    const words = { title, reading: sentenceOfWord(scene, map, word), ends };
    return titled(words, { marks: this.marks(word, null), width: sheet.width, height: sheet.height }, theme);
  }
}

/** The edge of what a word means, pixel by pixel. */
function outlines(sheet, { side, pixels }, theme) {
  const whole = wholeOf(sheet);
  const at = (column, row) => [whole.x + (column * whole.width) / side, whole.y + (row * whole.height) / side];
  const line = (colour, width) => (border) =>
    lineMark(at(border[0], border[1]), at(border[2], border[3]), colour, width);
  const borders = bordersOf(pixels, { rows: side, columns: side });
  return [...borders.map(line(theme.paper, 4)), ...borders.map(line(theme.accent, 2))];
}

export default mounting(WordMaps);
