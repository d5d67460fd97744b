// Documents are shown one after the other, at a pace that people can follow.

/** Milliseconds for which a line's event, or a proof, stays before the next document is shown. */
const HOLDS = {
  calm: { move: 550, board: 900, shows: 900, result: 3200, deal: 700, looked: 900, changed: 500, proof: 380 },
  quick: { move: 180, board: 350, shows: 450, result: 1400, deal: 300, looked: 400, changed: 200, proof: 120 },
  none: {},
};
/** With more documents in the queue than this, they are shown at once. */
const BACKLOG = 400;

/** Create a queue that passes documents to `show` at a pace. */
export function createPacer(show) {
  const queue = [];
  let heldUntil = 0;
  let timer = null;
  let pace = "calm";
  let rushUntil = 0;

  function run() {
    timer = null;
    while (queue.length) {
      const now = performance.now();
      const hurry = document.hidden || queue.length > BACKLOG || now < rushUntil;
      if (!hurry && now < heldUntil) {
        timer = setTimeout(run, heldUntil - now);
        return;
      }
      const next = queue.shift();
      show(next);
      heldUntil = performance.now() + holdOf(next);
    }
  }

  function holdOf(doc) {
    const holds = HOLDS[pace] ?? {};
    if (doc.type === "line") return holds[doc.event] ?? 0;
    // A shuffle is worth watching. Keys have no text and are not.
    if (doc.type === "proof" && doc.text) return holds.proof ?? 0;
    return 0;
  }

  return {
    push(doc) {
      queue.push(doc);
      if (timer === null) run();
    },
    /** Show everything at once for this many milliseconds: a page that has just loaded gets the past first. */
    rush(ms) {
      rushUntil = performance.now() + ms;
      heldUntil = 0;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      run();
    },
    /** Stop holding the current document. */
    skip() {
      heldUntil = 0;
      if (timer !== null) {
        clearTimeout(timer);
        run();
      }
    },
    clear() {
      queue.length = 0;
      heldUntil = 0;
    },
    set pace(value) {
      pace = value;
    },
  };
}
