import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { goTo, keepAddress, sharedAddress } from "../../core/view/browser/kit/address.js";
import { classLink } from "../../dashboard/components/class_link/link.js";

let loaded; // addresses that were loaded afresh
let sockets;

class Socket extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  sent = [];

  constructor(address) {
    super();
    this.address = String(address);
    sockets.push(this);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
  }

  opens() {
    this.readyState = Socket.OPEN;
    this.dispatchEvent(new Event("open"));
  }

  says(message) {
    this.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
  }

  close(code = 1006) {
    this.readyState = 3;
    this.dispatchEvent(Object.assign(new Event("close"), { code }));
  }
}

/** A window with an address, as far as classes use it. */
beforeEach(() => {
  loaded = [];
  sockets = [];
  const stored = new Map();
  globalThis.window = new EventTarget();
  globalThis.location = new URL("http://atlas.example:8501/text?layer=3&class=BCDFGH&present=1");
  location.replace = (address) => loaded.push(String(address));
  globalThis.history = { state: null, replaceState: (_state, _title, url) => (location.href = new URL(url, location)) };
  globalThis.PopStateEvent = Event;
  globalThis.WebSocket = Socket;
  globalThis.sessionStorage = {
    getItem: (name) => stored.get(name) ?? null,
    setItem: (name, value) => stored.set(name, value),
    removeItem: (name) => stored.delete(name),
  };
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
});

afterEach(() => mock.timers.reset());

/** How often Streamlit would have run the page. */
function runs() {
  const counted = { pages: 0 };
  window.addEventListener("popstate", () => {
    counted.pages += 1;
  });
  return counted;
}

test("what is shared of an address is the page and what is not a visitor's own", () => {
  assert.equal(sharedAddress(), "text?layer=3");
  assert.equal(sharedAddress(new URL("http://atlas.example/?class=BCDFGH&embed=true")), "");
  assert.equal(
    sharedAddress(new URL("http://atlas.example/order?show=Beyond+training&a=%26")),
    "order?show=Beyond+training&a=%26",
  );
});

test("another page is loaded afresh, and each keeps the own parameters", () => {
  goTo("order?show=Waves&present=0&class=JKMNPR");
  assert.deepEqual(loaded, ["http://atlas.example:8501/order?show=Waves&class=BCDFGH&present=1"]);
  goTo("");
  assert.equal(loaded[1], "http://atlas.example:8501/?class=BCDFGH&present=1");
});

test("on the same page views take over what is theirs, and the page runs only for the rest", () => {
  const counted = runs();
  const taken = [];
  const read = () => new URLSearchParams(location.search).get("layer");
  keepAddress({ values: () => ({ layer: 3, head: null }), read, restored: (layer) => taken.push(layer) });
  goTo("text?layer=5&head=1");
  assert.deepEqual([counted.pages, taken], [0, ["5"]]);
  assert.equal(location.search, "?layer=5&head=1&class=BCDFGH&present=1");
  goTo("text?layer=5&head=1");
  assert.equal(taken.length, 1);
  goTo("text?layer=5&text=The+sea");
  assert.equal(counted.pages, 1);
  assert.equal(location.search, "?layer=5&text=The+sea&class=BCDFGH&present=1");
  assert.deepEqual(loaded, []);
});

test("an address never leads to another site", () => {
  for (const address of ["//evil.example/", "https://evil.example/text", "javascript:alert(1)", "../../x"])
    goTo(address);
  assert.ok(loaded.every((address) => address.startsWith("http://atlas.example:8501/")));
});

test("a follower goes where the teacher is, looks around, and comes back", () => {
  const link = classLink();
  link.enter("BCDFGH");
  assert.equal(sockets[0].address, "ws://atlas.example:8501/class");
  sockets[0].opens();
  const { who } = link.own;
  assert.deepEqual(sockets[0].sent, [{ code: "BCDFGH", who, following: true }]);
  sockets[0].says({ code: "BCDFGH", address: "order" });
  assert.equal(loaded.length, 1);
  link.setFollowing(false);
  sockets[0].says({ code: "BCDFGH", address: "swin" });
  assert.equal(loaded.length, 1);
  link.setFollowing(true);
  assert.match(loaded[1], /swin/);
  assert.deepEqual(sockets[0].sent.slice(1), [{ following: false }, { following: true }]);
});

test("a link that drops comes back as the same follower, after longer and longer waits", () => {
  const link = classLink();
  link.enter("BCDFGH");
  sockets[0].opens();
  sockets[0].says({ code: "BCDFGH", address: null });
  const { who } = link.own;
  for (const longest of [750, 1500, 3000]) {
    sockets.at(-1).close();
    assert.equal(link.status, "lost");
    const before = sockets.length;
    mock.timers.tick(longest / 3 - 1);
    assert.equal(sockets.length, before);
    mock.timers.tick((2 * longest) / 3 + 1);
    assert.equal(sockets.length, before + 1);
  }
  sockets.at(-1).opens();
  assert.equal(sockets.at(-1).sent[0].who, who);
  sockets.at(-1).says({ code: "BCDFGH", address: null });
  assert.equal(link.status, "there");
});

test("a tab that says nothing else says once a minute that it is here, as long as it is connected", () => {
  const link = classLink();
  link.enter("BCDFGH");
  sockets[0].opens();
  sockets[0].says({ code: "BCDFGH", address: null, number: 7 });
  assert.equal(link.number, 7);
  const beats = (socket) => socket.sent.filter(({ here }) => here).length;
  mock.timers.tick(180_000);
  assert.equal(beats(sockets[0]), 3);
  sockets[0].close(1000);
  mock.timers.tick(1000);
  sockets[1].opens();
  mock.timers.tick(60_000);
  assert.deepEqual([beats(sockets[0]), beats(sockets[1])], [3, 1]);
});

test("a teacher sees who is there, locks the class and removes a follower by its number", () => {
  const link = classLink();
  link.enter("");
  sockets[0].opens();
  const listed = [
    [1, true],
    [3, false],
  ];
  sockets[0].says({ code: "JKMNPR", key: "secret", followers: 1, listed, locked: false, answers: {} });
  assert.deepEqual([link.listed, link.locked], [listed, false]);
  const before = sockets[0].sent.length;
  link.lock(true);
  link.remove(3);
  assert.deepEqual(sockets[0].sent.slice(before), [{ lock: true }, { remove: 3 }]);
  sockets[0].says({ code: "JKMNPR", key: "secret", followers: 1, listed: [[1, true]], locked: true, answers: {} });
  assert.deepEqual([link.listed.length, link.locked], [1, true]);
});

test("with a question the server is told which answers it allows, and again only when they change", () => {
  const link = classLink();
  link.enter("");
  sockets[0].opens();
  sockets[0].says({ code: "JKMNPR", key: "secret", followers: 0, answers: {} });
  const view = {};
  const asked = () => sockets[0].sent.filter(({ asks }) => asks).map(({ asks }) => asks);
  link.show(view, "q", ["left", "right"]);
  link.show(view, "q", ["left", "right"]);
  assert.deepEqual(asked().slice(1), [[{ question: "q", choices: ["left", "right"] }]]);
  link.show(view, "q", []);
  link.show(view, null);
  assert.deepEqual(asked().slice(2), [[{ question: "q", choices: [] }], []]);
});

test("what the server has ended is not opened again", () => {
  const link = classLink();
  link.enter("BCDFGH");
  sockets[0].opens();
  sockets[0].says({ over: "Class BCDFGH has ended." });
  sockets[0].close(4000);
  link.enter("BCDFGH");
  mock.timers.tick(60_000);
  assert.equal(sockets.length, 1);
  assert.deepEqual([link.status, link.sentence], ["over", "Class BCDFGH has ended."]);
});

test("a teacher's address is said once it rests, and again when the link has dropped", () => {
  const link = classLink();
  link.enter("");
  sockets[0].opens();
  assert.deepEqual(sockets[0].sent, [{ open: true }]);
  sockets[0].says({ code: "JKMNPR", key: "secret", followers: 0, answers: {} });
  const said = (socket) => socket.sent.filter(({ address }) => address !== undefined).map(({ address }) => address);
  mock.timers.tick(1000);
  assert.deepEqual(said(sockets[0]), ["text?layer=3"]);
  location.search = "?layer=4";
  mock.timers.tick(200);
  location.search = "?layer=5";
  mock.timers.tick(1000);
  assert.deepEqual(said(sockets[0]), ["text?layer=3", "text?layer=5"]);
  sockets[0].close();
  mock.timers.tick(1000);
  sockets[1].opens();
  assert.deepEqual(sockets[1].sent, [{ code: "JKMNPR", key: "secret" }]);
  sockets[1].says({ code: "JKMNPR", key: "secret", followers: 1, answers: {} });
  mock.timers.tick(1000);
  assert.deepEqual(said(sockets[1]), ["text?layer=5"]);
});
