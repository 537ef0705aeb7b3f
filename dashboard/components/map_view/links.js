import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { excerptOf } from "./lines.js";
import { counted, sentenceOfStrongest, weightText } from "./sentences.js";
import { jsonFrom } from "./server.js";

const COUNT = 200;
const FARTHER = 1024; // tokens
const WAIT = 400; // milliseconds after a change of the fields

/** The least distance of the links at first: a quarter of a text that is short. */
export function usualDistance(tokens) {
  return Math.min(FARTHER, Math.max(0, Math.floor(tokens / 4)));
}

/**
 * The list of the strongest links of the open head; `go(query, key)` shows one on the map, `tell(sentence)` tells of
 * the strongest, or "" where there is none to tell of.
 */
export class LinkList {
  text = null; // { labels, sentences }

  constructor({ go, tell }) {
    Object.assign(this, { go, tell });
    const changed = () => {
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.ask(), WAIT);
    };
    this.farther = make("input", {
      type: "number",
      min: 0,
      step: 1,
      inputmode: "numeric",
      input: changed,
      keydown: quiet,
    });
    this.without = make("input", { type: "checkbox", checked: true, change: changed });
    const farther = make("label", {}, "farther than ", this.farther, " tokens");
    const first = make("label", {}, this.without, " without the first token");
    this.said = make("p", { class: "links-said", role: "status" });
    this.list = make("ol", { class: "links" });
    const head = make("div", { class: "links-head" }, make("b", {}, "Strongest links"), farther, first);
    this.element = make("section", { class: "strongest" }, head, this.said, this.list);
  }

  /** Another text. */
  write(labels, sentences) {
    this.text = { labels, sentences };
    this.farther.value = usualDistance(labels.length);
    setAttributes(this.farther, { max: Math.max(0, labels.length - 1) });
    if (this.root) this.ask();
  }

  /** Forgets the text. */
  clear() {
    this.text = null;
    this.open(null);
  }

  /** The head whose links lie at an address; null until they can be had. */
  open(root) {
    this.root = root;
    this.request?.abort();
    this.list.replaceChildren();
    this.tell("");
    this.said.textContent = root ? "The links are being searched …" : "The links come with the overview of this head.";
    if (root && this.text) this.ask();
  }

  async ask() {
    if (!this.root || !this.text) return;
    const distance = Math.floor(Number(this.farther.value));
    if (this.farther.value.trim() === "" || !(distance >= 0)) {
      this.said.textContent = "A distance is a number of tokens, 0 or more.";
      return;
    }
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    this.element.classList.add("waiting");
    try {
      const query = `farther=${distance}&from=${this.without.checked ? 1 : 0}&count=${COUNT}`;
      const { links, nearby } = await jsonFrom(`${this.root}?${query}`, signal);
      this.show(links, distance, nearby);
    } catch (error) {
      if (!signal.aborted) this.said.textContent = error.message;
    } finally {
      if (!signal.aborted) this.element.classList.remove("waiting");
    }
  }

  /** Links [query, key, weight], of which none begins and ends within `nearby` tokens of a stronger one. */
  show(links, distance, nearby) {
    const apart = `more than ${counted(distance)} tokens apart`;
    const number = links.length === 1 ? "1 link" : `${counted(links.length)} links`;
    const distinct = `Links that begin and end within ${nearby} tokens of a stronger one are left out.`;
    this.said.textContent = links.length
      ? `The ${number} with the largest weights between tokens ${apart}. ${distinct} Choose one to see it on the map.`
      : `No token attends to another ${apart}.`;
    this.list.replaceChildren(...links.map((link) => this.item(link)));
    this.tell(sentenceOfStrongest(this.text.labels, links, distance, !this.without.checked));
  }

  item([query, key, weight]) {
    const words = (token) => {
      const { before, word, after } = excerptOf(this.text.labels, this.text.sentences, token);
      return make("span", { class: "excerpt", dir: "auto" }, before, make("b", {}, word), after);
    };
    const apart = make("span", { class: "apart" }, `${counted(Math.abs(query - key))} tokens`);
    const arrow = make("span", { class: "arrow" }, "attends to");
    const number = make("span", { class: "weight" }, weightText(weight));
    const own = { type: "button", click: () => this.go(query, key) };
    return make("li", {}, make("button", own, number, words(query), arrow, words(key), apart));
  }
}

/** Letters in a field are no wish of the view around it. */
function quiet(event) {
  event.stopPropagation();
}
