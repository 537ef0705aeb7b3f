import { make } from "./dom.js";
import { rowOf } from "./pattern.js";
import { written } from "./reading.js";
import { tokenName } from "./scene.js";

const WHOLE_UP_TO = 32;

/** The same numbers as a table: the whole map while it is small, else the row in view. */
export function createTable() {
  const label = make("summary", {}, "These weights as a table");
  const holder = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Weights" });
  const element = make("details", { class: "behind" }, label, holder);
  let latest = null;
  element.addEventListener("toggle", () => element.open && fill());

  function show(shown) {
    latest = shown;
    if (element.open) fill();
  }

  function fill() {
    const { pattern } = latest;
    const small = Math.max(pattern.queries.length, pattern.keys.length) <= WHOLE_UP_TO;
    holder.replaceChildren(small ? wholeMap(latest) : oneRow(latest));
  }

  return { element, show };
}

function wholeMap({ pattern, title, how }) {
  const { query, key } = pattern.layer;
  const heads = pattern.keys.map((token) => heading("col", key.labels[token]));
  const rows = pattern.queries.map((token) => {
    const cells = Array.from(rowOf(pattern, token), (weight) => make("td", {}, written(weight, how)));
    return make("tr", {}, heading("row", query.labels[token]), ...cells);
  });
  const caption = make("caption", {}, `${title}: each row is a query, each column a key`);
  const head = make("thead", {}, make("tr", {}, make("td"), ...heads));
  return make("table", {}, caption, head, make("tbody", {}, ...rows));
}

function oneRow({ pattern, title, query, row, how }) {
  const { layer, keys } = pattern;
  const rows = keys.map((key, place) => {
    return make("tr", {}, heading("row", layer.key.labels[key]), make("td", {}, written(row[place], how)));
  });
  const caption = make("caption", {}, `${title}: where ${tokenName(layer.query, query)} looks`);
  return make("table", {}, caption, make("tbody", {}, ...rows));
}

function heading(scope, label) {
  return make("th", { scope, dir: "auto" }, label);
}
