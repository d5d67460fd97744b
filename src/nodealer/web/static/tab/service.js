// Keeps the version that was first trusted: all files that its bundle.json names, each by its hash. Everything is
// answered from what is kept; another version is taken only when the person says so.
const POINTER = "nodealer";
const LIST = "/bundle.json";
const nameOf = (hash) => `nodealer-${hash}`;

async function digest(data) {
  const hash = await crypto.subtle.digest("SHA-256", data);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function kept() {
  const found = await (await caches.open(POINTER)).match("/kept");
  return found ? found.text() : null;
}

async function offered() {
  const answer = await fetch(LIST, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${LIST}: ${answer.status}`);
  const data = await answer.arrayBuffer();
  return { hash: await digest(data), files: JSON.parse(new TextDecoder().decode(data)).files };
}

// Of what a host says beside a file: its hash says nothing of that, and a page could be sent elsewhere by it.
const HEADERS = ["content-type", "content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"];
const headersOf = (answer) => HEADERS.filter((name) => answer.headers.has(name)).map((name) => [name, answer.headers.get(name)]);

/** Fetch all of a version, compare each file with its hash, and only then use it. */
async function take({ hash, files }) {
  const cache = await caches.open(nameOf(hash));
  for (const [path, wanted] of Object.entries(files)) {
    const at = path === "index.html" ? "/" : path === "how/index.html" ? "/how/" : `/${path}`;
    const answer = await fetch(at, { cache: "no-cache" });
    const data = await answer.clone().arrayBuffer();
    if (!answer.ok || (await digest(data)) !== wanted) throw new Error(`${path} is not what ${LIST} says`);
    await cache.put(at, new Response(data, { headers: headersOf(answer) }));
  }
  await (await caches.open(POINTER)).put("/kept", new Response(hash));
  for (const name of await caches.keys()) if (name !== POINTER && name !== nameOf(hash)) await caches.delete(name);
}

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", (event) => {
  const tell = (is, of = {}) => event.source.postMessage({ is, ...of });
  async function use(version, is) {
    try {
      await take(version);
      tell(is, { hash: version.hash });
    } catch (error) {
      tell("untaken", { reason: String(error.message) });
    }
  }
  event.waitUntil(
    (async () => {
      const now = await kept();
      if (now !== null && event.data.do === "keep") tell("kept", { hash: now });
      const other = await offered().catch(() => null);
      if (!other || other.hash === now) return;
      if (now === null) await use(other, "kept");
      // A host may serve another one by now than the one that the person was asked about.
      else if (event.data.do === "take" && event.data.hash === other.hash) await use(other, "taken");
      else tell("another", { hash: other.hash });
    })(),
  );
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin || url.pathname === LIST) return;
  event.respondWith(
    (async () => {
      const hash = await kept();
      if (hash === null) return fetch(event.request);
      const path = url.pathname === "/index.html" ? "/" : url.pathname === "/how" ? "/how/" : url.pathname;
      const found = await (await caches.open(nameOf(hash))).match(path);
      return found ?? new Response("this is no part of the version that is kept", { status: 404 });
    })(),
  );
});
