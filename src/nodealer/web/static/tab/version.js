// The service worker keeps the version of this page that was trusted first, and uses it until you accept another. So a
// server that turns dishonest later cannot change the page unasked. It still can on the first visit, and through
// service.js, which browsers fetch again on their own.
import { T, button, h } from "/static/js/kit.js";

const SERVICE_WORKER = "/service.js";

/** Start the service worker, and show in `bar` which version is kept and what it reports. */
export async function keepVersion(bar) {
  if (!navigator.serviceWorker) return;
  const registration = await navigator.serviceWorker.register(SERVICE_WORKER).catch(() => null);
  if (!registration) return;
  async function forget() {
    for (const name of await caches.keys()) await caches.delete(name);
    await registration.unregister();
    location.reload();
  }
  // The messages are described in service.js.
  navigator.serviceWorker.addEventListener("message", ({ data }) => {
    if (data.is === "kept" && !bar.dataset.kept) {
      bar.dataset.kept = data.hash;
      bar.append(" ", button(T.tab.forgetVersion, forget, { kind: "quiet" }));
    }
    if (data.is === "taken") location.reload();
    if (data.is === "another") {
      bar.querySelector(".another")?.remove();
      const question = h("span", { class: "another", "data-hash": data.hash }, ` ${T.tab.newVersion} `, button(T.tab.useNewVersion, () => send({ do: "take", hash: data.hash })), button(T.tab.keepVersion, () => question.remove(), { kind: "quiet" }));
      bar.append(question);
    }
    if (data.is === "untaken") {
      for (const old of bar.querySelectorAll(".another, .untaken")) old.remove();
      bar.append(h("span", { class: "untaken", role: "alert" }, ` ${T.tab.versionRejected(data.reason)}`));
    }
  });
  const send = async (message) => (await navigator.serviceWorker.ready).active.postMessage(message);
  await send({ do: "keep" });
}
