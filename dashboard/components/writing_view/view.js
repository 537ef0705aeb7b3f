import { make } from "../../../core/view/browser/kit/dom.js";
import { measurer } from "../../../core/view/browser/kit/marks.js";
import { mounting, View } from "../../../core/view/browser/kit/mounting.js";
import { createRow, takesOf, withMargin } from "../../../core/view/browser/kit/saving.js";

const [SLOWEST, QUICKEST] = [60, 8]; // milliseconds between two tokens that are shown one after the other
const WIDTHS = [0.1, 0.25, 0.5, 1]; // the probability of the longest bar that there is room for

const percent = (share) => {
  if (share > 0 && share < 0.0005) return "< 0.1%";
  return `${(100 * share).toFixed(1)}%`;
};

/** A text with a sign before every line break: a break alone could be neither seen nor clicked. */
const signed = (text) =>
  text.split(/(?=\n)/).flatMap((part) => (part.startsWith("\n") ? [make("i", { class: "break" }), part] : [part]));

class WritingView extends View {
  waiting = []; // moments that are not shown yet
  at = null; // the moment that is shown
  came = 0; // when the last message came

  build() {
    this.given = make("span", { class: "given" });
    const title = "Click a written token to go back to before it";
    this.written = make("span", { class: "written", title, click: (event) => this.back(event) });
    this.text = make("p", { class: "text", tabindex: 0, dir: "auto" }, this.given, this.written);
    this.head = make("p", { class: "about" });
    this.bars = make("div", { class: "bars", role: "group", "aria-label": "What may come next" });
    this.strip = make("div", { class: "strip", role: "img" });
    this.sum = make("p", { class: "sum" });
    this.ways = make("div", { class: "ways" });
    const rows = () => this.rows();
    const takes = createRow(takesOf({ name: () => this.data.name, picture: () => this.picture(), rows }));
    return make(
      "div",
      { class: "view writing" },
      this.text,
      this.head,
      this.bars,
      this.strip,
      this.sum,
      takes,
      this.ways,
    );
  }

  show({ moments, plays, text }) {
    this.given.textContent = text;
    const now = performance.now();
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const last = moments.at(-1);
    if (!plays || still || !this.at) {
      this.waiting = [];
      this.reach(last);
    } else {
      const shown = (this.waiting.at(-1) ?? this.at).count;
      this.waiting.push(...moments.filter((moment) => moment.count > shown));
      // What has come in one message is shown in about the time until the next one.
      this.pause = Math.min(SLOWEST, Math.max(QUICKEST, (now - this.came) / Math.max(1, this.waiting.length) - 2));
      if (!this.ticking) this.tick();
    }
    this.came = now;
    this.showWays();
  }

  tick() {
    this.ticking = null;
    const next = this.waiting.shift();
    if (!next) return;
    this.reach(next);
    this.ticking = setTimeout(() => this.tick(), this.pause);
  }

  /** Shows a moment: the text until then, and what may come after it. */
  reach(moment) {
    this.at = moment;
    this.showPieces(this.data.pieces.filter((piece) => piece.at < moment.count));
    this.showBars(moment);
    this.showSum(moment);
  }

  /** The written pieces; those that stand there already are left as they are. */
  showPieces(pieces) {
    const { children } = this.written;
    const same = pieces.findIndex((piece, place) => children[place]?.textContent !== piece.label);
    const kept = same < 0 ? pieces.length : same;
    while (children.length > kept) children[kept].remove();
    children[kept - 1]?.classList.remove("last");
    this.written.append(...pieces.slice(kept).map(({ label }) => make("span", { class: "piece" }, ...signed(label))));
    this.written.lastElementChild?.classList.add("last");
    this.text.scrollTop = this.text.scrollHeight;
  }

  back(event) {
    const place = [...this.written.children].indexOf(event.target.closest(".piece"));
    if (place >= 0) this.component.setTriggerValue("back", { count: this.data.pieces[place].at });
  }

  showBars(moment) {
    const longest = Math.max(...moment.bars.map((bar) => Math.max(bar.weighed, bar.expected)));
    const full = WIDTHS.find((width) => longest <= width) ?? 1;
    const moved = moment.bars.some((bar) => Math.abs(bar.weighed - bar.expected) > 0.0005);
    this.head.replaceChildren(
      make("b", {}, "What may come next"),
      moved ? make("span", { class: "key" }, make("i", { class: "own" }), "the model itself") : "",
      make("span", {}, `full width: ${100 * full}%`),
    );
    const cut = moment.left < 0.9995;
    while (this.bars.children.length > moment.bars.length) this.bars.lastElementChild.remove();
    while (this.bars.children.length < moment.bars.length) this.bars.append(this.row(this.bars.children.length));
    moment.bars.forEach((bar, place) => {
      this.fill(this.bars.children[place], bar, { isDrawn: bar.token === moment.drawn, full, moved, cut });
    });
  }

  /** An empty row: label, bar with a mark on it, probability, what became of it. */
  row(place) {
    const track = make("span", { class: "track" }, make("i", { class: "fill" }), make("i", { class: "own" }));
    const parts = [make("span", { class: "label", dir: "auto" }), track, make("span", { class: "share" })];
    const click = () => this.take(this.at.bars[place], this.at);
    return make("button", { type: "button", click }, ...parts, make("span", { class: "note" }));
  }

  fill(row, bar, { isDrawn, full, moved, cut }) {
    const [label, track, share, note] = row.children;
    const told = [
      `${bar.label}: ${percent(bar.weighed)}`,
      moved ? `the model itself says ${percent(bar.expected)}` : "",
      bar.taken_by ? `taken away by ${bar.taken_by}` : cut ? `sampled with ${percent(bar.chance)}` : "",
      isDrawn ? "the seed picks this one" : "click to take it instead",
    ].filter(Boolean);
    row.className = ["row", bar.taken_by && "gone", isDrawn && "drawn"].filter(Boolean).join(" ");
    row.title = told.join("; ");
    row.setAttribute("aria-label", row.title);
    label.textContent = bar.label;
    share.textContent = percent(bar.weighed);
    note.textContent = bar.taken_by || (cut ? `→ ${percent(bar.chance)}` : "");
    track.firstChild.style.width = `${(100 * bar.weighed) / full}%`;
    track.lastChild.style.left = `${(100 * bar.expected) / full}%`;
    track.lastChild.hidden = !moved;
  }

  take({ token }, { count }) {
    this.component.setTriggerValue("taken", { count, token });
  }

  /** All that may be drawn in a row, as long as its probability, and where the seed's number falls. */
  showSum(moment) {
    let end = 0;
    const inRow = moment.bars.filter((bar) => {
      // A token that is drawn from far down the list lies behind others that have no bar here.
      const isNext = bar.chance > 0 && (bar.token !== moment.drawn || moment.dice <= end + bar.chance + 1e-6);
      if (isNext) end += bar.chance;
      return isNext;
    });
    const parts = inRow.map((bar) =>
      make("i", { class: bar.token === moment.drawn ? "part drawn" : "part", style: `width:${100 * bar.chance}%` }),
    );
    const needle = make("b", { style: `left:${100 * moment.dice}%` });
    this.strip.replaceChildren(...parts, needle);
    const drawn = moment.bars.find((bar) => bar.token === moment.drawn);
    const told = `The seed gives ${moment.dice.toFixed(3)}: that is “${drawn.label}”.`;
    this.strip.setAttribute("aria-label", told);
    const taken = moment.taken.map(([name, share]) => `${name} took ${percent(share)}`);
    const rest = `${moment.remaining.toLocaleString("en")} of ${moment.vocabulary.toLocaleString("en")} tokens remain`;
    const left = taken.length ? `, with ${percent(moment.left)}: ${taken.join(", ")}.` : ".";
    this.sum.textContent = `${told} ${rest}${left}`;
  }

  showWays() {
    const { ways } = this.data;
    const rows = ways.map((way, place) => {
      const click = () => this.component.setTriggerValue("returned", { way: place });
      const about = { class: way.is_taken ? "way taken" : "way", style: `margin-left:${1.1 * way.depth}em` };
      const count = make("span", { class: "count" }, way.tokens === 1 ? "1 token" : `${way.tokens} tokens`);
      const words = make("span", { class: "words", dir: "auto" }, way.text);
      const current = way.is_taken ? { "aria-current": "true" } : {};
      return make("button", { type: "button", click, ...about, ...current }, words, count);
    });
    const title = make(
      "p",
      { class: "about" },
      make("b", {}, "Ways to go on"),
      make("span", {}, "click to return to one"),
    );
    this.ways.replaceChildren(...(rows.length > 1 ? [title, ...rows] : []));
  }

  rows() {
    const head = ["token", "number", "model", "after penalty and temperature", "sampled with", "taken away by"];
    const rows = this.at.bars.map((bar) => [bar.label, bar.token, bar.expected, bar.weighed, bar.chance, bar.taken_by]);
    return [head, ...rows];
  }

  /** The bars with their labels, for a file. */
  picture() {
    const { theme, at } = this;
    const measure = measurer(theme);
    const [size, line, long] = [14, 24, 320];
    const left = Math.max(...at.bars.map((bar) => measure(bar.label, size, 600))) + 12;
    const longest = Math.max(...at.bars.map((bar) => bar.weighed));
    const full = WIDTHS.find((width) => longest <= width) ?? 1;
    const marks = at.bars.flatMap((bar, place) => {
      const y = place * line;
      const [gone, drawn] = [Boolean(bar.taken_by), bar.token === at.drawn];
      const colour = gone ? theme.soft : theme.ink;
      const fill = gone ? theme.hair : drawn ? theme.accent : theme.map;
      const note = gone ? ` ${bar.taken_by}` : drawn ? " drawn" : "";
      const width = (long * bar.weighed) / full;
      const word = { kind: "text", y: y + 15, size, colour, weight: drawn ? 600 : 400 };
      return [
        { ...word, x: left - 12, text: bar.label, align: "end" },
        { kind: "rect", x: left, y: y + 3, width, height: line - 8, fill },
        { ...word, x: left + width + 6, text: `${percent(bar.weighed)}${note}` },
      ];
    });
    const figure = { marks, width: left + long + 130, height: at.bars.length * line };
    return { ...withMargin(figure, 16), title: this.text.textContent.slice(-200), theme };
  }

  destroy() {
    clearTimeout(this.ticking);
    super.destroy();
  }
}

export default mounting(WritingView);
