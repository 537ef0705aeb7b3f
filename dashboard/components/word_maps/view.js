import { keepAddress, parametersOf, unless } from "../kit/address.js";
import { bordersOf, cellAt } from "../kit/cells.js";
import { inkOn, shade } from "../kit/colour.js";
import { choice, make, setAttributes, signButton } from "../kit/dom.js";
import { ALONG, isShortcut, take, within } from "../kit/keyboard.js";
import { readable } from "../kit/labels.js";
import { lineMark, paint, paintOn } from "../kit/marks.js";
import { mounting, View } from "../kit/mounting.js";
import { largestOf, percent } from "../kit/numbers.js";
import { mapMarksOver, PHOTOS, preparedPhotograph } from "../kit/photo_map.js";
import { framedCell, sheetOf, wholeOf } from "../kit/photograph.js";
import { createRow, takesOf, titled } from "../kit/saving.js";
import { openWords, rowOf, rowsOfWords, sentenceOfSpot, sentenceOfWord, sharesAt } from "./reading.js";

const TALLEST = 460; // pixels of the picture
const PRESENTED = 1.3; // times larger for the projector
const SIDE = 168; // pixels of a thumbnail's longer side, at most; the style sheet makes it smaller

class WordMaps extends View {
  state = null; // { word, map (its name), photo }
  hovered = null; // a word under the pointer
  spot = null; // a place of the picture under the pointer

  build() {
    this.maps = make("select", { "aria-label": "Map", change: () => this.pick(this.maps.selectedIndex) });
    const step = (by) => () => this.pick(this.maps.selectedIndex + by);
    this.back = signButton("‹", "Previous map", step(-1));
    this.next = signButton("›", "Next map", step(1));
    this.mapField = field("Map", make("div", { class: "stepper" }, this.back, this.maps, this.next));
    this.photos = choice(PHOTOS, (photo) => this.set({ photo }));
    setAttributes(this.photos, { "aria-label": "Drawn as" });
    const choosers = make("div", { class: "choosers" }, this.mapField, field("Drawn as", this.photos));
    this.canvas = make("canvas", {
      "aria-hidden": "true",
      pointermove: (event) => this.point(this.under(event)),
      pointerdown: (event) => this.point(this.under(event)),
      pointerleave: () => this.point(null),
    });
    this.figure = make("div", { class: "photo", role: "img", tabindex: 0, keydown: (event) => this.press(event) });
    this.figure.append(this.canvas);
    this.name = make("b");
    this.scale = make("span", { class: "scale" });
    const caption = make("p", { class: "caption" }, this.name, this.scale);
    this.told = make("p", { class: "told", "aria-live": "polite" });
    const main = make("section", { class: "main" }, caption, this.figure, this.told);
    this.strip = make("div", { class: "strip", role: "group", "aria-label": "Words", keydown: (e) => this.along(e) });
    this.hint = make("p", { class: "pointed" });
    this.others = make("div", { class: "others", role: "group", "aria-label": "All maps of this word" });
    this.othersName = make("p", { class: "caption" });
    const beside = make("section", { class: "beside" }, this.strip, this.hint, this.othersName, this.others);
    const name = () => `${this.data.name}-${this.map.name}`.toLowerCase().replace(/[^\w.-]+/g, "-");
    const rows = () => rowsOfWords(this.scene, this.map);
    const row = createRow(takesOf({ name, picture: () => this.picture(), rows }));
    const about = {
      class: "view overphoto wordmaps",
      role: "group",
      "aria-label": "Words and the places that they look at",
    };
    return make("div", about, choosers, make("div", { class: "stage" }, main, beside), row);
  }

  show({ scene, address }) {
    if (scene.digest !== this.scene?.digest) this.open(scene, address);
    this.draw();
  }

  open(sent, address) {
    const former = this.scene;
    this.scene = openWords(sent);
    if (sent.picture !== former?.picture) this.photograph = preparedPhotograph(sent.picture, () => this.draw());
    this.hovered = null;
    this.spot = null;
    const start = { word: sent.start, map: sent.maps[sent.first].name, photo: sent.photo };
    const isSame = former?.words.every((word, place) => word.text === sent.words[place]?.text);
    const isLook = former && this.state.photo !== former.photo;
    const kept = former && {
      ...start,
      map: this.state.map,
      ...(isLook ? { photo: this.state.photo } : {}),
      ...(isSame ? { word: this.state.word } : {}),
    };
    this.state = this.fitted(kept || (address ? { ...start, ...this.addressed() } : start));
    this.write();
    if (!address) return;
    this.address ??= keepAddress({
      values: () => this.wished(),
      read: () => ({ ...this.start, ...this.addressed() }),
      restored: (state) => this.set(this.fitted(state), null),
    });
    this.address.write("replace");
  }

  get start() {
    const { start, first, maps, photo } = this.scene;
    return { word: start, map: maps[first].name, photo };
  }

  fitted({ word, map, photo }) {
    const { words, maps, first, start } = this.scene;
    return {
      word: word < words.length ? word : start,
      map: maps.some(({ name }) => name === map) ? map : maps[first].name,
      photo,
    };
  }

  addressed() {
    const { text, number, oneOf } = parametersOf();
    const found = { word: number("word"), map: text("map"), photo: oneOf("map-photo", Object.keys(PHOTOS)) };
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  }

  wished() {
    const { start, state } = this;
    return {
      word: unless(state.word, start.word),
      map: unless(state.map, start.map),
      "map-photo": unless(state.photo, start.photo),
    };
  }

  get map() {
    return this.scene.maps.find(({ name }) => name === this.state.map);
  }

  get word() {
    return this.hovered ?? this.state.word;
  }

  pick(place) {
    const chosen = this.scene.maps[within(place, this.scene.maps.length)];
    this.set({ map: chosen.name }, "push");
  }

  set(change, how = "replace") {
    this.state = { ...this.state, ...change };
    this.draw();
    if (how) this.address?.write(how);
  }

  /** The list of maps, and the words, each with its little picture. */
  write() {
    const groups = [...new Set(this.scene.maps.map(({ group }) => group))];
    const parts = groups.map((group) => {
      const own = this.scene.maps.filter((map) => map.group === group).map(({ name }) => make("option", {}, name));
      return group ? [make("optgroup", { label: group }, ...own)] : own;
    });
    this.maps.replaceChildren(...parts.flat());
    this.mapField.hidden = this.scene.maps.length < 2;
    this.thumbs = this.scene.words.map((word, place) => this.thumb(word, place));
    this.strip.replaceChildren(...this.thumbs.map(({ cell }) => cell));
  }

  thumb(word, place) {
    const canvas = make("canvas", { "aria-hidden": "true" });
    const label = make("span", { class: "label", dir: "auto" }, readable(word.text));
    const bar = word.bar === null ? null : make("span", { class: "bar" }, make("i", { style: `--share:${word.bar}` }));
    const cell = make(
      "button",
      {
        type: "button",
        class: word.quiet ? "word quiet" : "word",
        title: word.tell,
        click: () => this.choose(place),
        pointerenter: (event) => event.pointerType !== "touch" && this.hover(place),
        pointerleave: () => this.hover(null),
      },
      canvas,
      label,
      bar,
    );
    return { cell, canvas, label };
  }

  choose(place) {
    this.hovered = null;
    this.set({ word: place });
    if (this.data.asks) this.component.setStateValue("clicked", { word: place, at: Date.now() });
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

  /** Left and right go from word to word. */
  along(event) {
    if (isShortcut(event) || !(event.key in ALONG)) return;
    take(event);
    const place = within(this.state.word + ALONG[event.key], this.scene.words.length);
    this.set({ word: place });
    this.thumbs[place].cell.focus();
  }

  press(event) {
    if (event.key !== "Escape" && (isShortcut(event) || !(event.key in ALONG))) return;
    take(event);
    const place = event.key === "Escape" ? null : within((this.spot ?? -1) + ALONG[event.key], this.scene.cells);
    this.point(place);
  }

  draw() {
    if (!this.scene || !this.root.clientWidth) return;
    const { scene, state, map, word } = this;
    this.drawnWidth = this.root.clientWidth;
    const place = scene.maps.indexOf(map);
    this.maps.selectedIndex = place;
    setAttributes(this.back, { disabled: place === 0 });
    setAttributes(this.next, { disabled: place === scene.maps.length - 1 });
    this.photos.value = state.photo;
    const grid = { rows: scene.rows, columns: scene.columns };
    const box = { width: this.figure.parentElement.clientWidth, height: TALLEST * (this.present ? PRESENTED : 1) };
    this.sheet = sheetOf(grid, this.photograph.ratio(grid), box);
    paintOn(this.canvas, this.marks(word, this.spot), this.theme, this.sheet);
    this.drawWords();
    this.drawOthers();
    const row = rowOf(scene, map, word);
    const total = row.reduce((sum, value) => sum + value, 0);
    this.name.textContent = `“${readable(scene.words[word].text)}” · ${map.name}`;
    const largest = total > 0 ? percent(largestOf(row) / total) : "0";
    this.scale.replaceChildren("0", make("i", { "aria-hidden": "true" }), largest);
    this.told.textContent =
      this.spot === null ? sentenceOfWord(scene, map, word) : sentenceOfSpot(scene, map, this.spot);
    this.hint.textContent = this.present ? "" : this.idle;
    if (this.spot === null) setAttributes(this.figure, { "aria-label": this.told.textContent });
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
    const cells = rowOf(scene, this.map, word);
    const view = { map: { cells }, kept: cells.map(() => 1) };
    const marks = mapMarksOver(sheet, view, look);
    const { mask } = scene.words[word];
    if (mask) marks.push(...outlines(sheet, mask, theme));
    if (spot !== null) {
      const at = [Math.floor(spot / scene.columns), spot % scene.columns];
      marks.push(...framedCell(sheet, at, { colour: theme.ink, line: 2, paper: theme.paper }));
    }
    return marks;
  }

  drawWords() {
    const { scene, map, spot, theme, word } = this;
    const shares = spot === null ? null : sharesAt(scene, map, spot);
    const most = shares && largestOf(shares);
    this.thumbs.forEach(({ cell, canvas, label }, place) => {
      setAttributes(cell, { "aria-pressed": String(place === word), tabindex: place === this.state.word ? 0 : -1 });
      const strength = most ? shares[place] / most : 0;
      label.style.background = strength ? shade(theme, strength) : "";
      label.style.color = strength ? inkOn(theme, strength) : "";
      this.little(canvas, rowOf(scene, map, place));
    });
  }

  /** The same word in the other maps of the group: the heads of a layer, or the ways to explain. */
  drawOthers() {
    const { scene, map, word } = this;
    const own = scene.maps.filter(({ group }) => group === map.group);
    this.others.hidden = this.othersName.hidden = own.length < 2;
    if (own.length < 2) return;
    const name = make("b", {}, map.group || "All maps");
    this.othersName.replaceChildren(name, `of “${readable(scene.words[word].text)}”, each to its own largest value`);
    const key = own.map(({ name }) => name).join("|");
    if (this.othersKey !== key) {
      this.othersKey = key;
      this.otherThumbs = own.map(({ name }) => {
        const canvas = make("canvas", { "aria-hidden": "true" });
        const label = make("span", { class: "label" }, name);
        const cell = make("button", { type: "button", class: "word", click: () => this.set({ map: name }, "push") });
        cell.append(canvas, label);
        return { name, canvas, cell };
      });
      this.others.replaceChildren(...this.otherThumbs.map(({ cell }) => cell));
    }
    this.otherThumbs.forEach(({ name, canvas, cell }, place) => {
      setAttributes(cell, { "aria-pressed": String(name === map.name) });
      this.little(canvas, rowOf(scene, own[place], word));
    });
  }

  little(canvas, cells) {
    const grid = { rows: this.scene.rows, columns: this.scene.columns };
    const sheet = sheetOf(grid, this.photograph.ratio(grid), { width: SIDE, height: SIDE }, { edge: 0 });
    if (canvas.width !== sheet.width) canvas.width = sheet.width;
    if (canvas.height !== sheet.height) canvas.height = sheet.height;
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    const view = { map: { cells }, kept: cells.map(() => 1) };
    paint(context, mapMarksOver(sheet, view, this.look, true), this.theme);
  }

  /** What goes into a file: the word that is chosen, and the sentence about it. */
  picture() {
    const { scene, map, sheet, theme } = this;
    const { word } = this.state;
    const title = [scene.title, `“${readable(scene.words[word].text)}”`, map.name].filter(Boolean).join(" · ");
    const row = rowOf(scene, map, word);
    const total = row.reduce((sum, value) => sum + value, 0) || 1;
    const ends = ["0", `${percent(largestOf(row) / total)}, the largest here`];
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

function field(name, input) {
  return make("div", { class: "field" }, make("span", { class: "name" }, name), input);
}

export default mounting(WordMaps);
