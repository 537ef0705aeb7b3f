import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { lettersOf, lineOfToken, rowsOfLines, strongestByRow, wrappedLines } from "./lines.js";

const LINE = 1.5; // heights of a letter
const BEYOND = 6; // lines that are drawn above and below what is in view
const SLACK = 0.97; // of the width: what is measured word by word may come out a little wider together
const RULER = 12; // pixels of the ruler beside the text

/** The text, of which only what is in view is on the page; `choose(token)` is called for a token that is clicked. */
export class LongText {
  labels = [];
  lines = { starts: [0], gaps: new Set() };
  rows = { rows: new Uint32Array(1), count: 0 };
  tints = () => null; // the colours of a token: { colour, ink, below } or null
  states = () => ""; // the class of a token: a hit, the chosen one
  centre = null;
  cursor = 0;

  constructor({ choose }) {
    this.choose = choose;
    this.page = make("div", { class: "lines" });
    this.holder = make(
      "div",
      {
        class: "long-text",
        tabindex: 0,
        role: "region",
        "aria-label": "Text: left and right go from token to token, Enter chooses one",
        scroll: () => this.render(),
        click: (event) => this.click(event),
        keydown: (event) => this.press(event),
      },
      this.page,
    );
    const go = (event) => event.buttons > 0 && this.jump(event);
    this.ruler = make("canvas", { class: "ruler", "aria-hidden": "true", pointerdown: go, pointermove: go });
    this.spoken = make("p", { class: "unseen", "aria-live": "polite" });
    this.element = make("div", { class: "with-ruler" }, this.holder, this.ruler, this.spoken);
    this.sizes = new ResizeObserver(() => this.layOut());
    this.sizes.observe(this.holder);
  }

  write(labels) {
    Object.assign(this, { labels, wide: 0, centre: null, cursor: 0, marks: [] });
    this.page.replaceChildren();
    this.layOut();
  }

  /** Breaks the text into lines of the present width. */
  layOut() {
    const { clientWidth, clientHeight } = this.holder;
    if (!clientWidth || !this.labels.length) return;
    const style = getComputedStyle(this.holder);
    const font = `${style.fontSize} ${style.fontFamily}`;
    const isSame = this.wide === clientWidth && this.font === font;
    this.high = clientHeight;
    if (!isSame) {
      Object.assign(this, { wide: clientWidth, font, step: Math.round(Number.parseFloat(style.fontSize) * LINE) });
      const room = (clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)) * SLACK;
      this.lines = wrappedLines(this.labels, room, widthsIn(font));
      this.rows = rowsOfLines(this.lines);
      this.page.style.height = `${this.rows.count * this.step}px`;
    }
    this.render();
  }

  /** Puts the lines in view on the page. */
  render() {
    if (!this.step || !this.labels.length) return;
    const { starts } = this.lines;
    const first = this.lineAt(this.holder.scrollTop / this.step - BEYOND);
    const last = this.lineAt((this.holder.scrollTop + this.high) / this.step + BEYOND);
    const shown = [];
    for (let line = first; line <= last && line < starts.length; line++) shown.push(this.lineElement(line));
    this.page.replaceChildren(...shown);
    this.drawRuler();
  }

  /** The line at a row of the page. */
  lineAt(row) {
    return lineOfToken(this.rows.rows, Math.max(0, Math.floor(row)));
  }

  lineElement(line) {
    const { starts } = this.lines;
    const end = starts[line + 1] ?? this.labels.length;
    const isCentre = this.centre !== null && this.centre >= starts[line] && this.centre < end;
    const element = make("div", { class: isCentre ? "line centre" : "line", dir: "auto" });
    element.style.top = `${this.rows.rows[line] * this.step}px`;
    for (let token = starts[line]; token < end; token++)
      element.append(this.tokenElement(token, token === starts[line]));
    return element;
  }

  tokenElement(token, isFirst) {
    const letters = lettersOf(this.labels[token]);
    const element = make(
      "span",
      { class: `token ${this.states(token)}`, "data-token": token },
      isFirst ? letters.trimStart() : letters,
    );
    const tint = this.tints(token);
    if (tint?.colour) Object.assign(element.style, { backgroundColor: tint.colour, color: tint.ink });
    if (tint?.below) element.style.boxShadow = `inset 0 -3px ${tint.below}`;
    return element;
  }

  /** Scrolls a token into the middle. */
  follow(token) {
    this.centre = token;
    if (!this.step || !this.labels.length) return;
    const top = (this.rows.rows[lineOfToken(this.lines.starts, token)] + 0.5) * this.step - this.high / 2;
    const former = this.holder.scrollTop;
    this.holder.scrollTop = Math.max(0, top);
    if (this.holder.scrollTop === former) this.render(); // else the event of scrolling does
  }

  /** Marks along the whole text: [token, colour, strength], the last on top. */
  rule(marks) {
    this.marks = strongestByRow(marks, Math.max(1, this.labels.length) / Math.max(1, this.high ?? 1));
    this.drawRuler();
  }

  drawRuler() {
    const { ruler, high } = this;
    const ratio = window.devicePixelRatio || 1;
    const size = { width: Math.round(RULER * ratio), height: Math.round(high * ratio) };
    if (ruler.width !== size.width || ruler.height !== size.height) Object.assign(ruler, size);
    ruler.style.height = `${high}px`;
    const context = ruler.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, RULER, high);
    const all = Math.max(1, this.labels.length);
    for (const [token, colour, strength] of this.marks ?? []) {
      context.globalAlpha = strength;
      context.fillStyle = colour;
      context.fillRect(0, (token / all) * high - 0.5, RULER, 1.5);
    }
    context.globalAlpha = 1;
    const rows = Math.max(1, this.rows.count * this.step);
    context.strokeStyle = getComputedStyle(ruler).color;
    const [top, part] = [(this.holder.scrollTop / rows) * high, Math.min(1, high / rows) * high];
    context.strokeRect(0.5, Math.min(high - 3.5, top + 0.5), RULER - 1, Math.max(3, part - 1));
  }

  jump(event) {
    const { top, height } = this.ruler.getBoundingClientRect();
    const token = within(Math.floor(((event.clientY - top) / height) * this.labels.length), this.labels.length);
    const line = lineOfToken(this.lines.starts, token);
    this.holder.scrollTop = this.rows.rows[line] * this.step - this.high / 2;
  }

  click(event) {
    const token = event.target.closest("[data-token]")?.dataset.token;
    if (token === undefined) return;
    this.cursor = Number(token);
    this.choose(this.cursor);
  }

  press(event) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (isShortcut(event) || (!step && event.key !== "Enter") || !this.labels.length) return;
    take(event);
    if (!step) {
      this.choose(this.cursor);
      return;
    }
    this.cursor = within(this.cursor + step, this.labels.length);
    this.spoken.textContent = this.labels[this.cursor].trim() || "space";
    const row = this.rows.rows[lineOfToken(this.lines.starts, this.cursor)] * this.step;
    if (row < this.holder.scrollTop || row + this.step > this.holder.scrollTop + this.high) {
      this.holder.scrollTop = row - this.high / 2;
    }
    this.render();
    for (const element of this.page.querySelectorAll(".token")) {
      element.classList.toggle("cursor", Number(element.dataset.token) === this.cursor);
    }
  }
}

/** The width of a label in a font, measured once for each different label. */
function widthsIn(font) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font;
  const widths = new Map();
  return (label) => {
    if (!widths.has(label)) widths.set(label, context.measureText(lettersOf(label)).width);
    return widths.get(label);
  };
}

/** The field to search for a word or a phrase: `search(phrase)`, and `step(by)` from one place to the next. */
export function createSearch({ search, step }) {
  const press = (event) => {
    event.stopPropagation();
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  let waiting = 0;
  const input = make("input", {
    type: "search",
    placeholder: "Search the text",
    "aria-label": "Search the text for a word or a phrase",
    maxlength: 200,
    keydown: press,
    input: () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => search(input.value), 200);
    },
  });
  const hits = make("span", { class: "hits", role: "status" });
  const turn = (sign, label, by) =>
    make("button", { type: "button", "aria-label": label, title: label, disabled: true, click: () => step(by) }, sign);
  const buttons = [turn("‹", "Previous place", -1), turn("›", "Next place", 1)];
  const element = make("div", { class: "search stepper" }, input, ...buttons, hits);

  function show(count, at) {
    hits.textContent = !input.value.trim()
      ? ""
      : count
        ? `${at + 1} of ${count.toLocaleString("en-US")}`
        : "not in the text";
    for (const button of buttons) setAttributes(button, { disabled: count < 1 });
  }

  function clear() {
    input.value = "";
    show(0, 0);
  }

  return { element, show, clear };
}
