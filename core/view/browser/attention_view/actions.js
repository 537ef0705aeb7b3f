import { button, make } from "../kit/dom.js";
import { takeMenu, takesOf, titled } from "../kit/saving.js";
import { isSilenced } from "./heads.js";
import { legendEnds } from "./pattern.js";
import { spoken } from "./reading.js";
import { KEYS } from "./state.js";

/** What stands below the figure: what can be taken away from it or done to the head. */
export function createActions(view) {
  const quiet = { class: "text-button" };
  const silence = button("Ablate this head", () => view.silence(), quiet);
  const apart = make("a", { class: "text-button" }, "Take this head apart");
  const said = make("span", { role: "status", class: "said" });
  const name = () => `atlas-${fileName(view.now.title)}`;
  const takes = takesOf({ name, picture: () => pictureFor(view), rows: () => rowsOf(view.pattern) });
  const full = button("Full screen", () => view.toggleScreen(), quiet);
  const about = { class: "actions", role: "group", "aria-label": "This head" };
  const parts = [...takeMenu(takes, said), full, silence, apart, keysHint(), said];
  const element = make("div", about, ...parts);

  function show({ layer, head, token }, { canSilence, silenced, apart: address }) {
    silence.hidden = !canSilence;
    silence.textContent = isSilenced(silenced, layer, head) ? "Bring this head back" : "Ablate this head";
    apart.hidden = !address;
    if (address) apart.href = `${address}&${new URLSearchParams({ layer, head, token })}`;
  }

  return { element, show };
}

function keysHint() {
  const rows = KEYS.map(([keys, meaning]) => make("span", {}, make("kbd", {}, keys), meaning));
  return make("details", { class: "keys" }, make("summary", {}, "Keys"), make("div", {}, ...rows));
}

/** The figure below its title, the row in view and the legend. */
function pictureFor({ scene, pattern, now, figure, look, view }) {
  const title = [scene.title, now.title].filter(Boolean).join(": ");
  const reading = spoken(pattern, now.query, now.row);
  const ends = legendEnds(look.scale, view === "picture" ? now.row : null);
  return titled({ title, reading, ends }, figure.marks(), look.theme);
}

/** The weights of the head in view, a row for each query; four digits that count, or what the code can hold. */
function rowsOf({ layer, queries, keys, weights, approximate }) {
  const number = (weight) => {
    if (Number.isNaN(weight)) return "nan";
    return weight < 0 ? "" : String(Number(weight.toPrecision(approximate ? 2 : 4)));
  };
  const line = (row) => Array.from(weights.subarray(row * keys.length, (row + 1) * keys.length), number);
  const head = ["", ...keys.map((key) => layer.key.labels[key])];
  return [head, ...queries.map((query, row) => [layer.query.labels[query], ...line(row)])];
}

/** "layer3-head2" */
function fileName(title) {
  const words = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return words.replace(/(layer|head)-/g, "$1");
}
