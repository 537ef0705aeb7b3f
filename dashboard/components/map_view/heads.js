import { make, setAttributes } from "../../../core/view/browser/kit/dom.js";
import { ARROWS, isShortcut, take, within } from "../../../core/view/browser/kit/keyboard.js";
import { headName } from "../../../core/view/browser/kit/labels.js";

/** A thumbnail for each head, a line for each layer; `pick(layer, head)` opens one. */
export function createHeadGrid({ pick }) {
  const grid = make("div", { class: "heads", role: "group", "aria-label": "Heads", keydown: (event) => press(event) });
  const note = make("span", {}, "each to its own largest share, from sampled rows");
  const element = make(
    "section",
    { class: "all-heads" },
    make("p", { class: "caption" }, make("b", {}, "Heads"), note),
    grid,
  );
  let buttons = []; // by layer and head
  let open = { layer: 0, head: 0 };

  /** The heads of all layers; those of layers that are not read yet cannot be opened. */
  function write(layers) {
    buttons = layers.map((heads, layer) =>
      Array.from({ length: heads }, (_, head) => {
        const name = headName({ label: String(layer), group: "", heads: Math.max(2, heads) }, head);
        const canvas = make("canvas", { "aria-hidden": "true" });
        const about = { type: "button", class: "head", title: name, "aria-label": name, tabindex: -1, disabled: true };
        return make("button", { ...about, click: () => pick(layer, head) }, canvas);
      }),
    );
    const most = Math.max(1, ...layers);
    grid.style.setProperty("--heads", most);
    const line = (own, layer) =>
      make("div", { class: "layer" }, make("span", { class: "number" }, String(layer)), ...own);
    grid.replaceChildren(...buttons.map(line));
  }

  /** Draws the maps of a layer; `paint(canvas, map)` gives them their colours. */
  function showLayer(layer, maps, paint) {
    maps.forEach((map, head) => {
      const own = buttons[layer]?.[head];
      if (!own) return;
      paint(own.firstChild, map);
      setAttributes(own, { disabled: false });
    });
    mark(open.layer, open.head);
  }

  function mark(layer, head) {
    const isOther = open.layer !== layer || open.head !== head;
    open = { layer, head };
    if (isOther) keepInView(buttons[layer]?.[head]);
    buttons.forEach((own, row) => {
      own.forEach((each, column) => {
        const isOpen = row === layer && column === head;
        setAttributes(each, { "aria-pressed": String(isOpen), tabindex: isOpen ? 0 : -1 });
      });
    });
  }

  /** Scrolls the grid, and not the page, to a head. */
  function keepInView(button) {
    if (!button) return;
    const [own, all] = [button.getBoundingClientRect(), grid.getBoundingClientRect()];
    if (own.top < all.top || own.bottom > all.bottom) grid.scrollTop += own.top - all.top - all.height / 2;
  }

  function press(event) {
    const step = ARROWS[event.key];
    if (!step || isShortcut(event)) return;
    take(event);
    const layer = within(open.layer + step[0], buttons.length);
    const head = within(open.head + step[1], buttons[layer].length);
    if (buttons[layer][head].disabled) return;
    pick(layer, head);
    buttons[layer][head].focus();
  }

  return { element, write, showLayer, mark };
}
