import { make } from "../../../core/view/browser/kit/dom.js";
import { readable } from "../../../core/view/browser/kit/labels.js";
import { offsetsOf, placesOf } from "./lines.js";
import { sentenceOfWord } from "./sentences.js";
import { createSearch, LongText } from "./text.js";
import { ChosenWord, Hits } from "./words.js";

const HINT = "Choose a word to see which words it attends to, and which attend to it.";

/** The text beside the map: search, the chosen word, the tints. `go(token)` moves the map to the row of a token. */
export class TextBeside {
  labels = [];
  isCausal = true;
  root = null; // where the weights of words of the open head lie

  constructor({ go, chose }) {
    Object.assign(this, { go, chose });
    this.word = new ChosenWord();
    this.hits = new Hits();
    this.text = new LongText({ choose: (token) => this.choose(token) });
    this.text.tints = (token) => this.word.tint(token, this.theme, this.hue);
    this.text.states = (token) => `${token === this.word.token ? "chosen " : ""}${this.hits.classOf(token)}`;
    this.search = createSearch({ search: (phrase) => this.find(phrase), step: (by) => this.turn(by) });
    this.said = make("p", { class: "word-said", "aria-live": "polite" }, HINT);
    this.key = make("p", { class: "word-key", hidden: true });
    this.element = make("section", { class: "beside" }, this.search.element, this.said, this.key, this.text.element);
  }

  write(labels, isCausal) {
    Object.assign(this, { labels, isCausal, joined: labels.join(""), offsets: offsetsOf(labels) });
    this.text.write(labels);
  }

  show(theme, hue) {
    Object.assign(this, { theme, hue });
    this.text.layOut();
    this.rule();
  }

  /** Forgets the text. */
  clear() {
    this.word.request?.abort();
    this.word = new ChosenWord();
    this.hits = new Hits();
    this.root = null;
    this.search.clear();
    this.said.textContent = HINT;
    this.key.hidden = true;
    this.text.write([]);
  }

  /** Another head; a chosen word stays chosen. */
  open(root) {
    this.root = root;
    if (this.word.token !== null) this.fetch(this.word.token);
  }

  /** Chooses a word, or takes the choice back; the map goes to its row. */
  choose(token) {
    const isSame = token === this.word.token;
    this.fetch(isSame ? null : token);
    if (!isSame) this.go(token);
  }

  async fetch(token) {
    const fetching = this.word.choose(this.root, token);
    this.chose(token);
    this.said.textContent = token === null ? HINT : `“${readable(this.labels[token])}” …`;
    this.key.hidden = true;
    this.refresh();
    try {
      if (await fetching) this.say(token);
    } catch (error) {
      if (error.name !== "AbortError") this.said.textContent = error.message;
    }
    this.refresh();
  }

  say(token) {
    const { row, column } = this.word;
    this.said.textContent = sentenceOfWord(this.labels, token, row, column, this.isCausal);
    const named = `“${readable(this.labels[token])}”`;
    const to = make("span", {}, make("i", { class: "swatch to", "aria-hidden": "true" }), `${named} attends to these`);
    const from = make(
      "span",
      {},
      make("i", { class: "swatch from", "aria-hidden": "true" }),
      `these attend to ${named}`,
    );
    this.key.replaceChildren(to, from);
    this.key.hidden = false;
  }

  find(phrase) {
    this.hits.show(this.joined === undefined ? [] : placesOf(phrase, this.joined, this.offsets), this.text.centre ?? 0);
    this.search.show(this.hits.places.length, this.hits.at);
    if (this.hits.current) this.showHit(this.hits.current[0]);
    else this.refresh();
  }

  turn(by) {
    const place = this.hits.step(by);
    this.search.show(this.hits.places.length, this.hits.at);
    if (place) this.showHit(place[0]);
  }

  showHit(token) {
    this.text.follow(token);
    this.rule();
    this.go(token);
  }

  follow(token) {
    this.text.follow(token);
  }

  refresh() {
    this.text.render();
    this.rule();
  }

  rule() {
    if (!this.theme) return;
    const hits = this.hits.places.map(([token]) => [token, this.theme.accent, 0.9]);
    this.text.rule([...this.word.marks(this.theme, this.hue), ...hits]);
  }
}
