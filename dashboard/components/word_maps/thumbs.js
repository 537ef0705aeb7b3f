import { inkOn, shade } from "../../../core/view/browser/kit/colour.js";
import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { ALONG, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { readable } from "../../../core/view/browser/kit/labels.js";
import { largestOf } from "../../../core/view/browser/kit/numbers.js";
import { paintLittle } from "../../../core/view/browser/kit/photo_map.js";
import { rowOf } from "./reading.js";

const SIDE = 168; // pixels of a little picture's longer side, at most; the style sheet makes it smaller

/** The words, each below a little picture of its map; `choose` and `hover` take a word's place, `hover` null too. */
export function createStrip({ choose, hover }) {
  const element = make("div", { class: "strip", role: "group", "aria-label": "Words", keydown: (event) => go(event) });
  let thumbs = [];

  function write(words) {
    thumbs = words.map((word, place) => {
      const { bar } = word;
      const own = thumb(readable(word.text), {
        class: word.quiet ? "word quiet" : "word",
        title: word.tell,
        click: () => choose(place),
        pointerenter: (event) => event.pointerType !== "touch" && hover(place),
        pointerleave: () => hover(null),
      });
      if (bar !== null) own.cell.append(make("span", { class: "bar" }, make("i", { style: `--share:${bar}` })));
      return own;
    });
    element.replaceChildren(...thumbs.map(({ cell }) => cell));
  }

  /** `shares`: how much each word has at the place that is pointed at, null where none is. */
  function show(scene, map, { word, chosen, shares, look }) {
    const most = shares && largestOf(shares);
    thumbs.forEach(({ cell, canvas, label }, place) => {
      setAttributes(cell, { "aria-pressed": String(place === word), tabindex: place === chosen ? 0 : -1 });
      const strength = most ? shares[place] / most : 0;
      label.style.background = strength ? shade(look.theme, strength) : "";
      label.style.color = strength ? inkOn(look.theme, strength) : "";
      paintLittle(canvas, scene, viewOf(rowOf(scene, map, place)), look, SIDE);
    });
  }

  /** Left and right go from word to word. */
  function go(event) {
    if (isShortcut(event) || !(event.key in ALONG)) return;
    take(event);
    const at = thumbs.findIndex(({ cell }) => cell.tabIndex === 0);
    const place = within(at + ALONG[event.key], thumbs.length);
    choose(place, false);
    thumbs[place].cell.focus();
  }

  return { element, write, show };
}

/** The same word in the other maps of its group: the heads of a layer, or the ways to explain. */
export function createOthers({ pick }) {
  const name = make("b");
  const about = make("span");
  const caption = make("p", { class: "caption" }, name, about);
  const grid = make("div", { class: "others", role: "group", "aria-label": "All maps of this word" });
  const element = make("div", {}, caption, grid);
  let written = "";
  let thumbs = [];

  function show(scene, map, { word, look }) {
    const own = scene.maps.filter(({ group }) => group === map.group);
    element.hidden = own.length < 2;
    if (own.length < 2) return;
    name.textContent = map.group || "All maps";
    about.textContent = `of “${readable(scene.words[word].text)}”, each to its own largest value`;
    const names = own.map((each) => each.name);
    if (written !== names.join("|")) {
      written = names.join("|");
      thumbs = names.map((each) => thumb(each, { class: "word", click: () => pick(each) }));
      grid.replaceChildren(...thumbs.map(({ cell }) => cell));
    }
    thumbs.forEach(({ cell, canvas }, place) => {
      setAttributes(cell, { "aria-pressed": String(own[place] === map) });
      paintLittle(canvas, scene, viewOf(rowOf(scene, own[place], word)), look, SIDE);
    });
  }

  return { element, show };
}

/** A map without a threshold, as the kit draws it. */
export function viewOf(cells) {
  return { map: { cells }, kept: cells.map(() => 1) };
}

function thumb(text, attributes) {
  const canvas = make("canvas", { "aria-hidden": "true" });
  const label = make("span", { class: "label", dir: "auto" }, text);
  return { canvas, label, cell: make("button", { type: "button", ...attributes }, canvas, label) };
}
