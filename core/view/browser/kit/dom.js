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

/** Makes an element of SVG; strings among the children become text nodes here as well. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A button that says what it does; `pressed` makes it one of several that exclude each other. */
export function button(label, click, attributes = {}) {
  return make("button", { type: "button", click, ...attributes }, label);
}

/** A button with a sign on it, and the words for it. */
export function signButton(sign, label, click) {
  return button(sign, click, { "aria-label": label, title: label });
}

/** The choices of a list, as { value: label }. */
export function choice(labels, set) {
  const options = Object.entries(labels).map(([value, label]) => make("option", { value }, label));
  const select = make("select", { change: () => set(select.value) }, ...options);
  return select;
}

/** An input under its name; `after` stands behind the name. */
export function field(tag, name, input, after = null) {
  return make(tag, { class: "field" }, make("span", { class: "name" }, name, after), input);
}

/** A table: `columns` are headings (null: none), a row is its heading and its cells. */
export function tableOf(caption, columns, rows) {
  const heading = (scope, label) => make("th", { scope, dir: "auto" }, label);
  const head = columns && make("tr", {}, make("td"), ...columns.map((label) => heading("col", label)));
  const lines = rows.map(([label, ...cells]) =>
    make("tr", {}, heading("row", label), ...cells.map((cell) => make("td", {}, cell))),
  );
  return make("table", {}, make("caption", {}, caption), head && make("thead", {}, head), make("tbody", {}, ...lines));
}

/** A fold with the numbers behind a figure; `tables(shown)` are made only while it is open. */
export function createFold(label, tables) {
  const holder = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Weights" });
  const element = make("details", { class: "behind", toggle: () => fill() }, make("summary", {}, label), holder);
  let latest = null;
  const fill = () => element.open && holder.replaceChildren(...tables(latest));
  const show = (shown) => {
    latest = shown;
    fill();
  };
  return { element, show };
}
