import { inkOn, shade } from "../../../core/view/browser/kit/colour.js";
import { make } from "../../../core/view/browser/kit/dom.js";
import { ALONG, isShortcut, within } from "../../../core/view/browser/kit/keyboard.js";
import { endsInByte } from "../../../core/view/browser/kit/labels.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";

class TintedLines extends View {
  build() {
    const focusin = (event) => event.target.matches(":focus-visible") && this.walk(event.target, Infinity);
    return make("div", {
      class: "view tinted",
      pointerover: (event) => this.look(event),
      pointerdown: (event) => this.look(event),
      pointerleave: () => this.point(null, null),
      focusin,
      focusout: () => this.point(null, null),
      keydown: (event) => this.key(event),
    });
  }

  show(data) {
    const odd = new Set(data.odd);
    this.texts = data.lines.map((line, row) => this.text(line, row, odd));
    this.sentence = make("p", { class: "sentence", "aria-live": "polite" });
    const lines = data.lines.map((line, row) => this.line(line, row));
    this.root.classList.toggle("of-tokens", data.of === "token");
    this.root.replaceChildren(this.legend(), ...lines, this.sentence);
    this.point(null, null);
    this.draw();
  }

  draw() {
    this.drawnWidth = this.root.clientWidth;
    this.grow(21, 48);
  }

  /** The name, the tinted text, and what stands behind it. */
  line(line, row) {
    const after = line.after.map(([label, number]) => make("li", {}, make("b", {}, label), ` ${number}`));
    return make(
      "div",
      { class: "line" },
      make("span", { class: "name" }, line.name),
      this.texts[row],
      make("ul", { class: "after", "aria-label": `${line.name}: ${this.data.after}` }, ...after),
    );
  }

  text(line, row, odd) {
    const { signed } = this.data;
    const theme = signed ? { ...this.theme, ramp: this.theme.diverging } : this.theme;
    const letters = this.data.characters.flatMap((character, place) => {
      const strength = signed ? (1 + line.strengths[place]) / 2 : line.strengths[place];
      const style = `background:${shade(theme, strength)};color:${inkOn(theme, strength)}`;
      const letter = make("span", { style, class: odd.has(place) ? "odd" : null, "data-place": place }, character);
      return endsInByte(character) ? [letter, make("wbr")] : [letter];
    });
    return make(
      "p",
      { class: "text", tabindex: 0, role: "img", "aria-label": line.summary, "data-row": row },
      ...letters,
    );
  }

  legend() {
    const { scale, ticks, after, odd, oddMeans, signed } = this.data;
    const marks = ticks.map(([place, label]) => make("span", { style: `left:${100 * place}%` }, label));
    return make(
      "div",
      { class: "head" },
      make("span", {}, scale),
      make(
        "span",
        { class: "ramp" },
        make("i", { "aria-hidden": "true", class: signed ? "signed" : null }),
        make("span", { class: "ticks" }, ...marks),
      ),
      odd.length ? make("span", {}, make("span", { class: "odd" }, "\u2003"), ` ${oddMeans}`) : null,
      make("span", { class: "heading" }, after),
    );
  }

  look(event) {
    const place = event.target.dataset?.place;
    if (place === undefined) return;
    this.point(Number(event.target.parentElement.dataset.row), Number(place));
  }

  key(event) {
    if (!/^(Arrow(Left|Right)|Home|End)$/.test(event.key) || isShortcut(event)) return;
    if (event.target.dataset?.row === undefined) return;
    event.preventDefault();
    this.walk(event.target, ALONG[event.key]);
  }

  /** Move the mark along a line that has the focus; an endless step goes to its end. */
  walk(text, step) {
    const count = this.data.characters.length;
    this.point(Number(text.dataset.row), within((this.place ?? count - 1) + step, count));
  }

  /** Mark one place in all lines, and say what there is to say about it in one of them. */
  point(row, place) {
    for (const text of this.texts) {
      text.querySelector(".here")?.classList.remove("here");
      if (place !== null) text.querySelector(`[data-place="${place}"]`).classList.add("here");
    }
    this.place = place;
    this.sentence.textContent = place === null ? `Point at a ${this.data.of}.` : this.data.lines[row].tells[place];
  }
}

export default mounting(TintedLines);
