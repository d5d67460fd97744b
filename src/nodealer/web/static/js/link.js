// The link between the page and its seat: documents in both directions, and nothing else. This one is a WebSocket on
// loopback; a seat inside a tab has one of messages, with the same three functions.

export function connectSeat({ tell, lost, refused }) {
  let socket = null;
  let tries = 0;
  let ended = false;

  async function enter() {
    const token = location.hash.slice(1);
    if (token) {
      history.replaceState(null, "", location.pathname);
      await fetch("/enter", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }) });
    }
  }

  function connect() {
    socket = new WebSocket(`ws://${location.host}/documents`);
    let heard = false;
    socket.onmessage = (event) => {
      heard = true;
      tries = 0;
      tell(JSON.parse(event.data));
    };
    socket.onclose = (event) => {
      if (ended) return;
      if (!heard && tries === 0) {
        refused();
        tries = 1;
        return;
      }
      tries += 1;
      lost(tries);
      if (tries < 40) setTimeout(connect, Math.min(250 * tries, 3000));
    };
  }

  enter().then(connect, connect);
  return {
    say(document) {
      if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(document));
    },
    end() {
      ended = true;
      socket?.close();
    },
  };
}
