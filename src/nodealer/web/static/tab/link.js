// The link between the page and a seat in a worker of this tab: the same documents as over a WebSocket. Before the first
// one it asks what to begin, and says who serves this page.
import { fill, h } from "/static/js/kit.js";
import { beginning } from "/static/tab/begin.js";
import { W } from "/static/tab/words.js";

export function connectSeat({ tell }) {
  if (window.top !== window) {
    // A host that sends no headers cannot forbid it, and who frames a page chooses what is clicked.
    fill(document.getElementById("stage"), h("p", { class: "stopped", role: "alert", "data-kind": "framed" }, W.framed));
    return { say() {}, end() {} };
  }
  const worker = new Worker("/static/tab/worker.js", { type: "module" });
  const wish = (what, of = {}, moved = []) => worker.postMessage({ do: what, ...of }, moved);
  const begin = beginning(wish);
  worker.onmessage = ({ data }) => {
    if (data.is === "document") {
      begin.over();
      tell(JSON.parse(data.text));
    } else begin.hear(data);
  };
  worker.onerror = (event) => begin.hear({ is: "fatal", reason: event.message ?? "", kind: "crash" });
  return {
    say: (document) => wish("said", { text: JSON.stringify(document) }),
    end: () => worker.terminate(),
  };
}
