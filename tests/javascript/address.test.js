import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { addressOf, readAddress, START, stateFrom } from "../../core/view/browser/attention_view/state.js";
import { keepAddress, parametersOf } from "../../core/view/browser/kit/address.js";
import { fitted, mapAddress, readMapAddress, startOf } from "../../dashboard/components/photo_maps/choice.js";
import { randomSource, whole } from "./random.js";

let entries;

/** A window with an address and a history of its own, as far as the views use them. */
beforeEach(() => {
  entries = ["/text?model=gpt&present=1"];
  const listeners = new Map();
  const go = (url) =>
    Object.assign(globalThis.location, { pathname: url.split("?")[0], search: /\?.*|$/.exec(url)[0] });
  globalThis.location = { hash: "" };
  globalThis.window = {
    addEventListener: (name, listen) => listeners.set(name, listen),
    removeEventListener: (name) => listeners.delete(name),
  };
  globalThis.history = {
    state: null,
    pushState: (_state, _title, url) => go(entries[entries.push(url) - 1]),
    replaceState: (_state, _title, url) => {
      entries[entries.length - 1] = url;
      go(url);
    },
    back: () => {
      entries.pop();
      go(entries.at(-1));
      listeners.get("popstate")?.();
    },
  };
  go(entries[0]);
  mock.timers.enable({ apis: ["Date"], now: 10_000 });
});

afterEach(() => mock.timers.reset());

function searchOf(values) {
  const said = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return `?${new URLSearchParams(said)}`;
}

test("what is missing, broken or unknown in an address is undefined", () => {
  const { number, pair, oneOf, text } = parametersOf("?a=7&b=-1&c=1e3&d=9999999999&e=3-12&f=3.12&g=x&h=%3Cb%3E&i=");
  assert.deepEqual(["a", "b", "c", "d", "i", "z"].map(number), [7, ...Array(5).fill(undefined)]);
  assert.deepEqual(["e", "f", "g"].map(pair), [[3, 12], [3, 12], undefined]);
  assert.equal(oneOf("g", ["x", "y"]), "x");
  assert.equal(oneOf("h", ["x", "y"]), undefined);
  assert.equal(text("h"), "<b>");
});

test("an address keeps what others wrote, drops what is as usual, and is read back", () => {
  let values = { layer: 3, head: null };
  const kept = keepAddress({ values: () => values, read: () => 0, restored: () => {} });
  kept.write("replace");
  assert.deepEqual(entries, ["/text?model=gpt&present=1&layer=3"]);
  values = { layer: null, head: "a&b=c" };
  kept.write("push");
  assert.equal(entries.length, 2);
  assert.equal(parametersOf().text("head"), "a&b=c");
  assert.equal(parametersOf().number("layer"), undefined);
});

test("steps in quick succession are one entry of the history, and going back restores", () => {
  let layer = 0;
  const restored = [];
  const read = () => parametersOf().number("layer");
  const kept = keepAddress({ values: () => ({ layer }), read, restored: (state) => restored.push(state) });
  kept.write("replace");
  for (const wait of [0, 100, 600, 701]) {
    mock.timers.tick(wait);
    layer += 1;
    kept.write("push");
  }
  assert.deepEqual(
    entries.map((url) => /layer=(\d)/.exec(url)[1]),
    ["0", "3", "4"],
  );
  history.back();
  assert.deepEqual(restored, [3]);
});

test("an address belongs to one page: on another one nothing is written", () => {
  const kept = keepAddress({ values: () => ({ layer: 1 }), read: () => 0, restored: () => {} });
  history.pushState(null, "", "/image");
  kept.write("push");
  assert.deepEqual(entries.slice(1), ["/image"]);
});

const TEXT = { kind: "text", labels: Array.from("attention"), special: [] };
const HEADS = {
  layers: [2, 5, 1].map((heads) => ({ heads, query: TEXT, key: TEXT, queries: 9, keys: 9 })),
  start: { layer: 1, head: 3 },
};

test("any choice of layer, head, token, key, view and scale comes back from its own address", () => {
  const random = randomSource(5);
  for (let round = 0; round < 300; round++) {
    const layer = whole(random, 0, 2);
    const token = random() < 0.5 ? null : whole(random, 0, 8);
    const choice = { layer, head: whole(random, 0, HEADS.layers[layer].heads - 1), token };
    choice.key = token === null || random() < 0.5 ? null : whole(random, 0, 8);
    choice.view = ["map", "lines", "text"][whole(random, 0, 2)];
    choice.scale = ["linear", "log", "row"][whole(random, 0, 2)];
    choice.special = random() < 0.5 ? "in" : "out";
    const address = addressOf({ ...START, ...choice }, HEADS, { explains: "why" });
    const { view, scale, ...rest } = stateFrom(readAddress(searchOf(address)), HEADS);
    const shown = { ...rest, view: view ?? "map", scale: scale ?? "linear" };
    assert.deepEqual(shown, choice);
  }
  const usual = addressOf({ ...START, ...HEADS.start }, HEADS, {});
  assert.deepEqual(Object.values(usual), Array(6).fill(null));
});

test("an address that names no head of the scene leads to its start", () => {
  for (const search of ["?layer=7&head=0", "?layer=0&head=2", "?layer=2&head=1"]) {
    const { layer, head } = stateFrom(readAddress(search), HEADS);
    assert.deepEqual({ layer, head }, HEADS.start);
  }
  assert.equal(stateFrom(readAddress("?token=9"), HEADS).token, null);
});

const PHOTO = {
  layers: [
    { heads: 3, rows: 4, columns: 6, grid: 24, prefix: ["class"], windows: null },
    { heads: 2, rows: 2, columns: 3, grid: 6, prefix: [], windows: {} },
  ],
  start: { layer: 0, head: 1 },
  place: null,
};

test("any choice of a map over a photograph comes back from its own address", () => {
  const random = randomSource(6);
  const ways = [
    ["class", "patch", "mean"],
    ["patch", "same", "mean"],
  ];
  for (let round = 0; round < 300; round++) {
    const layer = whole(random, 0, 1);
    const { heads, grid } = PHOTO.layers[layer];
    const state = {
      layer,
      head: whole(random, 0, heads - 1),
      from: ways[layer][whole(random, 0, 2)],
      place: random() < 0.3 ? null : whole(random, 0, grid - 1),
      keep: whole(random, 1, 100),
      photo: ["ink", "light", "off"][whole(random, 0, 2)],
    };
    assert.deepEqual(fitted(readMapAddress(PHOTO, searchOf(mapAddress(state, PHOTO))), PHOTO), state);
  }
  assert.deepEqual(Object.values(mapAddress(startOf(PHOTO), PHOTO)), Array(6).fill(null));
});

test("a scene may say which patch looks at first; that choice is not written into the address", () => {
  const scene = { ...PHOTO, place: 5 };
  assert.deepEqual({ ...startOf(scene) }, { ...startOf(PHOTO), from: "patch", place: 5 });
  assert.deepEqual(Object.values(mapAddress(startOf(scene), scene)), Array(6).fill(null));
  const state = { ...startOf(scene), from: "class", place: 7 };
  assert.deepEqual(fitted(readMapAddress(scene, searchOf(mapAddress(state, scene))), scene), state);
});

test("broken words in the address of a map lead to what is shown at first", () => {
  const broken = "?map-layer=9&map-head=0&map-from=toString&map-place=4-0&map-keep=0&map-photo=constructor";
  assert.deepEqual(fitted(readMapAddress(PHOTO, broken), PHOTO), startOf(PHOTO));
});

test("a chosen place stays where it lies on the picture when the grid becomes coarser", () => {
  const state = { ...startOf(PHOTO), layer: 1, head: 0, from: "patch", place: 3 * 6 + 5 };
  assert.equal(fitted(state, PHOTO, PHOTO.layers[0]).place, 1 * 3 + 2); // the lower right corner
});
