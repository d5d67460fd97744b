// Documents are shown one after the other, at a pace that a person can follow. Nothing waits when nothing came before.

const HOLDS = {
  calm: { move: 550, board: 900, shows: 900, result: 3200, deal: 700, looked: 900, changed: 500, proof: 380 },
  quick: { move: 180, board: 350, shows: 450, result: 1400, deal: 300, looked: 400, changed: 200, proof: 120 },
  none: {},
};
const BACKLOG = 400;

export function pacer(show) {
  const waiting = [];
  let until = 0;
  let timer = null;
  let pace = "calm";
  let rush = 0;

  function run() {
    timer = null;
    while (waiting.length) {
      const now = performance.now();
      const hurried = document.hidden || waiting.length > BACKLOG || now < rush;
      if (!hurried && now < until) {
        timer = setTimeout(run, until - now);
        return;
      }
      const next = waiting.shift();
      show(next);
      until = performance.now() + holds(next);
    }
  }

  function holds(document) {
    const table = HOLDS[pace] ?? {};
    if (document.type === "line") return table[document.event] ?? 0;
    // A shuffle is something to look at; keys are not.
    if (document.type === "proof" && document.text) return table.proof ?? 0;
    return 0;
  }

  return {
    push(document) {
      waiting.push(document);
      if (timer === null) run();
    },
    /** What comes in the next moment is old: a page that has just loaded. */
    rush(ms) {
      rush = performance.now() + ms;
      until = 0;
      if (timer !== null) clearTimeout(timer);
      timer = null;
      run();
    },
    skip() {
      until = 0;
      if (timer !== null) {
        clearTimeout(timer);
        run();
      }
    },
    clear() {
      waiting.length = 0;
      until = 0;
    },
    set pace(value) {
      pace = value;
    },
    get waiting() {
      return waiting.length;
    },
  };
}
