import { button, make } from "./dom.js";
import { ALONG, take, within } from "./keyboard.js";

const LEAST_ROOM = 220; // pixels below the button; where there are fewer, the menu opens above it
const MENU_WIDTH = 190; // pixels, as in kit.css

/** A button that opens a menu; `acts` are functions by their labels. Arrow keys, Home, End and Escape work in it. */
export function createMenu(label, acts) {
  const items = Object.entries(acts).map(([name, act]) => createItem(name, act));
  const menu = make("div", { popover: "auto", role: "menu", "aria-label": label, class: "menu" }, ...items);
  const opener = button(label, null, { class: "opener", "aria-haspopup": "menu", "aria-expanded": "false" });
  opener.popoverTargetElement = menu;
  const shown = () => items.filter((item) => !item.hidden);

  function createItem(name, act) {
    const click = () => {
      leave();
      act();
    };
    return button(name, click, { role: "menuitem", tabindex: -1 });
  }

  function leave() {
    menu.hidePopover();
    opener.focus({ preventScroll: true });
  }

  function press(event) {
    const own = shown();
    const at = own.indexOf(menu.getRootNode().activeElement);
    if (event.key === "Escape" || event.key === "Tab") leave();
    else if (event.key in ALONG) own[steppedRound(at, ALONG[event.key], own.length)].focus();
    if (event.key === "Escape" || event.key in ALONG) take(event);
    else event.stopPropagation(); // a letter is no wish of the view around it
  }

  const follow = () => placeBeside(menu, opener); // it would stay where it is while its button moves away
  menu.addEventListener("keydown", press);
  menu.addEventListener("beforetoggle", ({ newState }) => newState === "open" && follow());
  menu.addEventListener("toggle", ({ newState }) => {
    const opened = newState === "open";
    opener.setAttribute("aria-expanded", String(opened));
    if (opened) shown()[0].focus();
    const listen = opened ? "addEventListener" : "removeEventListener";
    window[listen]("scroll", follow, { capture: true });
  });
  return [opener, menu];
}

/** One step on, from the last to the first and back; Home and End lead to either. */
export function steppedRound(at, step, count) {
  return Number.isFinite(step) ? (at + step + count) % count : within(step, count);
}

function placeBeside(menu, opener) {
  const { left, top, bottom } = opener.getBoundingClientRect();
  const isBelow = bottom + LEAST_ROOM < window.innerHeight;
  menu.style.left = `${Math.max(8, Math.min(left, window.innerWidth - MENU_WIDTH - 8))}px`;
  menu.style.top = isBelow ? `${bottom + 4}px` : "auto";
  menu.style.bottom = isBelow ? "auto" : `${window.innerHeight - top + 4}px`;
}
