import assert from "node:assert/strict";
import { test } from "node:test";
import { axisLabels, lastNotAbove, levelsOf, niceStep } from "../../dashboard/components/map_view/axes.js";
import {
  blockAt,
  boundedView,
  depthOf,
  fittingScale,
  placeText,
  pointedTokens,
  pointOf,
  readPlace,
  standIn,
  TILE,
  tilesInView,
  tokenRange,
  viewBetween,
  wholeView,
  zoomedAt,
} from "../../dashboard/components/map_view/geometry.js";
import {
  excerptOf,
  offsetsOf,
  placesOf,
  rowsOfLines,
  strongestByRow,
  wrappedLines,
} from "../../dashboard/components/map_view/lines.js";
import { usualDistance } from "../../dashboard/components/map_view/links.js";
import {
  coloursOfHalves,
  halfValue,
  largestCode,
  littlePixels,
  lowEndOf,
  strengthOf,
} from "../../dashboard/components/map_view/painting.js";
import {
  sentenceOfBlock,
  sentenceOfStrongest,
  strongestOf,
  wordAround,
} from "../../dashboard/components/map_view/sentences.js";
import { tileFrom } from "../../dashboard/components/map_view/server.js";
import { randomSource, whole } from "./random.js";

function anyView(random) {
  const tokens = whole(random, 1, 131072);
  const room = { width: 200 + 800 * random(), height: 200 + 400 * random() };
  const scale = fittingScale(tokens, room) * 2 ** (12 * random());
  return { tokens, room, view: boundedView({ query: tokens * random(), key: tokens * random(), scale }, tokens, room) };
}

test("zooming leaves the tokens under the pointer where they are, unless the text ends there", () => {
  const random = randomSource(1);
  for (let round = 0; round < 200; round++) {
    const { tokens, room, view } = anyView(random);
    const point = [room.width * random(), room.height * random()];
    const [before, next] = [
      pointedTokens(view, room, ...point),
      zoomedAt(view, 0.5 + 2 * random(), point, tokens, room),
    ];
    const after = pointedTokens(next, room, ...point);
    for (const [name, pixels] of [
      ["query", room.height],
      ["key", room.width],
    ]) {
      const half = pixels / 2 / next.scale;
      const isFree = next[name] > half + 1e-6 && next[name] < tokens - half - 1e-6;
      if (isFree) assert.ok(Math.abs(before[name] - after[name]) < 1e-6 * tokens + 1e-6);
    }
  }
});

test("a view never leaves the text, and a smaller map lies at the left and at the top", () => {
  const random = randomSource(2);
  for (let round = 0; round < 200; round++) {
    const { tokens, room, view } = anyView(random);
    for (const [name, pixels] of [
      ["query", room.height],
      ["key", room.width],
    ]) {
      const [first, last] = [view[name] - pixels / 2 / view.scale, view[name] + pixels / 2 / view.scale];
      assert.ok(first > -1e-6 * tokens - 1e-9);
      if (last > tokens * (1 + 1e-9)) assert.ok(Math.abs(first) < 1e-6 * tokens + 1e-9);
      const range = tokenRange(view, room, name, tokens);
      assert.ok(range[0] >= 0 && range[0] <= range[1] && range[1] <= tokens);
    }
    assert.deepEqual(tokenRange(wholeView(tokens, room), room, "query", tokens), [0, tokens]);
  }
});

test("a cell has one to two pixels of the screen, and more only at depth 0", () => {
  const random = randomSource(3);
  for (let round = 0; round < 300; round++) {
    const { tokens, view } = anyView(random);
    const ratio = 1 + 2 * random();
    const depth = depthOf(view.scale, ratio, tokens);
    const pixels = view.scale * ratio * 2 ** depth;
    assert.ok(pixels > 1 - 1e-6);
    if (depth > 0) assert.ok(pixels <= 2 + 1e-6);
  }
});

test("the tiles in view cover every cell of the view that a causal model can attend to, and no other tile comes", () => {
  const random = randomSource(4);
  for (let round = 0; round < 100; round++) {
    const { tokens, room, view } = anyView(random);
    const depth = depthOf(view.scale, 1, tokens);
    const edge = TILE * 2 ** depth;
    for (const isCausal of [true, false]) {
      const tiles = tilesInView(view, room, depth, tokens, isCausal);
      const names = new Set(tiles.map(({ row, column }) => `${row} ${column}`));
      assert.equal(names.size, tiles.length);
      const [queries, keys] = ["query", "key"].map((name) => tokenRange(view, room, name, tokens));
      for (let draw = 0; draw < 30; draw++) {
        const [query, key] = [queries, keys].map(([first, behind]) =>
          whole(random, first, Math.max(first, behind - 1)),
        );
        if (isCausal && key > query) continue;
        assert.ok(names.has(`${Math.floor(query / edge)} ${Math.floor(key / edge)}`));
      }
      for (const { row, column } of tiles) {
        assert.ok(row * edge < queries[1] && (row + 1) * edge > queries[0]);
        assert.ok(column * edge < keys[1] && (column + 1) * edge > keys[0]);
        if (isCausal) assert.ok((row + 1) * edge > column * edge);
      }
      const distances = tiles.map(({ away }) => away);
      assert.deepEqual(
        distances,
        distances.toSorted((one, other) => one - other),
      );
    }
  }
});

test("the part of a coarser tile that stands in for a tile covers exactly its tokens", () => {
  const random = randomSource(5);
  for (let round = 0; round < 200; round++) {
    const tile = { depth: whole(random, 0, 6), row: whole(random, 0, 500), column: whole(random, 0, 500) };
    const above = standIn(tile, whole(random, 1, 9));
    const cell = 2 ** above.depth;
    const covered = ["row", "column"].map((name) => {
      const start = (above[name] * TILE + above.part[name === "row" ? "y" : "x"]) * cell;
      return [start, start + above.part.size * cell];
    });
    const edge = TILE * 2 ** tile.depth;
    assert.deepEqual(
      covered,
      [tile.row, tile.column].map((place) => [place * edge, (place + 1) * edge]),
    );
  }
});

test("a place survives its way through the address, and no other text is one", () => {
  const room = { width: 640, height: 480 };
  const tokens = 16384;
  for (const depth of [-4, -1, 0, 2, 4]) {
    const view = boundedView({ query: 9000.5, key: 4000.5, scale: 2 ** -depth }, tokens, room);
    const text = placeText({ layer: 2, head: 11 }, view, tokens, room);
    const place = readPlace(text);
    assert.deepEqual([place.layer, place.head], [2, 11]);
    assert.equal(place.view.scale, 2 ** -depth);
    for (const name of ["query", "key"]) assert.ok(Math.abs(place.view[name] - view[name]) <= 0.5);
  }
  const all = readPlace(placeText({ layer: 0, head: 0 }, wholeView(tokens, room), tokens, room)).view;
  assert.deepEqual(boundedView(all, tokens, room), wholeView(tokens, room));
  assert.equal(readPlace("3.1").view, null);
  for (const text of [null, "", "1", "1.2.3", "1.2.3.4", "1.2.x.4.5", "1.2.3.4.5.6", "-1.2.3.4.5", "<b>"]) {
    assert.equal(readPlace(text), null);
  }
});

test("a flight begins and ends where it should, and a block of a cell ends with the text", () => {
  const [from, to] = [
    { query: 1, key: 2, scale: 0.01 },
    { query: 100, key: 50, scale: 16 },
  ];
  assert.deepEqual(viewBetween(from, to, 0), from);
  const end = viewBetween(from, to, 1);
  for (const name of ["query", "key", "scale"]) assert.ok(Math.abs(end[name] - to[name]) < 1e-9);
  assert.deepEqual(blockAt(300, 8, 1000), [256, 511]);
  assert.deepEqual(blockAt(999, 8, 1000), [768, 999]);
  const point = pointOf(to, { width: 100, height: 100 }, { query: 100, key: 50 });
  assert.deepEqual(point, { x: 50, y: 50 });
});

test("labels of an axis keep apart, chapters come before all others, and they stay while the axis moves", () => {
  const random = randomSource(6);
  for (let round = 0; round < 100; round++) {
    const tokens = 5000;
    const marks = Array.from({ length: 400 }, () => [whole(random, 0, tokens - 1), whole(random, 0, 2), "label"]);
    const levels = levelsOf(marks);
    const labels = Array.from({ length: tokens }, (_, token) => (token % 3 ? " word" : "s"));
    const scale = 2 ** (6 * random() - 3);
    const first = whole(random, 0, 3000);
    const axis = (start) => axisLabels({ levels, labels }, { range: [start, start + Math.ceil(500 / scale)], scale });
    const placed = axis(first);
    for (let place = 1; place < placed.length; place++) {
      const apart = placed[place].at - placed[place - 1].at;
      assert.ok(scale >= 12 || apart >= 15 - 1e-9, `${apart}`);
      assert.ok(Math.abs(apart - (placed[place].token - placed[place - 1].token) * scale) < 1e-6);
    }
    const chapters = placed.filter(({ level }) => level === 0);
    const inView = levels[0].filter(([token]) => token >= first && token < first + 500 / scale);
    if (inView.length && scale < 12) assert.ok(chapters.length > 0);
  }
  assert.deepEqual([0.2, 1, 3, 11, 70, 1001].map(niceStep), [1, 1, 5, 20, 100, 2000]);
});

test("where a token has room for its label all tokens have one, and without marks there are numbers", () => {
  const labels = Array.from({ length: 100 }, (_, token) => ` ${token}`);
  const all = axisLabels({ levels: [[], [], []], labels }, { range: [10, 30], scale: 20 });
  assert.deepEqual(
    all.map(({ token }) => token),
    Array.from({ length: 20 }, (_, place) => place + 10),
  );
  assert.equal(all[0].at, 10);
  const bare = axisLabels({ levels: [[], [], []], labels: [] }, { range: [0, 10000], scale: 0.05 });
  assert.deepEqual(
    bare.map(({ token }) => token),
    [0, 2000, 4000, 6000, 8000],
  );
});

test("the place among sorted numbers is that of a search from the start", () => {
  const random = randomSource(7);
  for (let round = 0; round < 200; round++) {
    const numbers = Array.from({ length: whole(random, 0, 20) }, () => whole(random, 0, 30)).sort(
      (one, other) => one - other,
    );
    const value = whole(random, -2, 33);
    const expected = numbers.filter((number) => number <= value).length - 1;
    assert.equal(
      lastNotAbove(numbers.length, (place) => numbers[place], value),
      expected,
    );
  }
});

test("lines hold every token once, in order, none wider than the text, and break where the text does", () => {
  const random = randomSource(8);
  const kinds = ["a", " word", "ing", ".", "\n", "\n\n", " of", ".\n", " incomprehensibility", " "];
  for (let round = 0; round < 200; round++) {
    const labels = Array.from({ length: whole(random, 1, 200) }, () => kinds[whole(random, 0, kinds.length - 1)]);
    const measure = (label) => 7 * label.trim().length + 3;
    const { starts, gaps } = wrappedLines(labels, 150, measure);
    assert.equal(starts[0], 0);
    for (let line = 0; line < starts.length; line++) {
      const end = starts[line + 1] ?? labels.length;
      assert.ok(end > starts[line]);
      const own = labels.slice(starts[line], end);
      const wide = own.reduce((sum, label) => sum + measure(label), 0);
      assert.ok(wide <= 150 || own.length === 1, `${wide}`);
      const firstBreak = own.findIndex((label) => label.includes("\n"));
      if (firstBreak >= 0) assert.ok(own.slice(firstBreak + 1).every((label) => !label.trim() && label.includes("\n")));
    }
    const { rows, count } = rowsOfLines({ starts, gaps });
    for (let line = 1; line < rows.length; line++) assert.equal(rows[line] - rows[line - 1], gaps.has(line) ? 2 : 1);
    assert.equal(count, rows.at(-1) + 1);
  }
});

test("a phrase is where a search of the joined text says, whatever its case and spaces", () => {
  const labels = ["The", " Count", "\n", "Dra", "cula", " met", " the", " count", ".", " c(", "ount"];
  const joined = labels.join("");
  const offsets = offsetsOf(labels);
  assert.equal(offsets.at(-1), joined.length);
  assert.deepEqual(placesOf("count dracula", joined, offsets), [[1, 4]]);
  assert.deepEqual(placesOf("COUNT", joined, offsets), [
    [1, 1],
    [7, 7],
  ]);
  assert.deepEqual(placesOf("c(ount", joined, offsets), [[9, 10]]);
  assert.deepEqual(placesOf("  ", joined, offsets), []);
  const { before, word, after } = excerptOf(
    labels,
    [
      [0, ""],
      [5, ""],
    ],
    6,
    40,
  );
  assert.deepEqual([before, word, after], ["met", " the", " count. c(ount"]);
  const cut = excerptOf(labels, [], 6, 24);
  assert.ok(cut.before.startsWith("…") && cut.after.endsWith("…"));
});

test("the largest of a part of a tile is the largest of its values, and a colour is that of its value", () => {
  const random = randomSource(9);
  const tile = tileFrom(Uint16Array.from([3, 5, ...Array.from({ length: 15 }, () => whole(random, 0, 0x3c00))]));
  assert.deepEqual([tile.rows, tile.columns, tile.share.length], [3, 5, 15]);
  assert.equal(tile.maximum, tile.share);
  const part = { top: 1, bottom: 3, left: 2, right: 4 };
  const values = [7, 8, 12, 13].map((place) => halfValue(tile.share[place]));
  assert.equal(halfValue(largestCode(tile, tile.share, part)), Math.max(...values));
  const ramp = new Uint8ClampedArray(256 * 3).map((_, place) => Math.floor(place / 3));
  const theme = { ramp, accent: "#ff0000" };
  for (const scale of ["linear", "root", "log"]) {
    const colours = new Uint8Array(coloursOfHalves(theme, scale, 0.5).buffer);
    const red = (code) => colours[4 * code];
    assert.equal(red(0), 0);
    assert.equal(red(0x3800), 255); // 0.5, the end of the scale
    assert.equal(red(0x3400), Math.round(255 * strengthOf(scale, 0.25, 0.5)));
    assert.deepEqual([...colours.slice(4 * 0x7e00, 4 * 0x7e00 + 4)], [255, 0, 0, 255]); // NaN
  }
  assert.equal(strengthOf("log", lowEndOf("log", 0.5), 0.5), 0);
  assert.deepEqual(
    ["linear", "root", "log"].map((scale) => strengthOf(scale, 0, 0)),
    [0, 0, 0],
  );
});

test("a cell is said with its tokens, its value and what a causal model cannot see", () => {
  const labels = [" The", " un", "believ", "able", "."];
  assert.deepEqual(wordAround(labels, 2), [1, 3]);
  assert.deepEqual(wordAround(labels, 4), [4, 4]);
  const said = (block) => sentenceOfBlock({ kind: "share", labels, isCausal: true, ...block });
  assert.match(said({ query: [4096, 4351], key: [0, 255], value: 0.0312 }), /4,096 to 4,351 .*3\.12%.* 0 to 255/);
  assert.match(said({ query: [4, 4], key: [2, 2], value: 0.12345 }), /“believ” of “unbelievable”.*0\.123/);
  assert.match(said({ query: [0, 1], key: [2, 3], value: 0.5 }), /no later token/);
  assert.match(said({ query: [2, 3], key: [0, 1], value: null }), /computed/);
  assert.match(said({ query: [2, 3], key: [0, 1], value: 0 }), /less than/);
  assert.match(said({ query: [2, 3], key: [0, 1], value: NaN }), /no number/);
  assert.deepEqual(strongestOf([0.5, 0.1, 0.3], 0), [2, 0.3]);
  assert.equal(strongestOf([0.5], 0), null);
  assert.deepEqual([131072, 800, 1].map(usualDistance), [1024, 200, 0]);
});

test("of the marks of a ruler the strongest of each colour and row stays", () => {
  const marks = [
    [0, "a", 0.2],
    [3, "a", 0.9],
    [3, "b", 0.1],
    [5, "a", 0.5],
    [4, "a", 0.4],
  ];
  assert.deepEqual(strongestByRow(marks, 4), [
    [3, "b", 0.1],
    [5, "a", 0.5],
    [3, "a", 0.9],
  ]);
});

test("a little map is drawn up to its own largest value, and nothing is the page", () => {
  const ramp = new Uint8ClampedArray(256 * 3).map((_, place) => Math.floor(place / 3));
  const pixels = littlePixels({ share: Uint16Array.of(0, 0x3400, 0x3800, 0x7e00) }, { ramp }, "linear");
  assert.deepEqual(
    [0, 4, 8, 12].map((place) => pixels[place]),
    [0, 128, 255, 0],
  );
});

test("the strongest far link is told with its words, its share, its direction and what was left out", () => {
  const labels = ["The", " cat", " sat", " on", " the", " mat"];
  const links = [
    [5, 1, 0.425],
    [4, 0, 0.1],
  ];
  const sentence = sentenceOfStrongest(labels, links, 3, false);
  for (const part of ["mat", "cat", "42.5%", "4 tokens earlier", "farther than 3 tokens", "first token"]) {
    assert.ok(sentence.includes(part), part);
  }
  assert.ok(!sentenceOfStrongest(labels, links, 3, true).includes("first token"));
  assert.ok(sentenceOfStrongest(labels, [[1, 5, 0.2]], 3, true).includes("4 tokens later"));
  assert.equal(sentenceOfStrongest(labels, [], 3, true), "");
});
