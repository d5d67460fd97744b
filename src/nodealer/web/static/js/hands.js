// The hands panel: a list of finished hands, and a player that replays one on the table, step by step.
import { T, button, fill, h, setText } from "./kit.js";
import { renderLine } from "./log.js";

const LISTED = 60;
/** Milliseconds per step when the replay runs by itself. */
const STEP_TIME = 900;

export function createHandsPanel(root, { link, state, showMoment, showLive }) {
  const list = h("ol", { class: "hands", reversed: true });
  const empty = h("p", { class: "none" }, T.hands.none);
  const player = h("div", { class: "player", hidden: true });
  // The list has the newest hands; older ones are opened by their number.
  const number = h("input", { type: "number", min: 1, "aria-label": T.hands.pick, inputmode: "numeric" });
  const older = h("form", { class: "row older", hidden: true }, h("span", {}, T.hands.pick), number, h("button", { class: "button quiet", type: "submit" }, T.hands.show));
  older.addEventListener("submit", (event) => {
    event.preventDefault();
    if (number.value) link().send({ type: "replay", hand: Number(number.value) });
  });
  root.append(player, empty, list, older);
  let frames = [];
  let at = 0;
  let timer = null;
  const hands = new Set();

  const position = h("output", { class: "at" });
  const title = h("h2", {});
  const range = h("input", { type: "range", min: 0, value: 0, "aria-label": T.hands.step, oninput: () => goTo(Number(range.value)) });
  const lines = h("ol", { class: "lines step-lines", "aria-live": "polite" });
  const playButton = button(T.hands.play, () => (timer ? pause() : play()));
  const controls = h(
    "div",
    { class: "row controls" },
    button("«", () => goTo(0), { "aria-label": T.hands.first, title: T.hands.first, kind: "quiet" }),
    button("‹", () => goTo(at - 1), { "aria-label": T.hands.back, title: T.hands.back, kind: "quiet" }),
    playButton,
    button("›", () => goTo(at + 1), { "aria-label": T.hands.forward, title: T.hands.forward, kind: "quiet" }),
    button("»", () => goTo(frames.length - 1), { "aria-label": T.hands.last, title: T.hands.last, kind: "quiet" }),
  );
  player.append(title, controls, h("div", { class: "row" }, range, position), lines, button(T.hands.close, close, { kind: "quiet" }));
  player.addEventListener("keydown", (event) => {
    if (event.target === range) return;
    if (event.key === "ArrowLeft") goTo(at - 1);
    else if (event.key === "ArrowRight") goTo(at + 1);
  });

  function play() {
    if (at >= frames.length - 1) at = -1;
    const step = () => {
      if (at >= frames.length - 1) return pause();
      goTo(at + 1, true);
      timer = setTimeout(step, STEP_TIME);
    };
    timer = setTimeout(step, 0);
    setText(playButton.firstChild, T.hands.pause);
  }

  function pause() {
    clearTimeout(timer);
    timer = null;
    setText(playButton.firstChild, T.hands.play);
  }

  function goTo(to, playing = false) {
    if (!playing && timer) pause();
    const before = at;
    at = Math.max(0, Math.min(frames.length - 1, to));
    const frame = frames[at];
    if (!frame) return;
    range.value = at;
    setText(position, T.hands.at(at + 1, frames.length));
    fill(lines, frame.lines.flatMap((line) => renderLine(line, state)));
    // One step forward is animated, a jump is not. The result of the hand stays readable after it.
    const results = frames.slice(0, at).flatMap((one) => one.lines.filter((line) => line.event === "result"));
    showMoment(frame.view, [...results, ...frame.lines], at === before + 1);
  }

  function close() {
    pause();
    frames = [];
    player.hidden = true;
    showLive();
  }

  return {
    addHand(doc) {
      empty.hidden = true;
      if (hands.has(doc.hand)) return;
      hands.add(doc.hand);
      const item = h("li", {}, h("button", { type: "button", class: "replay", "aria-label": T.hands.replay(doc.hand), onclick: () => link().send({ type: "replay", hand: doc.hand }) }, h("b", {}, T.hand(doc.hand)), h("span", {}, doc.text)));
      list.prepend(item);
      number.max = Math.max(Number(number.max), doc.hand);
      older.hidden = list.childElementCount < LISTED;
      while (list.childElementCount > LISTED) list.lastElementChild.remove();
    },
    replay(doc) {
      pause();
      frames = doc.frames;
      player.hidden = false;
      setText(title, T.hands.title(doc.hand));
      fill(lines);
      if (!frames.length) {
        fill(lines, h("li", {}, T.hands.missing));
        return;
      }
      range.max = frames.length - 1;
      goTo(0);
      playButton.focus();
    },
    reset() {
      pause();
      frames = [];
      hands.clear();
      older.hidden = true;
      player.hidden = true;
      empty.hidden = false;
      list.replaceChildren();
    },
    get isReplaying() {
      return !player.hidden;
    },
  };
}
