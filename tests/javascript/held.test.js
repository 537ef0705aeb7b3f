import assert from "node:assert/strict";
import { test } from "node:test";
import { Held } from "../../core/view/browser/kit/mounting.js";
import { randomSource, whole } from "./random.js";

/** A page with views of large contents, as cell_map has it: the server leaves out what a view last claimed to hold. */
class Page {
  constructor(count) {
    this.claims = new Array(count).fill("");
    this.views = Array.from({ length: count }, () => new Held());
    this.runs = 0;
  }

  /** Runs the page with these contents until no view asks for anything; returns what each of them shows. */
  run(contents) {
    const shown = [];
    for (let asks = true; asks; ) {
      asks = false;
      this.runs += 1;
      assert.ok(this.runs < 10_000, "the page runs again without end");
      contents.forEach((digest, place) => {
        const sent = this.claims[place] === digest ? null : { content: digest };
        shown[place] = this.views[place].take(digest, sent);
        if (shown[place]) return;
        this.claims[place] = this.views[place].digest;
        asks = true;
      });
    }
    return shown;
  }

  click(place) {
    this.claims[place] = this.views[place].digest;
  }
}

test("a clicked map asks at most once for each change, however often its neighbours change", () => {
  const page = new Page(4);
  page.run(["bias", "a0", "b0", "c0"]);
  page.click(0);
  for (let change = 1; change < 20; change++) {
    const before = page.runs;
    page.run(["bias", `a${change}`, `b${change}`, `c${change}`]);
    assert.equal(page.runs, before + 1);
  }
});

test("whatever is shown and clicked in whatever order, every view shows its content after at most one question", () => {
  const random = randomSource(17);
  for (let round = 0; round < 200; round++) {
    const page = new Page(whole(random, 1, 4));
    for (let step = 0; step < 40; step++) {
      const contents = page.views.map((_, place) => `${place}/${whole(random, 0, 3)}`);
      const before = page.runs;
      const shown = page.run(contents);
      assert.deepEqual(
        shown,
        contents.map((content) => ({ content })),
      );
      assert.ok(page.runs - before <= 2);
      if (random() < 0.5) page.click(whole(random, 0, page.views.length - 1));
      if (random() < 0.1) page.views[0] = new Held(); // the element was made anew; the server remembers the old claim
    }
  }
});

test("a view claims what it holds, and nothing that it has let go", () => {
  const held = new Held();
  assert.equal(held.digest, "");
  assert.equal(held.take("one", [1]).length, 1);
  assert.deepEqual([held.digest, held.take("one", null)], ["one", [1]]);
  assert.equal(held.take("two", null), null);
  assert.equal(held.digest, "");
});
