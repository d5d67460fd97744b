// The service worker of the tab: it keeps the version of the page that was trusted first, which is all files that its
// bundle.json names, each checked by its hash. Every request is answered from that copy. Another version replaces it only
// when the user accepts it.
//
// Messages from the page: {do: "keep"} on every load, {do: "take", hash} to accept a new version. Messages to the page:
// "kept" (this version is in use), "another" (the server offers another one), "taken" (it was accepted), "untaken" (a file
// was not what bundle.json says; `reason`). Pages of older versions use them too: do not change their names.
const POINTER = "nodealer";
const LIST = "/bundle.json";
const cacheName = (hash) => `nodealer-${hash}`;

async function sha256(data) {
  const hash = await crypto.subtle.digest("SHA-256", data);
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the hash of the version in use, or null before the first one. */
async function keptVersion() {
  const found = await (await caches.open(POINTER)).match("/kept");
  return found ? found.text() : null;
}

/** Fetch the list of the version that the server offers now. */
async function fetchOffered() {
  const answer = await fetch(LIST, { cache: "no-store" });
  if (!answer.ok) throw new Error(`${LIST}: ${answer.status}`);
  const data = await answer.arrayBuffer();
  return { hash: await sha256(data), files: JSON.parse(new TextDecoder().decode(data)).files };
}

// The response headers to keep. No hash covers headers, and others could, for instance, redirect the page.
const HEADERS = ["content-type", "content-security-policy", "x-content-type-options", "referrer-policy", "cross-origin-opener-policy", "cross-origin-resource-policy"];
const headersToKeep = (answer) => HEADERS.filter((name) => answer.headers.has(name)).map((name) => [name, answer.headers.get(name)]);

/** Fetch a whole version, compare each file with its hash, and only then use it. */
async function install({ hash, files }) {
  const cache = await caches.open(cacheName(hash));
  for (const [path, wanted] of Object.entries(files)) {
    const at = path === "index.html" ? "/" : path === "how/index.html" ? "/how/" : `/${path}`;
    const answer = await fetch(at, { cache: "no-cache" });
    const data = await answer.clone().arrayBuffer();
    if (!answer.ok || (await sha256(data)) !== wanted) throw new Error(`${path} is not what ${LIST} says`);
    await cache.put(at, new Response(data, { headers: headersToKeep(answer) }));
  }
  await (await caches.open(POINTER)).put("/kept", new Response(hash));
  for (const name of await caches.keys()) if (name !== POINTER && name !== cacheName(hash)) await caches.delete(name);
}

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("message", (event) => {
  const reply = (is, more = {}) => event.source.postMessage({ is, ...more });
  async function tryInstall(version, is) {
    try {
      await install(version);
      reply(is, { hash: version.hash });
    } catch (error) {
      reply("untaken", { reason: String(error.message) });
    }
  }
  event.waitUntil(
    (async () => {
      const kept = await keptVersion();
      if (kept !== null && event.data.do === "keep") reply("kept", { hash: kept });
      const offered = await fetchOffered().catch(() => null);
      if (!offered || offered.hash === kept) return;
      if (kept === null) await tryInstall(offered, "kept");
      // The server may offer yet another version than the one the user was asked about: then it asks again.
      else if (event.data.do === "take" && event.data.hash === offered.hash) await tryInstall(offered, "taken");
      else reply("another", { hash: offered.hash });
    })(),
  );
});

self.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== self.location.origin || url.pathname === LIST) return;
  event.respondWith(
    (async () => {
      const hash = await keptVersion();
      if (hash === null) return fetch(event.request);
      const path = url.pathname === "/index.html" ? "/" : url.pathname === "/how" ? "/how/" : url.pathname;
      const found = await (await caches.open(cacheName(hash))).match(path);
      return found ?? new Response("not part of the version of this page that your browser keeps", { status: 404 });
    })(),
  );
});
