import { parametersOf, unless } from "../../../core/view/browser/kit/address.js";
import { PHOTOS } from "../../../core/view/browser/kit/photo_map.js";

/** What is shown before anything is chosen: a part, the mean of all layers, no word. */
export function startOf({ start, maps }) {
  return { part: start, word: null, map: maps[0].name, photo: "colour" };
}

/** The same choices where they exist. */
export function fitted(state, scene) {
  const start = startOf(scene);
  return {
    ...state,
    part: state.part < scene.cells ? state.part : start.part,
    word: state.word !== null && state.word < scene.words.length ? state.word : null,
    map: scene.maps.some(({ name }) => name === state.map) ? state.map : start.map,
  };
}

/** What an address says. */
export function readSourceAddress(scene, search = location.search) {
  const { text, number, pair, oneOf } = parametersOf(search);
  const start = startOf(scene);
  const [row, column] = pair("part") ?? [];
  return fitted(
    {
      part: row < scene.rows && column < scene.columns ? row * scene.columns + column : start.part,
      word: number("word") ?? null,
      map: text("map") ?? start.map,
      photo: oneOf("map-photo", Object.keys(PHOTOS)) ?? start.photo,
    },
    scene,
  );
}

/** What the address should hold: only what differs from the start. */
export function sourceAddress({ part, word, map, photo }, scene) {
  const start = startOf(scene);
  const place = `${Math.floor(part / scene.columns)}-${part % scene.columns}`;
  return {
    part: part === start.part ? null : place,
    word,
    map: unless(map, start.map),
    "map-photo": unless(photo, start.photo),
  };
}
