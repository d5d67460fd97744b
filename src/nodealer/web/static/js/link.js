// The link between the page and its seat: documents in both directions. This one is a WebSocket on loopback; a seat in a
// browser tab has its own link, with the same functions (tab/link.js).

/** Connect to the seat. `onLost` gets the number of attempts so far; `onRefused` means that the address does not work. */
export function connectSeat({ onDocument, onLost, onRefused }) {
  let socket = null;
  let attempts = 0;

  /** Exchange the token in the address for a cookie. It works once. */
  async function enter() {
    const token = location.hash.slice(1);
    if (token) {
      history.replaceState(null, "", location.pathname);
      await fetch("/enter", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
    }
  }

  function connect() {
    socket = new WebSocket(`ws://${location.host}/documents`);
    let received = false;
    socket.onmessage = (event) => {
      received = true;
      attempts = 0;
      onDocument(JSON.parse(event.data));
    };
    socket.onclose = () => {
      if (!received && attempts === 0) {
        onRefused();
        attempts = 1;
        return;
      }
      attempts += 1;
      onLost(attempts);
      if (attempts < 40) setTimeout(connect, Math.min(250 * attempts, 3000));
    };
  }

  enter().then(connect, connect);
  return {
    send(doc) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(doc));
    },
  };
}
