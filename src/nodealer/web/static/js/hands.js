// Hands that were played: a list, and each again, forward and back, on the same table.
import { T, button, fill, h, say } from "./kit.js";
import { rendered } from "./log.js";

const LISTED = 60;

export function handsPanel(root, { link, state, show, live }) {
  const list = h("ol", { class: "hands", reversed: true });
  const empty = h("p", { class: "none" }, T.hands.none);
  const player = h("div", { class: "player", hidden: true });
  // The list has the newest; every other one is in the log too.
  const number = h("input", { type: "number", min: 1, "aria-label": T.hands.pick, inputmode: "numeric" });
  const older = h("form", { class: "row older", hidden: true }, h("span", {}, T.hands.pick), number, h("button", { class: "button quiet", type: "submit" }, T.hands.show));
  older.addEventListener("submit", (event) => {
    event.preventDefault();
    if (number.value) link().say({ type: "replay", hand: Number(number.value) });
  });
  root.append(player, empty, list, older);
  let frames = [];
  let at = 0;
  let timer = null;
  const hands = new Set();

  const where = h("output", { class: "at" });
  const title = h("h2", {});
  const range = h("input", { type: "range", min: 0, value: 0, "aria-label": T.hands.pick, oninput: () => go(Number(range.value)) });
  const told = h("ol", { class: "lines told", "aria-live": "polite" });
  const toggle = button(T.hands.play, () => (timer ? stop() : start()));
  const controls = h(
    "div",
    { class: "row controls" },
    button("«", () => go(0), { "aria-label": T.hands.first, title: T.hands.first, kind: "quiet" }),
    button("‹", () => go(at - 1), { "aria-label": T.hands.back, title: T.hands.back, kind: "quiet" }),
    toggle,
    button("›", () => go(at + 1), { "aria-label": T.hands.forward, title: T.hands.forward, kind: "quiet" }),
    button("»", () => go(frames.length - 1), { "aria-label": T.hands.last, title: T.hands.last, kind: "quiet" }),
  );
  player.append(title, controls, h("div", { class: "row" }, range, where), told, button(T.hands.close, close, { kind: "quiet" }));
  player.addEventListener("keydown", (event) => {
    if (event.target === range) return;
    if (event.key === "ArrowLeft") go(at - 1);
    else if (event.key === "ArrowRight") go(at + 1);
  });

  function start() {
    if (at >= frames.length - 1) at = -1;
    const step = () => {
      if (at >= frames.length - 1) return stop();
      go(at + 1, true);
      timer = setTimeout(step, 900);
    };
    timer = setTimeout(step, 0);
    say(toggle.firstChild, T.hands.pause);
  }

  function stop() {
    clearTimeout(timer);
    timer = null;
    say(toggle.firstChild, T.hands.play);
  }

  function go(to, playing = false) {
    if (!playing && timer) stop();
    const before = at;
    at = Math.max(0, Math.min(frames.length - 1, to));
    const frame = frames[at];
    if (!frame) return;
    range.value = at;
    say(where, T.hands.at(at + 1, frames.length));
    fill(told, frame.lines.flatMap((line) => rendered(line, state)));
    // A step forward is seen as it was then; whoever jumps sees what lies there. How the hand ended stays to be read.
    const ended = frames.slice(0, at).flatMap((one) => one.lines.filter((line) => line.event === "result"));
    show(frame.view, [...ended, ...frame.lines], at === before + 1);
  }

  function close() {
    stop();
    frames = [];
    player.hidden = true;
    live();
  }

  return {
    hand(document) {
      empty.hidden = true;
      if (hands.has(document.hand)) return;
      hands.add(document.hand);
      const item = h("li", {}, h("button", { type: "button", class: "replay", "aria-label": T.hands.replay(document.hand), onclick: () => link().say({ type: "replay", hand: document.hand }) }, h("b", {}, T.hand(document.hand)), h("span", {}, document.text)));
      list.prepend(item);
      number.max = Math.max(Number(number.max), document.hand);
      older.hidden = list.childElementCount < LISTED;
      while (list.childElementCount > LISTED) list.lastElementChild.remove();
    },
    replay(document) {
      stop();
      frames = document.frames;
      player.hidden = false;
      say(title, T.hands.title(document.hand));
      fill(told);
      if (!frames.length) {
        fill(told, h("li", {}, T.hands.missing));
        return;
      }
      range.max = frames.length - 1;
      go(0);
      toggle.focus();
    },
    reset() {
      stop();
      frames = [];
      hands.clear();
      older.hidden = true;
      player.hidden = true;
      empty.hidden = false;
      list.replaceChildren();
    },
    get replaying() {
      return !player.hidden;
    },
  };
}
