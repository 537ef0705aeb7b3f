import { inkOn, shade } from "../../../core/view/browser/kit/colour.js";
import { make } from "../../../core/view/browser/kit/dom.js";
import { ALONG, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";

class WordPicker extends View {
  clicks = 0;

  build() {
    this.text = make("div", {
      class: "words",
      role: "group",
      click: (event) => this.click(event),
      pointerover: (event) => this.say(event),
      pointerleave: () => this.rest(),
      focusin: (event) => this.say(event),
      focusout: () => this.rest(),
      keydown: (event) => this.key(event),
    });
    this.legend = make("div", { class: "scale" });
    this.sentence = make("p", { class: "sentence", "aria-live": "polite" });
    return make("div", { class: "view picker" }, this.legend, this.text, this.sentence);
  }

  show({ words, label, scale, ticks, kinds }) {
    // The view stands in a shadow tree: to the document, its host has the focus.
    const focused = this.places().indexOf(this.text.getRootNode().activeElement);
    this.text.setAttribute("aria-label", label);
    this.text.replaceChildren(...words.flatMap((word, place) => this.word(word, place)));
    this.stop(Math.max(0, focused));
    if (focused >= 0) this.places()[within(focused, words.length)].focus();
    this.legend.hidden = !scale && !kinds.length;
    const named = kinds.map(([name, hue]) => make("span", { class: "kind", style: `--hue:${hue}` }, name));
    const marks = ticks.map(([place, text]) => make("span", { style: `left:${100 * place}%` }, text));
    const ramp = make("span", { class: "ramp" }, make("i", { "aria-hidden": "true" }), make("span", {}, ...marks));
    this.legend.replaceChildren(...(scale ? [make("span", {}, scale), ramp] : []), ...named);
    this.rest();
    this.draw();
  }

  draw() {
    this.drawnWidth = this.root.clientWidth;
    this.grow(21, 48);
  }

  /** What stands before the word, and the word. */
  word({ text, strength, covered, below, marked, struck, hue }, place) {
    const own = text.trimStart();
    const tint =
      covered || struck ? "" : `background:${shade(this.theme, strength)};color:${inkOn(this.theme, strength)}`;
    const attributes = {
      type: "button",
      style: hue ? `${tint};--hue:${hue}` : tint,
      class: Object.entries({ covered, marked, struck, hued: hue })
        .flatMap(([name, is]) => (is ? [name] : []))
        .join(" "),
      "data-place": place,
      "aria-label": covered ? `${own}, hidden` : null,
      "aria-pressed": covered || marked || struck ? "true" : "false",
      dir: "auto",
    };
    const shown = [covered ? make("span", { class: "gap" }, own) : own];
    if (below) shown.push(make("span", { class: "below" }, below));
    return [text.slice(0, text.length - own.length), make("button", attributes, ...shown)];
  }

  places() {
    return [...this.text.querySelectorAll("button")];
  }

  placeOf(event) {
    const place = event.target.closest?.("button")?.dataset.place;
    return place === undefined ? null : Number(place);
  }

  /** A click is a state and no trigger: two clicks on one word differ by their number. */
  click(event) {
    const word = this.placeOf(event);
    if (word === null) return;
    this.clicks += 1;
    this.ask("clicked", { word, turn: `${Date.now()}-${this.clicks}` });
  }

  key(event) {
    const place = this.placeOf(event);
    if (place === null || isShortcut(event) || !(event.key in ALONG)) return;
    take(event);
    const next = within(place + ALONG[event.key], this.data.words.length);
    this.stop(next);
    this.places()[next].focus();
  }

  /** One word at a time is reached by Tab, the others by arrow keys. */
  stop(place) {
    for (const [number, word] of this.places().entries()) word.tabIndex = number === place ? 0 : -1;
  }

  say(event) {
    const place = this.placeOf(event);
    if (place === null) return;
    this.sentence.textContent = this.data.words[place].tell;
    this.sentence.classList.remove("idle");
  }

  rest() {
    this.sentence.textContent = this.data.hint;
    this.sentence.classList.add("idle");
  }
}

export default mounting(WordPicker);
