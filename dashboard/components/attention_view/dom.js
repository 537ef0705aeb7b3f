/**
 * Makes an element. Strings among the children become text nodes, so nothing in a label is ever markup.
 * Attributes that are functions are listeners ("click"), `null` and `false` are left out.
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === null || value === false) element.removeAttribute(name);
    else element.setAttribute(name, value === true ? "" : value);
  }
}

/** A button that says what it does; `pressed` makes it one of several that exclude each other. */
export function button(label, click, attributes = {}) {
  return make("button", { type: "button", click, ...attributes }, label);
}
