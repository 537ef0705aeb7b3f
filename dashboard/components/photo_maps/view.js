import { keepAddress } from "../attention_view/address.js";
import { applyTheme, readTheme } from "../attention_view/colour.js";
import { make } from "../attention_view/dom.js";
import { mounting } from "../attention_view/mounting.js";
import { download } from "../takeaway/files.js";
import { createRow } from "../takeaway/row.js";
import { littleMap, mapFrom } from "./answering.js";
import { askedFor, fitted, mapAddress, placeOf, readMapAddress, startOf } from "./chosen.js";
import { largestIn, mapMarksOver, outlineMarks } from "./drawing.js";
import { keptCells } from "./keeping.js";
import { answerOf, keepAnswers, openPhotographed } from "./opened.js";
import { photographOf } from "./photograph.js";
import { csvOfMap, pngOfMap, svgOfMap } from "./saving.js";
import { headTitle, hintFor, sentenceOfCell, sentenceOfMap } from "./sentences.js";
import { createChoosers } from "./settings.js";
import { createStage } from "./stage.js";

const TALLEST = 500; // pixels of the photograph, so that it stays in the window together with what is said about it
const PRESENTED = 1.3; // times larger for the projector
const PLACES = ["patch", "same"]; // ways to look that begin at a place
const STEPS_OF = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

class PhotoMaps {
  constructor(host) {
    this.turn = 0;
    this.hovered = null; // the cell under the pointer
    this.build(host);
    this.stop = new AbortController();
    document.fonts.addEventListener("loadingdone", () => this.draw(), { signal: this.stop.signal });
    this.sizes = new ResizeObserver(() => this.width !== this.drawnWidth && this.draw());
    this.sizes.observe(this.stage.element);
  }

  build(host) {
    this.choosers = createChoosers({ set: (change, how) => this.set(change, how) });
    this.stage = createStage({
      hover: (cell) => this.hover(cell),
      choose: (cell) => this.choose(cell),
      press: (event) => this.press(event),
      pick: (head) => this.set({ head }, "push"),
    });
    const file = (ending) =>
      `${this.name}-${headTitle(this.now.layer, this.now.head)}.${ending}`.toLowerCase().replace(/[^\w.-]+/g, "-");
    this.row = createRow({
      SVG: () => download(svgOfMap(this.page()), file("svg")),
      PNG: async () => download(await pngOfMap(this.page()), file("png")),
      CSV: () => download(csvOfMap(this.page()), file("csv")),
    });
    const about = { class: "photos", role: "group", "aria-label": "Attention over the photograph" };
    this.root = make("div", about, this.choosers.element, this.stage.element, this.row);
    host.append(this.root);
  }

  /** Takes a message in; returns the number of this call. */
  receive(component) {
    const { data } = component;
    this.component = component;
    this.name = data.name;
    this.present = data.present;
    this.asked = "";
    this.theme = readTheme(this.root, data.palettes, data.present);
    applyTheme(this.root, this.theme);
    this.root.classList.toggle("present", data.present);
    if (data.overview && data.overview.digest !== this.scene?.digest) this.open(data);
    if (this.scene?.digest !== data.digest)
      this.ask(); // the server thought that the overview was here already
    else if (data.answers) keepAnswers(this.scene, data.answers);
    this.draw();
    return ++this.turn;
  }

  /** Shows another scene: the first one as the address wants it, later ones with the present choice. */
  open({ overview, address }) {
    const former = this.scene;
    this.scene = openPhotographed(overview);
    this.photograph = photographOf(overview.picture, () => this.draw());
    this.hovered = null;
    this.now = null;
    const wished = former ? this.state : address ? readMapAddress(this.scene) : startOf(this.scene);
    this.state = fitted(wished, this.scene, former?.layers[this.state.layer]);
    this.choosers.write(this.scene);
    if (!address) return;
    this.address ??= keepAddress({
      values: () => mapAddress(this.state, this.scene),
      read: () => readMapAddress(this.scene),
      restored: (state) => this.set(state, null),
    });
    this.address.write("replace");
  }

  get layer() {
    return this.scene.layers[this.state.layer];
  }

  get width() {
    return this.stage.element.clientWidth;
  }

  /** Changes the choice; `how` is "push" for a step that the back button should undo, null if the address led. */
  set(change, how = "replace") {
    if (!this.scene) return;
    const former = this.layer;
    const own = { ...this.state, ...change };
    const target = this.scene.layers[own.layer];
    if (target && own.head >= target.heads) own.head = target.heads - 1;
    this.state = fitted(own, this.scene, how ? former : null);
    this.hovered = null;
    this.draw();
    if (how) this.address?.write(how);
  }

  hover(cell) {
    if (cell === this.hovered || !this.now) return;
    this.hovered = cell;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.point();
    });
  }

  /** What follows the pointer: another map where places look, else an outline and a sentence. */
  point() {
    if (this.isPlace) this.draw();
    else if (this.now) {
      this.paintFigure();
      this.tell();
    }
  }

  get isPlace() {
    return PLACES.includes(this.state.from);
  }

  /** A click on the photograph: this place looks. */
  choose(cell) {
    if (cell === null || !this.scene) return;
    const from = this.isPlace ? this.state.from : "patch";
    this.set({ from, place: cell }, from === this.state.from ? "replace" : "push");
  }

  press(event) {
    const step = STEPS_OF[event.key];
    if (!step || !this.scene || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { rows, columns } = this.layer;
    const place = placeOf(this.state, this.layer);
    const row = Math.min(rows - 1, Math.max(0, Math.floor(place / columns) + step[0]));
    const column = Math.min(columns - 1, Math.max(0, (place % columns) + step[1]));
    this.choose(row * columns + column);
  }

  /** Brings everything that is seen to the present choice. */
  draw() {
    if (!this.scene || !this.width) return;
    this.drawnWidth = this.width;
    this.see();
    this.choosers.show(this.state, this.scene);
    this.root.classList.toggle("waiting", this.isWaiting);
    if (!this.now) return;
    this.layOut();
    this.paintFigure();
    this.showHeads();
    this.tell();
  }

  /** The map of the present choice; the former one stays while the server is asked for what is not here. */
  see() {
    const { state, scene, layer, hovered } = this;
    const from = askedFor(state, layer, this.isPlace ? hovered : null);
    const answer = answerOf(scene, layer, state.head);
    const map = answer ? mapFrom(layer, answer, from) : littleMap(layer, state.head, from);
    const share = state.keep / 100;
    this.isWaiting = !answer;
    if (!answer) this.ask();
    if (map) this.now = { layer, head: state.head, from, map, share, kept: keptCells(map, share) };
  }

  /** Asks for answers; an equal wish is not sent twice before something has come. */
  ask() {
    const { layer = null, head = null } = this.state ?? {};
    const wish = { layer, head, have: this.scene?.digest ?? "" };
    if (this.asked === JSON.stringify(wish)) return;
    this.asked = JSON.stringify(wish);
    this.component.setStateValue("chosen", wish);
  }

  layOut() {
    const { layer } = this.now;
    this.sheet = this.stage.layOut(layer, this.photograph.ratio(layer), TALLEST * (this.present ? PRESENTED : 1));
  }

  get look() {
    return { theme: this.theme, photo: this.state.photo, photograph: this.photograph };
  }

  paintFigure() {
    this.stage.draw(this.marks(this.hovered), this.theme);
  }

  marks(hovered) {
    const { now, sheet, look } = this;
    const chosen = this.isPlace && !this.isWaiting ? placeOf(this.state, now.layer) : null;
    return [...mapMarksOver(sheet, now, look), ...outlineMarks(sheet, { ...now, chosen, hovered }, look)];
  }

  /** The same question to every head of the layer; those that are not here show what is known of them. */
  showHeads() {
    const { now, scene, state } = this;
    let unknown = 0;
    const shown = Array.from({ length: now.layer.heads }, (_, head) => {
      const answer = head === now.head && !this.isWaiting ? now : answerOf(scene, now.layer, head);
      unknown += !answer;
      const map =
        answer === now
          ? now.map
          : answer
            ? mapFrom(now.layer, answer, now.from)
            : (littleMap(now.layer, head, now.from) ?? littleMap(now.layer, head, { kind: "mean" }));
      return { map, kept: keptCells(map, now.share) };
    });
    const about =
      unknown && this.isPlace
        ? now.layer.heads > 1
          ? "until chosen: the mean over queries"
          : ""
        : "each to its own largest weight";
    this.stage.heads.show(now.layer, shown, { chosen: state.head, look: this.look, about });
  }

  tell() {
    const { now, hovered, state } = this;
    const title = headTitle(now.layer, now.head);
    const reading = sentenceOfMap(now);
    this.stage.tell({
      name: this.isWaiting ? `${headTitle(this.layer, state.head)} …` : title,
      largest: largestIn(now.map),
      reading,
      about:
        hovered !== null && !this.isPlace ? sentenceOfCell(now, hovered) : this.present ? "" : hintFor(this.isPlace),
      spoken: hovered === null ? `${title}. ${reading}` : null,
    });
  }

  /** What goes into a file: what is chosen, not what the pointer happens to be at. */
  page() {
    this.hovered = null;
    this.draw();
    const { now, sheet, theme } = this;
    const titles = [this.scene.title, headTitle(now.layer, now.head)].filter(Boolean);
    return {
      ...now,
      sheet,
      theme,
      marks: this.marks(null),
      largest: largestIn(now.map),
      title: titles.join(": "),
      reading: sentenceOfMap(now),
    };
  }

  destroy() {
    cancelAnimationFrame(this.frame);
    this.stop.abort();
    this.sizes.disconnect();
    this.address?.destroy();
    this.root.remove();
  }
}

export default mounting(PhotoMaps);
