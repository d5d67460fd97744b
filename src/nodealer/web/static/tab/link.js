// The link between the page and a seat in a worker of this tab: the same documents as over a WebSocket (js/link.js).
// Before the first document it shows the tab's own start page, and who serves this page.
import { T, fill, h } from "/static/js/kit.js";
import { createStartPage } from "/static/tab/start.js";

/** Start the worker. It replaces `connectSeat` of js/link.js; there is no connection that could be lost or refused. */
export function connectSeat({ onDocument }) {
  if (window.top !== window) {
    // A page that frames this one could trick the user into clicking. Not every server sends the header that forbids it.
    fill(document.getElementById("stage"), h("p", { class: "stopped", role: "alert", "data-kind": "framed" }, T.tab.framed));
    return { send() {} };
  }
  const worker = new Worker("/static/tab/worker.js", { type: "module" });
  const request = (what, details = {}, transfer = []) => worker.postMessage({ do: what, ...details }, transfer);
  const startPage = createStartPage(request);
  worker.onmessage = ({ data }) => {
    if (data.is === "document") {
      startPage.leave();
      onDocument(JSON.parse(data.text));
    } else startPage.receive(data);
  };
  worker.onerror = (event) => startPage.receive({ is: "fatal", reason: event.message ?? "", kind: "crash" });
  return {
    send: (doc) => request("document", { text: JSON.stringify(doc) }),
  };
}
