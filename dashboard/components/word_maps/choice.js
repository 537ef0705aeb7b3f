import { parametersOf, unless } from "../../../core/view/browser/kit/address.js";
import { PHOTOS } from "../../../core/view/browser/kit/photo_map.js";

/** What is shown before anything is chosen: a word, a map by its name, how it lies over the picture. */
export function startOf({ start, first, maps, photo }) {
  return { word: start, map: maps[first].name, photo };
}

/** The same choices where they exist. */
export function fitted({ word, map, photo }, scene) {
  const start = startOf(scene);
  return {
    word: word < scene.words.length ? word : start.word,
    map: scene.maps.some(({ name }) => name === map) ? map : start.map,
    photo,
  };
}

/** What stays chosen when another scene comes: the map; the word, where the words go on; a look that was chosen. */
export function carried(state, former, scene) {
  const isSame = former.words.every((word, place) => word.text === scene.words[place]?.text);
  const start = startOf(scene);
  return fitted(
    {
      word: isSame ? state.word : start.word,
      map: state.map,
      photo: state.photo === former.photo ? start.photo : state.photo,
    },
    scene,
  );
}

/** What an address says. */
export function readWordAddress(scene, search = location.search) {
  const { text, number, oneOf } = parametersOf(search);
  const start = startOf(scene);
  const found = {
    word: number("word") ?? start.word,
    map: text("map") ?? start.map,
    photo: oneOf("map-photo", Object.keys(PHOTOS)) ?? start.photo,
  };
  return fitted(found, scene);
}

/** What the address should hold: only what differs from the start. */
export function wordAddress(state, scene) {
  const start = startOf(scene);
  return {
    word: unless(state.word, start.word),
    map: unless(state.map, start.map),
    "map-photo": unless(state.photo, start.photo),
  };
}
