// The seat in a browser tab. Python, the core and the secrets are in this worker and nowhere else. The page sends requests
// {do: …}, which include documents for the seat, and receives messages {is: …}. A second instance of this worker, named
// "bots", plays all bots of a practice table.
import { loadPyodide } from "/@RUNTIME@/pyodide.mjs";

const RUNTIME = new URL("/@RUNTIME@/", self.location.origin).href;
// Folders of the origin's private file system: one file per table; and this browser's key with the players it has met.
const TABLES = "homes";
const ME = "me";
const post = (is, details = {}) => self.postMessage({ is, ...details });

/** Load Python and the seat, and return the Python module that runs it. */
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

const openFolder = async (name = TABLES) => (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true });
const canStore = () => typeof navigator.storage?.getDirectory === "function" && "createSyncAccessHandle" in (self.FileSystemFileHandle?.prototype ?? {});

/**
 * Open a file that no other tab has open, as the Python side uses it. Returns undefined, which is None in Python, if there
 * is no storage: in an old browser, or on a page without encryption.
 */
async function openStore(name, create, folder = TABLES) {
  if (!canStore()) return undefined;
  const file = await (await openFolder(folder)).getFileHandle(name, { create });
  let handle = null;
  for (let attempts = 0; !handle; attempts += 1) {
    try {
      handle = await file.createSyncAccessHandle();
    } catch (error) {
      // A tab that was just closed releases the file a moment later.
      if (error.name !== "NoModificationAllowedError" || attempts >= 20) throw error;
      await new Promise((retry) => setTimeout(retry, 100));
    }
  }
  // A table's file whose import was interrupted begins with a zero, and counts as empty.
  const first = new Uint8Array([1]);
  handle.read(first, { at: 0 });
  if (folder === TABLES && first[0] === 0) handle.truncate(0);
  return {
    all() {
      const data = new Uint8Array(handle.getSize());
      handle.read(data, { at: 0 });
      return data;
    },
    put(data, at) {
      if (handle.write(data, { at }) !== data.length) throw new DOMException("the browser wrote only a part of it", "QuotaExceededError");
    },
    flush: () => handle.flush(),
    truncate: (size) => handle.truncate(size),
    empty: () => handle.getSize() === 0,
    close: () => handle.close(),
  };
}

/** Return the tables stored here, the newest first, without their secrets. */
async function listTables() {
  const found = [];
  if (!canStore()) return found;
  for await (const [table, file] of (await openFolder()).entries()) {
    const data = await file.getFile();
    const first = (await data.slice(0, 4096).text()).split("\n")[0];
    try {
      const { name, hosted } = JSON.parse(first);
      found.push({ table, name, hosted: Boolean(hosted), size: data.size, at: data.lastModified });
    } catch {
      // Nothing was written to this file yet.
    }
  }
  return found.sort((one, other) => other.at - one.at);
}

/** Return what is stored of a table, or undefined. */
const findTable = async (table) => (await listTables()).find((one) => one.table === table);

/** Give the seat this browser's key and the players it has met. */
async function loadIdentity() {
  const key = await openStore("key", true, ME);
  if (!key) return;
  tab.load_key(key);
  const players = await openStore("players.json", true, ME);
  tab.load_contacts(players.all());
  players.close();
}

// --- What the Python side calls ---

let bots = null;
const browser = {
  document: (text) => post("document", { text }),
  fatal: (reason, kind) => post("fatal", { reason, kind }),
  dial: (url) => new WebSocket(url),
  /** Start the worker that plays the bots. */
  bots(deal) {
    bots?.terminate();
    bots = new Worker("/static/tab/worker.js", { type: "module", name: "bots" });
    bots.onmessage = ({ data }) => (data.is === "frame" ? tab.receive_frame(data.frame) : post(data.is, data));
    bots.onerror = (event) => post("fatal", { reason: event.message ?? "", kind: "crash" });
    bots.postMessage({ do: "deal", deal });
  },
  toBots: (frame) => bots?.postMessage({ do: "frame", frame }),
  frame: (frame) => post("frame", { frame }),
  /**
   * Change the list of players that this browser has met. All tabs share it, and one tab at a time changes it. If that
   * fails, this tab still knows the change until it is closed.
   */
  async players(make) {
    const handle = await openStore("players.json", true, ME).catch(() => null);
    if (!handle) return;
    try {
      const changed = make(handle.all());
      handle.put(changed, 0);
      handle.truncate(changed.length);
      handle.flush();
    } finally {
      handle.close();
    }
  },
};

// --- Requests of the page ---

let entry = null;
let tab = null;
// The number of the table that this tab plays at.
let currentTable = null;
const requests = {
  document: ({ text }) => tab.receive(text),
  practise: ({ name }) => tab.practise(name),
  /** Find out what a link is for, and whether this browser already has a seat there. */
  async inspect({ link }) {
    const invited = JSON.parse(tab.describe_link(link));
    const stored = await findTable(invited.table);
    // A spectator who opens a player link is asked for a name.
    post("invited", { link, ...invited, known: Boolean(stored && (invited.watch || stored.name !== null)), stores: canStore() });
  },
  async join({ link, name }) {
    currentTable = JSON.parse(tab.describe_link(link)).table;
    tab.join(link, name ?? undefined, await openStore(currentTable, true));
  },
  async rename({ name }) {
    tab.rename(name, await openStore(currentTable, true));
  },
  async code({ code, relay, name }) {
    const link = await tab.use_code(code, relay, name);
    post("link", { link });
    await requests.join({ link, name });
  },
  offers() {
    post("offers", JSON.parse(tab.offers()));
  },
  async host({ wanted }) {
    const link = tab.new_table(JSON.stringify(wanted));
    currentTable = JSON.parse(tab.describe_link(link)).table;
    const handle = await openStore(currentTable, true);
    post("link", { link });
    tab.host(link, wanted.name, handle);
  },
  async tables() {
    post("tables", { tables: await listTables(), stores: canStore() });
  },
  async resume({ table }) {
    currentTable = table;
    tab.resume(await openStore(table, false));
  },
  async export({ table }) {
    const handle = await openStore(table, false);
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
    const { table } = JSON.parse(tab.describe_link(tab.link_of(first)));
    const handle = await openStore(table, true);
    if (!handle.empty()) {
      handle.close();
      return post("fatal", { reason: "", kind: "exists" });
    }
    const bytes = new Uint8Array(data);
    try {
      // The first byte is written last. A partial copy would not know everything it has signed, so it must not count.
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
    await requests.tables();
  },
  async forget({ table }) {
    (await openStore(table, false)).close();
    await (await openFolder()).removeEntry(table);
    await requests.tables();
  },
  read: ({ data }) => tab.show_log(new Uint8Array(data)),
  // Requests to the worker of the bots.
  deal({ deal }) {
    tab = entry.TabBots(browser, deal);
  },
  frame: ({ frame }) => tab.receive_frame(frame),
};

const ready = boot().then(async (module) => {
  entry = module;
  if (self.name !== "bots") {
    tab = entry.Tab(browser);
    await loadIdentity();
    post("ready");
  }
});
let lastRequest = ready;
self.onmessage = ({ data }) => {
  // One request after the other.
  lastRequest = lastRequest.then(() => requests[data.do](data)).catch((error) => {
    const inUse = error.name === "NoModificationAllowedError";
    const kind = inUse ? "in use" : error.name === "QuotaExceededError" ? "storage" : tab ? "error" : "boot";
    // The last line of a Python error is the message; the rest is the traceback.
    const reason = String(error.message ?? error).trim().split("\n").at(-1).replace(/^nodealer\.errors\.\w+: /, "");
    post("fatal", { reason, kind });
  });
};
ready.catch((error) => post("fatal", { reason: String(error.message ?? error).split("\n")[0].slice(0, 300), kind: "boot" }));
