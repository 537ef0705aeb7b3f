import { button, make } from "../attention_view/dom.js";

/** The quiet row below a figure; `takes` are functions by the label of their button, in the order shown. */
export function createRow(takes) {
  const said = make("span", { role: "status", class: "said" });
  const say = saying(said);
  const buttons = Object.entries({ "Copy link": async () => say(await linkCopied()), ...takes }).map(([label, take]) =>
    button(label, async () => {
      try {
        await take();
      } catch (error) {
        say(error.message);
      }
    }),
  );
  return make("div", { class: "takeaway", role: "group", "aria-label": "Take away" }, ...buttons, said);
}

/** A function that shows a text in an element for a moment. */
export function saying(element) {
  let fading = 0;
  return (text) => {
    element.textContent = text;
    clearTimeout(fading);
    fading = setTimeout(() => (element.textContent = ""), 2500);
  };
}

/**
 * Puts the address of the page, which holds the whole state, on the clipboard; returns what to say.
 * Without a secure connection there is no clipboard: then the link itself is shown, to be copied by hand.
 */
export async function linkCopied() {
  try {
    await navigator.clipboard.writeText(location.href);
    return "Link copied";
  } catch {
    return location.href;
  }
}
