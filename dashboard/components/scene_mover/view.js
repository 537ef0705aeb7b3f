import { make } from "../../../core/view/browser/kit/dom.js";
import { ARROWS, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";

class SceneMover extends View {
  held = null; // the thing that is dragged

  build() {
    this.image = make("img", { alt: "", draggable: "false" });
    this.frames = make("div", { class: "frames" });
    const sheet = make("div", { class: "scene-sheet", role: "group", "aria-label": "Things to be dragged" });
    sheet.append(this.image, this.frames);
    this.sheet = sheet;
    return make("div", { class: "view mover" }, sheet);
  }

  show({ picture, side, things }) {
    this.image.src = picture;
    this.places = things.map(({ row, column }) => ({ row, column }));
    const focused = [...this.frames.children].indexOf(this.frames.getRootNode().activeElement);
    const frame = ({ name, size }, thing) =>
      make("button", {
        type: "button",
        "aria-label": `${name}: drag it, or move it with the arrow keys`,
        title: name,
        style: `width:${(200 * size) / side}%;height:${(200 * size) / side}%`,
        pointerdown: (event) => this.hold(event, thing),
        pointermove: (event) => this.drag(event),
        pointerup: () => this.drop(),
        pointercancel: () => this.drop(),
        keydown: (event) => this.press(event, thing),
      });
    this.frames.replaceChildren(...things.map(frame));
    things.forEach((_, thing) => this.place(thing));
    this.frames.children[focused]?.focus();
  }

  place(thing) {
    const { row, column } = this.places[thing];
    const { side } = this.data;
    const { style } = this.frames.children[thing];
    [style.left, style.top] = [`${(100 * column) / side}%`, `${(100 * row) / side}%`];
  }

  hold(event, thing) {
    this.held = thing;
    event.target.setPointerCapture(event.pointerId);
    event.preventDefault();
    event.target.focus();
  }

  drag(event) {
    if (this.held === null) return;
    const { left, top, width, height } = this.sheet.getBoundingClientRect();
    const { side } = this.data;
    this.move(this.held, {
      row: Math.round(((event.clientY - top) / height) * side),
      column: Math.round(((event.clientX - left) / width) * side),
    });
  }

  move(thing, { row, column }) {
    const { side, things } = this.data;
    const edge = things[thing].size + 1;
    const inside = (place) => within(place - edge, side - 2 * edge + 1) + edge;
    this.places[thing] = { row: inside(row), column: inside(column) };
    this.place(thing);
  }

  drop() {
    const thing = this.held;
    this.held = null;
    if (thing !== null) this.tell(thing);
  }

  press(event, thing) {
    const step = ARROWS[event.key];
    if (!step || isShortcut(event)) return;
    take(event);
    const { row, column } = this.places[thing];
    this.move(thing, { row: row + step[0], column: column + step[1] });
    clearTimeout(this.pause);
    this.pause = setTimeout(() => this.tell(thing), 250);
  }

  tell(thing) {
    const { row, column } = this.places[thing];
    const former = this.data.things[thing];
    if (former.row !== row || former.column !== column) this.ask("moved", { thing, row, column });
  }
}

export default mounting(SceneMover);
