import { keepAddress } from "../../../core/view/browser/kit/address.js";
import { make } from "../../../core/view/browser/kit/dom.js";
import { ARROWS, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { headName } from "../../../core/view/browser/kit/labels.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { largestOf, percent } from "../../../core/view/browser/kit/numbers.js";
import { mapMarksOver, preparedPhotograph } from "../../../core/view/browser/kit/photo_map.js";
import { createRow, takesOf, titled } from "../../../core/view/browser/kit/saving.js";
import { answerOf, keepAnswers, keptCells, littleMap, mapFrom, openPhotographed } from "./answers.js";
import { askedFor, fitted, mapAddress, placeOf, readMapAddress, startOf } from "./choice.js";
import { outlineMarks } from "./drawing.js";
import { hintFor, rowsOfMap, sentenceOfCell, sentenceOfMap } from "./sentences.js";
import { createChoosers, createStage } from "./stage.js";

const TALLEST = 500; // pixels of the photograph, so that it stays in the window together with what is said about it
const ABOVE = 110; // pixels above the photograph on a projector: the choices and its name
const PLACES = ["patch", "same"]; // ways to look that begin at a place

class PhotoMaps extends View {
  hovered = null; // the cell under the pointer

  build() {
    this.choosers = createChoosers({ set: (change, how) => this.set(change, how) });
    this.stage = createStage({
      hover: (cell) => this.hover(cell),
      choose: (cell) => this.choose(cell),
      press: (event) => this.press(event),
      pick: (head) => this.set({ head }, "push"),
    });
    const title = () => `${this.data.name}-${headName(this.now.layer, this.now.head)}`;
    const name = () =>
      title()
        .toLowerCase()
        .replace(/[^\w.-]+/g, "-");
    const rows = () => rowsOfMap(this.now);
    const row = createRow(takesOf({ name, picture: () => this.picture(), rows }));
    const about = { class: "view overphoto photos", role: "group", "aria-label": "Attention over the photograph" };
    return make("div", about, this.choosers.element, this.stage.element, row);
  }

  show(data) {
    if (data.overview && data.overview.digest !== this.scene?.digest) this.open(data);
    if (this.scene?.digest !== data.digest)
      this.wish(); // the server thought that the overview was here already
    else if (data.answers) keepAnswers(this.scene, data.answers);
    this.draw();
  }

  /** Shows another scene: the first one as the address wants it, later ones with the present choice. */
  open({ overview, address }) {
    const former = this.scene;
    this.scene = openPhotographed(overview);
    this.photograph = preparedPhotograph(overview.picture, () => this.draw());
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
    this.soon(() => this.point());
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
    const step = ARROWS[event.key];
    if (!step || !this.scene || isShortcut(event)) return;
    take(event);
    const { rows, columns } = this.layer;
    const place = placeOf(this.state, this.layer);
    const row = within(Math.floor(place / columns) + step[0], rows);
    this.choose(row * columns + within((place % columns) + step[1], columns));
  }

  /** Brings everything that is seen to the present choice. */
  draw() {
    if (!this.scene || !this.root.clientWidth) return;
    this.drawnWidth = this.root.clientWidth;
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
    if (!answer) this.wish();
    if (map) this.now = { layer, head: state.head, from, map, share, kept: keptCells(map, share) };
  }

  /** Asks the server for answers; it leaves the overview out where it is the one that is here. */
  wish() {
    const { layer = null, head = null } = this.state ?? {};
    this.ask("chosen", { layer, head, have: this.scene?.digest ?? "" });
  }

  layOut() {
    const { layer } = this.now;
    this.sheet = this.stage.layOut(layer, this.photograph.ratio(layer), this.present ? this.room - ABOVE : TALLEST);
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
    const title = headName(now.layer, now.head);
    const reading = sentenceOfMap(now);
    this.stage.tell({
      name: this.isWaiting ? `${headName(this.layer, state.head)} …` : title,
      largest: largestOf(now.map.cells),
      reading,
      about:
        hovered !== null && !this.isPlace
          ? sentenceOfCell(now, hovered)
          : this.present
            ? ""
            : hintFor(this.isPlace, now.layer),
      spoken: hovered === null ? `${title}. ${reading}` : null,
    });
  }

  /** What goes into a file: what is chosen, not what the pointer happens to be at. */
  picture() {
    this.hovered = null;
    this.draw();
    const { now, sheet, theme } = this;
    const title = [this.scene.title, headName(now.layer, now.head)].filter(Boolean).join(": ");
    const ends = ["0", `${percent(largestOf(now.map.cells))}, the largest here`];
    const words = { title, reading: sentenceOfMap(now), ends };
    return titled(words, { marks: this.marks(null), width: sheet.width, height: sheet.height }, theme);
  }
}

export default mounting(PhotoMaps);
