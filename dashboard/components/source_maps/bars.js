import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { ALONG, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { largestOf, percent } from "../../../core/view/browser/kit/numbers.js";
import { paintLittle } from "../../../core/view/browser/kit/photo_map.js";

const SIDE = 150; // pixels of a little picture

/** A bar for each word: how much of a look it got; `choose` and `hover` take a word's place, `hover` null too. */
export function createBars({ choose, hover }) {
  const element = make("div", {
    class: "bars",
    role: "group",
    "aria-label": "Words",
    keydown: (event) => go(event),
  });
  let bars = [];

  function write(words) {
    bars = words.map(({ text, quiet }, place) => {
      const fill = make("i", {});
      const share = make("span", { class: "share" });
      const cell = make(
        "button",
        {
          type: "button",
          class: quiet ? "word quiet" : "word",
          click: () => choose(place),
          pointerenter: (event) => event.pointerType !== "touch" && hover(place),
          pointerleave: () => hover(null),
        },
        make("span", { class: "label", dir: "auto" }, text),
        make("span", { class: "bar", "aria-hidden": "true" }, fill),
        share,
      );
      return { cell, fill, share };
    });
    element.replaceChildren(...bars.map(({ cell }) => cell));
  }

  function show(shares, { chosen, shown }) {
    const most = largestOf(shares) || 1;
    bars.forEach(({ cell, fill, share }, place) => {
      setAttributes(cell, { "aria-pressed": String(place === shown), tabindex: place === (chosen ?? 0) ? 0 : -1 });
      fill.style.width = `${(100 * shares[place]) / most}%`;
      share.textContent = percent(shares[place]);
    });
  }

  /** Arrow keys go from word to word. */
  function go(event) {
    if (isShortcut(event) || !(event.key in ALONG)) return;
    take(event);
    const at = bars.findIndex(({ cell }) => cell.tabIndex === 0);
    const place = within(at + ALONG[event.key], bars.length);
    choose(place, true);
    bars[place].cell.focus();
  }

  return { element, write, show };
}

/** The same question to the heads of a layer, or to all layers: little pictures; `pick` takes one of the maps. */
export function createHeads({ pick }) {
  const caption = make("p", { class: "caption" });
  const grid = make("div", { class: "others", role: "group", "aria-label": "Other maps" });
  const element = make("div", {}, caption, grid);
  let written = "";
  let thumbs = [];

  function show(scene, maps, { title, chosen, look, cellsOf, sayOf }) {
    caption.textContent = title;
    const names = maps.map(({ name }) => name).join("|");
    if (written !== names) {
      written = names;
      thumbs = maps.map((map) => {
        const canvas = make("canvas", { "aria-hidden": "true" });
        const label = make("span", { class: "label" });
        return {
          canvas,
          label,
          cell: make("button", { type: "button", class: "word thumb", click: () => pick(map) }, canvas, label),
        };
      });
      grid.replaceChildren(...thumbs.map(({ cell }) => cell));
    }
    thumbs.forEach(({ cell, canvas, label }, place) => {
      setAttributes(cell, { "aria-pressed": String(maps[place] === chosen) });
      label.textContent = sayOf(maps[place]);
      const cells = cellsOf(maps[place]);
      paintLittle(canvas, scene, { map: { cells }, kept: cells.map(() => 1) }, look, SIDE);
    });
  }

  return { element, show };
}
