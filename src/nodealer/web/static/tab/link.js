// The link between the page and a seat in a worker of this tab: the same documents as over a WebSocket. Before the first
// one it asks what to begin, and says who serves this page.
import { beginning } from "/static/tab/begin.js";

export function connectSeat({ tell }) {
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
