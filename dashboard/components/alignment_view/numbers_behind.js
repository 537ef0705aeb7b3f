import { make } from "../attention_view/dom.js";
import { strongest } from "./alignment.js";
import { told } from "./telling.js";

const WHOLE_UP_TO = 32; // words: longer texts list the strongest sources of each word
const LISTED = 3;

/** The maps in view as tables, for who would rather read them. */
export function createTables() {
  const holder = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Weights" });
  const element = make("details", { class: "behind" }, make("summary", {}, "These weights as tables"), holder);
  let latest = null;
  element.addEventListener("toggle", () => element.open && fill());

  function fill() {
    holder.replaceChildren(
      ...latest.scene.panels.map((panel, place) => tableFor(latest.scene, panel, latest.maps[place])),
    );
  }

  function show(scene, maps) {
    latest = { scene, maps };
    if (element.open) fill();
  }

  return { element, show };
}

function tableFor(scene, panel, map) {
  const isWhole = Math.max(map.shape.rows, map.shape.columns) <= WHOLE_UP_TO;
  const heads = isWhole
    ? scene.source.map((_, column) => headed("col", scene.tell(column)))
    : [headed("col", "looks most at")];
  const rows = panel.target.map((_, row) => {
    const cells = isWhole ? Array.from(map.row(row), (weight) => weight) : [topOf(scene, map.row(row))];
    const written = cells.map((cell) => make("td", {}, typeof cell === "number" ? valueOf(cell) : cell));
    return make("tr", {}, headed("row", panel.tell(row)), ...written);
  });
  const caption = make("caption", {}, `${panel.title}, ${map.name}: each row is a word that was written`);
  return make(
    "table",
    {},
    caption,
    make("thead", {}, make("tr", {}, make("td"), ...heads)),
    make("tbody", {}, ...rows),
  );
}

function topOf(scene, weights) {
  return strongest(weights)
    .slice(0, LISTED)
    .map((column) => `${scene.tell(column)} ${told(weights[column])}`)
    .join(", ");
}

function valueOf(weight) {
  return Number.isNaN(weight) ? "not allowed" : told(weight);
}

function headed(scope, label) {
  return make("th", { scope, dir: "auto" }, label);
}
