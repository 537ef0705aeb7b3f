import { button, make } from "../attention_view/dom.js";

/** The steps in order, the way back and forward, and (for a step of several equations) its parts. */
export function railOf(stops, place, isPlaying, { go, play }) {
  const here = stops[place];
  const firsts = stops.filter((stop, i) => i === 0 || stops[i - 1].step !== stop.step);
  const items = firsts.map((stop, number) => {
    const attributes = { "data-name": stop.id, "aria-current": stop.step === here.step ? "step" : null };
    const chosen = button(stop.title, () => go(stops.indexOf(stop)), attributes);
    chosen.prepend(make("i", {}, String(number + 1)));
    return make("li", {}, chosen);
  });
  const controls = make(
    "div",
    { class: "controls" },
    button("‹", () => go(place - 1), { ...named("Back", "←"), disabled: place === 0 }),
    button(isPlaying ? "Pause" : "Play", play, { "data-name": "play" }),
    button("›", () => go(place + 1), { ...named("Forward", "→"), disabled: place === stops.length - 1 }),
  );
  return make("nav", { "aria-label": "Steps" }, make("ol", {}, ...items), controls);
}

/** Which equation of the step: null where there is only one. */
export function partsOf(stops, here, go) {
  if (!here.part) return null;
  const parts = stops
    .filter((stop) => stop.step === here.step)
    .map((stop) =>
      button(stop.part, () => go(stops.indexOf(stop)), {
        "data-name": `part-${stop.id}`,
        "aria-pressed": String(stop === here),
      }),
    );
  return make("div", { class: "parts", role: "group", "aria-label": "What is made of each token" }, ...parts);
}

function named(name, key) {
  return { "aria-label": name, title: `${name} (${key})`, "data-name": name };
}
