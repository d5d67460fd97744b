// The version of this page that was first trusted is kept, and used until the person takes another. A host that turns
// bad later cannot change it unasked; on the first visit, and by the browser's own look at service.js, it can.
import { button, h } from "/static/js/kit.js";
import { W } from "/static/tab/words.js";

const URL_OF = "/service.js";

export async function keeping(bar) {
  if (!navigator.serviceWorker) return;
  const registered = await navigator.serviceWorker.register(URL_OF).catch(() => null);
  if (!registered) return;
  async function forget() {
    for (const name of await caches.keys()) await caches.delete(name);
    await registered.unregister();
    location.reload();
  }
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data.is === "kept" && !bar.dataset.kept) {
      bar.dataset.kept = data.hash;
      bar.append(" ", button(W.reset, forget, { kind: "quiet" }));
    }
    if (data.is === "taken") location.reload();
    if (data.is === "another") {
      bar.querySelector(".another")?.remove();
      const asks = h("span", { class: "another", "data-hash": data.hash }, ` ${W.another} `, button(W.take, () => tell({ do: "take", hash: data.hash })), button(W.keep, () => asks.remove(), { kind: "quiet" }));
      bar.append(asks);
    }
    if (data.is === "untaken") {
      for (const old of bar.querySelectorAll(".another, .untaken")) old.remove();
      bar.append(h("span", { class: "untaken", role: "alert" }, ` ${W.untaken(data.reason)}`));
    }
  });
  const tell = async (what) => (await navigator.serviceWorker.ready).active.postMessage(what);
  await tell({ do: "keep" });
}
