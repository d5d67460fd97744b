// The seat inside a tab: Python, the core and the secrets are in this worker and nowhere else. The page sends documents
// and a few wishes, and gets documents. A second one of these, named "bots", plays all bots of a table for practice.
import { loadPyodide } from "/@RUNTIME@/pyodide.mjs";

const RUNTIME = new URL("/@RUNTIME@/", self.location.origin).href;
const HOMES = "homes";
// The key of this browser, and the players whom its person has met.
const ME = "me";
const post = (is, of = {}) => self.postMessage({ is, ...of });

async function boot() {
  const seat = fetch(`${RUNTIME}seat.zip`).then((answer) => {
    if (!answer.ok) throw new Error(`seat.zip: ${answer.status}`);
    return answer.arrayBuffer();
  });
  const python = await loadPyodide({ indexURL: RUNTIME, stdLibURL: `${RUNTIME}python_stdlib.zip`, env: { HOME: "/" } });
  python.unpackArchive(new Uint8Array(await seat), "zip", { extractDir: "/lib/python3.14/site-packages" });
  return python.pyimport("nodealer.web.tab.worker");
}

// --- Storage ---

const folder = async (name = HOMES) => (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true });
const stores = () => typeof navigator.storage?.getDirectory === "function" && "createSyncAccessHandle" in (self.FileSystemFileHandle?.prototype ?? {});

/** A file, which no other tab has open; undefined, which is None in Python, where this browser, or a page without
 * encryption, has no storage. */
async function store(name, create, where = HOMES) {
  if (!stores()) return undefined;
  const file = await (await folder(where)).getFileHandle(name, { create });
  let handle = null;
  for (let tries = 0; !handle; tries += 1) {
    try {
      handle = await file.createSyncAccessHandle();
    } catch (error) {
      // A tab that was closed a moment ago lets go of it a moment later.
      if (error.name !== "NoModificationAllowedError" || tries >= 20) throw error;
      await new Promise((again) => setTimeout(again, 100));
    }
  }
  // A home that was not brought here whole begins with a zero, and is nothing.
  const first = new Uint8Array([1]);
  handle.read(first, { at: 0 });
  if (where === HOMES && first[0] === 0) handle.truncate(0);
  return {
    all() {
      const data = new Uint8Array(handle.getSize());
      handle.read(data, { at: 0 });
      return data;
    },
    put(data, at) {
      if (handle.write(data, { at }) !== data.length) throw new DOMException("only a part of it was written", "QuotaExceededError");
    },
    flush: () => handle.flush(),
    truncate: (size) => handle.truncate(size),
    empty: () => handle.getSize() === 0,
    close: () => handle.close(),
  };
}

/** The homes here, without their secrets. */
async function homes() {
  const found = [];
  if (!stores()) return found;
  for await (const [table, file] of (await folder()).entries()) {
    const data = await file.getFile();
    const first = (await data.slice(0, 4096).text()).split("\n")[0];
    try {
      const { name, hosted } = JSON.parse(first);
      found.push({ table, name, hosted: Boolean(hosted), size: data.size, at: data.lastModified });
    } catch {
      // Nothing was ever written to it.
    }
  }
  return found.sort((one, other) => other.at - one.at);
}

/** The home of a table, if there is one here. */
const known = async (table) => (await homes()).find((one) => one.table === table);

/** Who this browser is, and whom it has met. */
async function me() {
  const key = await store("key", true, ME);
  if (!key) return;
  tab.me(key);
  const players = await store("players.json", true, ME);
  tab.players(players.all());
  players.close();
}

// --- Bots ---

let bots = null;
const browser = {
  document: (text) => post("document", { text }),
  fatal: (reason, kind) => post("fatal", { reason, kind }),
  dial: (url) => new WebSocket(url),
  bots(deal) {
    bots?.terminate();
    bots = new Worker("/static/tab/worker.js", { type: "module", name: "bots" });
    bots.onmessage = ({ data }) => (data.is === "frame" ? tab.heard(data.frame) : post(data.is, data));
    bots.onerror = (event) => post("fatal", { reason: event.message ?? "", kind: "crash" });
    bots.postMessage({ do: "deal", deal });
  },
  toBots: (frame) => bots?.postMessage({ do: "frame", frame }),
  frame: (frame) => post("frame", { frame }),
  /** Change the list of players: all tabs have the same one, and one at a time changes it. What cannot be kept now is
   * known until this tab is closed. */
  async players(make) {
    const handle = await store("players.json", true, ME).catch(() => null);
    if (!handle) return;
    try {
      const made = make(handle.all());
      handle.put(made, 0);
      handle.truncate(made.length);
      handle.flush();
    } finally {
      handle.close();
    }
  },
};

// --- What the page wishes ---

let entry = null;
let tab = null;
// The table of this tab.
let at = null;
const wishes = {
  said: ({ text }) => tab.said(text),
  practise: ({ name }) => tab.practise(name),
  async look({ link }) {
    const invited = JSON.parse(tab.invited(link));
    const home = await known(invited.table);
    // Who has only watched so far says a name to sit down.
    post("invited", { link, ...invited, known: Boolean(home && (invited.watch || home.name !== null)), stores: stores() });
  },
  async join({ link, name }) {
    at = JSON.parse(tab.invited(link)).table;
    tab.join(link, name ?? undefined, await store(at, true));
  },
  async rename({ name }) {
    tab.rename(name, await store(at, true));
  },
  async code({ code, relay, name }) {
    const link = await tab.use_code(code, relay, name);
    post("hosting", { link });
    await wishes.join({ link, name });
  },
  offers() {
    post("offers", JSON.parse(tab.offers()));
  },
  async host({ wanted }) {
    const link = tab.new_table(JSON.stringify(wanted));
    at = JSON.parse(tab.invited(link)).table;
    const handle = await store(at, true);
    post("hosting", { link });
    tab.host(link, wanted.name, handle);
  },
  async homes() {
    post("homes", { homes: await homes(), stores: stores() });
  },
  async resume({ table }) {
    at = table;
    tab.resume(await store(table, false));
  },
  async export({ table }) {
    const handle = await store(table, false);
    let url;
    try {
      url = URL.createObjectURL(new Blob([handle.all()]));
    } finally {
      handle.close();
    }
    post("file", { name: `${table}.nodealer`, url });
  },
  async import({ data }) {
    const first = new TextDecoder().decode(data.slice(0, 4096)).split("\n")[0];
    const { table } = JSON.parse(tab.invited(tab.link_of(first)));
    const handle = await store(table, true);
    if (!handle.empty()) {
      handle.close();
      throw new Error("there is a home for this table in this browser already");
    }
    const bytes = new Uint8Array(data);
    try {
      // The first byte comes last: half a home would not know all that it has signed, and is none.
      handle.put(bytes.subarray(1), 1);
      handle.flush();
      handle.put(bytes.subarray(0, 1), 0);
      handle.flush();
    } catch (error) {
      handle.truncate(0);
      throw error;
    } finally {
      handle.close();
    }
    post("homes", { homes: await homes(), stores: stores() });
  },
  async forget({ table }) {
    (await store(table, false)).close();
    await (await folder()).removeEntry(table);
    post("homes", { homes: await homes(), stores: stores() });
  },
  read: ({ data }) => tab.read(new Uint8Array(data)),
  // Of the bots.
  deal({ deal }) {
    tab = entry.TabBots(browser, deal);
  },
  frame: ({ frame }) => tab.heard(frame),
};

const ready = boot().then(async (module) => {
  entry = module;
  if (self.name !== "bots") {
    tab = entry.Tab(browser);
    await me();
    post("ready");
  }
});
let last = ready;
self.onmessage = ({ data }) => {
  // One after the other, in their order.
  last = last.then(() => wishes[data.do](data)).catch((error) => {
    const inUse = error.name === "NoModificationAllowedError";
    const kind = inUse ? "in use" : error.name === "QuotaExceededError" ? "storage" : tab ? "error" : "boot";
    // Of a Python error only the last line is for people.
    const reason = String(error.message ?? error).trim().split("\n").at(-1).replace(/^nodealer\.errors\.\w+: /, "");
    post("fatal", { reason, kind });
  });
};
ready.catch((error) => post("fatal", { reason: String(error.message ?? error).split("\n")[0].slice(0, 300), kind: "boot" }));
