import { button, make, setAttributes } from "../attention_view/dom.js";
import { createChart } from "./chart.js";
import { createWords } from "./words.js";

/** What one model wrote and where it looked: `point`, `choose` (a place, or null) and `pick` (a map) are told. */
export function createPanel({ point, choose, pick }) {
  const dot = make("i", { class: "dot", "aria-hidden": "true" });
  const title = make("h3");
  const about = make("span", { class: "about" });
  const select = make("select", { change: () => pick(select.selectedIndex) });
  const step = (by, label, sign) =>
    button(sign, () => pick((select.selectedIndex + by + select.length) % select.length), {
      "aria-label": label,
      title: label,
    });
  const back = step(-1, "Previous map", "‹");
  const next = step(1, "Next map", "›");
  const chooser = make("label", { class: "chooser" }, back, select, next);
  const single = make("span", { class: "single" });
  const scale = make("span", { class: "scale" }, "0", make("i", { "aria-hidden": "true" }), "1");
  const words = createWords({
    point: (row) => point(row === null ? null : { row, column: null }),
    choose: (row) => choose({ row, column: null }),
  });
  const chart = createChart({ point, choose });
  const heading = make("header", {}, make("div", { class: "name" }, dot, title), about);
  const settings = make("div", { class: "settings" }, chooser, single, scale);
  const element = make("section", { class: "panel" }, heading, words.element, settings, chart.element);
  let shown = null;

  function write(panel) {
    title.textContent = panel.title;
    about.textContent = panel.about;
    dot.style.background = panel.hue || "transparent";
    element.style.setProperty("--hue", panel.hue || "var(--map)");
    setAttributes(element, { "aria-label": panel.title });
    setAttributes(select, { "aria-label": `Map of ${panel.title}` });
    const label = `${panel.title}: what it wrote`;
    words.write({ labels: panel.target, label, logProbabilities: panel.logProbabilities, marked: panel.marked });
    select.replaceChildren(
      ...panel.maps.map((map) => make("option", {}, map.note ? `${map.name} (${map.note})` : map.name)),
    );
    chooser.hidden = panel.maps.length < 2;
    single.hidden = !chooser.hidden;
    single.textContent =
      panel.maps.length < 2 ? [panel.maps[0].name, panel.maps[0].note].filter(Boolean).join(", ") : "";
  }

  function show(scene, panel, map, { theme, present, width }) {
    select.selectedIndex = panel.maps.indexOf(map);
    chart.show({ scene, panel, map, theme, links: scene.links, cut: scene.cut }, width, present);
    settings.style.maxWidth = `${Math.max(220, chart.drawn().geometry.width)}px`;
    shown = { theme };
  }

  function light(lights, columns) {
    words.light(shown.theme, lights?.rows, lights?.row ?? null);
    chart.light(columns, lights);
  }

  return { element, write, show, light, drawn: chart.drawn };
}
